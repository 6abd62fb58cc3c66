//! Whether a picture block can be used, without fetching or decoding it.
//!
//! Owns what an import says about base64, first bytes and addresses that will not do. Never opens a file or a
//! connection. Called by the builder of conversations.

use crate::image;
use crate::message::{Block, Source};
use std::net::IpAddr;

/// What is wrong with a picture, or `None`.
pub(super) fn fault(block: &Block) -> Option<String> {
    match block.source()? {
        Source::Base64 { data, media_type } => inline_fault(data, media_type),
        Source::Url { url, .. } => address_fault(url).map(str::to_owned),
    }
}

fn inline_fault(data: &str, media_type: &str) -> Option<String> {
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let Ok(bytes) = image::decode(&compact) else {
        return Some("not base64".to_owned());
    };
    let declared = match media_type.to_ascii_lowercase().as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        other => other.to_owned(),
    };
    match image::sniff(&bytes) {
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
