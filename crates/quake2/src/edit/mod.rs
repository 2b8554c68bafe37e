//! Cut, split, join, repair, convert, rewrite, and compare. Implements *Editing* of `docs/formats/quake2.md`.
//!
//! An edit walks over its source and copies it: [`dm2_writer`] writes blocks, [`mvd2_writer`] writes MVD2. A frame keeps its bytes if the
//! output contains its delta base. Other frames are re-encoded from state.

mod all_players;
mod build;
mod compare;
mod convert;
mod copy;
mod cut;
mod cut_chunks;
mod dm2_writer;
mod donor;
pub(crate) mod downgrade;
mod downloads;
mod fields;
mod frame_number;
mod join;
mod mvd2_writer;
mod mvd_target;
mod part_writer;
pub(crate) mod pov;
mod repair;
mod report;
mod rewrite;
mod server_writer;
mod source;
mod split;
mod text_rewriter;
pub(crate) mod translate;
mod undecoded;
mod view;

pub(crate) use compare::Comparer;
pub(crate) use convert::convert;
pub(crate) use cut::cuts;
pub(crate) use cut_chunks::cut_chunks;
pub(crate) use donor::open_by;
pub(crate) use join::join;
pub(crate) use repair::repair;
pub(crate) use rewrite::{map_messages, rewrite};
pub(crate) use source::EditSource;
pub(crate) use split::split;
