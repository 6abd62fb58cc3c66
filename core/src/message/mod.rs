//! Messages: what a conversation is made of, as AgentScope shapes them.
//!
//! Owns the data model, the reading of a JSON message list, time stamps and derived ids. Every field and
//! block that this program does not know is kept as it came. Called by `import`, `dialog` and `memorize`.

use serde_json::{Map, Value};

pub mod block;
pub mod id;
pub mod list;
mod plain;
pub mod time;

pub use list::{ListError, Parsed, parse_list};
pub use plain::plain;

/// The JSON object behind a block or the unknown fields of a message, in the order of the source.
pub type Fields = Map<String, Value>;

/// Who speaks, as far as the record distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The person.
    User,
    /// The assistant.
    Assistant,
    /// Instructions; part of the record, not of what is remembered.
    System,
}

impl Role {
    /// The role as it is spelt in a dialog record.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
        }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Msg {
    /// The source's own id as text; `None` until [`id::derive`] has filled it in.
    pub id: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// The speaker's name, where the source has one.
    pub name: Option<String>,
    /// The blocks, in order.
    pub content: Vec<Block>,
    /// When it was said, as the source wrote it; validity is [`time::Timestamp::parse`]'s business.
    pub created_at: Option<String>,
    /// The source's metadata object.
    pub metadata: Fields,
    /// Every other top-level field of the source.
    pub extra: Fields,
}

impl Msg {
    /// A message of one text block.
    pub fn text_message(role: Role, text: impl Into<String>) -> Self {
        Msg {
            id: None,
            role,
            name: None,
            content: vec![Block::text(text)],
            created_at: None,
            metadata: Fields::new(),
            extra: Fields::new(),
        }
    }

    /// The text blocks joined with line feeds; what a person reads and a distiller is given.
    pub fn text(&self) -> String {
        let parts: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        parts.join("\n")
    }

    /// When it was said; `None` where the source gave no readable time, also when the record shows the time of
    /// recording in its place. What orders messages and chooses the day.
    pub fn said_at(&self) -> Option<time::Timestamp> {
        let text = self.created_at.as_deref().filter(|text| !time::is_recording(text))?;
        time::Timestamp::parse(text)
    }

    /// The name, or the role where there is none.
    pub fn speaker(&self) -> &str {
        match &self.name {
            Some(name) if !name.is_empty() => name,
            _ => self.role.as_str(),
        }
    }
}

/// What a block holds; the fields themselves stay in [`Block::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Words.
    Text,
    /// A model's reasoning; kept, never text.
    Thinking,
    /// Words that a program injected; kept, never text.
    Hint,
    /// A call of a tool (`tool_call`, or the older `tool_use`).
    ToolCall,
    /// What a tool returned; never recorded.
    ToolResult,
    /// Bytes or a URL with a media type: pictures, sound, files.
    Data,
    /// Anything else, kept verbatim.
    Other,
}

/// One content block: a JSON object, with typed views on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The object as it came.
    pub fields: Fields,
}

/// Where a [`BlockKind::Data`] block has its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Inline bytes.
    Base64 {
        /// The encoded bytes, not yet checked.
        data: &'a str,
        /// The declared media type, or the empty string.
        media_type: &'a str,
    },
    /// Somewhere else.
    Url {
        /// The address as given.
        url: &'a str,
        /// The declared media type, or the empty string.
        media_type: &'a str,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        let mut fields = Fields::new();
        fields.insert("type".into(), "text".into());
        fields.insert("text".into(), Value::String(text.into()));
        Block { fields }
    }

    /// A string field of the object.
    pub fn str(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    /// What kind of block this is, by its `type`.
    pub fn kind(&self) -> BlockKind {
        match self.str("type") {
            Some("text") => BlockKind::Text,
            Some("thinking") => BlockKind::Thinking,
            Some("hint") => BlockKind::Hint,
            Some("tool_call" | "tool_use") => BlockKind::ToolCall,
            Some("tool_result") => BlockKind::ToolResult,
            Some("data") => BlockKind::Data,
            _ => BlockKind::Other,
        }
    }

    /// The words of a text block.
    pub fn as_text(&self) -> Option<&str> {
        if self.kind() == BlockKind::Text { self.str("text") } else { None }
    }

    /// The source of a data block.
    pub fn source(&self) -> Option<Source<'_>> {
        if self.kind() != BlockKind::Data {
            return None;
        }
        let source = self.fields.get("source")?.as_object()?;
        let field = |key: &str| source.get(key).and_then(Value::as_str);
        let media_type = field("media_type").unwrap_or("");
        match field("type") {
            Some("base64") => Some(Source::Base64 { data: field("data")?, media_type }),
            Some("url") => Some(Source::Url { url: field("url")?, media_type }),
            _ => None,
        }
    }

    /// Whether this is a picture, inline or linked.
    pub fn is_image(&self) -> bool {
        match self.source() {
            Some(Source::Base64 { media_type, .. } | Source::Url { media_type, .. }) => {
                media_type.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("image/"))
            }
            None => false,
        }
    }
}
