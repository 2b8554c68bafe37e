//! All recordings of a site, and what they have in common: matches with their views, players, maps, months.

use std::collections::{BTreeMap, HashMap};

use fragreel::model::Identity;

use crate::facts::Moment;
use crate::slug::slug;
use crate::summary::{Played, Row, Summary};
use crate::text;

/// The matches of one page or part of a list. They are counted from the oldest match, so a new one changes the last part alone.
pub(crate) const CHUNK: usize = 500;

/// A match of an archive, by its best view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The place of the recording in [`Archive::recordings`].
    pub recording: usize,
    /// The place of the match in the recording.
    pub at: usize,
}

/// Everything that lists are made of.
#[derive(Debug, Default)]
pub struct Archive {
    /// Recordings, in order of their hashes.
    pub recordings: Vec<Summary>,
    /// Each match once, the oldest first.
    pub matches: Vec<Place>,
    /// All recordings' matches that are the same one, by the place of the best view.
    views: HashMap<(usize, usize), Vec<Place>>,
    /// Players by their name in addresses.
    pub players: BTreeMap<String, Subject>,
    /// Maps by their name in addresses.
    pub maps: BTreeMap<String, Subject>,
}

/// A player or a map.
#[derive(Debug, Default)]
pub struct Subject {
    /// The spelling that occurs most often.
    pub name: String,
    spellings: BTreeMap<String, u32>,
    /// The places of its matches in [`Archive::matches`].
    pub matches: Vec<usize>,
    /// Recordings in which it occurs without a match.
    pub others: Vec<usize>,
}

impl Subject {
    fn spelled(&mut self, name: &str) {
        *self.spellings.entry(name.to_owned()).or_default() += 1;
    }

    fn settle(&mut self) {
        let best = self.spellings.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
        self.name = best.map(|(name, _)| name.clone()).unwrap_or_default();
        self.others.dedup();
    }

    /// Other spellings, the commonest first.
    pub fn also(&self) -> Vec<&str> {
        let mut also: Vec<_> = self.spellings.iter().filter(|(name, _)| **name != self.name).collect();
        also.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        also.into_iter().map(|(name, _)| name.as_str()).collect()
    }
}

impl Archive {
    /// The archive of these recordings. Their order does not matter.
    pub fn of(mut recordings: Vec<Summary>) -> Self {
        recordings.sort_by(|one, other| one.hash.cmp(&other.hash));
        recordings.dedup_by(|one, other| one.hash == other.hash);
        let mut archive = Archive { recordings, ..Archive::default() };
        archive.find_matches();
        archive.find_subjects();
        archive
    }

    /// A match.
    pub fn row(&self, place: Place) -> &Row {
        &self.recordings[place.recording].matches[place.at]
    }

    /// The recording of a match.
    pub fn recording(&self, place: Place) -> &Summary {
        &self.recordings[place.recording]
    }

    /// All views of the match that this recording's match is, the best one first.
    pub fn views(&self, recording: usize, at: usize) -> &[Place] {
        self.views.get(&(recording, at)).map_or(&[], Vec::as_slice)
    }

    /// The best moments, each once: several views of a match show the same one.
    pub fn best(&self, most: usize) -> Vec<(usize, &Moment)> {
        let mut best: Vec<(usize, &Moment)> =
            self.recordings.iter().enumerate().flat_map(|(at, recording)| recording.moments.iter().map(move |moment| (at, moment))).collect();
        best.retain(|(at, moment)| {
            // a moment of a match is shown from its best view
            moment.number.is_none_or(|number| {
                let within = self.recordings[*at].matches.iter().position(|row| row.number == number);
                within.is_none_or(|within| self.views(*at, within).first().is_none_or(|view| view.recording == *at))
            })
        });
        best.sort_by(|(at, one), (other_at, other)| {
            other.points.cmp(&one.points).then_with(|| self.recordings[*at].hash.cmp(&self.recordings[*other_at].hash)).then(one.from.cmp(&other.from))
        });
        best.truncate(most);
        best
    }

