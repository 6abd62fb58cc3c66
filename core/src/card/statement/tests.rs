//! Rows: a body, and the statements that are found in it.

use super::*;

fn summary(body: &str) -> Vec<String> {
    let found = find(body);
    let line = |one: &Statement| {
        let heading = &found.sections[one.section].heading;
        let shape = if one.is_item { "item" } else { "par" };
        format!("{heading} | {shape} | {} | {}", one.text, one.evidence.join(","))
    };
    found.statements.iter().map(line).collect()
}

#[test]
fn items_and_paragraphs_are_found_with_section_and_evidence() {
    let body = "Intro\ntwo lines.\n\n## Decisions\n\n- Chose **A** over `B` [^1]\n- [x] done [^2][^1]\n  - nested *one*\n\n  more words\n\n\
        Setext\n------\n\n1. first\n\n   ```\n   code\n   ```\n\n> quoted\n\n| a | b |\n|---|---|\n| - c | d |\n\n```\n- no\n```\n\n\
        [^1]: [[session/dialog/s.jsonl#m3]] [[session/dialog/s.jsonl#m%2F4]]\n[^2]: [[session/dialog/s.jsonl#m5]]\n";
    for body in [body.to_owned(), body.replace('\n', "\r\n")] {
        assert_eq!(
            summary(&body),
            [
                " | par | Intro two lines. | ",
                "Decisions | item | Chose **A** over `B` | m3,m/4",
                "Decisions | item | done | m5,m3,m/4",
                "Decisions | item | nested *one* | ",
                "Setext | item | first | ",
            ],
        );
        let found = find(&body);
        assert!(!found.only_lists);
        assert_eq!(body.get(found.statements[2].span.clone()), Some("done [^2][^1]"));
        assert!(found.statements[2].holds_more && found.statements[4].holds_more);
    }
}

#[test]
fn what_we_wrote_is_only_lists() {
    let ours = "## A\n\n- x [^1]\n- y\n\n[^1]: [[session/dialog/s.jsonl#m3]]\n";
    assert!(find(ours).only_lists);
    for other in ["words\n", "- x\n\n---\n", "- x\n\n  y\n", "<b>x</b>\n", "- x\n  > q\n"] {
        assert!(!find(other).only_lists, "{other}");
    }
}

#[test]
fn headings_tell_the_kind() {
    for (heading, kind) in [
        ("Decisions", Kind::Decision),
        ("2. Key decisions:", Kind::Decision),
        ("Current State", Kind::State),
        ("✅ Next steps", Kind::State),
        ("TODO", Kind::State),
        ("当前状态", Kind::State),
        ("偏好", Kind::Preference),
        ("关键事实：", Kind::Fact),
        ("Reusable experience", Kind::Experience),
        ("Ferry", Kind::Other),
        ("", Kind::Other),
    ] {
        assert_eq!(kind_of(heading), kind, "{heading}");
    }
    assert!(is_history("History") && is_history("历史") && !is_history("Facts"));
}

#[test]
fn words_are_shared_by_content() {
    for (old, new, expected) in [
        ("Chose SQLite over Postgres", "We chose SQLite over Postgres for the app", true),
        ("The budget is 40 MB", "The budget is 50 MB", true),
        ("Jon lost his job", "Jon found a new flat", false),
        ("用户喜欢简洁的回答", "用户喜欢简洁回答，不要啰嗦", true),
        ("the of and", "the of and", false),
    ] {
        let share = share(&content_words(old), &content_words(new));
        assert_eq!(share >= 0.6, expected, "{old} / {new}: {share}");
    }
}

#[test]
fn evidence_can_be_left_out() {
    let body = "## A\n\n- x [^1]\n- y [^2] [^1]\n\n`[^1]`\n\n[^1]: [[session/dialog/s.jsonl#m3]]\n[^2]: [[session/dialog/s.jsonl#m4]]\n";
    assert_eq!(without_evidence(body), "## A\n\n- x\n- y\n\n`[^1]`");
}
