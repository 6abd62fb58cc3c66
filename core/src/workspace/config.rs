//! Settings of a workspace, with ReMe's names and defaults.

/// The settings that the engine reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Folder of day pages and cards.
    pub daily_dir: String,
    /// Folder of records and images.
    pub session_dir: String,
    /// Folder of resources.
    pub resource_dir: String,
    /// Folder of long-term memories.
    pub digest_dir: String,
    /// IANA time zone; `None`: the system's.
    pub timezone: Option<chrono_tz::Tz>,
    /// Frontmatter key of the tags.
    pub tag_key: String,
    /// Pictures that one call may carry.
    pub max_image_num: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            daily_dir: "daily".into(),
            session_dir: "session".into(),
            resource_dir: "resource".into(),
            digest_dir: "digest".into(),
            timezone: None,
            tag_key: "memory_tags".into(),
            max_image_num: 5,
        }
    }
}
