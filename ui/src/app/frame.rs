//! The frame around the screens: top bar and footer. Called by `app` for every frame.

use super::{App, ViewState};
use ratatui::Frame;

pub(super) fn draw(app: &App, view: &mut ViewState, frame: &mut Frame<'_>) {
    let [_, body, _] = app.context.rows();
    let covered = app.layers.iter().rposition(|(_, layer)| layer.covers());
    if covered.is_none() {
        crate::screen::Screen::view(&app.base, &app.context, view, frame, body);
    }
    for (_, layer) in app.layers.iter().skip(covered.unwrap_or(0)) {
        layer.view(&app.context, view, frame, body);
    }
}
