//! Counts what happens in a match (`docs/statistics.md`, "Counted").

use std::collections::{BTreeMap, BTreeSet};

use fragreel_model::{Event, EventKind, FlagAction, ItemStat, Kill, Milliseconds, Player, PlayerStats, Stat, WeaponStat};

use super::players::Players;
use super::terms;

/// A kill follows another within this many milliseconds, or it is none of a row.
const MULTI_KILL: i64 = 3000;

/// Figures that are counted in every recording: who did nothing did it exactly never.
const ALWAYS: &[Stat] = &[
    Stat::Kills,
    Stat::Deaths,
    Stat::DeathsByEnemies,
    Stat::DeathsByPlayers,
    Stat::Suicides,
    Stat::WorldDeaths,
    Stat::OwnDeaths,
    Stat::TeamKills,
    Stat::TeamDeaths,
    Stat::BestSpree,
    Stat::MultiKills,
];

/// Figures of a killer.
const OF_KILLS: &[Stat] = &[Stat::Kills, Stat::TeamKills, Stat::Telefrags, Stat::BestSpree, Stat::MultiKills];
/// Figures of a victim. A death ends a spree.
const OF_DEATHS: &[Stat] = &[
    Stat::Deaths,
    Stat::DeathsByEnemies,
    Stat::DeathsByPlayers,
    Stat::Suicides,
    Stat::WorldDeaths,
    Stat::OwnDeaths,
    Stat::TeamDeaths,
    Stat::BestSpree,
    Stat::MultiKills,
];

/// Who somebody is while a match runs.
type Key = (Option<u16>, String);

/// What must be remembered of a player to count on.
#[derive(Debug, Clone, Default)]
struct Run {
    spree: i64,
    last_kill: Option<Milliseconds>,
    flag_since: Option<Milliseconds>,
    /// Whether the flag was taken from its base.
    from_base: bool,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    runs: BTreeMap<Key, Run>,
    carriers: BTreeMap<String, Key>,
    /// How many items somebody took, and how long they had lain there together.
    waits: BTreeMap<(Key, &'static str), (i64, i64)>,
    /// Flags that lie about somewhere, or are carried: the others are at their base.
    away: BTreeSet<String>,
    /// Players with a kill or death where the recording does not say whether both were on one team.
    unsided: BTreeSet<Key>,
    /// Names of killers and of victims where several players have the name and the recording does not say which it was.
    namesakes: [BTreeSet<String>; 2],
}

fn key(player: &Player) -> Key {
    (player.slot, player.name.raw.clone())
}

impl Tally {
    /// Something happens in it.
    pub(super) fn take(&mut self, players: &mut Players, event: &Event) {
        match &event.kind {
            EventKind::Kill(kill) => self.kill(players, kill, event.time),
            EventKind::Damage { attacker, victim, amount, lost, .. } => damage(players, attacker.as_ref(), victim, i64::from(lost.unwrap_or(*amount))),
            EventKind::Item { player, item, delay } => {
                if let Some(item) = terms::item(item) {
                    let figures = players.find(player).item(item);
                    figures.count(ItemStat::Pickups, 1);
                    if let Some(delay) = delay {
                        let (times, waited) = self.waits.entry((key(player), item)).or_default();
                        *times += 1;
                        *waited += delay.0;
                        figures.set_counted(ItemStat::AverageDelay, *waited / *times);
                    }
                } else if let Some(weapon) = terms::weapon(item) {
                    players.find(player).weapon(weapon).count(WeaponStat::TotalPickups, 1);
                }
            }
            EventKind::Flag { team, action, player } => self.flag(players, team, *action, player.as_ref(), event.time),
            EventKind::Award { player, award } => {
                if let Some(stat) = terms::award(award) {
                    players.find(player).stats.count(stat, 1);
                }
            }
            _ => {}
        }
    }

    /// Whether a figure is counted in every recording.
    pub(super) fn counts(stat: Stat) -> bool {
        ALWAYS.contains(&stat)
    }

