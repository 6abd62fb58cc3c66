//! The workspace: where things live, what may be touched, which configuration and clock hold.
//!
//! Owns path safety ([`RelPath`], [`Workspace::resolve`]) and the layout of folders. Reads no environment:
//! the binary finds the folder and passes everything in. Used by every module that touches a file.

use crate::message::time::Zone;
use chrono::{DateTime, NaiveDate, Utc};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

pub mod config;
pub mod day;
mod listing;
pub mod path;

pub use config::{Config, ConfigError};
pub use day::{DayError, parse_day};
pub use path::{PathError, RelPath};

/// Tells the time; tests pass a fixed one.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// An opened workspace. Cheap to clone; opening one reads its configuration and writes nothing.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
    config: Arc<Config>,
    layout: Arc<Layout>,
    clock: Clock,
}

/// The configured folders, checked once.
struct Layout {
    daily: RelPath,
    session: RelPath,
    resource: RelPath,
    digest: RelPath,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workspace").field("root", &self.root).field("config", &self.config).finish()
    }
}

impl Workspace {
    /// A workspace at `root`, which need not exist yet.
    pub fn new(root: &Path, config: Config, clock: Clock) -> Result<Workspace, PathError> {
        let refuse = |why: String| PathError::new("workspace", &root.to_string_lossy(), why);
        let absolute =
            std::path::absolute(root).map_err(|error| refuse(format!("{error}; give a folder")))?;
        if absolute.metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(refuse("it is a file; give a folder".into()));
        }
        let layout = Layout {
            daily: RelPath::new(&config.daily_dir)?,
            session: RelPath::new(&config.session_dir)?,
            resource: RelPath::new(&config.resource_dir)?,
            digest: RelPath::new(&config.digest_dir)?,
        };
        Ok(Workspace { root: absolute, config: Arc::new(config), layout: Arc::new(layout), clock })
    }

    /// The folder, as an absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The zone in force.
    pub fn zone(&self) -> Zone {
        self.config.timezone.map_or(Zone::System, Zone::Named)
    }

    /// Now.
    pub fn now(&self) -> DateTime<Utc> {
        (self.clock)()
    }

    /// Today in the zone in force, worked out at each call.
    pub fn today(&self) -> NaiveDate {
        match self.zone() {
            Zone::System => self.now().with_timezone(&chrono::Local).date_naive(),
            Zone::Named(zone) => self.now().with_timezone(&zone).date_naive(),
            Zone::Fixed(offset) => self.now().with_timezone(&offset).date_naive(),
        }
    }

    /// The folder of day pages and cards.
    pub fn daily_dir(&self) -> &RelPath {
        &self.layout.daily
    }

    /// The folder of records and images.
    pub fn session_dir(&self) -> &RelPath {
        &self.layout.session
    }

    /// The folder of resources.
    pub fn resource_dir(&self) -> &RelPath {
        &self.layout.resource
    }

    /// The folder of long-term memories.
    pub fn digest_dir(&self) -> &RelPath {
        &self.layout.digest
    }

    /// The day's page: `daily/YYYY-MM-DD.md`.
    pub fn day_page(&self, day: NaiveDate) -> RelPath {
        RelPath::checked(format!("{}/{day}.md", self.layout.daily))
    }

    /// The folder of the day's cards: `daily/YYYY-MM-DD`.
    pub fn day_folder(&self, day: NaiveDate) -> RelPath {
        RelPath::checked(format!("{}/{day}", self.layout.daily))
    }

    /// A card of the day: `daily/YYYY-MM-DD/<name>.md`; the name in NFC.
    pub fn card(&self, day: NaiveDate, name: &str) -> Result<RelPath, PathError> {
        path::check_name("card name", name, ".md")?;
        let name: String = name.nfc().collect();
        Ok(RelPath::checked(format!("{}/{day}/{name}.md", self.layout.daily)))
    }

    /// A session's record: `session/dialog/<session_id>.jsonl`.
    pub fn dialog(&self, session_id: &str) -> Result<RelPath, PathError> {
        path::check_name("session id", session_id, ".jsonl")?;
        Ok(RelPath::checked(format!("{}/dialog/{session_id}.jsonl", self.layout.session)))
    }

    /// The folder of all records: `session/dialog`.
    pub fn dialog_folder(&self) -> RelPath {
        RelPath::checked(format!("{}/dialog", self.layout.session))
    }

    /// The folder of a session's images: `session/images/<session_id>`.
    pub fn session_images(&self, session_id: &str) -> Result<RelPath, PathError> {
        path::check_name("session id", session_id, ".jsonl")?;
        Ok(RelPath::checked(format!("{}/images/{session_id}", self.layout.session)))
    }

    /// A file of our own state: `metadata/native/<name>`, where `name` may have folders.
    pub fn native(&self, name: &str) -> Result<RelPath, PathError> {
        RelPath::new(&format!("metadata/native/{name}"))
    }

    /// Checks a path that may be absolute, as long as it lies inside the workspace.
    pub fn relative(&self, path: &str) -> Result<RelPath, PathError> {
        let given = Path::new(path);
        if !given.is_absolute() {
            return RelPath::new(path);
        }
        let inside = given.strip_prefix(&self.root).ok().map(Path::to_owned).or_else(|| {
            let root = self.root.canonicalize().ok()?;
            given.strip_prefix(root).ok().map(Path::to_owned)
        });
        let Some(inside) = inside else {
            let why = "it lies outside of the workspace; give a path inside it";
            return Err(PathError::new("path", path, why));
        };
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        RelPath::new(&parts.join("/"))
    }

    /// The file behind a path, whether or not it exists; refused when a symbolic link leads out of the
    /// workspace, nowhere, or in a circle.
    ///
    /// Links that stay inside are followed, so that a write through one changes its target. Where the exact
    /// spelling does not exist, a file whose name has the same NFC form is taken.
    pub fn resolve(&self, path: &RelPath) -> Result<PathBuf, PathError> {
        let mut current = self.root.clone();
        let mut missing = false;
        for component in path.as_str().split('/') {
            let next = current.join(component);
            if missing {
                current = next;
                continue;
            }
            current = match next.symlink_metadata() {
                Ok(found) if found.is_symlink() => self.follow(path, &next)?,
                Ok(_) => next,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match same_in_nfc(&current, component) {
                        Some(spelt) if spelt.is_symlink() => self.follow(path, &spelt)?,
                        Some(spelt) => spelt,
                        None => {
                            missing = true;
                            next
                        }
                    }
                }
                // What is wrong (a file where a folder should be, no permission) shows when it is used.
                Err(_) => {
                    missing = true;
                    next
                }
            };
        }
        Ok(current)
    }

    fn follow(&self, path: &RelPath, link: &Path) -> Result<PathBuf, PathError> {
        let refuse = |why: &str| PathError::new("path", path.as_str(), why);
        let target = link
            .canonicalize()
            .map_err(|_| refuse("a symbolic link in it leads nowhere or in a circle; remove the link"))?;
        let inside = self.root.canonicalize().is_ok_and(|root| target.starts_with(root));
        if inside {
            Ok(target)
        } else {
            Err(refuse("a symbolic link in it leads out of the workspace; move the files inside instead"))
        }
    }

    /// The bytes of a file; `None` when there is none. Never opens a pipe, a device or a folder, and never
    /// leaves the workspace.
    pub fn read(&self, path: &RelPath) -> io::Result<Option<Vec<u8>>> {
        let file = self.resolve(path).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        read_regular(&file)
    }
}

