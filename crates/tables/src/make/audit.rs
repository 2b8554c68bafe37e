//! Rows of what `audit` answers.

use fragreel::model::Damage;

use super::{Sink, Work};
use crate::declared::findings as at;
use crate::source::Source;

pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    let audit = source.recording().audit();
    for finding in &audit.findings {
        for (_, rows) in work.tables() {
            rows.int(at::time, finding.time.map(|time| time.0));
            rows.int(at::message, Some(finding.message));
            rows.text(at::evidence, Some("stated"));
            rows.text(at::grade, Some(finding.grade.name()));
            rows.text(at::kind, Some(finding.kind.name()));
            rows.count(at::offset, finding.offset);
            if let Some(extent) = finding.extent {
                rows.count(at::extent_from, extent.from);
                rows.count(at::extent_to, extent.to);
            }
            rows.text(at::text, Some(&finding.evidence));
            rows.text(at::cause, Some(finding.cause));
            rows.count(at::times, finding.times);
            rows.end();
        }
        let _ = work.hand_on(sink);
    }
    Vec::new()
}
