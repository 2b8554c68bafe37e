//! Scoreboards and statistics: what servers state of a match and what can be counted of it (`docs/statistics.md`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::{Identity, Milliseconds, Outcome, Player};

/// Declares a vocabulary of figures once: the enum, its names and its order.
macro_rules! figures {
    ($(#[$about:meta])* $set:ident: $(#[doc = $doc:literal] $variant:ident = $name:literal,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $set {
            $(#[doc = $doc] $variant),*
        }

        impl $set {
            /// Every figure.
            pub const ALL: &'static [$set] = &[$($set::$variant),*];

            /// The stable name, as in the JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $($set::$variant => $name),*
                }
            }

            /// What it says, in a sentence.
            pub fn about(self) -> &'static str {
                match self {
                    $($set::$variant => $doc),*
                }
                .trim_ascii()
            }
        }

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

figures! {
    /// A figure of a player or a team. Times are milliseconds, accuracies whole per cent, speeds units per second.
    Stat:
    /// What the game ranks by.
    Score = "score",
    /// Enemies killed.
    Kills = "kills",
    /// Deaths of all causes.
    Deaths = "deaths",
    /// Deaths by the player's own hand.
    Suicides = "suicides",
    /// Deaths by the world: falls, lava, traps.
    WorldDeaths = "world_deaths",
    /// Mates killed.
    TeamKills = "team_kills",
    /// Deaths by mates.
    TeamDeaths = "team_deaths",
    /// Enemies killed who had just come back.
    SpawnKills = "spawn_kills",
    /// Enemies killed without dying in between, at most.
    BestSpree = "best_spree",
    /// The same while quad damage runs.
    BestQuadSpree = "best_quad_spree",
    /// Kills within three seconds of the player's kill before.
    MultiKills = "multi_kills",
    /// Telefrags.
    Telefrags = "telefrags",
    /// Damage done to enemies.
    DamageGiven = "damage_given",
    /// Damage that enemies did.
    DamageTaken = "damage_taken",
    /// Damage done to mates.
    DamageTeam = "damage_team",
    /// Damage done to oneself.
    DamageSelf = "damage_self",
    /// Health and armor lost, by any cause.
    Lost = "lost",
    /// Damage done to enemies who hold one of the great weapons.
    DamageToArmed = "damage_to_armed",
    /// Damage done to mates who hold one of the great weapons.
    DamageToArmedMates = "damage_to_armed_mates",
    /// Points of armor picked up.
    ArmorTaken = "armor_taken",
    /// Points of health picked up.
    HealthTaken = "health_taken",
    /// Shots that hit, of all weapons.
    Accuracy = "accuracy",
    /// Flags brought home.
    Captures = "captures",
    /// Flags brought home by who took them from their base, without a stop.
    BaseCaptures = "base_captures",
    /// The least time from taking a flag to bringing it home.
    BestCaptureTime = "best_capture_time",
    /// Flags taken.
    FlagsTaken = "flags_taken",
    /// Flags brought back.
    FlagsReturned = "flags_returned",
    /// Time with a flag.
    FlagTime = "flag_time",
    /// Enemies killed who carried a flag.
    CarrierKills = "carrier_kills",
    /// Defenses of flag, base or carrier.
    Defends = "defends",
    /// Assists.
    Assists = "assists",
    /// Railgun hits in a row.
    Impressive = "impressive",
    /// Quick kills, as the game awards them.
    Excellent = "excellent",
    /// Kills with the gauntlet, as the game awards them.
    Humiliation = "humiliation",
    /// Matches won without a death.
    Perfect = "perfect",
    /// Mates thawed.
    Thaws = "thaws",
    /// Round-trip time in milliseconds.
    Ping = "ping",
    /// Whole minutes since the player connected, as boards state them.
    MinutesConnected = "minutes_connected",
    /// Time on a side that plays while the match ran.
    TimeOnTeam = "time_on_team",
    /// Time alive in it.
    TimeAlive = "time_alive",
    /// Way gone, in the game's units.
    Distance = "distance",
    /// Time in control of a duel.
    ControlTime = "control_time",
    /// Highest speed over ground.
    TopSpeed = "top_speed",
    /// Mean speed over ground.
    AverageSpeed = "average_speed",
}

figures! {
    /// A figure of a weapon in somebody's hands.
    WeaponStat:
    /// Shots; of shotguns in QuakeWorld, pellets.
    Shots = "shots",
    /// Shots that hit.
    Hits = "hits",
    /// Shots that hit directly, not by splash.
    DirectHits = "direct_hits",
    /// Shots that would have hit if nobody had been protected.
    VirtualHits = "virtual_hits",
    /// Hits in per cent of shots.
    Accuracy = "accuracy",
    /// Enemies killed with it.
    Kills = "kills",
    /// Mates killed with it.
    TeamKills = "team_kills",
    /// Enemies killed who held it.
    HoldersKilled = "holders_killed",
    /// Deaths by it; of OSP's and CPMA's boards, deaths while it was held.
    Deaths = "deaths",
    /// Suicides with it.
    Suicides = "suicides",
    /// Damage done to enemies with it.
    Damage = "damage",
    /// Damage done to mates with it.
    TeamDamage = "team_damage",
    /// Picked up by somebody without it.
    Pickups = "pickups",
    /// Picked up at all.
    TotalPickups = "total_pickups",
    /// Picked up from the map by somebody without it.
    SpawnPickups = "spawn_pickups",
    /// Picked up from the map at all.
    TotalSpawnPickups = "total_spawn_pickups",
    /// Dropped at death.
    Drops = "drops",
    /// Dropped, and taken by a mate.
    Transfers = "transfers",
}

