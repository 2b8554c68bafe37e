//! Events, concluded from messages and states (`docs/formats/quake3-events.md`).
//!
//! There is one file per kind of event, and `EventBuilder` calls each. Conclusions from strings wait for the end of a message's commands, because
//! servers set strings more than once in a frame.

mod awards;
mod chat;
mod flags;
mod items;
mod kills;
mod kills_alone;
mod level;
mod matches;
mod playback;
mod players;
mod races;
mod rounds;
mod runs;
mod scores;
mod sink;
mod statistics;
mod team_names;

use fragreel_model::{Damage, EventKind, Evidence, Kind, Kinds};

use crate::container::Frame;
use crate::dialect::Dialect;
use crate::fields::array;
use crate::game::Game;
use crate::game::events::ABSENT;
use crate::message::{Depth, Gamestate, Snapshot};
use crate::state::{EntityRef, State};
use crate::strings::{Words, number, text};
use crate::walk::entity_events::{ChangedEntity, ET_PLAYER, EntityFields, EventTracker, field};
use crate::walk::{PlayerFields, Roster, ViewTracker, Visitor};
use awards::AwardTracker;
use flags::FlagTracker;
pub(crate) use level::date;
use matches::MatchTracker;
pub(crate) use playback::EventPlayback;
pub use playback::read;
use races::{RaceEvent, RaceTracker};
use rounds::RoundTracker;
use runs::RunTracker;
use scores::ScoreTracker;
use sink::EventSink;
use statistics::{CommandSubjects, StatisticsTracker};
use team_names::TeamNames;

/// Kinds that need snapshots. Commands are enough for all others.
const OF_SNAPSHOTS: &[Kind] = &[Kind::Kill, Kind::Item, Kind::Flag, Kind::Award, Kind::Score, Kind::Statistics, Kind::Finish];

/// The depth that these kinds need.
fn depth(wanted: Kinds, entity: &EntityFields) -> Depth {
    match OF_SNAPSHOTS.iter().filter(|&&kind| wanted.has(kind)).collect::<Vec<_>>()[..] {
        [] => Depth::Commands,
        [Kind::Kill] => Depth::Fields(entity.of_obituaries().into_iter().collect()),
        _ => Depth::Values,
    }
}

/// Builds events from a walk over a recording.
struct EventBuilder {
    depth: Depth,
    out: EventSink,
    game: Game,
    players: Roster,
    matches: MatchTracker,
    rounds: RoundTracker,
    runs: RunTracker,
    races: RaceTracker,
    scores: ScoreTracker,
    team_names: TeamNames,
    statistics: StatisticsTracker,
    flags: FlagTracker,
    awards: AwardTracker,
    events: EventTracker,
    view: ViewTracker,
    entity: EntityFields,
    player: PlayerFields,
    /// The players in view.
    seen: Vec<EntityRef>,
    /// Lines that the server printed in this message.
    lines: Vec<Vec<u8>>,
    /// Whether commands came since the last conclusions from strings.
    strings_changed: bool,
    damage: Vec<Damage>,
}

impl EventBuilder {
    fn new(dialect: &'static Dialect, wanted: Kinds) -> Self {
        let entity = EntityFields::of(dialect);
        EventBuilder {
            depth: depth(wanted, &entity),
            out: EventSink::new(wanted),
            game: Game::of(dialect.line, b"", b"", b""),
            players: Roster::default(),
            matches: MatchTracker::default(),
            rounds: RoundTracker::default(),
            runs: RunTracker::default(),
            races: RaceTracker::default(),
            scores: ScoreTracker::default(),
            team_names: TeamNames::default(),
            statistics: StatisticsTracker::default(),
            flags: FlagTracker::default(),
            awards: AwardTracker::default(),
            events: EventTracker::default(),
            view: ViewTracker::default(),
            entity,
            player: PlayerFields::of(dialect),
            seen: Vec::new(),
            lines: Vec::new(),
            strings_changed: false,
            damage: Vec::new(),
        }
    }

    /// Concludes events from the strings after the commands of a message.
    #[inline]
    fn update_from_strings(&mut self, state: &State) {
        if std::mem::take(&mut self.strings_changed) {
            self.update_from_changed_strings(state);
        }
    }

