//! Reads the lines that a server prints: chat, pick-ups, deaths, flags, the match (`docs/formats/quake1.md`, "Events").

use fragreel_model::{EventKind, Evidence, Kind};

use crate::characters;
use crate::container::{Target, kind};
use crate::events::phrases::FlagLine;
use crate::events::{EventBuilder, items, line_names, phrases};
use crate::state::Game;
use crate::walk::lines::{Level, Line, Reader};
use crate::walk::match_clock::{self, MatchLine, reader};

/// Event kinds that lines can give. Match states are always read, because every event's match time needs them.
const OF_LINES: &[Kind] = &[Kind::Kill, Kind::Chat, Kind::Item, Kind::Flag, Kind::Match, Kind::Print, Kind::Round, Kind::Statistics];

impl EventBuilder {
    /// Follows a printed piece of text.
    pub(super) fn print(&mut self, game: &Game, target: Target, level: Level, text: &[u8]) {
        if level == Level::Chat && !self.out.wants(Kind::Chat) {
            return;
        }
        let reader = reader(target);
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(reader, level, text, |piece, at| line_names::is_inside(game, piece, at), |line| self.line(game, reader, level, line));
        self.lines = lines;
    }

    /// Ends lines that have no end: the server begins a level. NetQuake states its version so.
    pub(super) fn end_lines(&mut self, game: &Game) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.end(|reader, level, line| self.line(game, reader, level, line));
    }

    fn line(&mut self, game: &Game, reader: Reader, level: Level, whole: Line<'_>) {
        let line = whole.text;
        if line.is_empty() {
            return;
        }
        if level == Level::Chat || (level == Level::Unknown && matches!(line[0], 1 | 2)) {
            let said = if level == Level::Unknown { &line[1..] } else { line };
            // NetQuake prints its greeting the same way
            if !said.is_empty() && (level == Level::Chat || line[0] == 1) {
                if self.out.wants(Kind::Chat) && self.repeats.chat.is_another(self.out.now(), reader, said) {
                    self.chat(game, said);
                }
                return;
            }
        }
        let said = if matches!(level, Level::Medium | Level::High | Level::Unknown) { match_clock::read(line) } else { MatchLine::default() };
        // the clock follows every line, as it does in other walks
        let now = self.out.now();
        let changed = said.state.filter(|said| self.out.match_clock.enter(said.state, now));
        if said == MatchLine::default() && !self.out.wanted.any(OF_LINES) {
            return;
        }
        let to = match reader {
            (kind::SINGLE, slot, _) => Some(slot).filter(|slot| !game.roster.get(*slot).is_some_and(|person| person.spectator)),
            (0, ..) => game.own.filter(|_| !game.own_spectates),
            _ => None,
        };
        if matches!(level, Level::Low | Level::Unknown) && items::line(&mut self.out, game, to, line) {
            return;
        }
        if !self.repeats.lines.is_another(self.out.now(), reader, line) {
            return;
        }
        if matches!(level, Level::Medium | Level::High | Level::Unknown) {
            if self.obituaries.known(&mut self.out, &mut self.deaths, game, whole) || self.flag(game, line) {
                return;
            }
            if self.out.wanted.any(&[Kind::Round, Kind::Print])
                && let Some(round) = self.rounds.line(characters::clean(line).trim())
            {
                self.out.emit(Evidence::Inferred, round);
                return;
            }
            self.progress.standing(&mut self.out, line);
            if let Some(round) = said.round {
                self.progress.round(&mut self.out, game, round);
            }
            if let Some(said) = changed {
                self.progress.entered(&mut self.out, Evidence::Inferred, said);
            } else if said == MatchLine::default() && self.obituaries.unknown(&mut self.out, game, whole) {
                return;
            }
        }
        if self.out.wants(Kind::Statistics) {
            self.tables.line(game, self.out.now(), line);
        }
        if self.out.wants(Kind::Print) {
            self.out.emit(Evidence::Stated, EventKind::Print { text: characters::text(line) });
        }
    }

    fn flag(&mut self, game: &Game, line: &[u8]) -> bool {
        let Some(FlagLine { name, action, team }) = phrases::flag(game, line) else { return false };
        self.out.emit(Evidence::Inferred, EventKind::Flag { team, action, player: name.map(|name| game.roster.named(name)) });
        true
    }
}
