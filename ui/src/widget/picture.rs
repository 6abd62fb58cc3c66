//! Pictures: decoded within limits, fitted to a place on screen.
//!
//! Owns the limits and the words for what is wrong with a file. Never fetches and never asks the terminal: how it
//! shows pictures is a parameter. Decoding and fitting are slow and belong into effects; only drawing is quick.

use crate::terminal::{Pictures, Protocol, caught};
use crate::text;
use crate::theme::{Role, Theme};
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};
use ratatui::Frame;
use ratatui::layout::{Alignment, Rect, Size};
use ratatui::widgets::Paragraph;
use ratatui_image::protocol::halfblocks::Halfblocks;
use ratatui_image::protocol::iterm2::Iterm2;
use ratatui_image::protocol::kitty::Kitty;
use ratatui_image::protocol::sixel::Sixel;
use ratatui_image::{FontSize, Image, Resize, protocol};
use std::fmt;
use std::io::Cursor;
use std::sync::atomic::{AtomicU32, Ordering};

/// Larger pictures are not decoded.
const LARGEST_SIDE: u32 = 16_384;
const MOST_MEMORY: u64 = 256 * 1024 * 1024;

/// Decodes a picture file; the error says what is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<DynamicImage, String> {
    if bytes.is_empty() {
        return Err("the file is empty (0 bytes)".into());
    }
    caught(|| decode_within_limits(bytes))
        .unwrap_or_else(|| Err("the file is damaged: it cannot be decoded".into()))
}

fn decode_within_limits(bytes: &[u8]) -> Result<DynamicImage, String> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| format!("the file cannot be read: {error}"))?;
    let Some(format) = reader.format() else {
        let kind = if std::str::from_utf8(bytes).is_ok() { "text" } else { "of an unknown kind" };
        return Err(format!("this is no picture that can be shown here: the file is {kind}"));
    };
    let name = format.extensions_str().first().copied().unwrap_or("picture").to_ascii_uppercase();
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let damaged = |error: &dyn fmt::Display| format!("the {name} file is damaged or cut off: {error}");
    let decoder = reader.into_decoder().map_err(|error| explain(&error, &damaged))?;
    // The header alone decides, before any memory is asked for.
    let (width, height) = decoder.dimensions();
    if width > LARGEST_SIDE || height > LARGEST_SIDE || decoder.total_bytes() > MOST_MEMORY {
        return Err(format!(
            "the picture is too large to show: its header says {width}×{height} pixels; at most {LARGEST_SIDE} a side and {} MB are decoded",
            MOST_MEMORY / 1024 / 1024
        ));
    }
    if width == 0 || height == 0 {
        return Err(format!("the {name} file has no pixels"));
    }
    DynamicImage::from_decoder(decoder).map_err(|error| explain(&error, &damaged))
}

fn explain(error: &image::ImageError, damaged: &dyn Fn(&dyn fmt::Display) -> String) -> String {
    match error {
        image::ImageError::Limits(_) => format!(
            "the picture is too large to show: at most {LARGEST_SIDE} pixels a side and {} MB are decoded",
            MOST_MEMORY / 1024 / 1024
        ),
        image::ImageError::Unsupported(_) => format!("this kind of picture cannot be shown here: {error}"),
        other => damaged(other),
    }
}

/// A picture that fits a place on screen.
pub struct Fitted(protocol::Protocol);

impl fmt::Debug for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fitted").field(&self.0.size()).finish()
    }
}

impl Fitted {
    /// Scales a picture into `room` cells, keeping its shape.
    pub fn new(picture: &DynamicImage, room: Size, how: Pictures) -> Result<Fitted, String> {
        if room.width == 0 || room.height == 0 {
            return Err("there is no room for the picture".into());
        }
        let font = FontSize::new(how.cell.0.max(1), how.cell.1.max(1));
        caught(|| fit(picture, room, how, font)).unwrap_or_else(|| Err("the picture cannot be scaled".into()))
    }

    /// The cells that it takes.
    pub fn size(&self) -> Size {
        self.0.size()
    }