    fn update_from_changed_strings(&mut self, state: &State) {
        let (game, out) = (&self.game, &mut self.out);
        // scores that a restart sets to nothing are those of the match after it
        let restarts = self.matches.is_restarting();
        let restarted = restarts && self.matches.update(state, game, &self.players, out);
        let scored = self.scores.update(game.has_team_scores(state), out);
        // a round starts after the match started, and ends before the match ends
        let runs_on = self.matches.runs_on(state, game);
        if !runs_on {
            self.rounds.update(state, game, false, scored, out);
        }
        if !restarts {
            self.matches.update(state, game, &self.players, out);
        }
        if runs_on {
            self.rounds.update(state, game, true, scored, out);
        }
        if out.wants(Kind::Flag) {
            self.flags.update(state, game, restarted, scored, &self.lines, &self.players);
        }
        if out.wants(Kind::Statistics) {
            self.team_names.update(state, game, out);
        }
        for statement in self.statistics.printed() {
            out.push(Evidence::Stated, Kind::Statistics, || EventKind::Statistics(Box::new(statement)));
        }
    }

    fn string_changed(&mut self, state: &State, index: usize) {
        if let Some(slot) = self.game.strings.player_at(index)
            && let Some(player) = players::changed(&mut self.players, slot, state.string(index), &self.lines, &mut self.out)
        {
            self.matches.gone(player);
        }
        self.matches.string_changed(&self.game, index);
        self.scores.changed(state, &self.game, index);
    }

    /// Handles a line for the console (`print`) or the middle of the screen (`cp`, `pcp`).
    fn printed(&mut self, line: &[u8], centered: bool) {
        self.matches.printed(line, &self.game);
        if self.game.prints_rounds() {
            self.rounds.printed(line, self.out.now());
        }
        if !centered && self.out.wants(Kind::Statistics) {
            self.statistics.print(line, &self.players);
        }
        if self.depth == Depth::Values {
            self.runs.printed(line, &self.out);
        }
        if let Some(said) = chat::printed(line).filter(|_| !centered) {
            self.out.push(Evidence::Inferred, Kind::Chat, || said.event());
        } else if centered {
            self.out.push(Evidence::Stated, Kind::CenterPrint, || EventKind::CenterPrint { text: text(line) });
        } else {
            self.out.push(Evidence::Stated, Kind::Print, || EventKind::Print { text: text(line) });
        }
        self.lines.push(line.to_vec());
    }
    /// Handles a command that says something of players: chat, statistics, a scoreboard. `words` are those behind the command.
    fn say(&mut self, state: &State, command: &[u8], words: Words<'_>) {
        if self.out.wants(Kind::Chat)
            && let Some(said) = chat::read(command, words.clone(), &self.players, &self.game)
        {
            self.out.push(Evidence::Stated, Kind::Chat, || said.event());
            return;
        }
        if self.out.wants(Kind::Statistics) {
            let view = state.snapshot().map(|snapshot| self.player.slot(&snapshot.player));
            let seen = CommandSubjects { view, recorder: state.client().and_then(|client| u32::try_from(client).ok()) };
            if let Some(statement) = self.statistics.read(command, words.clone(), &self.players, seen) {
                self.out.push(Evidence::Stated, Kind::Statistics, || EventKind::Statistics(Box::new(statement)));
            }
        }
        if self.out.wants(Kind::Scores) {
            let teams = self.game.has_team_scores(state).then(|| self.scores.teams());
            let ranks = scores::ranks(command, words.clone(), &self.players, self.scores.teams());
            if let Some(board) = ranks.or_else(|| scores::board(command, words, &self.players, teams)) {
                self.out.push(Evidence::Stated, Kind::Scores, || board);
            }
        }
    }
}

impl Visitor for EventBuilder {
    fn depth(&self) -> Depth {
        self.depth
    }

    fn message(&mut self, frame: &Frame, server_time: Option<i32>) {
        self.out.message(frame.number, server_time);
        self.lines.clear();
        self.players.start_message();
    }

    fn gamestate(&mut self, state: &State, _: &Gamestate) {
        self.game = Game::of_state(state);
        self.out.start_level();
        self.players.start_level(state, &self.game);
        self.matches.start_level();
        self.rounds = RoundTracker::default();
        self.runs.start_level(state);
        self.races = RaceTracker::default();
        self.scores = ScoreTracker::default();
        self.team_names = TeamNames::default();
        self.flags = FlagTracker::default();
        self.awards = AwardTracker::default();
        self.events = EventTracker::default();
        self.view = ViewTracker::default();
        let game = &self.game;
        self.out.push(Evidence::Stated, Kind::Level, || level::event(state, game));
        self.scores.start_level(state, &self.game);
        self.strings_changed = true;
        self.update_from_strings(state);
        if self.matches.may_run() && self.game.has_team_scores(state) {
            self.scores.opening(&mut self.out);
        }
    }

