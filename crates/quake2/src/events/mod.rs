//! Events, from prints, strings, states and effects. Implements *Events* of `docs/formats/quake2.md`.

mod doubts;
mod lmctf;
mod names;
mod obituary;
mod opentdm;
mod opentdm_stats;
mod phrases;
mod prints;
mod results;
mod ruled;
mod stats;
mod text_board;

use std::borrow::Cow;
use std::collections::VecDeque;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::suspects::Suspect;
use fragreel_model::replay::wording::Learned;
use fragreel_model::replay::{EventSource, Fed, make_ready};
use fragreel_model::{Damage, Event, EventKind, Evidence, Kind, Kinds, MatchState, Milliseconds, PlayerStats, Score, Stat, Statement, TeamStats};

use crate::chars;
use crate::container::Window;
use crate::message::{Body, Destination, Message, MvdBody, MvdMessage, Parcel};
use crate::state::{Detail, Effect, State};
use crate::walk::findings::Findings;
use crate::walk::match_clock::MatchClock;
use crate::walk::{At, Input, Playback, Visitor, WalkOptions};

use doubts::Doubt;
use names::Names;

/// The time from the last announcement of the end of a pause to that end.
const LAST_SECOND: Milliseconds = Milliseconds(1000);
/// The most events that wait for a line.
const MOST_HELD: usize = 1024;

/// The walk that makes the events of the wanted kinds.
///
/// Player states cost most of a walk, and lines about kills seldom need them. The walk begins without them; at the first line that does, it
/// starts over with them, and leaves out what it handed on already.
pub(crate) struct EventPlayback<'a> {
    input: Input<'a>,
    playback: Playback<'a>,
    builder: EventBuilder,
}

impl<'a> EventPlayback<'a> {
    /// A walk that stands at the start.
    pub(crate) fn new(input: &Input<'a>, wanted: Kinds) -> Self {
        Self::with(input, wanted, wanted.any(&[Kind::Score, Kind::Item, Kind::Weapon]), 0)
    }

    /// A walk that leaves out the first `skip` events.
    fn with(input: &Input<'a>, wanted: Kinds, has_states: bool, skip: u64) -> Self {
        let detail = if has_states { Detail::Full } else { Detail::Strings };
        let builder = EventBuilder {
            wanted,
            ready: VecDeque::new(),
            skip,
            pushed: 0,
            held: VecDeque::new(),
            has_states,
            needs_states: false,
            moment: doubts::Moment::default(),
            board_scores: doubts::BoardScores::default(),
            learned: Learned::default(),
            names: Names::default(),
            tracker: stats::StateTracker::default(),
            sent_to_clients: Vec::new(),
            board: Vec::new(),
            text_board: None,
            opentdm_stats: opentdm_stats::OpenTdmStats::default(),
            lmctf: None,
            round_over: false,
            sides: Vec::new(),
            numbered_teams: None,
            arena: Vec::new(),
            resumes: None,
            level_announced: false,
            clock: MatchClock::default(),
            findings: Findings::new(input.limits.damage_entries),
        };
        EventPlayback { playback: input.playback(WalkOptions { skim: !has_states, detail, ..input.walk_options() }), input: *input, builder }
    }
}

impl EventPlayback<'_> {
    /// The same walk over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> EventPlayback<'b> {
        EventPlayback { input: self.input.over(chunk.bytes()), playback: self.playback.over_chunk(chunk), builder: self.builder }
    }
}

impl Fed for EventPlayback<'static> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let mut walk = self.over(chunk);
        make_ready(&mut walk);
        walk.over(Chunk::none())
    }

    fn needed(&self) -> usize {
        self.playback.needed()
    }
}

impl EventSource for EventPlayback<'_> {
    fn advance(&mut self) -> bool {
        let has_more = self.playback.step(&mut self.builder);
        if self.builder.needs_states {
            let handed_on = self.builder.pushed - self.builder.ready.len() as u64;
            let chunk = self.playback.chunk();
            *self = Self::with(&self.input, self.builder.wanted, true, handed_on);
            // the start may have to come again
            self.playback.set_chunk(if chunk.start() == 0 { chunk } else { Chunk::none() });
            return true;
        }
        if !has_more && !self.playback.chunk().hides_more() {
            self.playback.close(&self.input, &mut self.builder);
            self.builder.settle(self.playback.state.clock.time());
        }
        has_more
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        &mut self.builder.ready
    }

    fn damage(&self) -> Vec<Damage> {
        self.builder.findings.clone().finish()
    }

    fn end(&self) -> Milliseconds {
        self.playback.state.clock.time()
    }
}

