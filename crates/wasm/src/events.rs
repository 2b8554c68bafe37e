//! Events with what a page shows of them.

use std::borrow::Cow;

use fragreel::model::{Event, EventKind, Group, Piece, common};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    #[serde(flatten)]
    event: &'a Event,
    group: Group,
    #[serde(skip_serializing_if = "is_false")]
    major: bool,
    /// The sentence, where a text in it has colors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<Piece<'a>>,
    /// Of the subject and the object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slots: Vec<u16>,
    #[serde(skip_serializing_if = "is_false")]
    suicide: bool,
    /// The means of a kill in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<Cow<'a, str>>,
    /// The common name of an item.
    #[serde(skip_serializing_if = "Option::is_none")]
    common: Option<&'static str>,
}

impl<'a> Shown<'a> {
    pub(crate) fn of(event: &'a Event) -> Self {
        let kind = &event.kind;
        let mut pieces = kind.sentence();
        if !pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.raw != text.clean)) {
            pieces.clear();
        }
        let slots = kind.subject().into_iter().chain(kind.object()).filter_map(|player| player.slot).collect();
        let kill = if let EventKind::Kill(kill) = kind { Some(kill) } else { None };
        Shown {
            event,
            group: kind.kind().group(),
            major: kind.is_major(),
            pieces,
            slots,
            suicide: kill.is_some_and(fragreel::model::Kill::is_suicide),
            how: kill.map(|kill| words(&kill.means)),
            common: if let EventKind::Item { item, .. } = kind { common::name_of_item(item) } else { None },
        }
    }
}

/// What the world does, in a word.
fn words(means: &str) -> Cow<'_, str> {
    match means {
        "MOD_TRIGGER_HURT" => "trap".into(),
        "MOD_FALLING" => "fall".into(),
        "MOD_CRUSH" => "crushed".into(),
        "MOD_WATER" => "drowned".into(),
        other => common::words_of_means(other),
    }
}

fn is_false(on: &bool) -> bool {
    !on
}