    /// Draws it at the top of `area`, centred.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect) {
        let area = area.intersection(frame.area());
        let size = self.size();
        let (width, height) = (size.width.min(area.width), size.height.min(area.height));
        let x = area.x + (area.width - width) / 2;
        frame.render_widget(Image::new(&self.0).allow_clipping(true), Rect { x, width, height, ..area });
    }
}

fn fit(picture: &DynamicImage, room: Size, how: Pictures, font: FontSize) -> Result<Fitted, String> {
    let resize = Resize::Fit(None);
    let size = resize.size_for(picture, font, room);
    let size = Size::new(size.width.clamp(1, room.width), size.height.clamp(1, room.height));
    let scaled = resize.resize(picture, font, size, None);
    // Kitty keeps pictures by number; ours count up, so that a new one never takes an old one's place.
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let cannot = |error: ratatui_image::errors::Errors| format!("the picture cannot be prepared: {error}");
    let fitted = match how.protocol {
        Protocol::Halfblocks => {
            protocol::Protocol::Halfblocks(Halfblocks::new(scaled, size).map_err(cannot)?)
        }
        Protocol::Sixel => protocol::Protocol::Sixel(Sixel::new(scaled, size, how.tmux).map_err(cannot)?),
        Protocol::Iterm2 => protocol::Protocol::ITerm2(Iterm2::new(scaled, size, how.tmux).map_err(cannot)?),
        Protocol::Kitty => {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let kitty = Kitty::new(scaled, size, number, how.tmux, false).map_err(cannot)?;
            protocol::Protocol::Kitty(kitty)
        }
    };
    Ok(Fitted(fitted))
}

/// Draws what stands in for a picture that cannot be shown: which one, and why.
pub fn draw_placeholder(name: &str, why: &str, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let area = area.intersection(frame.area());
    let width = usize::from(area.width);
    let mut lines = text::wrap(name, width, theme.style(Role::Dim));
    lines.extend(text::wrap(why, width, theme.style(Role::Warning)));
    let top = area.height.saturating_sub(u16::try_from(lines.len()).unwrap_or(u16::MAX)) / 2;
    let area = Rect { y: area.y + top, height: area.height - top, ..area };
    frame.render_widget(Paragraph::new(lines).alignment(Alignment::Center), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{Terminal, backend::TestBackend};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        DynamicImage::new_rgb8(width, height)
            .write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png)
            .unwrap();
        bytes
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let mut vast = png(4, 4);
        vast[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let crc = crc32(&vast[12..29]);
        vast[29..33].copy_from_slice(&crc.to_be_bytes());
        let whole = png(64, 64);
        for (bytes, part) in [
            (&[][..], "empty"),
            (b"just some words\n", "text"),
            (b"\x00\x01\xfe\xff\x80", "unknown kind"),
            (&whole[..whole.len() / 2], "PNG file is damaged"),
            (&whole[..10], "PNG file is damaged"),
            (&vast, "too large"),
        ] {
            let error = decode(bytes).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(decode(&whole).unwrap().width(), 64);
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, byte| {
            (0..8).fold(
                crc ^ u32::from(*byte),
                |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
            )
        })
    }

    #[test]
    fn pictures_fit_their_room_at_every_size() {
        let picture = decode(&png(300, 100)).unwrap();
        for (width, height) in [(1, 1), (2, 1), (40, 12), (200, 60)] {
            let fitted = Fitted::new(&picture, Size::new(width, height), Pictures::default()).unwrap();
            assert!(fitted.size().width <= width && fitted.size().height <= height);
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| fitted.draw(frame, frame.area())).unwrap();
            terminal.draw(|frame| fitted.draw(frame, Rect::new(0, 0, 1, 1))).unwrap();
        }
        assert!(Fitted::new(&picture, Size::new(0, 3), Pictures::default()).is_err());
    }

    #[test]
    fn the_placeholder_says_which_and_why() {
        let mut terminal = Terminal::new(TestBackend::new(30, 4)).unwrap();
        let theme = Theme::default();
        terminal
            .draw(|frame| draw_placeholder("a\u{1b}.png", "is empty", &theme, frame, frame.area()))
            .unwrap();
        let shown: String = terminal.backend().buffer().content.iter().map(|cell| cell.symbol()).collect();
        assert!(shown.contains("a␛.png") && shown.contains("is empty"), "{shown}");
    }
}