figures! {
    /// A figure of an item.
    ItemStat:
    /// How often it was taken.
    Pickups = "pickups",
    /// How long it was held.
    TimeHeld = "time_held",
    /// How long it lay there before it was taken, on average.
    AverageDelay = "average_delay",
}

/// A number, as the server states it and as events count it. Where both are there and differ, both are true to their source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The server says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<i64>,
    /// Counted from what happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<i64>,
}

impl Figure {
    /// What the server states, otherwise what was counted.
    pub fn value(self) -> Option<i64> {
        self.stated.or(self.counted)
    }

    /// Whether both are known and differ.
    pub fn differs(self) -> bool {
        matches!((self.stated, self.counted), (Some(stated), Some(counted)) if stated != counted)
    }
}

/// Figures by name; what nobody states or counts is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Figures<K: Ord>(BTreeMap<K, Figure>);

impl<K: Ord> Default for Figures<K> {
    fn default() -> Self {
        Figures(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Figures<K> {
    /// A figure, empty where it is unknown.
    pub fn get(&self, key: K) -> Figure {
        self.0.get(&key).copied().unwrap_or_default()
    }

    /// The server states a figure.
    pub fn state(&mut self, key: K, value: i64) {
        self.0.entry(key).or_default().stated = Some(value);
    }

    /// Something countable happened.
    pub fn count(&mut self, key: K, more: i64) {
        let counted = &mut self.0.entry(key).or_default().counted;
        *counted = Some(counted.unwrap_or(0).saturating_add(more));
    }

    /// A count is known as a whole.
    pub fn set_counted(&mut self, key: K, value: i64) {
        self.0.entry(key).or_default().counted = Some(value);
    }

    /// Takes over what another statement states.
    pub fn take_stated(&mut self, other: &Figures<K>) {
        for (key, figure) in &other.0 {
            if let Some(stated) = figure.stated {
                self.state(*key, stated);
            }
        }
    }

    /// Forgets what was stated of a figure: it is older than what was counted.
    pub fn forget_stated(&mut self, key: K) {
        if let Some(figure) = self.0.get_mut(&key) {
            figure.stated = None;
        }
    }

    /// Every figure, in the vocabulary's order.
    pub fn iter(&self) -> impl Iterator<Item = (K, Figure)> {
        self.0.iter().map(|(key, figure)| (*key, *figure))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Why a recording has no match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoMatch {
    /// No level is entered.
    NoLevel,
    /// A warm-up or a countdown is stated, and no start.
    NoStart,
    /// A level runs, and nobody joins it, scores in it or dies in it.
    NoPlayers,
}

impl NoMatch {
    /// The reason in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            NoMatch::NoLevel => "no level is entered in it",
            NoMatch::NoStart => "it states a warm-up or a countdown, and no start of a match",
            NoMatch::NoPlayers => "it does not say who plays: nobody joins, scores or dies in it",
        }
    }
}

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

/// What a player did to another one, enemy or mate.
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
    /// The figures.
    pub stats: Figures<Stat>,
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

impl MatchStats {
    /// Whether scores are times of runs, in milliseconds: Quake Live's races and DeFRaG.
    pub fn is_race(&self) -> bool {
        self.mode.as_deref().is_some_and(|mode| mode == "Race" || mode.starts_with("DeFRaG"))
    }

    /// Whether such a score is of somebody who finished.
    pub fn is_run(score: i64) -> bool {
        (1..i64::from(i32::MAX)).contains(&score)
    }
}

/// The scoreboard of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchStats {
    /// Its number in the recording, from 1.
    pub number: u32,
    /// The map.
    pub map: String,
    /// The game type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// When it was, as far as the recording says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Since the recording's first frame: when it began, or the recording did.
    pub from: Milliseconds,
    /// When it ended, or the recording did.
    pub to: Milliseconds,
    /// Whether the recording has its start.
    pub has_start: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether an event of it is [uncertain](crate::Event::uncertain).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// The team or player who won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Cow<'static, str>>,
    /// Teams, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamStats>,
    /// Players, best first.
    pub players: Vec<PlayerStats>,
    /// Which match it is, whatever recording of it is looked at.
    pub identity: Identity,
    /// What stated figures, such as `ktxstats` or `scores_duel`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Cow<'static, str>>,
    /// What a statement of the whole match says besides, under its own names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

impl MatchStats {
    /// How long it lasted in the recording, pauses included.
    pub fn length(&self) -> Milliseconds {
        self.to - self.from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_both_sources() {
        let mut figures = Figures::default();
        figures.count(Stat::Kills, 1);
        figures.count(Stat::Kills, 1);
        figures.state(Stat::Kills, 3);
        figures.state(Stat::Deaths, 1);
        assert!(figures.get(Stat::Kills).differs() && !figures.get(Stat::Deaths).differs());
        assert_eq!(figures.get(Stat::Kills).value(), Some(3));
        assert_eq!(figures.get(Stat::Captures), Figure::default());
        figures.forget_stated(Stat::Kills);
        assert_eq!(figures.get(Stat::Kills).value(), Some(2));
        assert!(Stat::ALL.windows(2).all(|pair| pair[0] < pair[1] && pair[0].name() != pair[1].name()));
    }
}
