//! Runs: the line in which a timer of KZ and its like says that somebody finished, and the data of BunnymodXT (`docs/formats/goldsrc.md`, "Events" and
//! "BunnymodXT").

use fragreel_model::{Course, EventKind, Kind, Run};

use super::{EventBuilder, map_name};
use crate::container::Macro;
use crate::walk::run_timer::Ended;

impl EventBuilder {
    /// Takes the data of a speedrunner's tool in.
    pub(super) fn tool_data(&mut self, window: &Macro<'_>) {
        if self.wanted.has(Kind::Finish)
            && let Some(ended) = self.run_timer.take(window, self.time)
        {
            self.speedrun(ended);
        }
    }

    /// The recording is over.
    pub(super) fn end_tool_data(&mut self) {
        if let Some(ended) = self.run_timer.end(self.time) {
            self.speedrun(ended);
        }
    }

    fn speedrun(&mut self, ended: Ended) {
        let map = self.roster.map().map(map_name).unwrap_or_default();
        let mut run = Run::new(Course::Speedrun, map, self.time);
        run.player = self.pov.map(|slot| self.roster.player(slot));
        run.time.stated = ended.time.map(|time| time.0);
        run.checkpoints = ended.splits.iter().filter_map(|split| split.time).collect();
        let names: Vec<&str> = ended.splits.iter().map(|split| split.name.as_str()).collect();
        let settings = [("bxt_version", ended.version), ("bxt_splits", (!names.is_empty()).then(|| names.join(", ")))];
        run.settings = settings.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        self.emit_stated(EventKind::Finish(Box::new(run)));
    }

    /// A line of the server's. Every plugin has its own words; what they share is a name, `finish` or what it is in another language, and a time.
    pub(super) fn finish_line(&mut self, line: &str) {
        let Some((before, time)) = finished(line) else { return };
        let Some(slot) = self.roster.longest_name_in(before) else { return };
        let map = self.roster.map().map(map_name).unwrap_or_default();
        let mut run = Run::new(Course::Climb, map, self.time);
        run.player = Some(self.roster.player(slot));
        run.time.stated = Some(time);
        run.settings = settings(line).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        self.emit_inferred(EventKind::Finish(Box::new(run)));
    }
}

/// What plugins say of who arrives.
const ARRIVES: [&str; 3] = ["finish", "закончил карту", "到达终点"];

/// What stands before `finish` in a line, and the time behind it in milliseconds.
fn finished(line: &str) -> Option<(&str, i64)> {
    let at = ARRIVES.iter().find_map(|word| line.find(word))?;
    let time = line[at..].split([' ', '(', ')', '[', ']', ',']).find_map(clock)?;
    Some((&line[..at], time))
}

/// What a line says of the run besides: `CPs: 2 | TPs: 1 | Weapon: USP`, or `(2/1). Weapon: USP`, or `(Pure Run)`.
fn settings(line: &str) -> Vec<(&'static str, String)> {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let behind = |words: &[&str]| words.iter().find_map(|word| line.split_once(word)).map(|(_, rest)| rest.trim_start());
    let counts = line.split('(').skip(1).find_map(|rest| rest.split_once(')')?.0.split_once('/')).filter(|pair| {
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_count(pair.0) && is_count(pair.1)
    });
    let checkpoints = behind(&["CPs:"]).map(digits).or(counts.map(|(checkpoints, _)| checkpoints.to_owned()));
    let teleports = behind(&["TPs:", "GCs:"]).map(digits).or(counts.map(|(_, teleports)| teleports.to_owned()));
    let weapon = behind(&["Weapon:", "Оружие:", "武器:", ") with "]);
    let weapon = weapon.map(|rest| rest.trim_end_matches([' ', ')', '.', '!']).to_owned());
    let start = line.ends_with("(Pure Run)").then(|| String::from("pure"));
    let all = [("checkpoints", checkpoints), ("teleports", teleports), ("weapon", weapon), ("start", start)];
    all.into_iter().filter_map(|(key, value)| Some((key, value.filter(|value| !value.is_empty())?))).collect()
}

/// `MM:SS.cc`, `MM:SS.mmm`, `HH:MM:SS.cc`: at least minutes, and up to six digits behind the point.
fn clock(word: &str) -> Option<i64> {
    let word = word.trim_end_matches(['.', '!', 's']);
    let (whole, fraction) = word.rsplit_once('.')?;
    let digits = |text: &str| (!text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse::<i64>().ok())?;
    // players choose how many digits they see
    if !(1..=6).contains(&fraction.len()) || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let milliseconds = format!("{fraction:0<3}")[..3].parse::<i64>().ok()?;
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
        assert_eq!(finished("[KZ] kayne finished the map. Time: 01:23.45 (2/1). Weapon: USP"), Some(("[KZ] kayne ", 83_450)));
        assert_eq!(finished("[KZ] kayne закончил карту. Время: 01:23.45 (2/1). Оружие: USP"), Some(("[KZ] kayne ", 83_450)));
        assert_eq!(finished("[HLKZ] a finished in 00:59.123456 (CPs: 0 | TPs: 0) (Pure Run)"), Some(("[HLKZ] a ", 59_123)));
        assert_eq!(finished("[HLKZ] a finished in 00:59.1 "), Some(("[HLKZ] a ", 59_100)));
        assert_eq!(finished("finish the job by 12:30"), None);
        assert_eq!(finished("01:23.45 is what a pro needs"), None);
    }

    #[test]
    fn lines_say_how_it_was_run() {
        let of = |line| settings(line).into_iter().map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ");
        assert_eq!(of("[KZ] a has finished the map in 01:23.45 (CPs: 2 | TPs: 1) with USP"), "checkpoints 2, teleports 1, weapon USP");
        assert_eq!(of("[KZ] a finished the map in 01:23.45 ( CPs: 12 | TPs: 0 | Weapon: KNIFE)"), "checkpoints 12, teleports 0, weapon KNIFE");
        assert_eq!(of("[KZ] a finished the map. Time: 01:23.45 (2/1). Weapon: USP"), "checkpoints 2, teleports 1, weapon USP");
        assert_eq!(of("[HLKZ] a finished in 00:59.123 (CPs: 0 | TPs: 0) (Pure Run)"), "checkpoints 0, teleports 0, start pure");
        assert_eq!(of("a finished in 00:59.12"), "");
    }
}
