//! Several levels of single player as one run.

use fragreel_model::{Course, Figure, Milliseconds, Run, Share};

/// The levels of single player among some runs as one run, a [`Marathon`](Course::Marathon); `None` for fewer than two. The runs may come from several
/// recordings, in the order in which they were played: `from` is then on the clock of the first and `to` on that of the last.
pub fn marathon(runs: &[Run]) -> Option<Run> {
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
