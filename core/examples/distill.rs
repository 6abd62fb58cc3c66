//! Reads a JSON list of messages from standard input and prints the embedded distiller's draft.

use reme_core::distill::offline::Offline;
use reme_core::distill::{Distiller, Request, Unwatched};
use reme_core::message::{Fields, Msg, Role};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let list: Vec<Value> = serde_json::from_reader(std::io::stdin().lock())?;
    let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).map(str::to_owned);
    let messages: Vec<Msg> = list
        .iter()
        .map(|v| {
            let role = match v.get("role").and_then(Value::as_str) {
                Some("assistant") => Role::Assistant,
                Some("system") => Role::System,
                _ => Role::User,
            };
            Msg {
                id: text(v, "id"),
                name: text(v, "name"),
                created_at: text(v, "created_at"),
                extra: Fields::new(),
                ..Msg::text_message(role, text(v, "content").unwrap_or_default())
            }
        })
        .collect();
    let request = Request { messages: &messages, news: &[], card: None, known_tags: &[], hint: None };
    let start = std::time::Instant::now();
    let draft = Offline.distill(&request, &Unwatched)?;
    if std::env::var_os("TIMING").is_some() {
        eprintln!("{:?}", start.elapsed());
    }
    println!("{}", json!({"sessions": [{"session_id": null, "messages": messages.len(), "draft": draft}]}));
    Ok(())
}
