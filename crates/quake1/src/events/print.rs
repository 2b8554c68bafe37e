//! Reads the lines that a server prints: chat, pick-ups, deaths, flags, the match (`docs/formats/quake1.md`, "Events").

use fragreel_model::{EventKind, Evidence, Kind};

use crate::characters;
use crate::container::{Target, kind};
use crate::events::phrases::FlagLine;
use crate::events::{EventBuilder, items, obituaries, phrases};
use crate::state::Game;
use crate::walk::lines::{Level, Reader};
use crate::walk::match_clock::{match_state, reader};

/// Event kinds that lines can give. Match states are always read, because every event's match time needs them.
const OF_LINES: &[Kind] = &[Kind::Kill, Kind::Chat, Kind::Item, Kind::Flag, Kind::Match, Kind::Print, Kind::Statistics];

impl EventBuilder {
    /// Follows a printed piece of text.
    pub(super) fn print(&mut self, game: &Game, target: Target, level: Level, text: &[u8]) {
        let reader = reader(target);
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(reader, level, text, |line| self.line(game, reader, level, line));
        self.lines = lines;
    }

    fn line(&mut self, game: &Game, reader: Reader, level: Level, line: &[u8]) {
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
        let state = matches!(level, Level::Medium | Level::High | Level::Unknown).then(|| match_state(line)).flatten();
        // the clock follows every line, as it does in other walks
        let now = self.out.now();
        let changed = state.filter(|state| self.out.match_clock.enter(*state, now));
        if state.is_none() && !self.out.wanted.any(OF_LINES) {
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
            if obituaries::line(&mut self.out, &mut self.deaths, game, line) || self.flag(game, line) {
                return;
            }
            if let Some(state) = changed {
                self.out.emit(Evidence::Inferred, EventKind::match_state(state));
            }
        }
        if self.out.wants(Kind::Statistics) {
            self.printed_stats.line(game, line);
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
