//! The players of a match, each once however often he reconnects.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fragreel_model::{Against, Figure, Player, PlayerStats, Source, Stat};

use super::of_frames;

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
pub(super) struct Players {
    entries: Vec<Entry>,
    /// Their places by name, by slot, and of those who are here.
    named: HashMap<String, BTreeSet<usize>>,
    slotted: BTreeMap<Option<u16>, BTreeSet<usize>>,
    here: BTreeSet<(Option<u16>, usize)>,
    /// What the first did to the second, by their places among the entries.
    pairs: BTreeMap<(usize, usize), Pair>,
}

/// What one did to another.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Pair {
    pub kills: i64,
    pub damage: Option<i64>,
}

/// Names of sides that do not play.
const WATCHING: &[&str] = &["spectator", "spectators", "SPECTATOR"];

/// Whether a player only watches: his line on a scoreboard is that of whom he watches.
pub(super) fn watches(player: &Player) -> bool {
    player.team.as_deref().is_some_and(|team| WATCHING.contains(&team))
}

impl Players {
    /// A match begins: who is there stays, with nothing to his name.
    pub(super) fn begin(&mut self) {
        for entry in std::mem::take(self).entries.into_iter().filter(|entry| entry.here) {
            self.add(entry.stats.player);
        }
    }

    /// Nobody is there any more.
    pub(super) fn clear(&mut self) {
        *self = Players::default();
    }

    /// The figures of a player: he of the slot, or of the name where he was in another slot or in none.
    pub(super) fn find(&mut self, player: &Player) -> &mut PlayerStats {
        &mut self.entry(player).stats
    }

    /// What one does to another.
    pub(super) fn pair(&mut self, attacker: &Player, victim: &Player) -> &mut Pair {
        let places = (self.place(attacker), self.place(victim));
        self.pairs.entry(places).or_default()
    }

    fn entry(&mut self, player: &Player) -> &mut Entry {
        let at = self.place(player);
        &mut self.entries[at]
    }

    fn place(&mut self, player: &Player) -> usize {
        let at = self.known_place(player).unwrap_or_else(|| {
            if let Some(slot) = player.slot {
                self.free(slot);
            }
            self.add(player.clone())
        });
        if player.slot.is_some() {
            self.sits(at, player.slot);
        }
        let entry = &mut self.entries[at];
        if let Some(team) = &player.team
            && (!WATCHING.contains(&&**team) || is_blank(&entry.stats))
        {
            entry.stats.player.team = Some(team.clone());
        }
        at
    }

    /// Where the figures of a player are, if he is known.
    pub(super) fn known_place(&self, player: &Player) -> Option<usize> {
        // a board may have a slot whose player has gone
        if player.name.raw.is_empty() {
            let first = |slot: Option<u16>| self.slotted.get(&slot).and_then(BTreeSet::first).copied();
            return if player.slot.is_none() { (!self.entries.is_empty()).then_some(0) } else { first(player.slot).into_iter().chain(first(None)).min() };
        }
        let Some(places) = self.named.get(&player.name.raw) else {
            // a printed table has names without colors
            let mut same = (0..self.entries.len()).filter(|&at| player.slot.is_none() && self.entries[at].stats.player.name.clean == player.name.clean);
            return same.next().filter(|_| same.next().is_none());
        };
        let slot = |at: usize| self.entries[at].stats.player.slot;
        let slotted = places.iter().find(|&&at| player.slot.is_none() || slot(at).is_none() || slot(at) == player.slot);
        slotted.or_else(|| places.iter().find(|&&at| !self.entries[at].here)).copied()
    }

    fn add(&mut self, player: Player) -> usize {
        let at = self.entries.len();
        self.named.entry(player.name.raw.clone()).or_default().insert(at);
        self.slotted.entry(player.slot).or_default().insert(at);
        self.here.insert((player.slot, at));
        self.entries.push(Entry { here: true, stats: PlayerStats::new(player), then: BTreeMap::new() });
        at
    }

