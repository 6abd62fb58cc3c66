//! How fast conversations are read: `cargo bench -p reme-core --bench import`, in MB a second.
//!
//! Each input is some 16 MB of one kind; its size is doubled once, so that what grows faster than the input shows.

use std::fmt::Write;
use std::time::Instant;

/// Bytes of the smaller input of each kind.
const SIZE: usize = 8 << 20;

const ANSWER: &str = "The index is built and the page uses it: 18 ms for the same query.\n\n- step one: rebuild\n- step two: \
                      measure (see `notes index`)\n\nNote: it holds a lock while it syncs.";

fn main() {
    for (kind, text) in [
        ("labelled text", labelled as fn(usize) -> String),
        ("stamped text", stamped),
        ("chinese labelled text", chinese),
        ("plain names", speakers),
        ("text without speakers", prose),
        ("claude code transcript", transcript),
        ("growing answers", growing),
        ("openai messages", messages),
    ] {
        let rates: Vec<String> = [SIZE, 2 * SIZE].into_iter().map(|size| rate(&text(size))).collect();
        println!("{kind:24} {}", rates.join("  "));
    }
}

fn rate(text: &str) -> String {
    let start = Instant::now();
    let outcome = reme_core::import::read(text.as_bytes(), None);
    let seconds = start.elapsed().as_secs_f64();
    let format = outcome.map_or_else(|error| error.code, |reading| reading.format);
    let megabytes = text.len() as f64 / 1e6;
    format!("{megabytes:5.1} MB {:7.1} MB/s ({format})", megabytes / seconds)
}

/// Text of at least `size` bytes, piece by piece.
fn filled(size: usize, mut piece: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::with_capacity(size + 4096);
    let mut number = 0;
    while text.len() < size {
        piece(&mut text, number);
        number += 1;
    }
    text
}

fn line(text: &mut String, written: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(written);
}

fn labelled(size: usize) -> String {
    filled(size, |text, n| line(text, format_args!("User: how is query {n}?\n\nAssistant: {ANSWER}\n\n")))
}

fn stamped(size: usize) -> String {
    filled(size, |text, n| {
        let minute = n % 60;
        line(
            text,
            format_args!(
                "[2026-06-21 09:{minute:02}:00] User: query {n}?\n[2026-06-21 09:{minute:02}:10] Assistant: {ANSWER}\n"
            ),
        );
    })
}

fn chinese(size: usize) -> String {
    filled(size, |text, n| {
        line(
            text,
            format_args!(
                "用户：第{n}个查询怎么样？\n助手：索引已经建好，查询只要十八毫秒。\n注意：请不要删除。\n\n"
            ),
        );
    })
}

fn speakers(size: usize) -> String {
    filled(size, |text, n| line(text, format_args!("Alice: how is query {n}?\nBob Miller: {ANSWER}\n")))
}

fn prose(size: usize) -> String {
    filled(size, |text, n| line(text, format_args!("Chapter {n}. {ANSWER}\n\n")))
}

fn transcript(size: usize) -> String {
    let answer = serde_json::Value::from(ANSWER.repeat(6));
    filled(size, |text, n| {
        line(
            text,
            format_args!(
                "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":\"a{before}\",\"sessionId\":\"s\",\"isSidechain\":false,\
                 \"timestamp\":\"2026-06-21T09:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":{answer}}}}}\n\
                 {{\"type\":\"assistant\",\"uuid\":\"a{n}\",\"parentUuid\":\"u{n}\",\"sessionId\":\"s\",\"isSidechain\":false,\
                 \"timestamp\":\"2026-06-21T09:00:01Z\",\"message\":{{\"id\":\"m{n}\",\"role\":\"assistant\",\
                 \"content\":[{{\"type\":\"text\",\"text\":{answer}}}]}}}}\n",
                before = n.wrapping_sub(1),
            ),
        );
    })
}

/// Rows that repeat an answer while it grows.
fn growing(size: usize) -> String {
    filled(size, |text, n| {
        for part in 0..4 {
            let said: String = "word by word ".repeat(part + 1);
            line(
                text,
                format_args!(
                    "{{\"type\":\"assistant\",\"uuid\":\"a{n}-{part}\",\"parentUuid\":null,\"sessionId\":\"s\",\
                     \"isSidechain\":false,\"timestamp\":\"2026-06-21T09:00:01Z\",\"message\":{{\"id\":\"m{n}\",\
                     \"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}}]}}}}\n"
                ),
            );
        }
    })
}

fn messages(size: usize) -> String {
    let answer = serde_json::Value::from(ANSWER);
    let list = filled(size, |text, n| {
        let role = if n % 2 == 0 { "user" } else { "assistant" };
        line(text, format_args!("{{\"role\":\"{role}\",\"content\":{answer}}},\n"));
    });
    format!("[{}]", list.trim_end_matches(",\n"))
}
