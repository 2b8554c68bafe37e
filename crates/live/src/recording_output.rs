//! What a recorder has written.

use std::collections::VecDeque;

/// What is written of a recording and not taken yet; where each level gets a recording of its own, also those that are over.
#[derive(Debug, Clone, Default)]
pub struct RecordingOutput {
    /// Of the recording that goes on.
    pub bytes: Vec<u8>,
    levels: Levels,
}

#[derive(Debug, Clone, Default)]
enum Levels {
    /// One recording holds them all.
    #[default]
    Together,
    /// The same, until each is asked for by itself.
    Separable,
    /// Each is a recording; these are over.
    PerViewer(VecDeque<Vec<u8>>),
}

impl RecordingOutput {
    /// Nothing yet, of levels that can have a recording each.
    pub fn separable() -> Self {
        RecordingOutput { levels: Levels::Separable, ..RecordingOutput::default() }
    }

    /// Gives each level a recording from now on. Returns whether that is possible.
    pub fn split_levels(&mut self) -> bool {
        if let Levels::Separable = self.levels {
            self.levels = Levels::PerViewer(VecDeque::new());
        }
        self.is_split()
    }

    /// Whether each level gets a recording.
    pub fn is_split(&self) -> bool {
        matches!(self.levels, Levels::PerViewer(_))
    }

    /// Ends the level's recording, where each level gets one: what is written from now on is another's.
    pub fn end_level(&mut self) {
        if let Levels::PerViewer(ended) = &mut self.levels {
            ended.push_back(std::mem::take(&mut self.bytes));
        }
    }

    /// Adds what is new to `out`.
    pub fn take(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.bytes);
    }

    /// Adds the rest of a level's recording that is over to `out`. Returns whether there is one.
    pub fn take_ended(&mut self, out: &mut Vec<u8>) -> bool {
        let Levels::PerViewer(ended) = &mut self.levels else { return false };
        let ended = ended.pop_front();
        out.extend(ended.iter().flatten());
        ended.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_come_apart_where_they_can_and_are_asked_for() {
        let take = |mut written: RecordingOutput, asked: bool| {
            let possible = asked && written.split_levels();
            written.bytes.extend(b"one");
            written.end_level();
            written.bytes.extend(b"two");
            let (mut ended, mut rest) = (Vec::new(), Vec::new());
            let any = written.take_ended(&mut ended);
            assert!(!written.take_ended(&mut ended));
            written.take(&mut rest);
            (possible, any, ended, rest)
        };
        assert_eq!(take(RecordingOutput::separable(), true), (true, true, b"one".to_vec(), b"two".to_vec()));
        assert_eq!(take(RecordingOutput::separable(), false), (false, false, Vec::new(), b"onetwo".to_vec()));
        assert_eq!(take(RecordingOutput::default(), true), (false, false, Vec::new(), b"onetwo".to_vec()));
    }
}
