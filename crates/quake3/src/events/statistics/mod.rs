//! Statistics that servers state in commands, in each mod's form (`docs/formats/quake3-events.md`, "Statistics").
//!
//! A form is a list of fields. Values without a name in `fragreel_model::statistics` keep the name from the notes.

mod cpma;
mod openarena;
mod osp;
mod printed;
mod quakelive;

use fragreel_model::{ItemStat, PlayerStats, Stat, Statement, WeaponStat, common};

use crate::strings::{Words, number};
use crate::walk::Roster;

/// Reads statistics, and remembers in which order the last scoreboard had its players: some commands count by it.
#[derive(Debug, Default)]
pub(super) struct StatisticsTracker {
    order: Vec<u32>,
    /// CPMA's winner and loser of the duel that is over.
    duel: [Vec<u8>; 2],
    printed: printed::PrintedTables,
}

/// The players that a command without a name may be about.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommandSubjects {
    /// The slot of the watched player.
    pub view: Option<u32>,
    /// The slot of the recording client.
    pub recorder: Option<u32>,
}

impl StatisticsTracker {
    /// A piece of text is printed.
    pub(super) fn print(&mut self, text: &[u8], players: &Roster) {
        self.printed.print(text, players);
    }

    /// The tables that were printed.
    pub(super) fn printed(&mut self) -> impl Iterator<Item = Statement> {
        self.printed.take()
    }

    /// Reads the statistics of a command.
    pub(super) fn read(&mut self, command: &[u8], words: Words<'_>, players: &Roster, seen: CommandSubjects) -> Option<Statement> {
        let known = matches!(
            command,
            b"mstats"
                | b"xstats2"
                | b"xstats1"
                | b"statsinfo"
                | b"castats"
                | b"ctfstats"
                | b"tdmstats"
                | b"scores"
                | b"scores_duel"
                | b"scores_tdm"
                | b"scores_ctf"
                | b"scores_ca"
                | b"scores_ft"
                | b"scores_ffa"
                | b"scores_rr"
                | b"rrscores"
                | b"smscores"
                | b"tdmscores"
                | b"tdmscores2"
                | b"cascores"
                | b"dscores"
                | b"acc"
                | b"mstatsa"
                | b"xstats2a"
                | b"duelendscores"
                | b"ctfscores"
                | b"scores_ad"
                | b"adscores"
                | b"accs"
        );
        if !known {
            return None;
        }
        let words: Vec<&[u8]> = words.take(MOST_WORDS).collect();
        let name = std::str::from_utf8(command).ok()?.to_owned();
        let statement = match command {
            b"mstats" | b"xstats2" => cpma::read(&words, players),
            b"duelendscores" => {
                self.duel = [0, 1].map(|at| words.get(at).map_or_else(Vec::new, |name| name.to_vec()));
                return None;
            }
            b"mstatsa" | b"xstats2a" => {
                let name = self.duel.get(usize::try_from(int(words.first()?)).ok()?).filter(|name| !name.is_empty())?;
                cpma::of(PlayerStats::new(players.named(name)), &words)
            }
            b"acc" => quakelive::accuracies(&words, players, seen.view?),
            b"accs" => openarena::accuracies(&words, players, seen.recorder.or(seen.view)?),
            b"tdmscores" | b"tdmscores2" | b"ctfscores" => quakelive::early_teams(command, &words, players),
            b"scores_ad" | b"adscores" => quakelive::rounds(&words),
            b"cascores" => quakelive::early_arena(&words, players),
            b"dscores" => quakelive::early_duel(&words, &self.order, players),
            b"xstats1" => osp::player(&words, players),
            b"statsinfo" => osp::own(&words, players, seen.view?),
            b"castats" | b"ctfstats" | b"tdmstats" => quakelive::of_one(command, &words, &self.order, players),
            _ => {
                let (statement, order) = quakelive::board(command, &words, players)?;
                self.order = order;
                Some(statement)
            }
        };
        let mut statement = statement.filter(|statement| !statement.players.is_empty() || !statement.teams.is_empty())?;
        statement.source = name.into();
        Some(statement)
    }
}

/// No board has more: 64 players with 91 words each.
const MOST_WORDS: usize = 6000;

/// A field of a form.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// The player's client number.
    Client,
    /// A figure.
    Of(Stat),
    /// Whole minutes in the game.
    Minutes,
    /// Seconds that the item of the field before lay there, with two decimals.
    Delay(&'static str),
    /// How often an item was taken.
    Took(&'static str),
    /// Hits, shots, accuracy, damage and kills of each weapon, up to the end.
    Weapons,
    /// Accuracy and kills of each weapon, up to the end.
    Accuracies,
    /// Something that has no name of ours.
    Other(&'static str),
}

/// Weapons by number, from the gauntlet on.
const WEAPONS: [&str; 14] = [
    common::MELEE,
    common::MACHINE_GUN,
    common::SHOTGUN,
    common::GRENADE_LAUNCHER,
    common::ROCKET_LAUNCHER,
    common::LIGHTNING_GUN,
    common::RAILGUN,
    common::PLASMA_GUN,
    common::BFG,
    common::GRAPPLE,
    common::NAILGUN,
    common::MINE,
    common::CHAINGUN,
    common::HEAVY_MACHINE_GUN,
];

/// Assigns the words of a player to the fields. Weapons that were never used are left out.
fn fill(line: &mut PlayerStats, fields: &[Field], words: &[&[u8]]) {
    let mut words = words.iter();
    for field in fields {
        match field {
            Field::Weapons => {
                for (weapon, five) in WEAPONS.iter().zip(words.as_slice().chunks_exact(5)) {
                    let five: Vec<i64> = five.iter().map(|word| int(word)).collect();
                    if five.iter().all(|&value| value == 0) {
                        continue;
                    }
                    let of = [WeaponStat::Hits, WeaponStat::Shots, WeaponStat::Accuracy, WeaponStat::Damage, WeaponStat::Kills];
                    of.into_iter().zip(five).for_each(|(stat, value)| line.weapon(*weapon).state(stat, value));
                }
                return;
            }
            Field::Accuracies => {
                for (weapon, pair) in WEAPONS.iter().zip(words.as_slice().chunks_exact(2)) {
                    if pair.iter().any(|word| int(word) != 0) {
                        line.weapon(*weapon).state(WeaponStat::Accuracy, int(pair[0]));
                        line.weapon(*weapon).state(WeaponStat::Kills, int(pair[1]));
                    }
                }
                return;
            }
            _ => {}
        }
        let Some(word) = words.next() else { return };
        match field {
            Field::Of(stat) => line.stats.state(*stat, int(word)),
            // the server cuts the time to whole minutes, and counts them from the connection
            Field::Minutes => line.stats.state(Stat::MinutesConnected, int(word)),
            Field::Took(item) => line.item(*item).state(ItemStat::Pickups, int(word)),
            Field::Delay(item) => {
                let seconds: f64 = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0);
                line.item(*item).state(ItemStat::AverageDelay, (seconds * 1000.0).round() as i64);
            }
            Field::Other(name) => drop(line.other.insert((*name).to_owned(), String::from_utf8_lossy(word).into_owned())),
            Field::Client | Field::Weapons | Field::Accuracies => {}
        }
    }
}

fn int(word: &[u8]) -> i64 {
    i64::from(number(word))
}

fn player(word: &[u8], players: &Roster) -> Option<(u32, PlayerStats)> {
    let client = u32::try_from(number(word)).ok().filter(|&client| players.has_slot(client))?;
    Some((client, PlayerStats::new(players.player(client))))
}
