//! The names of figures, and numbers with their sources.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

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
    /// Deaths by enemies alone.
    DeathsByEnemies = "deaths_by_enemies",
    /// Deaths by enemies and teammates, without suicides and deaths by the world.
    DeathsByPlayers = "deaths_by_players",
    /// Deaths by the player's own hand.
    Suicides = "suicides",
    /// Deaths by the world: falls, lava, traps.
    WorldDeaths = "world_deaths",
    /// Deaths by the player's own hand and by the world together, which some servers count as one.
    OwnDeaths = "own_deaths",
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
    /// Shots.
    Shots = "shots",
    /// Shots that hit.
    Hits = "hits",
    /// Pellets, of shotguns whose pellets the server counts one by one.
    Pellets = "pellets",
    /// Pellets that hit.
    PelletHits = "pellet_hits",
    /// Shots that hit directly, not by splash.
    DirectHits = "direct_hits",
    /// Shots that would have hit if nobody had been protected.
    VirtualHits = "virtual_hits",
    /// Hits in per cent of shots, or of pellets where those are counted.
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

/// What kind of statement has a figure, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Data that the server states when the match is over, about the whole of it.
    End,
    /// A table or a line that the server prints when the match is over.
    Printed,
    /// A scoreboard, or statistics on the way: as of its time.
    Board,
}

impl Source {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Source::End => "end",
            Source::Printed => "printed",
            Source::Board => "board",
        }
    }
}

/// A number, as the server states it and as events count it. Where both are there and differ, both are true to their source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The server says so. Of several statements, the weightiest; of two equal ones, the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<i64>,
    /// What kind of statement says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
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

    /// The server states a figure. The collector of statements knows their kind.
    pub fn state(&mut self, key: K, value: i64) {
        self.0.entry(key).or_default().stated = Some(value);
    }

    /// A statement of this kind has a figure. Returns whether it is the figure now: a weightier statement keeps it.
    pub fn state_as(&mut self, key: K, value: i64, standing: Source) -> bool {
        let figure = self.0.entry(key).or_default();
        let wins = figure.source.is_none_or(|known| standing <= known);
        if wins {
            (figure.stated, figure.source) = (Some(value), Some(standing));
        }
        wins
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

    /// Takes over what a statement of this kind states.
    pub fn take_stated(&mut self, other: &Figures<K>, standing: Source) {
        for (key, figure) in &other.0 {
            if let Some(stated) = figure.stated {
                self.state_as(*key, stated, standing);
            }
        }
    }

    /// Puts a figure back to what it was.
    pub fn restore(&mut self, key: K, figure: Figure) {
        if figure == Figure::default() {
            self.0.remove(&key);
        } else {
            self.0.insert(key, figure);
        }
    }

    /// Forgets what was stated of a figure: it is older than what was counted.
    pub fn forget_stated(&mut self, key: K) {
        if let Some(figure) = self.0.get_mut(&key) {
            (figure.stated, figure.source) = (None, None);
        }
    }

    /// Forgets what was counted of a figure: the recording does not show everything.
    pub fn forget_counted(&mut self, key: K) {
        if let Some(figure) = self.0.get_mut(&key) {
            figure.counted = None;
            if figure.stated.is_none() {
                self.0.remove(&key);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weightier_statements_keep_their_figures() {
        let mut figures = Figures::default();
        for (value, standing) in [(1, Source::Board), (2, Source::Board), (3, Source::End), (4, Source::Printed), (5, Source::Board)] {
            figures.state_as(Stat::Score, value, standing);
        }
        assert_eq!((figures.get(Stat::Score).stated, figures.get(Stat::Score).source), (Some(3), Some(Source::End)));
    }

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
