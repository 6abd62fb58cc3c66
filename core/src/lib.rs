//! The memory engine of `reme`.
//!
//! Raw text becomes a [`import::Conversation`], a conversation becomes a dialog record and a
//! [`distill::Draft`], a draft becomes a [`memorize::Proposal`], and an accepted proposal becomes a
//! [`store::Receipt`]. Each arrow is one function. Nothing here knows of a terminal, reads the process's
//! environment or holds global state: clock, time zone and folders come in as parameters.

pub mod answer;
pub mod card;
pub mod catalog;
pub mod daily;
pub mod dialog;
pub mod distill;
pub mod image;
pub mod import;
pub mod link;
pub mod memorize;
pub mod message;
pub mod store;
pub mod watch;
pub mod workspace;
