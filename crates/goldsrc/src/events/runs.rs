//! Runs: the line in which a timer of KZ and its like says that somebody finished (`docs/formats/goldsrc.md`, "Events").

use model::{Course, EventKind, Run};

use super::{Watcher, map_name};

impl Watcher<'_> {
    /// A line of the server's. Every plugin has its own words; what they share is a name, `finish`, and a time.
    pub(super) fn climbed(&mut self, line: &str) {
        let Some((before, time)) = finished(line) else { return };
        let Some(slot) = self.roster.longest_name_in(before) else { return };
        let map = self.level.as_ref().map(|(_, map)| map_name(map)).unwrap_or_default();
        let mut run = Run::new(Course::Climb, map, self.time);
        run.player = Some(self.roster.player(slot));
        run.time.stated = Some(time);
        for (key, words) in [("checkpoints", ["CPs: ", "CPs:"]), ("teleports", ["TPs: ", "GCs: "])] {
            let value = words.iter().find_map(|word| line.split_once(word)).map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                run.settings.insert(key.to_owned(), value);
            }
        }
        self.inferred(EventKind::Finish(Box::new(run)));
    }
}

/// What stands before `finish` in a line, and the time behind it in milliseconds.
fn finished(line: &str) -> Option<(&str, i64)> {
    let at = line.find("finish")?;
    let time = line[at..].split([' ', '(', ')', '[', ']', ',']).find_map(clock)?;
    Some((&line[..at], time))
}

/// `MM:SS.cc`, `MM:SS.mmm`, `HH:MM:SS.cc`: at least minutes, and two or three digits behind the point.
fn clock(word: &str) -> Option<i64> {
    let word = word.trim_end_matches(['.', '!', 's']);
    let (whole, fraction) = word.rsplit_once('.')?;
    let digits = |text: &str| (!text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse::<i64>().ok())?;
    let milliseconds = match fraction.len() {
        2 => digits(fraction)? * 10,
        3 => digits(fraction)?,
        _ => return None,
    };
    let groups: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&groups.len()) {
        return None;
    }
    let mut seconds = 0;
    for group in groups {
        seconds = seconds * 60 + digits(group)?;
    }
    Some(seconds * 1000 + milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_name_and_a_time_are_finishes() {
        assert_eq!(finished("[KZ] kayne has finished the map in 01:23.45 (CPs: 2 | TPs: 1) with USP"), Some(("[KZ] kayne has ", 83_450)));
        assert_eq!(finished("[HLKZ] a finished in 00:59.123 !"), Some(("[HLKZ] a ", 59_123)));
        assert_eq!(finished("finish the job by 12:30"), None);
        assert_eq!(finished("01:23.45 is what a pro needs"), None);
    }
}
