//! The distiller as a whole: conversations in, drafts out.

use super::*;
use crate::distill::{Kind, Unwatched};
use crate::message::{Msg, Role};
use proptest::prelude::*;

/// A conversation from lines of `role: text` or `role/Name: text`; `\n` is a line feed.
fn talk(lines: &[&str]) -> Vec<Msg> {
    let message = |line: &&str| {
        let (label, text) = line.split_once(": ").expect("role: text");
        let (role, name) = label.split_once('/').map_or((label, None), |(role, name)| (role, Some(name)));
        let role = match role {
            "s" => Role::System,
            "a" => Role::Assistant,
            _ => Role::User,
        };
        Msg { name: name.map(str::to_owned), ..Msg::text_message(role, text.replace("\\n", "\n")) }
    };
    lines.iter().map(message).collect()
}

fn distil(messages: &[Msg]) -> Draft {
    let request = Request { messages, news: &[], images: &[], card: None, known_tags: &[], hint: None };
    Offline.distill(&request, &Unwatched).expect("a draft")
}

#[test]
fn an_update_leaves_the_card_its_description() {
    let messages = talk(&["u: The migration to SQLite is done, 3 tables are left for Friday."]);
    let request = Request {
        messages: &messages,
        news: &[],
        images: &[],
        card: Some("# Old"),
        known_tags: &[],
        hint: None,
    };
    let draft = Offline.distill(&request, &Unwatched).expect("a draft");
    assert!(draft.description.is_empty() && draft.rename_reason.is_empty(), "{draft:#?}");
    assert!(!draft.sections.is_empty());
}

fn items(draft: &Draft) -> Vec<(Kind, &str, &[usize])> {
    let of = |section: &'_ Section| section.kind;
    draft
        .sections
        .iter()
        .flat_map(|section| {
            section.items.iter().map(move |item| (of(section), item.text.as_str(), item.evidence.as_slice()))
        })
        .collect()
}

/// Each expected statement is there, with its kind and evidence; none holds a forbidden text.
fn check(lines: &[&str], expected: &[(Kind, &str, &[usize])], forbidden: &[&str]) -> Draft {
    let draft = distil(&talk(lines));
    let found = items(&draft);
    for (kind, text, evidence) in expected {
        let hit = found.iter().any(|(k, t, e)| k == kind && t.contains(text) && e == evidence);
        assert!(hit, "{kind:?} {text:?} {evidence:?} is not in {found:#?}");
    }
    for text in forbidden {
        assert!(!found.iter().any(|(_, t, _)| t.contains(text)), "{text:?} is in {found:#?}");
    }
    draft
}

fn check_skip(lines: &[&str]) {
    let draft = distil(&talk(lines));
    assert!(draft.skip && !draft.skip_reason.is_empty(), "{lines:?} gave {draft:#?}");
    assert!(draft.sections.is_empty() && draft.name.is_empty());
}

fn check_topic(lines: &[&str], name_has: &[&str], tags: &[&str]) {
    let draft = distil(&talk(lines));
    for word in name_has {
        assert!(draft.name.contains(word), "{word} is not in the name {}", draft.name);
    }
    let found = draft.tags.expect("tags");
    assert!(found.len() <= 3, "{found:?}");
    for tag in tags {
        assert!(found.iter().any(|t| t == tag), "{tag} is not in {found:?}");
    }
}

#[test]
fn a_lone_sentence_is_kept_whole() {
    check(&["u: Jon lost his job today."], &[(Kind::Fact, "Jon lost his job today", &[1])], &[]);
    check(
        &["u: Jon lost his job today.", "a: I am sorry to hear that."],
        &[(Kind::Fact, "Jon lost his job today", &[1])],
        &["sorry"],
    );
    check(&["u: 昨天面试通过了，下周一入职。"], &[(Kind::Fact, "昨天面试通过了，下周一入职", &[1])], &[]);
}

