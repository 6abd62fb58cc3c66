//! `reme read_image`: a stored picture as base64.

use super::{Call, Job, Kind, Param};
use crate::output::Outcome;
use reme_core::image;

pub const JOB: Job = Job {
    name: "read_image",
    about: "Print a picture of the workspace as base64; a notice where it is larger than 5 MiB",
    params: &[Param {
        name: "path",
        kind: Kind::Text,
        required: true,
        about: "The picture, such as session/images/SESSION/msg-6d31-image-0.png",
    }],
    run,
};

fn run(call: &Call) -> Outcome {
    let path = call.text("path").unwrap_or_default();
    Outcome::Answer(match crate::locate::for_reading(call.arguments) {
        Some(workspace) => image::read_image(&workspace, path),
        None => reme_core::answer::Answer::failure(
            "workspace",
            "Error: there is no workspace here; name one with --workspace",
        ),
    })
}
