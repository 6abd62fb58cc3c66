//! The few things that the store does to a disk, each of them one step that a test can stop at.
//!
//! Owns the system calls and their oddities; knows nothing of operations. Called by the store alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Marks a point at which tests stop the process; nothing outside of tests.
#[cfg(not(test))]
macro_rules! step {
    ($($step:tt)*) => {};
}
#[cfg(test)]
macro_rules! step {
    ($step:ident($($path:expr),*)) => {
        super::tests::fault::step(super::tests::fault::Step::$step, &[$($path),*])?
    };
}

/// Who may read what is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Privacy {
    /// As the person's own settings say.
    Shared,
    /// The person alone.
    Private,
}

/// Writes a file that is not there yet.
pub(super) fn write_new(path: &Path, bytes: &[u8], privacy: Privacy) -> io::Result<File> {
    step!(Create(path));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if privacy == Privacy::Private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = privacy;
    let mut file = options.open(path)?;
    write_all(&mut file, path, bytes)?;
    Ok(file)
}

/// Adds bytes at the end of a file, in one call where the system takes them in one.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<File> {
    step!(Append(path));
    let mut file = OpenOptions::new().append(true).open(path)?;
    write_all(&mut file, path, bytes)?;
    Ok(file)
}

#[cfg_attr(not(test), expect(unused_variables, reason = "the path is for the tests' steps"))]
fn write_all(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    if super::tests::fault::stops_within(path) {
        file.write_all(&bytes[..bytes.len() / 2])?;
        super::tests::fault::stop();
    }
    file.write_all(bytes)
}

/// Cuts a file off after `len` bytes.
pub(super) fn truncate(path: &Path, len: u64) -> io::Result<()> {
    step!(Append(path));
    OpenOptions::new().write(true).open(path)?.set_len(len)
}

/// Moves a file over another; on Windows, waits a little for programs that hold it open.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step!(Rename(from, to));
    retried(|| fs::rename(from, to))
}

/// Removes a file; that there is none is no error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    step!(Remove(path));
    match retried(|| fs::remove_file(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn retried(action: impl Fn() -> io::Result<()>) -> io::Result<()> {
    const TRIES: u32 = 10;
    for tried in 1..TRIES {
        match action() {
            Err(error) if is_held(&error) => {
                std::thread::sleep(std::time::Duration::from_millis(5 << tried.min(5)))
            }
            result => return result,
        }
    }
    action()
}

/// Windows' errors for a file that a virus scanner, an editor or a sync program has open.
fn is_held(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32))
}

/// Makes a folder with its parents, and says which were made, outermost first.
pub(super) fn create_folders(
    folder: &Path,
    privacy: impl Fn(&Path) -> Privacy,
) -> io::Result<Vec<std::path::PathBuf>> {
    let mut missing: Vec<_> =
        folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.reverse();
    for folder in &missing {
        step!(Folder(folder));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        if privacy(folder) == Privacy::Private {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        #[cfg(not(unix))]
        let _ = privacy(folder);
        match builder.create(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => result?,
        }
    }
    Ok(missing)
}

/// Brings a file's content to the disk itself.
pub(super) fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    step!(Synced(path));
    let _ = path;
    Ok(())
}

/// The same for a file that is not open; that there is none is no error, nor that it became something else.
pub(super) fn sync_path(path: &Path) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    // Windows flushes only what is open for writing, and a read-only file opens for reading only.
    let opened = OpenOptions::new().read(true).write(cfg!(windows)).open(path);
    match opened {
        Ok(file) => sync(&file, path),
        Err(error) if crate::workspace::is_absence(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Brings a folder's entries to the disk itself; that there is none is no error.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        match File::open(folder) {
            Ok(opened) => opened.sync_all()?,
            Err(error) if crate::workspace::is_absence(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    step!(FolderSynced(folder));
    Ok(())
}
