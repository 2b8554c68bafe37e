//! Tests on real recordings.

mod edit;
mod events;
mod frames;
mod holes;
mod made;
mod properties;
mod round_trip;
mod text_form;
mod trees;
mod unread;
mod verify;
