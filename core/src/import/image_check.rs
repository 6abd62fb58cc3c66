//! Whether a picture block can be used, without fetching or decoding it.
//!
//! Owns the checks of base64, magic numbers and addresses that an import makes. Never opens a file or a
//! connection. Called by the builder of conversations.

use crate::message::{Block, Source};
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use std::net::IpAddr;

/// Base64 with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is wrong with a picture, or `None`.
pub(super) fn fault(block: &Block) -> Option<String> {
    match block.source()? {
        Source::Base64 { data, media_type } => inline_fault(data, media_type),
        Source::Url { url, .. } => address_fault(url).map(str::to_owned),
    }
}

fn inline_fault(data: &str, media_type: &str) -> Option<String> {
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let Ok(bytes) = LENIENT.decode(compact) else {
        return Some("not base64".to_owned());
    };
    let declared = match media_type.to_ascii_lowercase().as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        other => other.to_owned(),
    };
    match sniff(&bytes) {
        Some(found) if found == declared || declared == "image/*" => None,
        Some(_) => Some("media type and bytes differ".to_owned()),
        None if ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/*"]
            .contains(&declared.as_str()) =>
        {
            Some(format!("bytes are not {declared}"))
        }
        None => None,
    }
}

fn sniff(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 5] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"<svg", "image/svg+xml"),
    ];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.into_iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, media_type)| media_type)
}

fn address_fault(url: &str) -> Option<&'static str> {
    let (scheme, rest) = url.split_once(':')?;
    match scheme.to_ascii_lowercase().as_str() {
        "file" => return Some("file address"),
        "http" | "https" => {}
        _ => return None,
    }
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let by_name =
        host == "localhost" || [".localhost", ".local", ".internal"].iter().any(|end| host.ends_with(end));
    let private = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_) => by_name,
    };
    private.then_some("private address")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, fault) in [
            ("https://example.com/a.png", None),
            ("file:///etc/passwd", Some("file address")),
            ("http://169.254.169.254/x", Some("private address")),
            ("http://user@127.0.0.1:80/x", Some("private address")),
            ("http://[::1]/x", Some("private address")),
            ("https://localhost/x", Some("private address")),
            ("sediment://file_1", None),
        ] {
            assert_eq!(address_fault(url), fault, "{url}");
        }
    }
}
