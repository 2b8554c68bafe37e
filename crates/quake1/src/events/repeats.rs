//! Filters repeats: a text that goes to several readers is one event.

use std::collections::BTreeMap;

use fragreel_model::Milliseconds;

use crate::walk::lines::Reader;

/// Recent texts. The demo clock never runs backwards.
#[derive(Debug, Clone, Default)]
pub(super) struct Repeats {
    recent: BTreeMap<Vec<u8>, Recent>,
    /// When old texts were dropped last.
    swept: Milliseconds,
}

/// When a text was first seen, and how often each reader got it.
#[derive(Debug, Clone, Default)]
struct Recent {
    since: Milliseconds,
    times: BTreeMap<Reader, u32>,
    most: u32,
}

/// Milliseconds after which a repeated text is a new event.
const AT_ONCE: i64 = 100;

impl Repeats {
    /// True if no reader got this text recently.
    pub(super) fn is_new(&mut self, now: Milliseconds, text: &[u8]) -> bool {
        let recent = self.recent(now, text);
        std::mem::replace(&mut recent.most, 1) == 0
    }

    /// True if no reader got this text as often before. Two players of a match may have the same row.
    pub(super) fn is_another(&mut self, now: Milliseconds, reader: Reader, text: &[u8]) -> bool {
        let Recent { times, most, .. } = self.recent(now, text);
        let mine = times.entry(reader).or_default();
        *mine += 1;
        let more = *mine > *most;
        *most = (*most).max(*mine);
        more
    }

    fn recent(&mut self, now: Milliseconds, text: &[u8]) -> &mut Recent {
        let is_old = |recent: &Recent| (now - recent.since).0 > AT_ONCE;
        if (now - self.swept).0 > AT_ONCE {
            self.swept = now;
            self.recent.retain(|_, recent| !is_old(recent));
        }
        let new = || Recent { since: now, ..Recent::default() };
        let recent = self.recent.entry(text.to_vec()).or_insert_with(new);
        if is_old(recent) {
            *recent = new();
        }
        recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_all_is_one_event_each_time_and_one_for_each_reader_is_one_event() {
        let (all, anna, bert) = ((0, 0, 0), (1, 0, 0), (1, 1, 0));
        let mut repeats = Repeats::default();
        let mut told = |time, reader| repeats.is_another(Milliseconds(time), reader, b"  7 (-1) 46.7%");
        assert_eq!([told(0, all), told(0, all)], [true, true], "two players have the same row");
        assert_eq!([told(10, anna), told(10, bert), told(10, bert)], [false, false, false]);
        assert!(told(10, bert), "he alone got it a third time");
        assert!(told(150, anna), "that was a while ago");
        let mut repeats = Repeats::default();
        assert_eq!([0, 50, 150].map(|time| repeats.is_new(Milliseconds(time), b"3")), [true, false, true]);
    }
}
