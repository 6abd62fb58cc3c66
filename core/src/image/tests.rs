use super::*;
use crate::workspace::Config;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

#[test]
fn base64() {
    for (encoded, decoded) in [
        ("AAAA", Some(&[0, 0, 0][..])),
        ("AA==", Some(&[0])),
        ("AA", Some(&[0])),
        ("AB==", Some(&[0])),
        ("", Some(&[])),
        ("A", None),
        ("AAAA\nAAAA", None),
        ("AA-_", None),
        ("data:image/png;base64,AAAA", None),
    ] {
        assert_eq!(decode(encoded).ok().as_deref(), decoded, "{encoded:?}");
    }
}

#[test]
fn ends_of_names() {
    for (media_type, end) in [
        ("image/png", "png"),
        ("image/JPEG", "jpg"),
        ("image/jpg", "jpg"),
        ("IMAGE/webp", "webp"),
        ("image/gif", "gif"),
        ("image/bmp", "bmp"),
        ("image/tiff", "tiff"),
        ("image/heic", "heic"),
        ("image/png; charset=binary", "bin"),
        ("image/svg+xml", "bin"),
        ("image/x-foo", "bin"),
        ("image/../../x", "bin"),
    ] {
        assert_eq!(extension(media_type), end, "{media_type}");
    }
}

#[test]
fn bytes_and_media_type() {
    for (bytes, media_type, agree) in [
        (PNG, "image/png", true),
        (PNG, "IMAGE/PNG; x=1", true),
        (PNG, "image/*", true),
        (PNG, "image/jpeg", false),
        (PNG, "image/x-foo", false),
        (b"\xff\xd8\xff\xe0", "image/jpg", true),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", true),
        (b"\0\0\0\x18ftypheic", "image/heic", true),
        (b"II*\0", "image/tiff", true),
        (b"text", "image/png", false),
        (b"text", "image/x-foo", true),
    ] {
        assert_eq!(mismatch(bytes, media_type).is_none(), agree, "{media_type} {bytes:?}");
    }
}

#[test]
fn reading() {
    let dir = tempfile::tempdir().unwrap();
    let workspace =
        Workspace::new(dir.path(), Config::default(), Arc::new(|| "2026-03-01T08:00:00Z".parse().unwrap()))
            .unwrap();
    std::fs::create_dir_all(dir.path().join("session/images/s")).unwrap();
    let write = |path: &str, bytes: &[u8]| std::fs::write(dir.path().join(path), bytes).unwrap();
    write("session/images/s/a.png", PNG);
    write("session/images/s/a.bin", PNG);
    write("note.md", b"# x");
    let large = std::fs::File::create(dir.path().join("large.JPG")).unwrap();
    large.set_len(LARGEST_READ + 1).unwrap();

    let check = |path: &str, expected: serde_json::Value| {
        let answer = read_image(&workspace, path);
        let mut got = serde_json::to_value(&answer).unwrap();
        if !answer.success || answer.metadata.contains_key("oversized") {
            got["answer"] = answer.answer.contains(path.rsplit('/').next().unwrap()).into();
        }
        assert_eq!(got, expected, "{path}: {}", answer.answer);
    };
    let picture = STANDARD.encode(PNG);
    check(
        "session/images/s/a.png",
        serde_json::json!({"answer": picture, "success": true, "metadata":
            {"size_bytes": 12, "mime": "image/png", "path": "session/images/s/a.png"}}),
    );
    check(
        "session/images/s/a.bin",
        serde_json::json!({"answer": picture, "success": true, "metadata":
            {"size_bytes": 12, "mime": "image/png", "path": "session/images/s/a.bin"}}),
    );
    check(
        "note.md",
        serde_json::json!({"answer": "IyB4", "success": true, "metadata":
            {"size_bytes": 3, "mime": null, "non_image_warning": true, "path": "note.md"}}),
    );
    check(
        "large.JPG",
        serde_json::json!({"answer": true, "success": true, "metadata":
            {"oversized": true, "max_bytes": 5_242_880, "size_bytes": 5_242_881, "mime": "image/jpeg", "path": "large.JPG"}}),
    );
    for (path, error) in [("none.png", "unreadable"), ("session", "unreadable")] {
        check(
            path,
            serde_json::json!({"answer": true, "success": false, "metadata": {"error": error, "path": path}}),
        );
    }
    check("../x.png", serde_json::json!({"answer": true, "success": false, "metadata": {"error": "path"}}));
}
