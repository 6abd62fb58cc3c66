//! The terminal: set up once, asked once, given back once.
//!
//! Owns its modes and the questions about its abilities; draws nothing and reads no keys after the start. It is
//! given back when [`Session`] is dropped, on a panic and on a signal, whichever comes first. Called by `driver`.

use crate::theme::{Colours, Ground};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, Event, KeyCode, KeyEvent, KeyModifiers,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, style};
use std::cell::Cell;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

mod answers;
mod late;
mod pasted;

pub use answers::{Pictures, Protocol};
use late::LateAnswers;
use pasted::PasteGuard;

/// The time that all questions to the terminal share; with what else the first frame needs, it stays within 150 ms.
const PATIENCE: Duration = Duration::from_millis(80);

/// Whether the terminal is ours at the moment; whoever swaps it to `false` gives it back.
static OURS: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether a panic of this thread is caught and shown as a message.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The terminal while it is ours.
#[derive(Debug)]
pub struct Session {
    /// How many colours to use.
    pub colours: Colours,
    /// Its background.
    pub ground: Ground,
    /// How it shows pictures.
    pub pictures: Pictures,
    /// Keys that were typed while it was asked.
    pub early: Vec<Event>,
    late: LateAnswers,
    pasted: PasteGuard,
}

impl Session {
    /// Takes the terminal over and asks what it can; `env` looks up one variable.
    pub fn enter(env: &dyn Fn(&str) -> Option<String>) -> io::Result<Session> {
        give_back_on_panic();
        give_back_on_signals()?;
        enable_raw_mode()?;
        OURS.store(true, Ordering::SeqCst);
        let entered = execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableMouseCapture,
            EnableFocusChange,
            cursor::Hide
        );
        if let Err(error) = entered {
            give_back();
            return Err(error);
        }
        let colours = Colours::promised(env);
        let heard =
            if env("TERM").as_deref() == Some("dumb") { Vec::new() } else { ask().unwrap_or_default() };
        let answers = answers::parse(&heard);
        let early = answers.typed.chars().map(typed).collect();
        Ok(Session {
            colours,
            ground: answers.ground.or_else(|| told_ground(env)).unwrap_or_default(),
            pictures: answers.pictures(env),
            early,
            late: LateAnswers::after(&answers),
            pasted: PasteGuard::default(),
        })
    }

    /// What the application gets of an event: no answers that come too late, and no keys out of a pasted text.
    pub fn pass(&mut self, event: Event) -> Vec<Event> {
        let now = Instant::now();
        let events = self.late.pass(event);
        events.into_iter().map(|event| self.pasted.pass(event, now)).collect()
    }

    /// A frame was drawn.
    pub fn shown(&mut self) {
        self.pasted.shown();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back; does nothing when that has been done. The screen's own errors are of no use here.
pub fn give_back() {
    if !OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = execute!(
        out,
        style::ResetColor,
        // A multiplexer that was resized meanwhile would leave these lines on the person's own screen.
        Clear(ClearType::All),
        DisableFocusChange,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
    let _ = out.flush();
}

/// Runs work whose panic is answered by a message, not by the end of the program; `None`: it panicked.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    result.ok()
}

fn give_back_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let next = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if CAUGHT.get() {
                tracing::error!("{panic}");
            } else {
                give_back();
                next(panic);
            }
        }));
    });
}

#[cfg(unix)]
fn give_back_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static THREAD: AtomicBool = AtomicBool::new(false);
    if THREAD.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            give_back();
            // Ends the process as the signal would have, so that whoever sent it sees the usual status.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn give_back_on_signals() -> io::Result<()> {
    Ok(())
}

/// Sends every question at once and listens until the last is answered or the time is over.
///
/// The terminal device is opened anew, so that not blocking on it concerns nobody else.
#[cfg(unix)]
fn ask() -> io::Result<Vec<u8>> {
    use std::os::unix::fs::OpenOptionsExt;
    let started = Instant::now();
    let mut device =
        std::fs::OpenOptions::new().read(true).write(true).custom_flags(NONBLOCK).open("/dev/tty")?;
    device.write_all(answers::QUESTIONS)?;
    let mut heard = Vec::new();
    let mut chunk = [0; 1024];
    while started.elapsed() < PATIENCE {
        match device.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => heard.extend(chunk.iter().take(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        if answers::parse(&heard).complete {
            break;
        }
    }
    Ok(heard)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const NONBLOCK: i32 = 0o4000;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const NONBLOCK: i32 = 0x4;

/// Consoles without a terminal device are not asked.
#[cfg(not(unix))]
fn ask() -> io::Result<Vec<u8>> {
    Ok(Vec::new())
}

/// The background as some terminals tell it in `COLORFGBG`: foreground, then background, by number.
fn told_ground(env: &dyn Fn(&str) -> Option<String>) -> Option<Ground> {
    let background = env("COLORFGBG")?.rsplit(';').next()?.parse::<u8>().ok()?;
    Some(if matches!(background, 7 | 9..=15) { Ground::Light } else { Ground::Dark })
}

fn typed(c: char) -> Event {
    let code = match c {
        '\r' | '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{7f}' => KeyCode::Backspace,
        c => KeyCode::Char(c),
    };
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_may_tell_the_background() {
        for (value, expected) in [
            (Some("0;15"), Some(Ground::Light)),
            (Some("15;default;0"), Some(Ground::Dark)),
            (Some("x"), None),
            (None, None),
        ] {
            assert_eq!(told_ground(&|_| value.map(ToOwned::to_owned)), expected, "{value:?}");
        }
    }

    #[test]
    fn a_caught_panic_is_a_value() {
        assert_eq!(caught(|| 1), Some(1));
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(caught(|| if PATIENCE.is_zero() { 1 } else { panic!("on purpose") }), None);
        let _ = std::panic::take_hook();
    }
}