/// The visitor that emits events.
struct EventBuilder {
    wanted: Kinds,
    /// The events to hand on.
    ready: VecDeque<Event>,
    /// How many of the first events are left out, and how many there have been.
    skip: u64,
    pushed: u64,
    /// Events that wait for a line that may be a kill, and such lines.
    held: VecDeque<(Event, Option<Doubt>)>,
    /// Whether the walk decodes player states, and whether it should.
    has_states: bool,
    needs_states: bool,
    /// What may answer doubts.
    moment: doubts::Moment,
    board_scores: doubts::BoardScores,
    /// Phrases that no list has and that scores have shown to be about kills.
    learned: Learned,
    names: Names,
    tracker: stats::StateTracker,
    /// Texts sent to single clients in this frame, so that each is reported once.
    sent_to_clients: Vec<(u64, Vec<u8>)>,
    /// The last scoreboard.
    board: Vec<crate::walk::scoreboard::Line>,
    text_board: Option<text_board::Board>,
    opentdm_stats: opentdm_stats::OpenTdmStats,
    lmctf: Option<lmctf::Board>,
    /// Whether the next line names the winner of a round.
    round_over: bool,
    /// The names of teams in the last line with scores of them.
    sides: Vec<String>,
    /// How many numbered teams the next line has scores of.
    numbered_teams: Option<usize>,
    /// The players who fight in the arena.
    arena: Vec<String>,
    /// When Action Quake II's pause ends.
    resumes: Option<Milliseconds>,
    /// Whether the event for this level was emitted.
    level_announced: bool,
    clock: MatchClock,
    findings: Findings,
}