    fn command(&mut self, state: &State) {
        let mut words = Words::new(state.command_line());
        let Some(command) = words.next() else { return };
        // boards, statistics, and chat change nothing that is concluded from strings
        self.strings_changed |= matches!(command, b"cs" | b"print" | b"cp" | b"pcp" | b"map_restart");
        match command {
            b"cs" => {
                if let Ok(index) = usize::try_from(words.next().map_or(-1, number)) {
                    self.string_changed(state, index);
                }
            }
            b"print" => self.printed(words.next().unwrap_or_default(), false),
            b"cp" | b"pcp" => self.printed(words.next().unwrap_or_default(), true),
            b"map_restart" => self.matches.restarted(),
            b"elimination" if self.game.prints_rounds() => self.rounds.announced(words.nth(2).map_or(0, number)),
            b"duelendscores" => {
                let [_, loser, given_up] = [words.next(), words.next(), words.next()];
                if given_up == Some(b"1") {
                    self.matches.given_up(loser.unwrap_or_default());
                    self.strings_changed = true;
                }
                let mut words = Words::new(state.command_line());
                words.next();
                self.say(state, command, words);
            }
            _ => self.say(state, command, words),
        }
    }

    fn snapshot(&mut self, state: &State, tree: &Snapshot) {
        self.update_from_strings(state);
        let Some(snapshot) = state.snapshot() else { return };
        self.out.uncertain = snapshot.is_uncertain();
        let (out, game, players) = (&mut self.out, &self.game, &self.players);
        let view = self.player.slot(&snapshot.player);
        if out.wants(Kind::Finish) {
            self.runs.snapshot(state, players, view, out);
        }
        self.events.snapshot(snapshot.sequence, snapshot.server_time);
        if out.wants(Kind::Flag) {
            self.flags.snapshot(state, game, &self.entity, view, players);
            self.flags.report(players, out);
        }
        let has_races = out.wants(Kind::Finish) && game.events.race[0] != ABSENT;
        if out.wants(Kind::Kill) || out.wants(Kind::Item) || has_races {
            let (entity, races) = (&self.entity, &mut self.races);
            self.events.free(ChangedEntity::of(tree, entity.e_type), state, entity, game.events.first_type, |event, row| {
                if event == game.events.obituary {
                    kills::report(row, entity, game, players, state, out);
                } else if event == game.events.item_pickup {
                    let own = (view, self.player.place(&snapshot.player));
                    let (evidence, slot) = match entity.event_player(row) {
                        Some(slot) => (Evidence::Stated, Some(slot)),
                        None => (Evidence::Inferred, entity.player_at(row, state, own)),
                    };
                    // the events of the player of the view are in the player state as well
                    let slot = slot.filter(|&slot| slot != view);
                    if let Some(item) = slot.and_then(|slot| items::event(event, field(row, entity.event_parm), slot, game, players)) {
                        out.push(evidence, Kind::Item, || item);
                    }
                } else if has_races {
                    races.update(RaceEvent::of(event, row, entity), state, game, players, out);
                }
            });
        }
        let e_type = self.entity.e_type;
        self.seen.clear();
        if out.wants(Kind::Item) || out.wants(Kind::Award) {
            // stock servers put players first
            let slots = game.strings.player_slots();
            let low = snapshot.entities.iter().take_while(|seen| usize::from(seen.number) < slots);
            self.seen.extend(low.filter(|seen| field(state.row(**seen), e_type) == ET_PLAYER));
        }
        let seen = self.seen.iter().map(|seen| (seen.number, state.row(*seen)));
        if out.wants(Kind::Item) {
            self.events.of_entities(seen.clone(), &self.entity, |slot, _, event, parameter| {
                if let Some(item) = items::event(event, parameter, slot.into(), game, players) {
                    out.push(Evidence::Stated, Kind::Item, || item);
                }
            });
            self.view.update(&snapshot.player, &self.player, |event, parameter| {
                if let Some(item) = items::event(event, parameter, view, game, players) {
                    out.push(Evidence::Stated, Kind::Item, || item);
                }
            });
        }
        if out.wants(Kind::Award) {
            self.awards.update(view, self.player.flags(&snapshot.player), snapshot.server_time, players, out);
            for (number, row) in seen {
                self.awards.update(u32::from(number), field(row, self.entity.e_flags), snapshot.server_time, players, out);
            }
        }
        if out.wants(Kind::Score) {
            let own = snapshot.player.arrays[array::PERSISTANT][0] as i32;
            self.scores.player_score(view, own, players, out);
            self.scores.other_duellist(view, own, state, game, players, out);
        }
    }

    fn message_ends(&mut self, state: &State) {
        self.strings_changed |= self.rounds.is_due(self.out.now());
        self.update_from_strings(state);
        if self.out.wants(Kind::Flag) {
            self.flags.report(&self.players, &mut self.out);
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}
