//! What names of results may say of a recording: where and when it was recorded, and the match in it.

use fragreel::Recording;
use fragreel::model::{MatchStats, Stat};

/// What is known of a recording.
#[derive(Debug, Default, Clone)]
pub struct Played {
    pub player: Option<String>,
    pub map: Option<String>,
    pub date: Option<String>,
    pub time: Option<String>,
    pub server: Option<String>,
    pub game: Option<String>,
    pub game_mod: Option<String>,
    pub mode: Option<String>,
    /// The two sides, teams or players, the first in the scores first.
    pub sides: [Option<String>; 2],
    pub winner: Option<String>,
    pub score: Option<String>,
}

impl Played {
    /// Of a recording. The match is only looked for if a name says something that it states.
    pub fn of(recording: &Recording, needs_match: impl FnOnce(&Played) -> bool) -> Self {
        let info = recording.info();
        let mut played = Played {
            player: info.recorder.map(|player| player.name.clean.clone()),
            map: info.maps.into_iter().next(),
            server: info.server.map(|server| server.clean.clone()),
            game: Some(info.game),
            game_mod: info.game_mod,
            mode: info.game_type,
            ..Played::default()
        };
        played.set_date(info.date.as_deref());
        if needs_match(&played) {
            let matches = recording.scores().value;
            if let Some(last) = matches.iter().rfind(|one| one.outcome.is_final()).or(matches.last()) {
                played.set_match(last);
            }
        }
        played
    }

    /// Takes a date, and the time of day if it has one.
    fn set_date(&mut self, date: Option<&str>) {
        let Some(date) = date else { return };
        let (day, time) = date.split_once('T').unwrap_or((date, ""));
        self.date = Some(day.to_owned());
        // names have no colons
        self.time = time.get(..5).map(|time| time.replace(':', "-"));
    }

    fn set_match(&mut self, of: &MatchStats) {
        if self.date.is_none() || self.time.is_none() {
            self.set_date(of.date.as_deref());
        }
        self.map = self.map.take().or_else(|| Some(of.map.clone()).filter(|map| !map.is_empty()));
        self.mode = of.mode.clone().or(self.mode.take());
        self.winner = of.winner.as_deref().map(str::to_owned);
        let teams = of.teams.iter().map(|team| (team.title.as_deref().unwrap_or(&team.name).to_owned(), team.stats.get(Stat::Score).value()));
        let players = of.players.iter().map(|line| (line.player.name.clean.clone(), line.stats.get(Stat::Score).value()));
        let mut sides: Vec<(String, Option<i64>)> = if of.teams.is_empty() { players.collect() } else { teams.collect() };
        sides.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        let score = |side: Option<&(String, Option<i64>)>| side.and_then(|(_, score)| *score);
        self.score = score(sides.first()).zip(score(sides.get(1))).map(|(one, other)| format!("{one}-{other}"));
        let mut names = sides.into_iter().map(|(name, _)| name);
        self.sides = [names.next(), names.next()];
        // a winner by the name that the sides have
        self.winner = self.winner.take().map(|winner| {
            let title = of.teams.iter().find(|team| team.name == winner).and_then(|team| team.title.as_deref());
            title.map_or(winner, str::to_owned)
        });
    }
}
