//! `events`: what happened, according to the messages (`docs/formats/goldsrc.md`, "Events").

mod chat;
mod mods;
mod opposing_force;
mod runs;
mod shots;
mod user;

use std::collections::{HashMap, VecDeque};

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{EventSource, Fed, make_ready};
use fragreel_model::{Damage, Event, EventKind, Evidence, Kind, Kinds, MatchState, Milliseconds, Player, PlayerStats, Stat, Statement, TeamStats};

use crate::container::body;
use crate::container::{MacroKind, Step, tool_of};
use crate::game_text::{clean, text};
use crate::message::context::Context;
use crate::message::{Message, ServerInfo};
use crate::walk::findings::Findings;
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::Playback;
use crate::walk::roster::{Roster, RosterChange};
use crate::walk::run_timer::RunTimer;
use crate::walk::time::milliseconds;

/// The walk that makes the events of the wanted kinds.
pub(crate) struct EventPlayback<'a> {
    playback: Playback<'a>,
    builder: EventBuilder,
    findings: Findings,
    last_frame: Option<Milliseconds>,
    last_macro: Option<Milliseconds>,
    /// Whether the recording was played to its end.
    is_finished: bool,
}

impl<'a> EventPlayback<'a> {
    /// A walk that stands at the start.
    pub(crate) fn new(input: &Input<'a>, wanted: Kinds) -> Self {
        let findings = Findings::new(input.container.damage.clone(), input.limits.damage_entries);
        EventPlayback { playback: Playback::new(input), builder: EventBuilder::new(wanted), findings, last_frame: None, last_macro: None, is_finished: false }
    }
}

impl EventPlayback<'_> {
    /// The same walk over another chunk of the recording.
    fn in_chunk<'b>(self, chunk: Chunk<'b>) -> EventPlayback<'b> {
        EventPlayback { playback: self.playback.in_chunk(chunk), ..self }
    }
}

impl Fed for EventPlayback<'static> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let mut walk = self.in_chunk(chunk);
        make_ready(&mut walk);
        walk.in_chunk(Chunk::none())
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.is_finished
    }
}

impl EventSource for EventPlayback<'_> {
    fn advance(&mut self) -> bool {
        let EventPlayback { playback, builder, findings, last_frame, last_macro, is_finished } = self;
        let Some(step) = playback.next() else {
            if playback.is_over() && !std::mem::replace(is_finished, true) {
                builder.end_tool_data();
                builder.emit_final_scores();
            }
            return false;
        };
        let (number, segment, window) = match step {
            Step::Damage(found) => {
                findings.add(found);
                return true;
            }
            Step::Macro { number, segment, window } => (number, segment, window),
        };
        let playing = playback.is_played(segment);
        builder.start_macro(number, playing, playback.now());
        builder.tool_data(&window);
        let mut has_frame = false;
        match window.kind {
            MacroKind::Command => builder.command(&body::command_text(&window).0),
            MacroKind::Event if builder.wanted.has(Kind::Shot) => builder.predicted(&window),
            MacroKind::Data => {
                let read = playback.read(&window, |context, message, _| {
                    builder.message(context, message);
                    has_frame |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
                });
                if let Err(error) = read {
                    findings.add_unreadable(playback, &error, number, &window);
                }
            }
            _ => {}
        }
        if playing {
            let now = Some(playback.now());
            *last_macro = (*last_macro).max(now);
            *last_frame = if has_frame { (*last_frame).max(now) } else { *last_frame };
        }
        true
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        &mut self.builder.ready
    }

    fn damage(&self) -> Vec<Damage> {
        self.findings.clone().finish()
    }

    fn end(&self) -> Milliseconds {
        self.last_frame.or(self.last_macro).unwrap_or_default()
    }
}