impl EventBuilder {
    fn emit(&mut self, at: At, state: &State, evidence: Evidence, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let event = self.event(at, state, evidence, kind);
            if self.held.is_empty() {
                self.push(event);
            } else {
                self.held.push_back((event, None));
            }
        }
    }

    fn event(&self, at: At, state: &State, evidence: Evidence, kind: EventKind) -> Event {
        let (time, server_time) = (state.clock.time(), state.clock.server_time());
        let (match_time, uncertain) = (self.clock.at(time), rests_on_state(&kind) && state.is_uncertain());
        Event { time, server_time, match_time, message: at.block, evidence, uncertain, kind }
    }

    fn push(&mut self, event: Event) {
        self.pushed += 1;
        if self.pushed > self.skip {
            self.ready.push_back(event);
        }
    }

    /// Emits a line as the kill that it states, or as a line if it states none. If only the next frame can show that, the line waits for it.
    fn doubtful(&mut self, at: At, doubt: Doubt, line: &[u8], state: &State) {
        let now = state.clock.time();
        let is_certain = doubt.is_kill && doubt.suspects.len() < 2 && doubt.victims.len() == 1;
        if is_certain {
            let Some((kill, _)) = doubt.settle(&self.moment) else { return };
            self.states_kill(&kill, now);
            return self.emit(at, state, Evidence::Inferred, EventKind::Kill(kill));
        }
        if !self.wanted.any(&[Kind::Kill, Kind::Print]) {
            return;
        }
        if !self.has_states {
            self.needs_states = true;
            return;
        }
        let event = self.event(at, state, Evidence::Inferred, EventKind::Print { text: chars::line(line) });
        self.held.push_back((event, Some(doubt)));
        if self.held.len() > MOST_HELD {
            self.settle(now);
        }
    }

    /// What a line states of a kill explains points.
    fn states_kill(&mut self, kill: &fragreel_model::Kill, now: Milliseconds) {
        if self.has_states {
            self.moment.explain(kill, now);
            self.board_scores.kill(kill);
        }
    }

    /// Settles lines that may be kills, and emits what waited for them.
    fn settle(&mut self, now: Milliseconds) {
        let mut held = std::mem::take(&mut self.held);
        // kills that are certain have their points first
        for is_kill in [true, false] {
            for (event, waits) in &mut held {
                let Some(doubt) = waits.take_if(|doubt| doubt.is_kill == is_kill) else { continue };
                match doubt.settle(&self.moment) {
                    Some((kill, wording)) => {
                        wording.into_iter().for_each(|wording| self.learned.add(wording));
                        self.states_kill(&kill, now);
                        event.kind = EventKind::Kill(kill);
                    }
                    None => {
                        event.evidence = Evidence::Stated;
                        if let [Suspect { player, wording: Some(wording) }] = &doubt.suspects[..]
                            && let Some(slot) = player.slot
                        {
                            self.board_scores.open(slot, wording.clone());
                        }
                    }
                }
            }
        }
        for (event, _) in held {
            if self.wanted.has(event.kind.kind()) {
                self.push(event);
            }
        }
    }

    /// Whether this text for one client was already reported for another one in this frame.
    fn repeated(&mut self, single: bool, text: &[u8], state: &State) -> bool {
        if !single {
            return false;
        }
        let frame = state.clock.frames();
        self.sent_to_clients.retain(|(sent_to_clients, _)| *sent_to_clients == frame);
        if self.sent_to_clients.iter().any(|(_, sent_to_clients)| sent_to_clients == text) {
            return true;
        }
        if self.sent_to_clients.len() < 256 {
            self.sent_to_clients.push((frame, text.to_vec()));
        }
        false
    }

    /// Handles a message. `single`: it is for one client only.
    fn body(&mut self, at: At, body: &Body, single: bool, state: &State) {
        match body {
            Body::Print(print) if !self.repeated(single, &print.text.0, state) => self.print(at, print.level, &print.text.0, state),
            Body::CenterPrint(text) if self.wanted.any(&[Kind::CenterPrint, Kind::Round, Kind::Match]) && !self.repeated(single, &text.0, state) => {
                if let Some(kind) = self.centered(&chars::plain(&text.0), state.clock.time()) {
                    self.emit(at, state, Evidence::Inferred, kind);
                }
                self.emit(at, state, Evidence::Stated, EventKind::CenterPrint { text: chars::line(&text.0) });
            }
            Body::StuffText(text) if self.wanted.has(Kind::Command) && !crate::limits::is_handshake(&text.0) && !self.repeated(single, &text.0, state) => {
                self.emit(at, state, Evidence::Stated, EventKind::Command { text: chars::line(&text.0) });
            }
            Body::LocPrint(print) if self.wanted.has(Kind::Print) => {
                let mut text = print.base.0.clone();
                for arg in &print.args {
                    text.push(b' ');
                    text.extend_from_slice(&arg.0);
                }
                self.emit(at, state, Evidence::Stated, EventKind::Print { text: chars::line(&text) });
            }
            Body::BotChat(chat) => {
                let from = Some(self.names.player(&chat.name.0));
                self.emit(at, state, Evidence::Stated, EventKind::Chat { from, channel: fragreel_model::Channel::Public, text: chars::line(&chat.text.0) });
            }
            // whatever is wanted: boards name the teams of players
            Body::Layout(text) => self.layout(at, &text.0, state),
            Body::MuzzleFlash(flash) if self.wanted.has(Kind::Shot) => self.shot(at, flash.entity, flash.weapon, state),
            _ => {}
        }
    }

    /// Reads what Action Quake II writes in the middle of the screen: rounds, halves, pauses.
    fn centered(&mut self, text: &[u8], now: Milliseconds) -> Option<EventKind> {
        let round = |started| Some(EventKind::Round { number: None, started, winner: None });
        if text.starts_with(b"ACTION!") {
            round(true)
        } else if text.starts_with(b"The teams have been switched!") {
            round(false)
        } else if text.starts_with(b"Game paused by ") {
            self.resumes = None;
            Some(EventKind::match_state(MatchState::Paused))
        } else {
            if text.starts_with(b"Game will unpause in 1 seconds!") {
                self.resumes = Some(now + LAST_SECOND);
            }
            None
        }
    }

    fn shot(&mut self, at: At, entity: u16, weapon: u16, state: &State) {
        let Some(slot) = entity.checked_sub(1).filter(|&slot| slot < 256) else { return };
        if let Some(weapon) = phrases::weapon(weapon) {
            let player = self.names.in_slot(slot);
            self.emit(at, state, Evidence::Stated, EventKind::Shot { player, weapon: Cow::Borrowed(weapon) });
        }
    }

    fn layout(&mut self, at: At, text: &[u8], state: &State) {
        if let Some(board) = read_text_board(text) {
            return self.text_board(at, board, state);
        }
        if let Some(board) = lmctf::read(&String::from_utf8_lossy(&chars::plain(text))) {
            return self.lmctf(at, board, state);
        }
        let lines = crate::walk::scoreboard::read(text);
        if lines.is_empty() || lines == self.board {
            return;
        }
        let players = lines
            .iter()
            .map(|line| Score { player: self.names.in_slot(line.client), score: line.score, deaths: None, ping: line.ping, minutes: line.minutes })
            .collect();
        if self.has_states {
            let learned = self.board_scores.board(lines.iter().map(|line| (line.client, line.score)));
            learned.into_iter().for_each(|wording| self.learned.add(wording));
        }
        self.board = lines;
        self.emit(at, state, Evidence::Stated, EventKind::Scores { teams: Vec::new(), players });
    }

    /// Handles a board made of text. It has the same content for every client.
    fn text_board(&mut self, at: At, board: text_board::Board, state: &State) {
        if self.text_board.as_ref() == Some(&board) {
            return;
        }
        let mut statement = Statement::new(board.source);
        statement.date.clone_from(&board.date);
        let mut players = Vec::new();
        for row in &board.rows {
            let mut player = self.names.player(row.name.as_bytes());
            if let Some(team) = &row.team {
                // What the board states holds for the kills after it, too.
                self.names.joins_team(row.name.as_bytes(), Some(team));
                player.team = Some(Cow::Owned(team.clone()));
            }
            let mut line = PlayerStats::new(player.clone());
            for (stat, value) in &row.figures {
                line.stats.state(*stat, *value);
            }
            statement.players.push(line);
            let number = |stat| row.get(stat).and_then(|value| i32::try_from(value).ok());
            let minutes = number(Stat::MinutesConnected);
            // A board may have no score column.
            if let Some(score) = number(Stat::Score) {
                players.push(Score { player, score, deaths: number(Stat::Deaths), ping: number(Stat::Ping), minutes });
            }
        }
        for (name, score) in &board.teams {
            let mut team = TeamStats::new(name.clone());
            team.stats.state(Stat::Score, (*score).into());
            statement.teams.push(team);
        }
        let teams = board.teams.iter().map(|(name, score)| (Cow::Owned(name.clone()), *score)).collect();
        self.text_board = Some(board);
        if !players.is_empty() {
            self.emit(at, state, Evidence::Stated, EventKind::Scores { teams, players });
        }
        self.emit(at, state, Evidence::Stated, EventKind::Statistics(Box::new(statement)));
    }

    fn lmctf(&mut self, at: At, board: lmctf::Board, state: &State) {
        if self.lmctf.as_ref() == Some(&board) {
            return;
        }
        let mut statement = Statement::new("lmctf scoreboard");
        let mut players = Vec::new();
        for row in &board.rows {
            let mut player = match &row.who {
                lmctf::Who::Slot(slot) => self.names.in_slot(*slot),
                lmctf::Who::Name(start) => self.names.beginning(start.as_bytes()),
            };
            self.names.joins_team(player.name.raw.as_bytes(), Some(row.team));
            player.team = Some(Cow::Borrowed(row.team));
            let mut line = PlayerStats::new(player.clone());
            row.figures.iter().for_each(|(stat, value)| line.stats.state(*stat, *value));
            statement.players.push(line);
            let number = |wanted| row.figures.iter().find(|(stat, _)| *stat == wanted).and_then(|(_, value)| i32::try_from(*value).ok());
            let (ping, minutes) = (number(Stat::Ping), number(Stat::MinutesConnected));
            players.push(Score { player, score: number(Stat::Score).unwrap_or_default(), deaths: None, ping, minutes });
        }
        for (name, captures) in &board.teams {
            let mut team = TeamStats::new(*name);
            team.stats.state(Stat::Captures, *captures);
            statement.teams.push(team);
        }
        self.lmctf = Some(board);
        self.emit(at, state, Evidence::Stated, EventKind::Scores { teams: Vec::new(), players });
        self.emit(at, state, Evidence::Stated, EventKind::Statistics(Box::new(statement)));
    }

    fn effect(&mut self, at: At, effect: Effect, state: &State) {
        self.clock.effect(effect);
        match effect {
            Effect::Frame => {
                if self.has_states {
                    self.moment.frame(state);
                    self.settle(state.clock.time());
                    self.moment.settled(state.clock.time());
                }
                if self.resumes.take_if(|resumes| *resumes <= state.clock.time()).is_some() {
                    self.emit(at, state, Evidence::Inferred, EventKind::match_state(MatchState::Resumed));
                }
            }
            Effect::Level | Effect::LevelUnannounced => {
                self.settle(state.clock.time());
                self.moment.clear();
                self.sides.clear();
                self.arena.clear();
                self.resumes = None;
                self.board_scores.clear();
            }
            _ => {}
        }
        match effect {
            Effect::Level => {
                self.level_announced = false;
                self.tracker.clear();
                self.board.clear();
                self.lmctf = None;
                self.level(at, state);
            }
            Effect::LevelUnannounced => {
                self.tracker.clear();
                let game = game(state);
                self.emit(
                    at,
                    state,
                    Evidence::Inferred,
                    EventKind::Level { map: String::new(), game, game_type: None, title: None, date: None, teams: None, time_limit: None },
                );
            }
            Effect::String(index) => self.string(at, index, state),
            Effect::Frame if self.wanted.any(&[Kind::Score, Kind::Item, Kind::Weapon]) => self.states(at, state),
            _ => {}
        }
    }

    /// Emits the event for a level once its map is known.
    fn level(&mut self, at: At, state: &State) {
        let Some(map) = crate::walk::roster::map_name(state.strings.get(state.dialect.strings.models + 1)) else { return };
        if !std::mem::replace(&mut self.level_announced, true) {
            let title = Some(chars::text(&state.level.title)).filter(|title| !title.raw.is_empty());
            self.emit(
                at,
                state,
                Evidence::Stated,
                EventKind::Level { map, game: game(state), game_type: None, title, date: None, teams: None, time_limit: None },
            );
        }
    }

    fn string(&mut self, at: At, index: u16, state: &State) {
        let strings = state.dialect.strings;
        if index == strings.models + 1 {
            self.level(at, state);
        } else if (strings.playerskins..strings.general).contains(&index) {
            let slot = index - strings.playerskins;
            // Names at the start of a level are not news.
            let news = state.has_frame_on_level();
            if let Some(kind) = self.names.set(slot, state.strings.get(index), news) {
                self.emit(at, state, Evidence::Inferred, kind);
            }
        }
    }

    fn all_names(&mut self, state: &State) {
        let strings = state.dialect.strings;
        for (index, value) in state.strings.iter().filter(|(index, _)| (strings.playerskins..strings.general).contains(index)) {
            self.names.set(index - strings.playerskins, value, false);
        }
    }

    fn states(&mut self, at: At, state: &State) {
        let EventBuilder { tracker, names, .. } = self;
        let events = tracker.changes(state, names);
        for (evidence, kind) in events {
            self.emit(at, state, evidence, kind);
        }
    }
}

