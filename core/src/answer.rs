//! The answer of a job: one envelope for the command line and the service.
//!
//! Owns its shape alone; what goes into the metadata is the business of the module that did the work.

use serde::Serialize;
use serde_json::{Map, Value};

/// What a job answers: `{"answer", "success", "metadata"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// For a person.
    pub answer: String,
    /// Whether the job did what was asked; a skip is a success.
    pub success: bool,
    /// For a program.
    pub metadata: Map<String, Value>,
}

impl Answer {
    /// A success without metadata.
    pub fn success(answer: impl Into<String>) -> Self {
        Answer { answer: answer.into(), success: true, metadata: Map::new() }
    }

    /// A failure with its stable code in `metadata.error`.
    pub fn failure(code: &str, answer: impl Into<String>) -> Self {
        let metadata = Map::from_iter([("error".to_owned(), Value::from(code))]);
        Answer { answer: answer.into(), success: false, metadata }
    }

    /// The same answer with one more entry of metadata.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }
}