/// Builds events from messages.
pub(crate) struct EventBuilder {
    wanted: Kinds,
    /// The events to hand on.
    pub(crate) ready: VecDeque<Event>,
    pub(crate) roster: Roster,
    number: u32,
    playing: bool,
    time: Milliseconds,
    server_time: Milliseconds,
    match_clock: MatchClock,
    match_time: Option<Milliseconds>,
    /// The recording player's slot.
    pub(crate) pov: Option<u8>,
    /// Weapon names by the numbers of `CurWeapon`.
    weapons: HashMap<u8, String>,
    weapon: Option<u8>,
    /// The directory of the game, whose weapons have known numbers before the stream lists them.
    game: String,
    /// The server time at which the last round ended, until the next round begins.
    round_over: Option<Milliseconds>,
    /// When an announced restart is due, on the server's clock.
    restart: Option<Milliseconds>,
    intermission: bool,
    paused: bool,
    mods: mods::Mods,
    shots: shots::Scripts,
    run_timer: RunTimer,
}

impl EventBuilder {
    pub(crate) fn new(wanted: Kinds) -> Self {
        Self {
            wanted,
            ready: VecDeque::new(),
            roster: Roster::default(),
            number: 0,
            playing: false,
            time: Milliseconds(0),
            server_time: Milliseconds(0),
            match_clock: MatchClock::default(),
            match_time: None,
            pov: None,
            weapons: HashMap::new(),
            weapon: None,
            game: String::new(),
            round_over: None,
            restart: None,
            intermission: false,
            paused: false,
            mods: mods::Mods::default(),
            shots: shots::Scripts::default(),
            run_timer: RunTimer::default(),
        }
    }

    /// Starts the next macro. Its events have this number and time.
    pub(crate) fn start_macro(&mut self, number: u32, playing: bool, time: Milliseconds) {
        (self.number, self.playing, self.time) = (number, playing, time);
    }

    /// The match clock, while a match runs.
    pub(crate) fn match_time(&self) -> Option<Milliseconds> {
        self.match_time
    }

