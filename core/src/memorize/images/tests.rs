use crate::answer::Answer;
use crate::distill::{DistillError, Distiller, Draft, Progress, Request, offline::Offline};
use crate::memorize::auto;
use crate::store::{Store, StoreOptions};
use crate::workspace::{Config, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const OTHER_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC";

/// What a distiller was shown: message, text blocks before, source, bytes.
type Shown = (usize, usize, String, Option<usize>);

/// Answers what it was told to and keeps what it was shown.
#[derive(Default)]
struct Scripted {
    blind: bool,
    draft: Draft,
    fails: bool,
    shown: Mutex<Vec<Shown>>,
}

impl Distiller for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn sees(&self) -> bool {
        !self.blind
    }

    fn distill(&self, request: &Request<'_>, _: &dyn Progress) -> Result<Draft, DistillError> {
        let shown = request.images.iter().map(|image| {
            let bytes = image.bytes.as_ref().map(|bytes| bytes.len());
            (image.message, image.after_texts, image.source.clone(), bytes)
        });
        *self.shown.lock().unwrap() = shown.collect();
        if self.fails { Err(DistillError::Cancelled) } else { Ok(self.draft.clone()) }
    }
}

fn writes(name: &str) -> Scripted {
    let draft = Draft {
        name: name.to_owned(),
        description: format!("about {name}"),
        body: Some(format!("# {name}")),
        tags: Some(Vec::new()),
        ..Draft::default()
    };
    Scripted { draft, ..Scripted::default() }
}

/// A workspace of a test's own.
struct Room {
    dir: tempfile::TempDir,
    store: Store,
}