#[test]
fn text_without_an_end_is_not_lost() {
    let spoken = format!("u: {}", "so then Marta drove the red tractor to Evora and ".repeat(60));
    let draft = distil(&talk(&[&spoken]));
    assert!(items(&draft).iter().any(|(_, text, _)| text.contains("tractor")), "{draft:#?}");
    assert!(items(&draft).iter().all(|(_, text, _)| text.len() <= 400), "{draft:#?}");
}

#[test]
fn small_talk_is_skipped() {
    check_skip(&[
        "u: Hi!",
        "a: Hello! How can I help you today?",
        "u: Just saying hi, thanks.",
        "a: You're welcome!",
    ]);
    check_skip(&[
        "u/Ana: hey Bob",
        "a/Bob: Hey Ana! What's up?",
        "u/Ana: Not much, you?",
        "a/Bob: Same here. Good night!",
    ]);
    check_skip(&[
        "u: 你好！",
        "a: 您好！有什么可以帮您的吗？",
        "u: 今天天气真不错，哈哈",
        "a: 是的，祝您心情愉快！",
        "u: 谢谢，再见",
    ]);
    check_skip(&["u: ```python\\nprint(1)\\n```"]);
    check_skip(&["s: You are a helpful geologist.", "u: Good morning!", "a: Good morning!"]);
}

#[test]
fn each_kind_finds_its_section() {
    use Kind::*;
    check(
        &[
            "u: Hey! I prefer tabs over spaces, and please always answer in French.",
            "a: Noted!",
            "u: We chose SQLite over Postgres because it needs no server. We rejected DuckDB.",
            "a: Understood.",
            "u: The parser is done, the importer is blocked by ticket 4711. The invoice total was 1,250.50 euros.",
        ],
        &[
            (Preference, "I prefer tabs over spaces", &[1]),
            (Preference, "please always answer in French", &[1]),
            (Decision, "We chose SQLite over Postgres because it needs no server", &[3]),
            (Decision, "We rejected DuckDB", &[3]),
            (State, "the importer is blocked by ticket 4711", &[5]),
            (Fact, "The invoice total was 1,250.50 euros", &[5]),
        ],
        &["Noted", "Understood", "Hey"],
    );
    check(
        &[
            "u: 我习惯用中文写注释，请不要用表情符号。",
            "a: 好的。",
            "u: 我们决定把存储从 Redis 改用 SQLite，因为数据只有 40 MB。登录模块已完成，支付模块卡在审核。",
            "u: 部署报错是因为端口 5432 被占用，重启容器后解决。",
        ],
        &[
            (Preference, "我习惯用中文写注释，请不要用表情符号", &[1]),
            (Decision, "我们决定把存储从 Redis 改用 SQLite，因为数据只有 40 MB", &[3]),
            (State, "登录模块已完成，支付模块卡在审核", &[3]),
            (Experience, "端口 5432 被占用", &[4]),
        ],
        &["好的"],
    );
}

#[test]
fn a_wish_is_kept_however_common_its_words() {
    use Kind::Preference;
    check(
        &[
            "u: My parser takes 4 seconds for 30 MB. Please always show me the numbers before and after when you change something about speed.",
            "a: Noted! I will do that.",
            "u: Great, going forward answer with commands only, no long explanations.",
        ],
        &[
            (
                Preference,
                "Please always show me the numbers before and after when you change something about speed",
                &[1],
            ),
            (Preference, "oing forward answer with commands only, no long explanations", &[3]),
        ],
        &["Noted", "Great", "I will do"],
    );
    check(&["u: Never use emojis."], &[(Preference, "Never use emojis", &[1])], &[]);
    check(
        &["u: 以后回答请直接给代码，不要长篇解释。"],
        &[(Preference, "以后回答请直接给代码，不要长篇解释", &[1])],
        &[],
    );
}

