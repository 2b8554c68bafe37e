//! Whether a recording is whole.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Canonical, Family};

/// Most kinds of messages that are counted apart.
const MOST_KINDS: usize = 16;

/// The answer to `verify`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// The family.
    pub family: Family,
    /// The dialect within it.
    pub dialect: String,
    /// Bytes of the recording, after decompression.
    pub bytes: u64,
    /// Messages of the container.
    pub messages: u64,
    /// Frames (snapshots).
    pub snapshots: u64,
    /// Whether encoding what was decoded gives the same bytes.
    pub round_trip: RoundTrip,
    /// The first difference, when it `differs`: where, and which field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_difference: Option<Damage>,
    /// Messages tried for canonical re-encoding from reconstructed states.
    pub canonical_attempted: u64,
    /// Messages that came out identical then.
    pub canonical_identical: u64,
    /// Messages that did but for what lies behind their end: bytes that were left in the sender's buffer.
    pub canonical_but_leftovers: u64,
    /// Which of them came out identical, in file order.
    #[serde(skip)]
    pub canonical: Canonical,
    /// Messages kept as they are because they hold something that is not understood.
    pub opaque: u64,
    /// What they hold, and how many of them hold it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub opaque_kinds: BTreeMap<String, u64>,
    /// What is broken, in file order.
    pub damage: Vec<Damage>,
    /// Damage beyond what the limits keep.
    pub damage_omitted: u64,
    /// What is legal but will trouble some readers, and other findings that are no damage.
    pub notes: Vec<Damage>,
}

impl Verification {
    /// A report without findings yet.
    pub fn new(family: Family, dialect: impl Into<String>, bytes: u64) -> Self {
        Verification {
            family,
            dialect: dialect.into(),
            bytes,
            messages: 0,
            snapshots: 0,
            round_trip: RoundTrip::NotAttempted,
            first_difference: None,
            canonical_attempted: 0,
            canonical_identical: 0,
            canonical_but_leftovers: 0,
            canonical: Canonical::default(),
            opaque: 0,
            opaque_kinds: BTreeMap::new(),
            damage: Vec::new(),
            damage_omitted: 0,
            notes: Vec::new(),
        }
    }

    /// Adds damage, or counts it once `limits` are reached.
    pub fn add(&mut self, damage: Damage, limits: &fragreel_base::wire::Limits) {
        if self.damage.len() < limits.damage_entries {
            self.damage.push(damage);
        } else {
            self.damage_omitted += 1;
        }
    }

    /// Counts a message that is kept as it is, by what it holds that is not understood.
    pub fn count_opaque(&mut self, what: &str) {
        self.opaque += 1;
        let is_full = self.opaque_kinds.len() >= MOST_KINDS && !self.opaque_kinds.contains_key(what);
        let what = if is_full { "others" } else { what };
        match self.opaque_kinds.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(self.opaque_kinds.insert(what.to_owned(), 1)),
        }
    }

    /// Counts a message that was tried for canonical re-encoding, by its number and its offset.
    pub fn count_canonical(&mut self, message: u32, offset: u64, identical: bool) {
        self.canonical_attempted += 1;
        self.canonical_identical += u64::from(identical);
        self.canonical.count(message, offset, identical);
    }

    /// Adds the messages that the `first` walk compared. The walk of this report encoded only later messages again
    /// ([`Share`](crate::replay::Share)).
    #[must_use]
    pub fn behind(self, first: Self) -> Self {
        Verification {
            round_trip: if first.round_trip == RoundTrip::Differs { RoundTrip::Differs } else { self.round_trip },
            first_difference: first.first_difference.or(self.first_difference),
            canonical_attempted: first.canonical_attempted + self.canonical_attempted,
            canonical_identical: first.canonical_identical + self.canonical_identical,
            canonical_but_leftovers: first.canonical_but_leftovers + self.canonical_but_leftovers,
            canonical: first.canonical.followed_by(self.canonical),
            ..self
        }
    }

    /// Whether the recording is whole: nothing broken, and no difference on re-encoding.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty() && self.damage_omitted == 0 && self.round_trip != RoundTrip::Differs
    }
}

/// The outcome of decoding and encoding again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum RoundTrip {
    /// Every byte came out as it was.
    #[serde(rename = "identical")]
    Identical,
    /// Some byte did not.
    #[serde(rename = "differs")]
    Differs,
    /// The recording's kind is known but not taken apart.
    #[serde(rename = "not attempted")]
    NotAttempted,
}

impl RoundTrip {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            RoundTrip::Identical => "identical",
            RoundTrip::Differs => "differs",
            RoundTrip::NotAttempted => "not attempted",
        }
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// File offset of the faulty byte, after decompression.
    pub offset: u64,
    /// Bit inside the message, where a message was being read.
    pub bit: Option<u64>,
    /// The breadcrumb: `message 812 › snapshot › entity 43 › pos_x`.
    pub path: String,
    /// What kind of thing it is.
    pub kind: DamageKind,
    /// The rule that is broken, in words.
    pub detail: String,
    /// What was passed over because of it.
    pub skipped: Option<Extent>,
}

impl Damage {
    /// What `error` says, as damage of this kind.
    pub fn of(error: &fragreel_base::wire::Error, kind: DamageKind) -> Self {
        let kind = if error.kind() == fragreel_base::wire::ErrorKind::Unsupported { DamageKind::Unsupported } else { kind };
        Damage { offset: error.offset().unwrap_or(0), bit: error.bit(), path: error.path_text(), kind, detail: error.detail().to_owned(), skipped: None }
    }

    /// The same, and that the bytes `from..to` were passed over because of it.
    #[must_use]
    pub fn skipping(mut self, from: u64, to: u64) -> Self {
        self.skipped = Some(Extent { from, to });
        self
    }
}

/// A stretch of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// First byte.
    pub from: u64,
    /// The byte after the last.
    pub to: u64,
}

/// Kinds of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DamageKind {
    /// The file ends inside a message or structure.
    Truncated,
    /// The mark that ends a recording is absent.
    NoEndMarker,
    /// There is something after the end.
    TrailingData,
    /// The framing (length, sequence, directory) makes no sense.
    Framing,
    /// A message breaks the rules of its format.
    Message,
    /// A delta refers to a state that the recording does not have.
    MissingBase,
    /// A known part of the format that is not handled.
    Unsupported,
    /// Decoding and encoding again gave other bytes.
    RoundTrip,
    /// The file is sound for us, but stock engines would stumble.
    Compatibility,
}

impl DamageKind {
    /// The stable name used in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Truncated => "truncated",
            DamageKind::NoEndMarker => "no_end_marker",
            DamageKind::TrailingData => "trailing_data",
            DamageKind::Framing => "framing",
            DamageKind::Message => "message",
            DamageKind::MissingBase => "missing_base",
            DamageKind::Unsupported => "unsupported",
            DamageKind::RoundTrip => "round_trip",
            DamageKind::Compatibility => "compatibility",
        }
    }
}
