//! What walks over recordings have in common. This crate knows no format.
//!
//! | item | the family provides | this crate does |
//! |---|---|---|
//! | [`Timeline`] | the clocks of each frame ([`FrameAt`]) | resolves times, ranges, levels, matches and sizes; refuses bad ranges |
//! | [`Locator`] | frames one by one, with their clocks | finds those of a range, and the frames before and behind them |
//! | [`Frames`] | a [`Source`]: play to the next frame, fill it, make a keyframe, go to one | chooses frames, seeks, builds the keyframe index |
//! | [`Events`] | an [`EventSource`]: play by a step, make its events | hands events on as they are asked for |
//! | [`mod@lockstep`] | whether two frames differ | pairs the frames of two recordings, counts differences, keeps the first ten |
//! | [`cut_all`], [`CheckpointedWalk`] | a walk that plays to a message | makes several parts in one walk |
//! | [`Auditor`] | numbers, clocks, settings, and what they mean | checks that numbers rise and bases are there; collects findings |
//! | [`Share`] | whether it encodes a message again, and where it stops | splits one verification between two threads |
//! | [`Series`] | numbers, and how they follow each other | finds those that one damaged place changed |
//! | [`Clock`] | the server's time, and where levels begin | time since the first frame: never negative, never falling |
//! | [`Findings`] | damage, and frames that cannot be played | one finding for one cause, with its extent |
//! | [`wording`] | a printed line, and the names of players | finds the second name of a line and the words around it; keeps words that are about kills |
//! | [`suspects`] | players whom a line may mean; their scores and health | says who killed whom, and which side is unknown |
//! | [`personal`], [`undecoded`], [`info_string`] | which strings belong to players; which bytes nobody decodes | finds addresses and identifiers in text and in such bytes |
//! | [`Keyframes`], [`LazyIndex`] | a state to continue from, and its size | spaces keyframes; shares them between copies of a recording |
//! | [`Sampler`], [`between()`] | the times of a frame | picks frames at a rate; interpolates between two |
//!
//! # Not shared, on purpose
//!
//! - A `Playback` trait. Nobody would be generic over it: [`Timeline`] and [`mod@lockstep`] take values, and the facade walks `Frames`. One step is
//!   a message in Quake III, a block in Quake and Quake II, a macro in GoldSrc, and each visitor needs that type.
//! - The event sinks. [`Clock`] is the common half. Quake III holds events without a snapshot until the next one, Quake
//!   holds an inferred pickup or death until it is confirmed, Quake II a line that may be a kill, and GoldSrc nothing.
//! - The rosters. Names come from configstrings, status bars, prints, user messages, or user info. The common dozen lines is [`People`].
//!
//! # Chunks
//!
//! Most recordings are in memory before a question is asked. Long ones need not be: [`feed_all`] feeds a walk ([`Fed`]) with one [`Chunk`] after another, whose
//! offsets count from the recording's first byte. A recording in memory is one chunk ([`Whole`]), so both take the same walk. A walk leaves what the bytes
//! behind a chunk may change for the next chunk, which then begins there and is longer. So the answers do not depend on the chunks.
//! [`Frames`] can pause and resume over more bytes, so a recording that still grows gives the same frames.
//!
//! [`Chunk`]: fragreel_base::wire::Chunk

mod auditor;
mod between;
pub mod causes;
pub mod cheats;
mod checkpointed_walk;
mod chunks;
mod clock;
mod cuts;
pub mod date;
mod events;
mod findings;
mod frame_at;
mod frames;
pub mod info_string;
mod keyframes;
mod lazy_index;
mod locator;
pub mod lockstep;
mod people;
pub mod personal;
pub mod properties;
mod sampler;
mod series;
mod share;
mod split_by_size;
pub mod suspects;
mod timeline;
pub mod undecoded;
pub mod wording;

pub use auditor::{Auditor, Numbering};
pub use between::{between, mix, turn};
pub use checkpointed_walk::{Advance, CheckpointedWalk};
pub use chunks::{Chunks, Fed, HEAD, Pieces, Whole, chunk_end, feed_all, has_bytes, show_range};
pub use clock::{Clock, RESTART};
pub use cuts::{CheckedCut, cut_all};
pub use events::{ChunkedEvents, EventSource, Events, make_ready};
pub use findings::Findings;
pub use frame_at::FrameAt;
pub use frames::{At, Draft, Frames, Index, Source};
pub use keyframes::{Key, Keyframes};
pub use lazy_index::LazyIndex;
pub use locator::{Located, Locator};
pub use people::People;
pub use sampler::{Choice, Sampler};
pub use series::{Doubt, Rule, Series};
pub use share::{Share, Split};
pub use split_by_size::{SizePlan, SizedParts, parts_of_size};
pub use timeline::Timeline;