#[test]
fn what_has_helped_is_kept_with_who_says_so() {
    use Kind::*;
    check(
        &[
            "u: After the move nginx fails with ERR_SSL_PROTOCOL_ERROR. Port 443 is open.",
            "a: Can you show me the server block?",
            "u: It has `listen 443;` and a separate `ssl on;` line below it.",
            "a: In nginx 1.25 the separate `ssl on;` directive was removed, so it must be on the listen line. Change it to `listen 443 ssl;`, then reload:\n```bash\nsudo nginx -s reload\n```\nHappy to help!",
            "u: That fixed it, thanks!",
        ],
        &[
            (Fact, "nginx fails with ERR_SSL_PROTOCOL_ERROR", &[1]),
            (
                Experience,
                "In nginx 1.25 the separate `ssl on;` directive was removed, so it must be on the listen line",
                &[4, 5],
            ),
            (Experience, "Change it to `listen 443 ssl;`, then reload", &[4, 5]),
            (Experience, "`sudo nginx -s reload`", &[4, 5]),
        ],
        &["Happy", "Can you show"],
    );
    // What was not confirmed rests on the advice alone.
    check(
        &["u: The build is broken.", "a: Run `make clean` first.", "u: That did not help."],
        &[(Experience, "`make clean`", &[2])],
        &[],
    );
}

#[test]
fn a_program_neither_decides_nor_says_it_again() {
    use Kind::*;
    check(
        &[
            "u: We chose SQLite over Postgres because it needs no server.",
            "a: That makes sense; SQLite needs no server. I suggest a weekly copy of the file to another disk.",
        ],
        &[(Decision, "We chose SQLite over Postgres because it needs no server", &[1])],
        &["makes sense", "SQLite needs no server"],
    );
    let draft = check(
        &[
            "u: 我们的数据同步服务每天凌晨两点会超时，日志里报错 connection reset。",
            "a: 可能是连接池太小了，你们现在的最大连接数是多少？",
            "u: 最大连接数是50",
            "a: 好的，明白了。",
            "u: 不用Redis做队列，运维成本太高",
        ],
        &[
            (Fact, "我们的数据同步服务每天凌晨两点会超时，日志里报错 connection reset", &[1]),
            (Fact, "最大连接数是50", &[3]),
            (Decision, "不用Redis做队列，运维成本太高", &[5]),
        ],
        &["可能是", "多少", "明白"],
    );
    let mut texts: Vec<&str> = items(&draft).iter().map(|(_, text, _)| *text).collect();
    texts.sort_unstable();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{texts:?}");
}

#[test]
fn lead_ins_go_and_contents_stay() {
    check(
        &["u: For the record, the invoice total was 1,250.50 euros. Hey, the archive has 40,120 scans."],
        &[
            (Kind::Fact, "The invoice total was 1,250.50 euros", &[1]),
            (Kind::Fact, "The archive has 40,120 scans", &[1]),
        ],
        &["record", "Hey"],
    );
}

#[test]
fn headings_follow_the_language() {
    let heading = |line: &str| distil(&talk(&[line])).sections.first().map(|section| section.heading.clone());
    assert_eq!(heading("u: I prefer dark themes.").as_deref(), Some("Preferences"));
    assert_eq!(heading("u: 我喜欢深色主题和大字体。").as_deref(), Some("偏好"));
}

#[test]
fn commands_are_kept_verbatim_and_other_code_is_not() {
    check(
        &[
            "u: The build fails with error E0502 in src/parser.rs.",
            "a: Clone the index first:\\n```rust\\nlet i = self.pos;\\n```\\nThen run:\\n```bash\\n$ cargo clean -p parser\\ncargo test --workspace\\n```\\nLet me know if that helps!",
        ],
        &[
            (Kind::Fact, "E0502 in src/parser.rs", &[1]),
            (Kind::Experience, "`cargo clean -p parser`", &[2]),
            (Kind::Experience, "`cargo test --workspace`", &[2]),
        ],
        &["self.pos", "Let me know"],
    );
}