impl Room {
    fn new() -> Room {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| "2023-08-01T08:00:00Z".parse().unwrap());
        let workspace = Workspace::new(dir.path(), Config::default(), clock).unwrap();
        let options = StoreOptions { machine: "m".into(), boot: "b".into(), durable: false };
        let store = Store::open_with(workspace, options).unwrap();
        Room { dir, store }
    }

    fn call(&self, messages: Value, distiller: &dyn Distiller) -> Answer {
        self.call_with(messages, true, distiller)
    }

    fn call_with(&self, messages: Value, include_images: bool, distiller: &dyn Distiller) -> Answer {
        let request =
            auto::Request { session_id: "s".into(), messages, include_images, ..Default::default() };
        auto::auto_memory(&self.store, request, distiller)
    }

    /// The person's files by path, without our own state.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                match path.is_dir() {
                    true if name == "metadata" => {}
                    true => walk(root, &path, found),
                    false => drop(found.insert(name, std::fs::read(&path).unwrap())),
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(self.dir.path(), self.dir.path(), &mut found);
        found
    }

    fn pictures(&self) -> Vec<String> {
        let files = self.files().into_keys();
        files.filter_map(|path| path.strip_prefix("session/images/s/").map(str::to_owned)).collect()
    }

    fn sources(&self, answer: &Answer) -> Vec<String> {
        let path = answer.metadata["path"].as_str().unwrap();
        let card = crate::card::Card::parse(std::fs::read_to_string(self.dir.path().join(path)).unwrap());
        card.list("source_images")
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn inline(media_type: &str, data: &str) -> Value {
    json!({"type": "data", "source": {"type": "base64", "media_type": media_type, "data": data}})
}

fn linked(url: &str) -> Value {
    json!({"type": "data", "source": {"type": "url", "media_type": "image/png", "url": url}})
}

fn message(id: &str, content: Value) -> Value {
    json!({"role": "user", "id": id, "content": content, "created_at": "2023-07-20T08:00:00"})
}

/// One message `m1` with this block behind a text: refused with these words, and nothing is written.
fn check_refused(block: Value, words: &[&str]) {
    let room = Room::new();
    let answer = room.call(json!([message("m1", json!([text("x"), block]))]), &writes("x"));
    assert!(!answer.success && answer.metadata["error"] == "images", "{answer:?}");
    for words in words.iter().chain(&["image 1 of 1", "message m1, block 1"]) {
        assert!(answer.answer.contains(words), "{words}: {}", answer.answer);
    }
    assert_eq!(room.files(), BTreeMap::new());
}

#[test]
fn what_cannot_be_used_is_named_and_nothing_is_saved() {
    check_refused(inline("image/png", ""), &["no bytes"]);
    check_refused(inline("IMAGE/PNG", "%%%"), &["base64"]);
    check_refused(inline("image/png", &PNG.replace("AAAADE", "AAAA\nDE")), &["base64", "one line"]);
    check_refused(linked("file:///etc/passwd"), &["file:///etc/passwd", "http"]);
    check_refused(linked("ftp://example.com/x.png"), &["ftp://"]);
    check_refused(linked(&format!("data:image/png;base64,{PNG}")), &["data:image/png"]);
    check_refused(linked("x.png"), &["x.png"]);
    check_refused(
        json!({"type": "data", "source": {"type": "base64", "media_type": "image/png"}}),
        &["neither"],
    );
}

#[test]
fn a_call_that_is_refused_as_a_whole_saves_nothing() {
    let room = Room::new();
    let five: Vec<Value> = vec![inline("image/png", PNG); 5];
    let mut six = five.clone();
    six.push(linked("https://example.com/6.png"));
    for (blocks, distiller, words) in [
        (six, &writes("x") as &dyn Distiller, "6 images, and at most 5"),
        (five.clone(), &Offline, "offline distiller cannot see"),
        (five.clone(), &Scripted { blind: true, ..Scripted::default() }, "leave include_images off"),
    ] {
        let answer = room.call(json!([message("m1", json!(blocks))]), distiller);
        assert!(!answer.success && answer.answer.contains(words), "{}", answer.answer);
        assert_eq!(room.files(), BTreeMap::new());
    }
    assert!(room.call(json!([message("m1", json!(five))]), &writes("x")).success);
    assert_eq!(room.pictures().len(), 5);
}

#[test]
fn without_the_wish_there_are_no_pictures() {
    for (block, include) in [
        (inline("image/png", PNG), false),
        (linked("file:///etc/passwd"), false),
        (inline("audio/wav", "%%%"), true),
        (
            json!({"type": "tool_result", "id": "x", "name": "cam", "output": [inline("image/png", PNG)]}),
            true,
        ),
    ] {
        let room = Room::new();
        let said = json!({"role": "assistant", "id": "m1", "content": [text("x"), block]});
        let distiller = writes("x");
        let answer = room.call_with(json!([said]), include, &distiller);
        assert!(answer.success, "{}", answer.answer);
        assert_eq!((room.pictures(), room.sources(&answer)), (Vec::<String>::new(), Vec::new()));
        assert!(distiller.shown.lock().unwrap().is_empty());
    }
    let room = Room::new();
    assert!(
        room.call(json!([message("m1", json!("only words"))]), &Scripted { blind: true, ..writes("x") })
            .success
    );
}

#[test]
fn pictures_of_several_messages() {
    let room = Room::new();
    let distiller = writes("mix");
    let answer = room.call(
        json!([
            message("message-a", json!([text("first"), inline("image/png", PNG),
                linked("https://example.com/a%20b.png?x=1#f"), text("after"), linked("HTTP://example.com/")])),
            {"role": "assistant", "id": "消息/b", "content": [inline("IMAGE/PNG", PNG)]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, inline("image/x-foo", PNG)]},
        ]),
        &distiller,
    );
    assert!(answer.success, "{}", answer.answer);
    let pictures = room.pictures();
    let derived = pictures.iter().find(|name| name.ends_with("-image-1.bin")).unwrap();
    assert_eq!(
        pictures,
        [derived.as_str(), "msg-6d6573736167652d61-image-1.png", "msg-e6b688e681af2f62-image-0.png"]
    );
    let stored = |name: &str| format!("[[session/images/s/{name}]]");
    let url = "https://example.com/a%20b.png?x=1#f".to_owned();
    let sources = room.sources(&answer);
    assert_eq!(
        sources,
        [stored(&pictures[1]), url, "HTTP://example.com/".into(), stored(&pictures[2]), stored(derived)]
    );
    let shown = distiller.shown.lock().unwrap();
    let expected = [(0, 1, Some(69)), (0, 1, None), (0, 2, None), (1, 0, Some(69)), (2, 0, Some(69))];
    let expected: Vec<_> = expected
        .into_iter()
        .zip(&sources)
        .map(|((message, after, bytes), source)| (message, after, source.clone(), bytes))
        .collect();
    assert_eq!(*shown, expected);
    let files = room.files();
    let record = String::from_utf8(files["session/dialog/s.jsonl"].clone()).unwrap();
    assert!(record.contains("example.com/a%20b.png") && !record.contains("iVBORw0"), "{record}");
    let warned = answer.metadata["warnings"].as_array().unwrap();
    assert!(warned.iter().any(|warning| warning["code"] == "invalid_image"), "{warned:?}");
}

