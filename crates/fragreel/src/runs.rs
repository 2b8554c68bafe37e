//! Runs: what was finished against the clock, level by level, and several levels as one.

use fragreel_model::{Course, EventKind, Figure, Kind, Milliseconds, Run, Share};

use crate::{Answer, Recording};

impl Recording {
    /// The runs that were finished, in their order. Where levels of single player follow each other, their
    /// sum is a run of its own behind them, a [`Marathon`](Course::Marathon). Each has the grade that [`audit`](Recording::audit) gives to the recording
    /// while it lasted.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// assert!(recording.runs().value.is_empty(), "a match is no run");
    /// # Ok(())
    /// # }
    /// ```
    pub fn runs(&self) -> Answer<Vec<Run>> {
        let mut runs = Vec::new();
        let mut events = self.events(Kind::Finish);
        for event in events.by_ref() {
            if let EventKind::Finish(run) = event.kind {
                runs.push(*run);
            }
        }
        runs.extend(marathon(&runs));
        if !runs.is_empty() {
            let audit = self.audit();
            runs.iter_mut().for_each(|run| run.grade = Some(audit.grade_between(run.from, run.to)));
        }
        Answer { value: runs, damage: events.damage() }
    }
}

/// The levels of a recording as one run, where there are several.
fn marathon(runs: &[Run]) -> Option<Run> {
    let levels: Vec<&Run> = runs.iter().filter(|run| run.course == Course::Level).collect();
    let (first, last) = (levels.first()?, levels.last()?);
    if levels.len() < 2 {
        return None;
    }
    let maps: Vec<&str> = levels.iter().map(|run| run.map.as_str()).collect();
    let mut whole = Run::new(Course::Marathon, maps.join("+"), last.to);
    let sum = |of: &dyn Fn(&Run) -> Option<i64>| levels.iter().map(|run| of(run)).sum::<Option<i64>>();
    whole.time = Figure::default();
    (whole.time.stated, whole.time.counted) = (sum(&|run| run.time.stated), sum(&|run| run.time.counted));
    let share = |of: &dyn Fn(&Run) -> Option<Share>| {
        levels
            .iter()
            .map(|run| of(run))
            .try_fold(Share::default(), |all, one| one.map(|one| Share { found: all.found + one.found, total: all.total + one.total }))
    };
    (whole.kills, whole.secrets) = (share(&|run| run.kills), share(&|run| run.secrets));
    (whole.player, whole.from, whole.skill) = (first.player.clone(), Some(first.from.unwrap_or(Milliseconds(0))), first.skill);
    whole.mode.clone_from(&first.mode);
    for remark in levels.iter().flat_map(|run| &run.remarks) {
        if !whole.remarks.contains(remark) {
            whole.remarks.push(remark.clone());
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_add_up() {
        let level = |map: &str, time: i64, found: i64| {
            let mut run = Run::new(Course::Level, map, Milliseconds(time));
            run.time.counted = Some(time);
            run.kills = Some(Share { found, total: 10 });
            run
        };
        assert_eq!(marathon(&[level("e1m1", 30_000, 3)]), None);
        let whole = marathon(&[level("e1m1", 30_000, 3), level("e1m2", 40_500, 9)]).unwrap();
        assert_eq!((whole.map.as_str(), whole.time.counted, whole.kills), ("e1m1+e1m2", Some(70_500), Some(Share { found: 12, total: 20 })));
        assert_eq!((whole.course, whole.secrets), (Course::Marathon, None));
    }
}
