//! What the tests of the binary share: a pseudo-terminal that waits on what the screen shows, and a clean call.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a test waits for the screen before it fails; never how long it sleeps.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program in a pseudo-terminal.
pub struct Terminal {
    screen: vt100::Parser,
    output: Receiver<Vec<u8>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    /// Every byte that the program wrote.
    pub raw: Vec<u8>,
}

impl Terminal {
    /// Starts `reme` with these arguments on a terminal of this size that answers no questions.
    pub fn start(arguments: &[&str], home: &Path, columns: u16, rows: u16) -> Terminal {
        Self::start_with(arguments, home, columns, rows, &[])
    }

    /// The same with more environment.
    pub fn start_with(
        arguments: &[&str],
        home: &Path,
        columns: u16,
        rows: u16,
        env: &[(&str, &str)],
    ) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_reme"));
        command.args(arguments);
        command.env_clear();
        for (key, value) in clean_environment(home) {
            command.env(key, value);
        }
        command.env("TERM", "xterm-256color");
        for (key, value) in env {
            command.env(key, value);
        }
        command.cwd(home);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || send.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let screen = vt100::Parser::new(rows, columns, 0);
        Terminal { screen, output, writer, child, master: pair.master, raw: Vec::new() }
    }

    /// Types bytes.
    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Pastes text as a terminal with bracketed paste does.
    pub fn paste(&mut self, text: &str) {
        self.send(&format!("\x1b[200~{text}\x1b[201~"));
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen satisfies the condition.
    pub fn wait(&mut self, what: &str, condition: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !condition(&self.text()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(_) => panic!("never saw {what}; the screen shows:\n{}", self.text()),
            }
        }
    }

    /// Waits until the screen shows this text.
    pub fn see(&mut self, text: &str) {
        self.wait(&format!("{text:?}"), |screen| screen.contains(text));
    }

    /// Waits until the screen no longer shows this text.
    pub fn gone(&mut self, text: &str) {
        self.wait(&format!("{text:?} go away"), |screen| !screen.contains(text));
    }

    /// Sends a signal by name, such as `TERM`.
    pub fn signal(&mut self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let status = std::process::Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the program to end and gives its status; what it still wrote goes to the screen.
    pub fn finish(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(_) => panic!("the program did not end; the screen shows:\n{}", self.text()),
            }
        }
        self.child.wait().unwrap().exit_code()
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.screen.screen_mut().set_size(rows, columns);
    }

    /// Whether the terminal is as the program found it: main screen, visible cursor, no mouse, no paste mode.
    pub fn is_restored(&self) -> bool {
        let screen = self.screen.screen();
        !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// An environment that reads nothing of the person who runs the tests.
pub fn clean_environment(home: &Path) -> Vec<(String, String)> {
    let home = home.to_string_lossy().into_owned();
    let mut environment = vec![
        ("HOME".into(), home.clone()),
        ("XDG_CONFIG_HOME".into(), format!("{home}/.config")),
        ("XDG_CACHE_HOME".into(), format!("{home}/.cache")),
        ("XDG_STATE_HOME".into(), format!("{home}/.local/state")),
        ("XDG_DATA_HOME".into(), format!("{home}/.local/share")),
        ("TZ".into(), "UTC".into()),
        ("LANG".into(), "C.UTF-8".into()),
    ];
    if let Ok(path) = std::env::var("PATH") {
        environment.push(("PATH".into(), path));
    }
    environment
}

/// The command, in a clean environment, working in `home`.
pub fn reme(home: &Path) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_reme"));
    command.env_clear().envs(clean_environment(home)).current_dir(home);
    command
}

/// Every file below a folder with its bytes.
pub fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The files that people and other programs see; state of our own is left out.
pub fn visible(root: &Path) -> BTreeMap<String, Vec<u8>> {
    files(root).into_iter().filter(|(path, _)| !path.starts_with("metadata/native/")).collect()
}