#[test]
fn a_stored_picture_is_reused_and_the_new_bytes_are_shown() {
    let room = Room::new();
    let once = json!([message("m1", json!([text("see"), inline("image/png", PNG), text("end")]))]);
    let first = room.call(once.clone(), &writes("see"));
    let bytes = room.files()["session/images/s/msg-6d31-image-1.png"].clone();
    assert_eq!(room.sources(&first), ["[[session/images/s/msg-6d31-image-1.png]]"]);

    let again = room.call(once, &writes("see"));
    assert_eq!((again.success, again.answer.as_str()), (true, "Skipped: nothing new"));

    let distiller = writes("see");
    let changed = json!([
        message("m1", json!([text("see"), inline("image/png", OTHER_PNG), text("end")])),
        message("m2", json!([text("and this"), linked("https://example.com/2.png")])),
    ]);
    let third = room.call(changed, &distiller);
    assert_eq!(room.files()["session/images/s/msg-6d31-image-1.png"], bytes);
    assert_eq!(
        room.sources(&third),
        ["[[session/images/s/msg-6d31-image-1.png]]", "https://example.com/2.png"]
    );
    assert_eq!(distiller.shown.lock().unwrap().len(), 2);

    let words = room.call_with(json!([message("m3", json!("more"))]), false, &writes("see"));
    assert_eq!(room.sources(&words).len(), 2);
}

#[test]
fn pictures_of_known_words_are_news() {
    let room = Room::new();
    let messages = json!([message("m1", json!([text("see"), inline("image/png", PNG)]))]);
    assert!(room.sources(&room.call_with(messages.clone(), false, &writes("see"))).is_empty());
    let failed = room.call(messages.clone(), &Scripted { fails: true, ..Scripted::default() });
    assert!(!failed.success);
    assert_eq!(room.pictures(), ["msg-6d31-image-1.png"]);
    assert_eq!(room.sources(&room.call(messages, &writes("see"))).len(), 1);
}

#[test]
fn a_message_without_id_is_the_stored_one() {
    let room = Room::new();
    let content = json!([text("x"), inline("image/png", PNG)]);
    assert!(room.call(json!([message("m1", content.clone())]), &writes("x")).success);
    let without_id = json!({"role": "user", "content": content, "created_at": "2023-07-20T08:00:00"});
    let again = room.call(json!([without_id]), &writes("x"));
    assert_eq!(again.answer, "Skipped: nothing new");
    assert_eq!(room.pictures(), ["msg-6d31-image-1.png"]);
}

#[test]
fn pictures_stay_when_nothing_is_worth_a_card() {
    let room = Room::new();
    let skips = Scripted { draft: Draft { skip: true, ..Draft::default() }, ..Scripted::default() };
    let answer = room.call(json!([message("m1", json!([text("x"), inline("image/png", PNG)]))]), &skips);
    assert!(answer.success && answer.answer.starts_with("Skipped"), "{}", answer.answer);
    assert_eq!(
        room.files().into_keys().collect::<Vec<_>>(),
        ["session/dialog/s.jsonl", "session/images/s/msg-6d31-image-1.png"]
    );
}

#[test]
fn the_last_copy_of_a_message_counts() {
    let room = Room::new();
    let distiller = writes("x");
    let twice = json!([
        message("m1", json!([text("x"), inline("image/png", PNG)])),
        message("m1", json!([text("y"), linked("https://example.com/y.png")])),
    ]);
    let answer = room.call(twice, &distiller);
    assert_eq!(room.sources(&answer), ["https://example.com/y.png"]);
    assert_eq!(room.pictures(), Vec::<String>::new());
}

#[test]
fn a_card_may_link_to_the_pictures() {
    let room = Room::new();
    let mut distiller = writes("x");
    distiller.draft.body =
        Some("![[session/images/s/msg-6d31-image-0.png]] and [[session/images/s/other.png]]".into());
    let answer = room.call(json!([message("m1", json!([inline("image/png", PNG), text("x")]))]), &distiller);
    let card = String::from_utf8(room.files()[answer.metadata["path"].as_str().unwrap()].clone()).unwrap();
    assert!(card.contains("![[session/images/s/msg-6d31-image-0.png]]"), "{card}");
    assert!(!card.contains(" [[session/images/s/other.png]]"), "{card}");
}

#[test]
fn an_id_that_cannot_name_a_file_is_refused() {
    let room = Room::new();
    let long = "x".repeat(150);
    let answer = room.call(json!([message(&long, json!([inline("image/png", PNG)]))]), &writes("x"));
    assert!(!answer.success && answer.answer.contains("image 1 of 1"), "{}", answer.answer);
    assert_eq!(room.files(), BTreeMap::new());
}