    /// Whether a figure of this player is unknown because kills or deaths of players of this name are.
    pub(super) fn is_unsure(&self, player: &Player, stat: Stat) -> bool {
        let of = |names: &BTreeSet<String>, stats: &[Stat]| stats.contains(&stat) && names.contains(&player.name.raw);
        of(&self.namesakes[0], OF_KILLS) || of(&self.namesakes[1], OF_DEATHS)
    }

    /// Takes back what was counted of figures that are unknown.
    fn forget_unsure(&self, line: &mut PlayerStats) {
        for &stat in OF_KILLS.iter().chain(OF_DEATHS) {
            if self.is_unsure(&line.player, stat) {
                line.stats.forget_counted(stat);
            }
        }
        let by_weapon = [(Stat::Kills, WeaponStat::Kills), (Stat::TeamKills, WeaponStat::TeamKills), (Stat::Suicides, WeaponStat::Suicides)];
        for (_, of_weapon) in by_weapon.into_iter().filter(|(stat, _)| self.is_unsure(&line.player, *stat)) {
            line.weapons.values_mut().for_each(|weapon| weapon.forget_counted(of_weapon));
        }
        line.weapons.retain(|_, weapon| !weapon.is_empty());
    }

    /// The match is over.
    pub(super) fn end(&mut self, players: &mut Players, now: Milliseconds) {
        for (_, key) in std::mem::take(&mut self.carriers) {
            if let Some(since) = self.runs.get_mut(&key).and_then(|run| run.flag_since.take())
                && let Some(line) = players.known(key.0, &key.1)
            {
                line.stats.count(Stat::FlagTime, (now - since).0);
            }
        }
        let teams = players.iter_mut().any(|line| line.player.team.as_deref().is_some_and(|team| team != "spectator"));
        for line in players.iter_mut() {
            let unsided = teams && self.unsided.contains(&key(&line.player));
            for &stat in ALWAYS {
                // What nobody knows is not zero.
                let known = !unsided || !matches!(stat, Stat::TeamKills | Stat::TeamDeaths);
                if known && line.stats.iter().next().is_some() {
                    line.stats.count(stat, 0);
                }
            }
            if self.namesakes.iter().any(|names| !names.is_empty()) {
                self.forget_unsure(line);
            }
        }
    }

    /// A player has gone: what he carried is not his any more.
    pub(super) fn leave(&mut self, player: &Player) {
        self.runs.remove(&key(player));
    }

    fn kill(&mut self, players: &mut Players, kill: &Kill, now: Milliseconds) {
        if let Some(attacker) = kill.attacker.as_ref().filter(|_| !kill.is_suicide() && !kill.team_kill)
            && (attacker.team.is_none() || kill.victim.team.is_none())
        {
            self.unsided.extend([key(attacker), key(&kill.victim)]);
        }
        let sides = [kill.attacker.as_ref().filter(|_| !kill.knows_attacker()), Some(&kill.victim).filter(|_| !kill.knows_victim())];
        for (names, player) in self.namesakes.iter_mut().zip(sides) {
            names.extend(player.map(|player| player.name.raw.clone()).filter(|name| !name.is_empty()));
        }
        let weapon = terms::means(&kill.means);
        if kill.knows_victim() {
            let victim = players.find(&kill.victim);
            victim.stats.count(Stat::Deaths, 1);
            match &kill.attacker {
                None => {
                    victim.stats.count(Stat::WorldDeaths, 1);
                    victim.stats.count(Stat::OwnDeaths, 1);
                }
                Some(_) if kill.is_suicide() => {
                    victim.stats.count(Stat::Suicides, 1);
                    victim.stats.count(Stat::OwnDeaths, 1);
                    if let Some(weapon) = weapon {
                        victim.weapon(weapon).count(WeaponStat::Suicides, 1);
                    }
                }
                Some(_) => {
                    let by = if kill.team_kill { Stat::TeamDeaths } else { Stat::DeathsByEnemies };
                    victim.stats.count(by, 1);
                    victim.stats.count(Stat::DeathsByPlayers, 1);
                }
            }
            let run = self.runs.entry(key(&kill.victim)).or_default();
            (run.spree, run.last_kill) = (0, None);
        }
        let Some(attacker) = kill.attacker.as_ref().filter(|_| !kill.is_suicide() && kill.knows_attacker()) else { return };
        if kill.knows_victim() {
            players.pair(attacker, &kill.victim).kills += 1;
        }
        let line = players.find(attacker);
        if kill.team_kill {
            line.stats.count(Stat::TeamKills, 1);
            if let Some(weapon) = weapon {
                line.weapon(weapon).count(WeaponStat::TeamKills, 1);
            }
            return;
        }
        line.stats.count(Stat::Kills, 1);
        if let Some(weapon) = weapon {
            line.weapon(weapon).count(WeaponStat::Kills, 1);
        }
        if terms::is_telefrag(&kill.means) {
            line.stats.count(Stat::Telefrags, 1);
        }
        let run = self.runs.entry(key(attacker)).or_default();
        run.spree += 1;
        let best = line.stats.get(Stat::BestSpree).counted.unwrap_or(0);
        line.stats.set_counted(Stat::BestSpree, best.max(run.spree));
        if run.last_kill.replace(now).is_some_and(|last| (now - last).0 < MULTI_KILL) {
            line.stats.count(Stat::MultiKills, 1);
        }
    }

