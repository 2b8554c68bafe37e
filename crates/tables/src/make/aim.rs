//! Rows of aim.

use fragreel::Aim;
use fragreel::model::Damage;

use super::{Place, Sink, Work, put_player};
use crate::batch::Rows;
use crate::declared::aim as at;
use crate::source::Source;

pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    // A recording whose frames are not understood shows no aim.
    let walked = source.recording().aim(&mut |aim| {
        for (_, rows) in work.tables() {
            put(rows, aim);
        }
        work.hand_on(sink)
    });
    walked.unwrap_or_default()
}

fn put(rows: &mut Rows, aim: &Aim) {
    put_player(rows, [at::slot, at::name, at::team], None, Some(&aim.player));
    put_player(rows, [at::target_slot, at::target, at::target_team], None, aim.target.as_ref());
    rows.text(at::kind, Some(aim.kind.name()));
    rows.text(at::weapon, aim.weapon);
    rows.text(at::weapon_own, aim.weapon_own.as_deref());
    rows.text(at::source, aim.source.map(fragreel::ViewSource::name));
    let figures = [
        (at::step, aim.step),
        (at::pitch, aim.pitch),
        (at::yaw, aim.yaw),
        (at::turn_50, aim.turn_50),
        (at::turn_100, aim.turn_100),
        (at::turn_200, aim.turn_200),
        (at::turn_step, aim.turn_step),
        (at::angle_error, aim.angle_error),
        (at::angle_error_within, aim.angle_error_within),
        (at::distance, aim.distance),
        (at::view_offset, aim.view_offset),
    ];
    figures.into_iter().for_each(|(column, value)| rows.real(column, value));
    rows.int(at::still_before, aim.still_before);
    rows.int(at::still_after, aim.still_after);
    rows.int(at::since_sight, aim.since_sight.map(|time| time.0));
    rows.int(at::since_press, aim.since_press.map(|time| time.0));
    let place =
        Place { level: aim.level, time: aim.time, server_time: aim.server_time, match_time: aim.match_time, message: aim.message, uncertain: aim.uncertain };
    place.put(rows, aim.evidence);
    rows.end();
}
