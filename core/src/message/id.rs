//! Derived message ids: the same conversation, a longer copy, or one that starts earlier gets the same ids.
//!
//! Owns what an id is derived from, and never changes an id that a source gave. Called by `import`,
//! `memorize` and `dialog`.

use super::{Msg, Role};
use chrono::SecondsFormat;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Fills in each missing id from session, role, text, time and the occurrence among equals.
pub fn derive(session_id: &str, messages: &mut [Msg]) {
    let mut seen: HashMap<Key, usize> = HashMap::new();
    for message in messages.iter_mut().filter(|message| message.id.is_none()) {
        let occurrence = seen.entry(key(message)).or_default();
        message.id = Some(derived(session_id, message, *occurrence));
        *occurrence += 1;
    }
}

/// The id that [`derive()`] gives to the message that comes after `occurrence` equal ones.
pub fn derived(session_id: &str, message: &Msg, occurrence: usize) -> String {
    let (role, text, time) = key(message);
    // JSON keeps the parts apart whatever they contain.
    let parts = serde_json::json!([session_id, role.as_str(), text, time, occurrence]).to_string();
    hex(&Sha256::digest(parts.as_bytes())).chars().take(32).collect()
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What makes two messages equal: role, text, and the time where it is readable.
pub(crate) type Key = (Role, String, Option<String>);

pub(crate) fn key(message: &Msg) -> Key {
    let time = message.said_at().map(|stamp| match stamp.offset {
        // One instant has many spellings; a naive time has only itself, whatever zone holds today.
        Some(offset) => (stamp.local - offset).and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true),
        None => stamp.local.and_utc().format("%Y-%m-%dT%H:%M:%S%.f").to_string(),
    });
    (message.role, message.text(), time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: Role, text: &str, time: Option<&str>) -> Msg {
        Msg { created_at: time.map(str::to_owned), ..Msg::text_message(role, text) }
    }

    fn ids(session: &str, messages: &[Msg]) -> Vec<String> {
        let mut messages = messages.to_vec();
        derive(session, &mut messages);
        messages.into_iter().filter_map(|message| message.id).collect()
    }

    fn talk() -> Vec<Msg> {
        vec![
            said(Role::User, "ok", None),
            said(Role::Assistant, "ok", None),
            said(Role::User, "ok", None),
            said(Role::User, "ok", Some("2026-01-05T03:32:10Z")),
            said(Role::User, "ok", Some("2026-01-05T03:32:11Z")),
            said(Role::User, "o", Some("2026-01-05T03:32:11Z")),
        ]
    }

    #[test]
    fn ids_differ_where_messages_do() {
        let mut ids = ids("s", &talk());
        assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), talk().len());
    }

    #[test]
    fn a_longer_copy_and_one_that_starts_earlier_keep_their_ids() {
        let all = talk();
        let whole = ids("s", &all);
        for cut in 0..all.len() {
            assert_eq!(ids("s", &all[..cut]), whole[..cut]);
        }
        assert_eq!(ids("s", &all[3..]), whole[3..]);
    }

    #[test]
    fn the_session_and_the_instant_count_and_given_ids_stay() {
        let one = |time: &str| ids("s", &[said(Role::User, "x", Some(time))]);
        assert_eq!(one("2026-01-05T03:32:10Z"), one("2026-01-05 11:32:10.000+08:00"));
        assert_ne!(one("2026-01-05T03:32:10Z"), one("2026-01-05T03:32:10"));
        assert_ne!(ids("s", &talk()), ids("t", &talk()));
        let given = Msg { id: Some("7".into()), ..Msg::text_message(Role::User, "x") };
        assert_eq!(ids("s", &[given]), ["7"]);
    }
}