    fn flag(&mut self, players: &mut Players, team: &str, action: FlagAction, player: Option<&Player>, now: Milliseconds) {
        let was_away =
            if action == FlagAction::Returned || action == FlagAction::Captured { self.away.remove(team) } else { !self.away.insert(team.to_owned()) };
        // whatever happens to a flag, nobody goes on carrying it
        let mut carried = None;
        if let Some(carrier) = self.carriers.remove(team)
            && let Some(since) = self.runs.get_mut(&carrier).and_then(|run| run.flag_since.take())
            && let Some(line) = players.known(carrier.0, &carrier.1)
        {
            line.stats.count(Stat::FlagTime, (now - since).0);
            carried = Some((carrier, (now - since).0));
        }
        let Some(player) = player else { return };
        let stats = &mut players.find(player).stats;
        match action {
            FlagAction::Taken => {
                stats.count(Stat::FlagsTaken, 1);
                let run = self.runs.entry(key(player)).or_default();
                (run.flag_since, run.from_base) = (Some(now), !was_away);
                self.carriers.insert(team.to_owned(), key(player));
            }
            FlagAction::Returned => stats.count(Stat::FlagsReturned, 1),
            FlagAction::Captured => {
                stats.count(Stat::Captures, 1);
                if let Some((_, took)) = carried.filter(|(carrier, _)| *carrier == key(player)) {
                    let best = stats.get(Stat::BestCaptureTime).counted.unwrap_or(i64::MAX);
                    stats.set_counted(Stat::BestCaptureTime, best.min(took));
                    if self.runs.get(&key(player)).is_some_and(|run| run.from_base) {
                        stats.count(Stat::BaseCaptures, 1);
                    }
                }
            }
            _ => {}
        }
    }
}

fn damage(players: &mut Players, attacker: Option<&Player>, victim: &Player, amount: i64) {
    let Some(attacker) = attacker else { return };
    if attacker.slot == victim.slot && attacker.name == victim.name {
        players.find(victim).stats.count(Stat::DamageSelf, amount);
        return;
    }
    let done = &mut players.pair(attacker, victim).damage;
    *done = Some(done.unwrap_or(0) + amount);
    if attacker.team.is_some() && attacker.team == victim.team && !matches!(attacker.team.as_deref(), Some("free")) {
        players.find(attacker).stats.count(Stat::DamageTeam, amount);
    } else {
        players.find(attacker).stats.count(Stat::DamageGiven, amount);
        players.find(victim).stats.count(Stat::DamageTaken, amount);
    }
}