#[test]
fn a_log_does_not_flood_the_card() {
    let mut log = String::from("u: The server crashed:");
    for second in 10..60 {
        log.push_str(&format!("\\n2024-05-01 10:00:{second} INFO worker started"));
    }
    log.push_str(
        "\\n2024-05-01 10:01:00 ERROR out of memory in process 4242\\nIt happens every night at 2 am.",
    );
    let draft = check(
        &[&log],
        &[
            (Kind::Experience, "ERROR out of memory in process 4242", &[1]),
            (Kind::Fact, "every night at 2 am", &[1]),
        ],
        &["INFO"],
    );
    assert!(items(&draft).len() <= 3);
    assert!(!draft.description.contains("2024"), "{}", draft.description);
}

#[test]
fn a_short_answer_comes_with_its_question() {
    check(
        &[
            "u/Ana: I got a puppy last Sunday!",
            "a/Bob: Congrats! What did you name the dog?",
            "u/Ana: Toby.",
            "a/Bob: Cute! How old is he?",
            "u/Ana: 9 weeks",
        ],
        &[
            (Kind::Fact, "Ana: I got a puppy last Sunday", &[1]),
            (Kind::Fact, "What did you name the dog? Toby", &[2, 3]),
            (Kind::Fact, "How old is he? 9 weeks", &[4, 5]),
        ],
        &["Congrats", "Cute"],
    );
}

#[test]
fn names_and_tags() {
    check_topic(&["u: Jon lost his job today."], &["jon", "job"], &["Jon"]);
    check_topic(&["u: Dana Whitfield should review the tax report."], &["tax-report"], &["Dana_Whitfield"]);
    check_topic(&["u: I prefer tabs over spaces, always."], &["tabs-over-spaces"], &[]);
    check_topic(
        &[
            "u: We chose SQLite over Postgres because it needs no server.",
            "u: SQLite backups are one file copy, says Priya Rao.",
        ],
        &["sqlite"],
        &["SQLite", "Postgres"],
    );
    check_topic(&["u: 我们决定用 Redis 存储会话，王小明负责迁移。"], &["redis"], &["Redis", "王小明"]);
}

#[test]
fn known_tags_give_the_spelling() {
    let messages = talk(&["u: We moved the billing job to GitHub Actions and kept postgres."]);
    let known = ["github-actions".to_owned(), "PostgreSQL".to_owned()];
    let request =
        Request { messages: &messages, news: &[], images: &[], card: None, known_tags: &known, hint: None };
    let draft = Offline.distill(&request, &Unwatched).expect("a draft");
    assert_eq!(draft.tags, Some(vec!["github-actions".to_owned(), "PostgreSQL".to_owned()]));
}

#[test]
fn only_news_is_stated() {
    let messages =
        talk(&["u: I live in Porto.", "a: Where do you work?", "u: I work at the Serralves museum."]);
    let ask = |news: &[bool]| {
        let request =
            Request { messages: &messages, news, images: &[], card: None, known_tags: &[], hint: None };
        Offline.distill(&request, &Unwatched).expect("a draft")
    };
    let draft = ask(&[false, false, true]);
    assert!(items(&draft).iter().all(|(_, _, evidence)| evidence == &[3]), "{draft:#?}");
    assert!(ask(&[false, false, false]).skip);
}

#[test]
fn no_text_is_an_error() {
    let request = Request { messages: &[], news: &[], images: &[], card: None, known_tags: &[], hint: None };
    assert!(matches!(Offline.distill(&request, &Unwatched), Err(DistillError::NoText)));
    let blank = talk(&["u:  \\n "]);
    assert!(matches!(
        Offline.distill(&Request { messages: &blank, ..request }, &Unwatched),
        Err(DistillError::NoText)
    ));
}

