//! Scoreboards: one for each match of a recording, from what the server states and what can be counted of its events
//! (`docs/statistics.md` defines every figure).

mod matches;
mod players;
mod tally;
mod terms;

use model::{Damage, Kind, Kinds, MatchStats};

use crate::Recording;
use matches::Matches;

/// The kinds of events that figures are made of.
const KINDS: &[Kind] = &[
    Kind::Kill,
    Kind::Join,
    Kind::Leave,
    Kind::Rename,
    Kind::Team,
    Kind::Scores,
    Kind::Score,
    Kind::Item,
    Kind::Flag,
    Kind::Match,
    Kind::Level,
    Kind::Damage,
    Kind::Award,
    Kind::Statistics,
];

impl Recording<'_> {
    /// The scoreboards of all matches, in their order, and the damage met on the way. A level without a word about a match
    /// is one match. Warm-ups are none.
    ///
    /// ```
    /// use fragreel::model::Stat;
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = include_bytes!("../../../../samples/quake3/dm_bots.dm_71");
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// let (matches, damage) = demo.open()?.scores();
    /// assert!(damage.is_empty());
    /// let best = &matches[0].players[0];
    /// assert_eq!((best.player.name.clean.as_str(), best.stats.get(Stat::Kills).value()), ("Gargoyle", Some(5)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn scores(&self) -> (Vec<MatchStats>, Vec<Damage>) {
        let wanted: Kinds = KINDS.iter().copied().collect();
        let mut matches = Matches::default();
        let damage = self.events(wanted, &mut |event| matches.take(&event));
        let mut found = matches.finish();
        let date = self.info().date;
        for one in &mut found {
            one.date = one.date.take().map(|text| crate::date::normal(&text).unwrap_or(text)).or_else(|| date.clone());
        }
        (found, damage)
    }
}
