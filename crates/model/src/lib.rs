//! The vocabulary of all games: time, players, events and their evidence, frames, edits, and the answers of `info`, `verify`, `explain`,
//! `audit` and `state`.
//!
//! This crate has no bytes and no format beyond the enum [`Family`]. It uses [`fragreel_base::wire`] for one reason: damage is made from an error, and an
//! explained field from a traced span.
//!
//! Every type serializes to the JSON that the `fragreel` command prints. Field names are stable. An unknown value is `None`, never 0.

#![warn(unreachable_pub)]

mod audit;
mod canonical;
pub mod common;
mod edit;
mod event;
mod explain;
mod extracted;
mod family;
mod frame;
mod identity;
mod info;
mod kill;
mod moment;
mod outcome;
mod player;
pub mod replay;
mod run;
mod statistics;
mod text;
mod time;
mod user_command;
mod verification;

pub use audit::{Audit, Finding, FindingKind, Grade, Losses, Seal};
pub use canonical::{Canonical, CanonicalFall};
pub use edit::{Action, Comparison, DeltaBase, Edited, Fate, Loss, LossList, Place, Range, Rewrite, Role, Split, Target};
pub use event::{Channel, Event, EventKind, Evidence, FlagAction, Group, Kind, Kinds, MatchState, Piece, Score};
pub use explain::{Explained, Part, Selection};
pub use extracted::{ExtractKind, Extracted, Voices, configstring_lines};
pub use family::{Certainty, Family};
pub use fragreel_base::characters::{game_bytes, game_text};
pub use frame::{
    DEFAULT_GRAVITY, EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Happening, HappeningKind, Happenings, Held, Holding, LightStyle, Look,
    Motion, PlayerFrame, Render, Sound, StaticEntity, Subject, Term, Trajectory, View, direction_of_byte, share,
};
pub use identity::{Identity, IdentityMaker, MatchResult, stable_hash};
pub use info::{Info, PlayerInfo, Timer, TimerSplit};
pub use kill::{Kill, KillContext, Unknown};
pub use moment::{Moment, Record, Section, Value};
pub use outcome::{EndCause, Outcome};
pub use player::Player;
pub use run::{Course, Run, Share};
pub use statistics::{
    Against, Check, Contradiction, Figure, Figures, ItemStat, MatchStats, NoMatch, Pause, PlayerStats, Segment, Source, Stat, Statement, TeamStats, WeaponStat,
};
pub use text::Text;
pub use time::{Clock, Milliseconds, When};
pub use user_command::{Predicted, UserCommand};
pub use verification::{Damage, DamageKind, Extent, RoundTrip, Verification};
