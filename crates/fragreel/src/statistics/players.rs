//! The players of a match, each once however often he reconnects.

use std::collections::BTreeMap;

use model::{Against, Player, PlayerStats, Stat};

/// A player, and whether he is in his slot now.
#[derive(Debug, Clone)]
struct Entry {
    here: bool,
    stats: PlayerStats,
    /// What was counted of a figure when a server last stated it while the match went on.
    then: BTreeMap<Stat, i64>,
}

/// The players of a match.
#[derive(Debug, Default, Clone)]
pub struct Players {
    entries: Vec<Entry>,
    /// What the first did to the second, by their places among the entries.
    pairs: BTreeMap<(usize, usize), Pair>,
}

/// What one did to another.
#[derive(Debug, Default, Clone, Copy)]
pub struct Pair {
    pub kills: i64,
    pub damage: Option<i64>,
}

/// Names of sides that do not play.
const WATCHING: &[&str] = &["spectator", "spectators", "SPECTATOR"];

/// Whether a player only watches: his line on a scoreboard is that of whom he watches.
pub fn watches(player: &Player) -> bool {
    player.team.as_deref().is_some_and(|team| WATCHING.contains(&team))
}

impl Players {
    /// A match begins: who is there stays, with nothing to his name.
    pub fn begin(&mut self) {
        self.entries.retain(|entry| entry.here);
        self.pairs.clear();
        self.entries.iter_mut().for_each(|entry| (entry.stats, entry.then) = (PlayerStats::new(entry.stats.player.clone()), BTreeMap::new()));
    }

    /// Nobody is there any more.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pairs.clear();
    }

    /// The figures of a player: he of the slot, or of the name where he was in another slot or in none.
    pub fn find(&mut self, player: &Player) -> &mut PlayerStats {
        &mut self.entry(player).stats
    }

    /// What one does to another.
    pub fn pair(&mut self, attacker: &Player, victim: &Player) -> &mut Pair {
        let places = (self.place(attacker), self.place(victim));
        self.pairs.entry(places).or_default()
    }

    fn entry(&mut self, player: &Player) -> &mut Entry {
        let at = self.place(player);
        &mut self.entries[at]
    }

    fn place(&mut self, player: &Player) -> usize {
        // a board may have a slot whose player has gone
        let nameless = player.name.raw.is_empty();
        let known = |entry: &Entry| nameless || entry.stats.player.name.raw == player.name.raw;
        let slotted = |entry: &Entry| player.slot.is_none() || entry.stats.player.slot.is_none() || entry.stats.player.slot == player.slot;
        let entries = &self.entries;
        let at = entries.iter().position(|entry| known(entry) && slotted(entry));
        let at = at.or_else(|| entries.iter().position(|entry| !nameless && known(entry) && !entry.here)).unwrap_or(entries.len());
        if at == entries.len() {
            if let Some(slot) = player.slot {
                self.free(slot);
            }
            self.entries.push(Entry { here: true, stats: PlayerStats::new(player.clone()), then: BTreeMap::new() });
        }
        let entry = &mut self.entries[at];
        entry.here |= player.slot.is_some();
        entry.stats.player.slot = player.slot.or(entry.stats.player.slot);
        if let Some(team) = &player.team
            && (!WATCHING.contains(&&**team) || is_blank(&entry.stats))
        {
            entry.stats.player.team = Some(team.clone());
        }
        at
    }

    /// A server states these figures of a player; `goes_on` says that more may happen to him afterwards.
    pub fn stated(&mut self, player: &Player, goes_on: bool, figures: impl Iterator<Item = Stat>) {
        let entry = self.entry(player);
        for stat in figures {
            if goes_on {
                entry.then.insert(stat, entry.stats.stats.get(stat).counted.unwrap_or(0));
            } else {
                entry.then.remove(&stat);
            }
        }
    }

    /// A player has another name.
    pub fn rename(&mut self, player: &Player) {
        match self.entries.iter_mut().find(|entry| entry.here && player.slot.is_some() && entry.stats.player.slot == player.slot) {
            Some(entry) => entry.stats.player.name = player.name.clone(),
            None => drop(self.find(player)),
        }
    }

    /// A player has gone.
    pub fn leave(&mut self, player: &Player) {
        if let Some(slot) = player.slot {
            self.free(slot);
        }
    }

    fn free(&mut self, slot: u16) {
        self.entries.iter_mut().filter(|entry| entry.stats.player.slot == Some(slot)).for_each(|entry| entry.here = false);
    }

    /// Everybody.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut PlayerStats> {
        self.entries.iter_mut().map(|entry| &mut entry.stats)
    }

    /// Everybody of whom there is something to say, unless he only watched.
    ///
    /// `whole` says that everything since the match's start was counted: then a count that went on after the last statement is
    /// the better figure. Otherwise it is where it is higher, for more than all cannot have happened.
    pub fn results(&mut self, whole: bool) -> Vec<PlayerStats> {
        for entry in &mut self.entries {
            for (stat, before) in std::mem::take(&mut entry.then) {
                let figure = entry.stats.stats.get(stat);
                if figure.counted.unwrap_or(0) != before && (whole || figure.counted > figure.stated) {
                    entry.stats.stats.forget_stated(stat);
                }
            }
        }
        let names: Vec<Player> = self.entries.iter().map(|entry| entry.stats.player.clone()).collect();
        for ((attacker, victim), pair) in std::mem::take(&mut self.pairs) {
            let mut against = Against::new(names[victim].clone());
            (against.kills, against.damage) = (pair.kills, pair.damage);
            self.entries[attacker].stats.against.push(against);
        }
        for entry in &mut self.entries {
            entry.stats.against.sort_by_key(|one| std::cmp::Reverse((one.kills, one.damage)));
        }
        let played = |stats: &PlayerStats| {
            let acted = stats
                .stats
                .iter()
                .any(|(stat, figure)| !matches!(stat, Stat::Ping | Stat::TimePlayed | Stat::Score) && figure.value().is_some_and(|value| value != 0));
            if watches(&stats.player) { acted } else { !is_blank(stats) }
        };
        self.entries.drain(..).map(|entry| entry.stats).filter(played).collect()
    }
}

fn is_blank(stats: &PlayerStats) -> bool {
    stats.stats.is_empty() && stats.weapons.is_empty() && stats.items.is_empty() && stats.other.is_empty()
}