    fn sits(&mut self, at: usize, slot: Option<u16>) {
        let entry = &mut self.entries[at];
        let before = std::mem::replace(&mut entry.stats.player.slot, slot);
        if std::mem::replace(&mut entry.here, true) && before == slot {
            return;
        }
        self.here.remove(&(before, at));
        self.here.insert((slot, at));
        self.slotted.entry(before).or_default().remove(&at);
        self.slotted.entry(slot).or_default().insert(at);
    }

    /// The figures of a player of this slot and this name.
    pub(super) fn known(&mut self, slot: Option<u16>, name: &str) -> Option<&mut PlayerStats> {
        let at = self.named.get(name)?.iter().copied().find(|&at| self.entries[at].stats.player.slot == slot)?;
        Some(&mut self.entries[at].stats)
    }

    /// A server states these figures of a player; `goes_on` says that more may happen to him afterwards.
    pub(super) fn stated(&mut self, player: &Player, goes_on: bool, figures: impl Iterator<Item = Stat>) {
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
    pub(super) fn rename(&mut self, player: &Player) {
        let of_slot = player.slot.and_then(|slot| self.here.range((Some(slot), 0)..=(Some(slot), usize::MAX)).next());
        let Some(&(_, at)) = of_slot else {
            self.find(player);
            return;
        };
        let before = std::mem::replace(&mut self.entries[at].stats.player.name, player.name.clone());
        self.named.entry(before.raw).or_default().remove(&at);
        self.named.entry(player.name.raw.clone()).or_default().insert(at);
    }

    /// A player has gone.
    pub(super) fn leave(&mut self, player: &Player) {
        if let Some(slot) = player.slot {
            self.free(slot);
        }
    }

    fn free(&mut self, slot: u16) {
        while let Some(&(of, at)) = self.here.range((Some(slot), 0)..=(Some(slot), usize::MAX)).next() {
            self.here.remove(&(of, at));
            self.entries[at].here = false;
        }
    }

    /// Everybody.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PlayerStats> {
        self.entries.iter_mut().map(|entry| &mut entry.stats)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The player at a place, and whether he is in his slot now.
    pub(super) fn get(&self, place: usize) -> Option<(&Player, bool)> {
        self.entries.get(place).map(|entry| (&entry.stats.player, entry.here))
    }

    /// Whether a figure is known of the player at a place.
    pub(super) fn is_known(&self, place: usize) -> bool {
        !self.entries[place].stats.stats.is_empty()
    }

    /// A figure of the player at a place, as [`results`](Self::results) would have it now.
    pub(super) fn figure(&self, place: usize, stat: Stat) -> Figure {
        let entry = &self.entries[place];
        let mut figure = entry.stats.stats.get(stat);
        if entry.then.get(&stat).is_some_and(|&before| is_outdated(figure, before)) {
            figure.stated = None;
        }
        figure
    }

    /// How many left, and did something before.
    pub(super) fn left(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.here && !is_blank(&entry.stats)).count()
    }

    /// Everybody of whom there is something to say, unless he only watched.
    ///
    /// A board that was shown on the way is out of date where the count has passed it. A lower count says nothing: the recording may not show everything.
    pub(super) fn results(mut self) -> Vec<PlayerStats> {
        for entry in &mut self.entries {
            for (stat, before) in std::mem::take(&mut entry.then) {
                if is_outdated(entry.stats.stats.get(stat), before) {
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
            let counts = |stat: Stat| !of_frames::is_of_frames(stat) && !matches!(stat, Stat::Ping | Stat::MinutesConnected | Stat::Score);
            let acted = stats.stats.iter().any(|(stat, figure)| counts(stat) && figure.value().is_some_and(|value| value != 0));
            if watches(&stats.player) { acted } else { !is_blank(stats) && !of_frames::shows_all(stats) }
        };
        self.entries.into_iter().map(|entry| entry.stats).filter(played).collect()
    }
}

/// Whether what was counted is better than what was stated when the count was at `before`.
fn is_outdated(figure: Figure, before: i64) -> bool {
    figure.source == Some(Source::Board) && figure.counted.unwrap_or(0) != before && figure.counted > figure.stated
}

fn is_blank(stats: &PlayerStats) -> bool {
    stats.stats.is_empty() && stats.weapons.is_empty() && stats.items.is_empty() && stats.other.is_empty()
}
