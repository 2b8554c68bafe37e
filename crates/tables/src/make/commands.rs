//! Rows of what the recording player typed and did.

use fragreel::model::{Damage, Event, EventKind};

use super::{Place, Sink, Work};
use crate::declared::commands as at;
use crate::source::Source;

/// Puts a line of the console into its tables.
pub(super) fn take(work: &mut Work, event: &Event, place: Place) {
    let EventKind::Command { text } = &event.kind else { return };
    for (_, rows) in work.tables() {
        rows.text(at::kind, Some("console"));
        rows.text(at::text, Some(&text.clean));
        place.put(rows, event.evidence);
        rows.end();
    }
}

/// What the player did.
pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    // Where user commands are not read, there are none.
    for command in source.recording().usercmds().into_iter().flatten() {
        if work.stopped {
            break;
        }
        for (_, rows) in work.tables() {
            rows.text(at::kind, Some("user"));
            rows.int(at::time, Some((f64::from(command.time) * 1000.0).round() as i64));
            rows.int(at::message, Some(command.message));
            rows.text(at::evidence, Some("stated"));
            rows.int(at::slot, command.slot);
            rows.int(at::frame, command.frame);
            rows.int(at::msec, Some(command.msec));
            rows.text(at::buttons, Some(&command.buttons.join(" ")));
            rows.vector(at::pitch, Some([command.pitch, command.yaw, command.roll]));
            rows.vector(at::forward, Some([command.forward_move, command.side_move, command.up_move]));
            rows.int(at::impulse, Some(command.impulse));
            rows.end();
        }
        let _ = work.hand_on(sink);
    }
    Vec::new()
}