    fn emit(&mut self, evidence: Evidence, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let (time, server_time, match_time) = (self.time, self.server_time, self.match_time);
            self.ready.push_back(Event { time, server_time, match_time, message: self.number, evidence, uncertain: false, kind });
        }
    }

    fn emit_stated(&mut self, kind: EventKind) {
        self.emit(Evidence::Stated, kind);
    }

    fn emit_inferred(&mut self, kind: EventKind) {
        self.emit(Evidence::Inferred, kind);
    }

    fn pov_player(&self) -> Option<Player> {
        self.pov.map(|slot| self.roster.player(slot))
    }

    fn command(&mut self, command: &[u8]) {
        // data of a tool is no command of the player
        if tool_of(command).is_some() {
            return;
        }
        self.emit_stated(EventKind::Command { text: text(command) });
    }

    /// Builds the events of one message.
    pub(crate) fn message(&mut self, context: &Context, message: &Message) {
        if self.match_clock.message(context, message) {
            self.match_time = self.match_clock.at(context.time);
        }
        match message {
            Message::Time(time) => {
                self.server_time = milliseconds(time.time);
                self.match_time = self.match_clock.at(time.time);
            }
            Message::User(user) => {
                if let Some(shape) = context.user_message(user.id) {
                    self.user(&shape.name, &user.data);
                }
            }
            Message::UpdateUserInfo(update) => {
                let change = self.roster.update(update);
                self.emit_roster_change(update.slot, change);
            }
            Message::Pings(pings) => {
                self.roster.set_pings(pings);
            }
            Message::ServerInfo(info) => self.server_info(context, info),
            Message::Print(print) if !clean(&print.text.0).is_empty() => {
                self.final_line(&print.text.0);
                self.emit_stated(EventKind::Print { text: text(&print.text.0) });
            }
            Message::CenterPrint(print) => self.emit_stated(EventKind::CenterPrint { text: text(&print.text.0) }),
            Message::SetPause(pause) if (pause.paused != 0) != self.paused => {
                self.paused = pause.paused != 0;
                self.emit_stated(EventKind::match_state(if self.paused { MatchState::Paused } else { MatchState::Resumed }));
            }
            Message::Intermission(_) | Message::Finale(_) if !self.intermission => self.start_intermission(),
            Message::ResourceList(_) | Message::Event(_) | Message::EventReliable(_) if self.wanted.has(Kind::Shot) => self.shots(context, message),
            _ => {}
        }
    }

    fn server_info(&mut self, context: &Context, info: &ServerInfo) {
        self.pov = if context.hltv { None } else { Some(info.player_number) };
        let is_new = self.roster.is_new_level(info);
        if is_new {
            self.emit_final_scores();
        }
        self.roster.start_level(info);
        self.shots = shots::Scripts::default();
        if !is_new {
            return;
        }
        (self.intermission, self.paused, self.round_over, self.mods) = (false, false, None, mods::Mods::default());
        self.restart = None;
        self.game = clean(&info.game.0);
        let title = info.host_name.as_ref().map(|name| text(&name.0)).filter(|name| !name.clean.is_empty());
        let (map, game) = (map_name(&info.map.0), clean(&info.game.0));
        self.emit_stated(EventKind::Level { map, game, game_type: None, title, date: None, teams: None, time_limit: None });
    }

    /// Emits the scores that the game has stated, at the end of a level.
    fn emit_final_scores(&mut self) {
        if !self.wanted.has(Kind::Statistics) {
            return;
        }
        let mut statement = Statement::new("ScoreInfo");
        statement.mode.clone_from(&self.mods.mode);
        for slot in self.roster.present().collect::<Vec<_>>() {
            let member = self.roster.member(slot);
            let (Some(frags), Some(deaths), Some(first)) = (member.frags, member.deaths, member.first) else { continue };
            let mut line = PlayerStats::new(self.roster.player(slot));
            // Day of Defeat ranks by objectives, Opposing Force by frags and what flags gave
            let score = member.objective.or(member.flag_points.map(|points| frags.saturating_add(points)));
            line.stats.state(Stat::Score, score.unwrap_or(frags).into());
            if let Some(points) = member.flag_points {
                line.other.insert(String::from("frags"), frags.to_string());
                line.other.insert(String::from("flag_points"), points.to_string());
            }
            if member.objective.is_some() {
                line.stats.state(Stat::Kills, frags.into());
            }
            line.stats.state(Stat::Deaths, deaths.into());
            if first != (0, 0) {
                line.other.insert(String::from("score at the start"), first.0.to_string());
                line.other.insert(String::from("deaths at the start"), first.1.to_string());
            }
            statement.players.push(line);
        }
        for (name, score) in &self.roster.teams {
            let mut team = TeamStats::new(name.clone());
            team.stats.state(Stat::Score, (*score).into());
            statement.teams.push(team);
        }
        if !statement.players.is_empty() {
            self.emit_stated(EventKind::Statistics(Box::new(statement)));
        }
    }

    fn emit_roster_change(&mut self, slot: u8, change: RosterChange) {
        // players of the loading part were there before
        if !self.playing || self.roster.member(slot).proxy {
            return;
        }
        let player = self.roster.player(slot);
        match change {
            RosterChange::None => {}
            RosterChange::Join => self.emit_stated(EventKind::Join { player }),
            RosterChange::Leave(player) => self.emit_stated(EventKind::Leave { player, reason: None }),
            RosterChange::Replace(old) => {
                self.emit_inferred(EventKind::Leave { player: old, reason: None });
                self.emit_inferred(EventKind::Join { player });
            }
            RosterChange::Rename(from) => self.emit_inferred(EventKind::Rename { player, from }),
        }
    }

    fn start_intermission(&mut self) {
        self.intermission = true;
        self.emit_stated(EventKind::match_state(MatchState::Intermission));
        let (players, teams) = (self.roster.scores(), self.roster.teams.clone());
        if !players.is_empty() {
            let teams = teams.into_iter().map(|(name, score)| (name.into(), score)).collect();
            self.emit_inferred(EventKind::Scores { teams, players });
        }
    }
}

/// `maps/de_dust.bsp` without folder and extension.
pub(crate) fn map_name(path: &[u8]) -> String {
    let path = clean(path);
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    file.strip_suffix(".bsp").unwrap_or(file).to_owned()
}