impl Visitor for EventBuilder {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.findings.block(block, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, at: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        if effect == Effect::Frame {
            self.findings.frame(state.is_uncertain());
        }
        if effect != Effect::None && effect != Effect::FrameBegun {
            self.effect(at, effect, state);
        }
        match &message.body {
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) => {
                self.all_names(state);
                self.level(at, state);
            }
            body => self.body(at, body, message.unicast.is_some(), state),
        }
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, _: &[u8], effect: Effect, state: &State) {
        if effect == Effect::Frame {
            self.findings.frame(state.is_uncertain());
        }
        if effect != Effect::None {
            self.effect(at, effect, state);
        }
        match &message.body {
            MvdBody::ServerData(_) => self.all_names(state),
            MvdBody::Print(print) => self.print(at, print.level, &print.text.0, state),
            _ => {}
        }
    }

    fn parcel(&mut self, at: At, parcel: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        let single = matches!(parcel.destination, Destination::Client(_));
        self.body(at, &message.body, single, state);
    }

    fn damage(&mut self, damage: Damage) {
        self.findings.add(damage);
    }
}

/// Whether an event of this kind comes from states that change frame by frame. Others come from messages that stand for themselves.
fn rests_on_state(kind: &EventKind) -> bool {
    matches!(kind.kind(), Kind::Score | Kind::Item | Kind::Weapon)
}

fn game(state: &State) -> String {
    let dir = chars::clean(&state.level.gamedir);
    if dir.is_empty() { String::from("baseq2") } else { dir }
}

/// Reads a layout as a scoreboard made of text. `None` if it is not one of a known kind.
fn read_text_board(layout: &[u8]) -> Option<text_board::Board> {
    let text = chars::plain(layout);
    let text = String::from_utf8_lossy(&text);
    opentdm::read(&text).or_else(|| ruled::read(&text))
}