/// Reads a file that must be a regular one: opening a pipe would wait for ever.
pub(crate) fn read_regular(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match file.metadata() {
        Ok(found) if found.is_file() => {}
        Ok(found) => {
            let what = if found.is_dir() { "is a folder" } else { "is a pipe or a device" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it {what}, not a file")));
        }
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the error says that there is no such file.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The entry of a folder whose name differs in its Unicode normalisation only.
fn same_in_nfc(folder: &Path, component: &str) -> Option<PathBuf> {
    if component.is_ascii() {
        return None;
    }
    let wanted: String = component.nfc().collect();
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let mut same = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| !name.is_ascii() && name.nfc().eq(wanted.chars()))
    });
    same.next().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(root: &Path, config: Config) -> Workspace {
        Workspace::new(root, config, Arc::new(|| "2026-03-01T23:30:00Z".parse().unwrap())).unwrap()
    }

    fn rel(path: &str) -> RelPath {
        RelPath::new(path).unwrap()
    }

    #[test]
    fn layout() {
        let config = Config { daily_dir: "d".into(), session_dir: "sess/x".into(), ..Config::default() };
        let workspace = workspace(Path::new("/nowhere/w"), config);
        let day = NaiveDate::from_ymd_opt(2024, 4, 1).unwrap();
        assert_eq!(workspace.day_page(day).as_str(), "d/2024-04-01.md");
        assert_eq!(workspace.day_folder(day).as_str(), "d/2024-04-01");
        assert_eq!(workspace.card(day, "ovr").unwrap().as_str(), "d/2024-04-01/ovr.md");
        assert_eq!(workspace.card(day, "cafe\u{301}").unwrap().as_str(), "d/2024-04-01/caf\u{e9}.md");
        assert_eq!(workspace.dialog("o").unwrap().as_str(), "sess/x/dialog/o.jsonl");
        assert_eq!(workspace.session_images("o").unwrap().as_str(), "sess/x/images/o");
        assert_eq!(workspace.native("undo/x.json").unwrap().as_str(), "metadata/native/undo/x.json");
        assert!(workspace.card(day, "a/b").unwrap_err().to_string().starts_with("card name"));
        assert!(workspace.dialog("../x").unwrap_err().to_string().starts_with("session id"));
        assert!(workspace.session_images("a#b").is_err());
        assert!(workspace.native("../x").is_err());
    }

    #[test]
    fn today_is_in_the_zone_in_force() {
        let zoned = |zone| {
            let config = Config { timezone: Some(zone), ..Config::default() };
            workspace(Path::new("/nowhere/w"), config).today().to_string()
        };
        assert_eq!(zoned(chrono_tz::UTC), "2026-03-01");
        assert_eq!(zoned(chrono_tz::Asia::Shanghai), "2026-03-02");
    }

    #[test]
    fn a_bad_root_or_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "x").unwrap();
        let clock: Clock = Arc::new(Utc::now);
        let error = Workspace::new(&file, Config::default(), clock.clone()).unwrap_err();
        assert!(error.to_string().contains("give a folder"), "{error}");
        let config = Config { daily_dir: "../d".into(), ..Config::default() };
        assert!(Workspace::new(dir.path(), config, clock).is_err());
    }

    #[test]
    fn absolute_paths_inside_become_relative() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(dir.path(), Config::default());
        let inside = dir.path().join("daily/x.md");
        assert_eq!(workspace.relative(inside.to_str().unwrap()).unwrap().as_str(), "daily/x.md");
        assert_eq!(workspace.relative("daily/x.md").unwrap().as_str(), "daily/x.md");
        for outside in ["/etc/passwd", "../x", "~/x"] {
            assert!(workspace.relative(outside).is_err(), "{outside}");
        }
        let climbing = dir.path().join("daily/../../x");
        assert!(workspace.relative(climbing.to_str().unwrap()).is_err());
        let itself = dir.path().to_str().unwrap();
        assert!(workspace.relative(itself).is_err());
        let twin = format!("{itself}-twin/x");
        assert!(workspace.relative(&twin).is_err());
    }

    #[test]
    fn reads_only_files() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(dir.path(), Config::default());
        std::fs::create_dir_all(dir.path().join("daily")).unwrap();
        std::fs::write(dir.path().join("daily/x.md"), "x").unwrap();
        assert_eq!(workspace.read(&rel("daily/x.md")).unwrap().as_deref(), Some(&b"x"[..]));
        assert_eq!(workspace.read(&rel("daily/none.md")).unwrap(), None);
        assert_eq!(workspace.read(&rel("daily/x.md/deeper.md")).unwrap(), None);
        assert!(workspace.read(&rel("daily")).unwrap_err().to_string().contains("folder"));
    }

    #[test]
    fn finds_a_file_whose_name_is_spelt_in_another_normal_form() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(dir.path(), Config::default());
        std::fs::write(dir.path().join("cafe\u{301}.md"), "decomposed").unwrap();
        assert_eq!(workspace.read(&rel("caf\u{e9}.md")).unwrap().unwrap(), b"decomposed");
        std::fs::write(dir.path().join("caf\u{e9}.md"), "composed").unwrap();
        assert_eq!(workspace.read(&rel("caf\u{e9}.md")).unwrap().unwrap(), b"composed");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_are_refused() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.md"), "s").unwrap();
        let root = dir.path().join("w");
        std::fs::create_dir_all(root.join("daily/real")).unwrap();
        std::fs::write(root.join("daily/real/x.md"), "x").unwrap();
        symlink(outside.path(), root.join("daily/out")).unwrap();
        symlink(outside.path().join("secret.md"), root.join("daily/secret.md")).unwrap();
        symlink("loop.md", root.join("daily/loop.md")).unwrap();
        symlink("gone.md", root.join("daily/dangling.md")).unwrap();
        symlink("real", root.join("daily/alias")).unwrap();
        symlink(&root, dir.path().join("w2")).unwrap();
        for root in [root.clone(), dir.path().join("w2")] {
            let workspace = workspace(&root, Config::default());
            for (path, word) in [
                ("daily/out/secret.md", "out of the workspace"),
                ("daily/out/new.md", "out of the workspace"),
                ("daily/secret.md", "out of the workspace"),
                ("daily/loop.md", "circle"),
                ("daily/dangling.md", "nowhere"),
            ] {
                let error = workspace.resolve(&rel(path)).unwrap_err().to_string();
                assert!(error.contains(word), "{path}: {error}");
                assert!(workspace.read(&rel(path)).is_err(), "{path}");
            }
            assert_eq!(workspace.read(&rel("daily/alias/x.md")).unwrap().unwrap(), b"x");
            assert!(workspace.resolve(&rel("daily/alias/new.md")).unwrap().ends_with("daily/real/new.md"));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_and_devices_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.md");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = workspace(dir.path(), Config::default()).read(&rel("pipe.md")).unwrap_err();
        assert!(error.to_string().contains("pipe"), "{error}");
        assert!(read_regular(Path::new("/dev/zero")).unwrap_err().to_string().contains("device"));
    }
}
