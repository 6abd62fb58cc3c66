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
    Outcome::Answer(match crate::locate::for_job(call.arguments) {
        Ok(workspace) => image::read_image(&workspace, path),
        Err(answer) => answer,
    })
}
