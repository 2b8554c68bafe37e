//! Rows of runs.

use fragreel::model::{Damage, EventKind, Grade, Kind, Run};

use super::events::Level;
use super::{Place, Sink, Work, put_player};
use crate::batch::Rows;
use crate::declared::runs;
use crate::source::Source;

pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    let answer = source.recording().runs();
    let mut level = Level::default();
    let mut ends = Vec::new();
    for event in source.recording().events([Kind::Finish, Kind::Level]) {
        let place = Place::of(&event, level.of(&event));
        if matches!(event.kind, EventKind::Finish(_)) {
            ends.push((place, event.evidence));
        }
    }
    // A marathon has no event of its own: it ends with its last level.
    let last = ends.last().copied();
    for (at, run) in answer.value.iter().enumerate() {
        for (_, rows) in work.tables() {
            put(rows, run);
            rows.count(runs::number, at as u64 + 1);
            if let Some((place, evidence)) = ends.get(at).copied().or(last) {
                place.put(rows, evidence);
            }
            rows.end();
        }
        if work.hand_on(sink).is_break() {
            break;
        }
    }
    answer.damage
}

fn put(rows: &mut Rows, run: &Run) {
    put_player(rows, [runs::slot, runs::name, runs::team], None, run.player.as_ref());
    rows.text(runs::course, Some(run.course.name()));
    rows.text(runs::map, Some(&run.map).filter(|map| !map.is_empty()).map(String::as_str));
    let numbers = [
        (runs::run_time, run.time.value()),
        (runs::stated, run.time.stated),
        (runs::counted, run.time.counted),
        (runs::time_from, run.from.map(|time| time.0)),
        (runs::kills, run.kills.map(|share| share.found)),
        (runs::kills_total, run.kills.map(|share| share.total)),
        (runs::secrets, run.secrets.map(|share| share.found)),
        (runs::secrets_total, run.secrets.map(|share| share.total)),
        (runs::skill, run.skill.map(i64::from)),
    ];
    numbers.into_iter().for_each(|(column, value)| rows.int(column, value));
    if let Some(seal) = &run.seal {
        rows.count(runs::seal_holds, seal.holds);
        rows.count(runs::seal_broken, seal.broken);
    }
    let checkpoints: Vec<String> = run.checkpoints.iter().map(|time| time.0.to_string()).collect();
    rows.text(runs::physics, run.physics.as_deref());
    rows.text(runs::mode, run.mode.as_deref());
    rows.text(runs::checkpoints, (!checkpoints.is_empty()).then(|| checkpoints.join(" ")).as_deref());
    rows.text(runs::grade, run.grade.map(Grade::name));
    rows.text(runs::remarks, (!run.remarks.is_empty()).then(|| run.remarks.join("; ")).as_deref());
}