#[test]
fn a_person_can_cancel() {
    struct Impatient;
    impl Progress for Impatient {
        fn step(&self, _doing: &str, _done: usize, _total: usize) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let messages = talk(&["u: Jon lost his job today."]);
    let request =
        Request { messages: &messages, news: &[], images: &[], card: None, known_tags: &[], hint: None };
    assert!(matches!(Offline.distill(&request, &Impatient), Err(DistillError::Cancelled)));
}

#[test]
fn guidance_changes_the_length() {
    let lines: Vec<String> = (0..60)
        .map(|n| format!("u: Shelf {n} holds {} jars of plum jam from orchard {}.", n * 7, n + 100))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let messages = talk(&lines);
    let length = |hint| {
        let request =
            Request { messages: &messages, news: &[], images: &[], card: None, known_tags: &[], hint };
        let draft = Offline.distill(&request, &Unwatched).expect("a draft");
        items(&draft).iter().map(|(_, text, _)| text.chars().count()).sum::<usize>()
    };
    assert!(length(Some("make it shorter")) < length(None));
    assert!(length(None) < length(Some("more detail, please")));
}

/// Every word of a statement stands in a message that it cites, or names its speaker.
fn assert_grounded(messages: &[Msg], draft: &Draft) {
    for (_, text, evidence) in items(draft) {
        assert!(!evidence.is_empty() && !text.contains('\n') && !text.is_empty());
        let mut source = String::new();
        for number in evidence {
            let message = messages.get(number - 1).expect("evidence in range");
            assert_ne!(message.role, Role::System);
            source.push_str(&format!("{} {} ", message.speaker(), message.text()));
        }
        let words = |text: &str| words::tokens(text).into_iter().map(|token| token.norm).collect::<Vec<_>>();
        let spoken = words(&source);
        for word in words(text) {
            assert!(
                spoken.contains(&word) || source.to_lowercase().contains(&word),
                "{word:?} of {text:?} is not in {source:?}"
            );
        }
    }
}

fn any_message() -> impl Strategy<Value = Msg> {
    let pieces = prop::collection::vec(
        prop_oneof![
            Just("I moved to Lisbon last year, and I opened a bakery - it was great!".to_owned()),
            Just("What did you name the dog?".to_owned()),
            Just("Toby, you know.".to_owned()),
            Just("我们决定用 Redis，因为快。".to_owned()),
            Just("```sh\n$ ls -la `pwd`\n```".to_owned()),
            Just("He said \"stop. now\" (twice), e.g. on May 3.".to_owned()),
            Just(
                "2024-01-01 10:00:00 ERROR x\n2024-01-01 10:00:01 INFO y\n2024-01-01 10:00:02 INFO z"
                    .to_owned()
            ),
            "\\PC{0,40}",
            "[a-zA-Z ,.;'\"!?()`*\\-\n]{0,80}",
        ],
        0..5,
    );
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::System)];
    let name = prop_oneof![Just(None), Just(Some("Melanie".to_owned())), Just(Some("Jon".to_owned()))];
    (role, name, pieces)
        .prop_map(|(role, name, pieces)| Msg { name, ..Msg::text_message(role, pieces.join("\n")) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn nothing_is_invented_and_nothing_is_left_to_chance(messages in prop::collection::vec(any_message(), 0..8)) {
        let request = Request { messages: &messages, news: &[], images: &[], card: None, known_tags: &[], hint: None };
        let first = Offline.distill(&request, &Unwatched);
        let second = Offline.distill(&request, &Unwatched);
        match (first, second) {
            (Ok(first), Ok(second)) => {
                prop_assert_eq!(&first, &second);
                assert_grounded(&messages, &first);
                prop_assert_eq!(first.skip, first.sections.is_empty());
                prop_assert_eq!(first.skip, first.name.is_empty());
                prop_assert!(!first.description.contains('\n'));
            }
            (first, second) => prop_assert!(first.is_err() && second.is_err()),
        }
    }
}
