//! Cut, split, join, repair, convert, rewrite, and compare. Implements *Editing* of `docs/formats/quake2.md`.
//!
//! An edit walks over its source and copies it: [`dm2_writer`] writes blocks, [`mvd2_writer`] writes MVD2. A frame keeps its bytes if the
//! output contains its delta base. Other frames are re-encoded from state.

mod build;
mod compare;
mod convert;
mod copy;
mod cut;
mod dm2_writer;
mod donor;
mod downgrade;
mod downloads;
mod fields;
mod join;
mod mvd2_writer;
mod part_writer;
mod pov;
mod repair;
mod report;
mod rewrite;
mod source;
mod split;
mod text_rewriter;
mod undecoded;
mod view;

pub(crate) use compare::Comparer;
pub(crate) use convert::convert;
pub(crate) use cut::cuts;
pub(crate) use donor::open_by;
pub(crate) use join::join;
pub(crate) use repair::repair;
pub(crate) use rewrite::{map_messages, map_mvd_messages, rewrite};
pub(crate) use source::EditSource;
pub(crate) use split::split;
