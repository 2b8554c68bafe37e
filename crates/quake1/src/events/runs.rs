//! Runs: finished single-player levels, and KTX's races (`docs/formats/quake1.md`, "Events").

use fragreel_model::{Course, EventKind, Evidence, Kind, Milliseconds, Player, Run, Share};

use crate::events::sink::EventSink;
use crate::state::{Game, stat};

/// The current runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    /// True once the end of this level was emitted.
    ended: bool,
    /// The current race: its start and checkpoints.
    race: Option<(Milliseconds, Vec<Milliseconds>)>,
}

impl Runs {
    /// Starts a level.
    pub(super) fn new_level(&mut self) {
        *self = Runs::default();
    }

    /// Emits the run that ends with the level, in single-player and cooperative games. Its time is the server's clock.
    pub(super) fn level_ends(&mut self, out: &mut EventSink, game: &Game) {
        if !out.wants(Kind::Finish) || std::mem::replace(&mut self.ended, true) || !is_no_deathmatch(game) {
            return;
        }
        let mut run = Run::new(Course::Level, game.level.map().unwrap_or_default(), out.now());
        run.player = game.own.and_then(|slot| game.roster.player(slot));
        // a negative clock gives no time
        let passed = Some(out.clock.server).filter(|passed| passed.0 >= 0);
        run.time.counted = passed.map(|passed| passed.0);
        run.from = passed.map(|passed| out.now() - passed).filter(|from| from.0 >= 0);
        if let Some(stats) = game.own_stats() {
            let share = |found: usize, total: usize| {
                let share = Share { found: stats[found].into(), total: stats[total].into() };
                Some(share).filter(|share| share.total > 0 || share.found > 0)
            };
            run.kills = share(stat::MONSTERS, stat::TOTAL_MONSTERS);
            run.secrets = share(stat::SECRETS, stat::TOTAL_SECRETS);
        }
        run.mode = game.level.game_type().map(Into::into);
        for key in ["skill", "sv_cheats", "*cheats", "sv_gravity"] {
            if let Some(value) = game.level.setting(key) {
                run.settings.insert(key.to_owned(), value);
            }
        }
        run.skill = game.level.setting("skill").and_then(|skill| skill.parse().ok());
        if run.settings.get("*cheats").or(run.settings.get("sv_cheats")).is_some_and(|cheats| !matches!(&**cheats, "0" | "")) {
            run.remarks.push(String::from("cheats are on"));
        }
        out.emit(Evidence::Inferred, EventKind::Finish(Box::new(run)));
    }

    /// `//ktx race …`: `start`, `cp ID T …`, `end T DISTANCE TOP AVERAGE COMPLETE`.
    pub(super) fn race<'w>(&mut self, out: &mut EventSink, game: &Game, player: Option<Player>, mut words: impl Iterator<Item = &'w str>) {
        let seconds = |word: Option<&str>| word.and_then(|word| word.parse::<f64>().ok()).filter(|time| time.is_finite()).map(Milliseconds::from_seconds);
        match words.next() {
            Some("start") => self.race = Some((out.now(), Vec::new())),
            Some("cp") => {
                if let (Some((_, checkpoints)), Some(time)) = (&mut self.race, seconds(words.nth(1)))
                    && checkpoints.len() < MOST
                {
                    checkpoints.push(time);
                }
            }
            Some("end") => {
                let Some(time) = seconds(words.next()) else { return };
                let (_distance, top, average, complete) = (words.next(), words.next(), words.next(), words.next());
                let begun = self.race.take();
                if complete.is_none_or(|complete| matches!(complete, "0" | "0.000000")) {
                    return;
                }
                let mut run = Run::new(Course::Race, game.level.map().unwrap_or_default(), out.now());
                run.player = player;
                run.time.stated = Some(time.0);
                if let Some((from, checkpoints)) = begun {
                    run.time.counted = Some((out.now() - from).0);
                    (run.from, run.checkpoints) = (Some(from), checkpoints);
                }
                for (key, value) in [("top_speed", top), ("average_speed", average)] {
                    value.map(|value| run.settings.insert(key.to_owned(), value.to_owned()));
                }
                out.emit(Evidence::Stated, EventKind::Finish(Box::new(run)));
            }
            _ => {}
        }
    }
}

/// The limit on checkpoints.
const MOST: usize = 256;

/// True for single-player and cooperative games.
fn is_no_deathmatch(game: &Game) -> bool {
    match (game.level.game_type, game.level.setting("deathmatch")) {
        (Some(kind), _) => kind == 0,
        (None, Some(deathmatch)) => deathmatch.trim() == "0",
        (None, None) => false,
    }
}
