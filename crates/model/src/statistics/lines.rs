//! What is known of players and teams, and what servers state of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::figures::{Figures, ItemStat, Stat, WeaponStat};
use crate::{EndCause, Milliseconds, Player};

/// What is known of a player in a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerStats {
    /// Whose.
    pub player: Player,
    /// The figures.
    pub stats: Figures<Stat>,
    /// By weapon: the common name of [`common`](crate::common) where there is one, otherwise the game's own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weapons: BTreeMap<Cow<'static, str>, Figures<WeaponStat>>,
    /// By item, named likewise.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub items: BTreeMap<Cow<'static, str>, Figures<ItemStat>>,
    /// What he did to whom, most kills first: counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Against>,
    /// What the server states besides, under its own names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

/// What a player did to one other player, enemy or teammate: a row of a head-to-head table.
///
/// A player has one for everybody whom he killed or hurt; the one with the most kills is first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Against {
    /// To whom.
    pub player: Player,
    /// How often he killed him.
    pub kills: i64,
    /// What it cost of armor, and of health down to nothing, where the recording says who was hurt by whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<i64>,
}

impl Against {
    /// Nothing yet.
    pub fn new(player: Player) -> Self {
        Against { player, kills: 0, damage: None }
    }
}

impl PlayerStats {
    /// Nothing but a name.
    pub fn new(player: Player) -> Self {
        PlayerStats { player, stats: Figures::default(), weapons: BTreeMap::new(), items: BTreeMap::new(), against: Vec::new(), other: BTreeMap::new() }
    }

    /// The figures of a weapon.
    pub fn weapon(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Figures<WeaponStat> {
        self.weapons.entry(name.into()).or_default()
    }

    /// The figures of an item.
    pub fn item(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Figures<ItemStat> {
        self.items.entry(name.into()).or_default()
    }
}

/// What is known of a team in a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeamStats {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The name that its players gave it, if the server states one besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Cow<'static, str>>,
    /// The figures.
    pub stats: Figures<Stat>,
    /// What players scored for it who left, if the server states that: a part of its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_of_leavers: Option<i64>,
    /// By item.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub items: BTreeMap<Cow<'static, str>, Figures<ItemStat>>,
}

impl TeamStats {
    /// Nothing but a name.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        TeamStats { name: name.into(), ..TeamStats::default() }
    }
}

/// What a server states of a match at one time, or of some of its players.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Statement {
    /// The message or format that says it, such as `ktxstats` or `scores_duel`.
    pub source: Cow<'static, str>,
    /// When the match was, as the server writes dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The game type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// How long it lasted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Milliseconds>,
    /// The side that won, if the statement names it. An empty name is a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Cow<'static, str>>,
    /// What ended the match, if the statement says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EndCause>,
    /// Teams, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamStats>,
    /// Players.
    pub players: Vec<PlayerStats>,
    /// What it states besides, under its own names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

impl Statement {
    /// A statement that says nothing yet.
    pub fn new(source: impl Into<Cow<'static, str>>) -> Self {
        Statement { source: source.into(), ..Statement::default() }
    }
}