    fn find_matches(&mut self) {
        let places: Vec<Place> = self
            .recordings
            .iter()
            .enumerate()
            .flat_map(|(recording, summary)| (0..summary.matches.len()).map(move |at| Place { recording, at }))
            .filter(|place| !self.row(*place).players.is_empty())
            .collect();
        let mut group: Vec<usize> = (0..places.len()).collect();
        let mut known: HashMap<(&str, u64), Vec<usize>> = HashMap::new();
        for (number, place) in places.iter().enumerate() {
            let row = self.row(*place);
            let marks = row.identity.kills.iter().map(|mark| u64::from(*mark));
            let key = row.identity.key.iter().map(|key| fragreel::model::stable_hash(&[key]) | 1 << 40);
            let mut candidates: Vec<usize> = Vec::new();
            for mark in marks.chain(key) {
                let others = known.entry((&row.map, mark)).or_default();
                // one of each group is enough, and marks that very many have say nothing
                candidates.extend(others.iter().take(8));
                others.push(number);
            }
            candidates.sort_unstable();
            candidates.dedup();
            for candidate in candidates {
                let other = self.row(places[candidate]);
                let is_other = places[candidate].recording != place.recording;
                if is_other && find(&mut group, candidate) != find(&mut group, number) && is_same(row, other) {
                    let (one, other) = (find(&mut group, candidate), find(&mut group, number));
                    group[one.max(other)] = one.min(other);
                }
            }
        }
        let mut groups: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
        for (number, place) in places.iter().enumerate() {
            groups.entry(find(&mut group, number)).or_default().push(*place);
        }
        let mut matches = Vec::with_capacity(groups.len());
        let mut views = HashMap::new();
        for mut same in groups.into_values() {
            // who shows everybody comes first, then who shows most, then the hash decides
            same.sort_by_key(|place| {
                let (summary, row) = (self.recording(*place), self.row(*place));
                let is_final = !matches!(row.outcome.as_str(), "unfinished" | "aborted");
                (std::cmp::Reverse((is_final, summary.shows_all, row.to - row.from)), place.recording, place.at)
            });
            matches.push(same[0]);
            for place in &same {
                views.insert((place.recording, place.at), same.clone());
            }
        }
        // what has no date comes first, as the oldest
        matches.sort_by(|one, other| {
            let key = |place: &Place| (self.row(*place).date.clone(), self.recording(*place).hash.clone(), place.at);
            key(one).cmp(&key(other))
        });
        (self.matches, self.views) = (matches, views);
    }

    fn find_subjects(&mut self) {
        let (mut players, mut maps): (BTreeMap<String, Subject>, BTreeMap<String, Subject>) = Default::default();
        for (number, place) in self.matches.iter().enumerate() {
            let row = self.row(*place);
            let map = maps.entry(slug(&row.map)).or_default();
            map.spelled(&row.map);
            map.matches.push(number);
            for Played { name, .. } in &row.players {
                if name.trim().is_empty() {
                    continue;
                }
                let player = players.entry(slug(name)).or_default();
                player.spelled(&text::name(name));
                if player.matches.last() != Some(&number) {
                    player.matches.push(number);
                }
            }
        }
        for (at, recording) in self.recordings.iter().enumerate() {
            for run in &recording.runs {
                if let Some(name) = &run.player {
                    let player = players.entry(slug(name)).or_default();
                    player.spelled(&text::name(name));
                    player.others.push(at);
                }
            }
            for map in recording.maps.iter().chain(recording.runs.iter().map(|run| &run.map)) {
                let subject = maps.entry(slug(map)).or_default();
                subject.spelled(map);
                if recording.matches.is_empty() {
                    subject.others.push(at);
                }
            }
        }
        players.values_mut().chain(maps.values_mut()).for_each(Subject::settle);
        (self.players, self.maps) = (players, maps);
    }
}

/// Whether two rows are one match.
fn is_same(one: &Row, other: &Row) -> bool {
    let identity = |row: &Row| {
        let mut identity = Identity::default();
        (identity.key, identity.kills) = (row.identity.key.clone(), row.identity.kills.clone());
        identity
    };
    let days = (one.day(), other.day());
    let is_dated_alike = !matches!(days, (Some(one), Some(other)) if one[..7] != other[..7]);
    is_dated_alike && one.map.eq_ignore_ascii_case(&other.map) && identity(one).is_same(&identity(other))
}

/// The least number of the group of `number`.
fn find(group: &mut [usize], number: usize) -> usize {
    let mut root = number;
    while group[root] != root {
        root = group[root];
    }
    let mut at = number;
    while group[at] != root {
        at = std::mem::replace(&mut group[at], root);
    }
    root
}
