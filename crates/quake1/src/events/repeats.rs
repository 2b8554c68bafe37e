//! What goes to several readers one after the other is one event.

use std::collections::BTreeMap;

use model::Milliseconds;

use super::lines::Reader;

/// Texts of the last moments.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    recent: Vec<Recent>,
}

/// A text, since when, and how often each reader got it.
#[derive(Debug, Clone)]
struct Recent {
    since: Milliseconds,
    text: Vec<u8>,
    times: BTreeMap<Reader, u32>,
}

impl Repeats {
    /// Whether a text was not just seen by anybody.
    pub fn is_new(&mut self, now: Milliseconds, text: &[u8]) -> bool {
        self.recent(now, text).times.insert(Reader::default(), 1).is_none()
    }

    /// Whether a text says something once more: nobody got it as often before. Two players of a match may have the same row.
    pub fn is_another(&mut self, now: Milliseconds, reader: Reader, text: &[u8]) -> bool {
        let times = &mut self.recent(now, text).times;
        let most = times.values().copied().max().unwrap_or(0);
        let mine = times.entry(reader).or_default();
        *mine += 1;
        *mine > most
    }

    fn recent(&mut self, now: Milliseconds, text: &[u8]) -> &mut Recent {
        const AT_ONCE: i64 = 100;
        self.recent.retain(|recent| (now - recent.since).0 <= AT_ONCE);
        let at = self.recent.iter().position(|recent| recent.text == text).unwrap_or(self.recent.len());
        if at == self.recent.len() {
            self.recent.push(Recent { since: now, text: text.to_vec(), times: BTreeMap::new() });
        }
        &mut self.recent[at]
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
