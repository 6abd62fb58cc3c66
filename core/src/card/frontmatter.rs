//! Frontmatter: read with YAML 1.1 eyes, edited by byte spans.

/// One key of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: FieldValue,
    /// The bytes of its lines in the file.
    pub span: std::ops::Range<usize>,
}

/// A value as its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Nothing.
    Empty,
    /// A scalar's text, unquoted and unfolded.
    Text(String),
    /// A list of scalars.
    List(Vec<String>),
    /// Anything deeper, as it stands.
    Raw(String),
}

/// Why the block, or a part of it, could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 1-based line in the file.
    pub line: usize,
    /// 1-based column.
    pub column: usize,
    /// What was met.
    pub message: String,
}
