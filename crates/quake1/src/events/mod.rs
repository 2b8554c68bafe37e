//! What happened, concluded from messages and from the state before and after them (`docs/formats/quake1.md`, "Events").

mod chat;
mod demo_info;
mod items;
mod lines;
pub mod obituary;
mod phrases;

use std::borrow::Cow;

use model::{Event, EventKind, Evidence, Kill, Kind, Kinds, MatchState, Milliseconds, Player, Score, Text};

use crate::characters;
use crate::clock::Clock;
use crate::container::{Block, Framing, Target, kind};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::message::hidden::{Hidden, HiddenBlocks, HiddenBody};
use crate::state::{Game, Person, player, stat, team};
use lines::{Level, Lines, Reader};

/// Kinds that need lines of text.
const TEXT: &[Kind] = &[Kind::Kill, Kind::Chat, Kind::Item, Kind::Flag, Kind::Match, Kind::Print];

/// Turns messages into events.
pub struct Reporter<'s> {
    wanted: Kinds,
    sink: &'s mut dyn FnMut(Event),
    clock: Clock,
    message: u32,
    lines: Lines,
    /// Whether the level runs: who is there before did not join.
    ready: bool,
    /// Whether the level was told.
    level_told: bool,
    match_start: Option<Milliseconds>,
    counting_down: bool,
    scores_told: bool,
    intermission: bool,
    paused: bool,
    items: items::Pending,
    /// Events of this moment that wait for its pick-ups, so that the order stays.
    held: Vec<Event>,
    /// Text that went to several readers one after the other, told once.
    recent: Vec<(Milliseconds, Vec<u8>)>,
    demo_info: Vec<u8>,
}

impl<'s> Reporter<'s> {
    /// Nothing told yet.
    pub fn new(wanted: Kinds, sink: &'s mut dyn FnMut(Event)) -> Self {
        Reporter {
            wanted,
            sink,
            clock: Clock::default(),
            message: 0,
            lines: Lines::default(),
            ready: false,
            level_told: false,
            match_start: None,
            counting_down: false,
            scores_told: false,
            intermission: false,
            paused: false,
            items: items::Pending::default(),
            held: Vec::new(),
            recent: Vec::new(),
            demo_info: Vec::new(),
        }
    }

    fn wants(&self, kind: Kind) -> bool {
        self.wanted.has(kind)
    }

    fn tell(&mut self, evidence: Evidence, kind: EventKind) {
        if !self.wanted.has(kind.kind()) {
            return;
        }
        let event = self.event(evidence, kind);
        if self.items.is_empty() {
            (self.sink)(event);
        } else {
            self.held.push(event);
        }
    }

    fn event(&self, evidence: Evidence, kind: EventKind) -> Event {
        let match_time = self.match_start.map(|start| self.clock.demo - start);
        Event { time: self.clock.demo, server_time: self.clock.server, match_time, message: self.message, evidence, kind }
    }

    /// A block begins.
    pub fn block(&mut self, block: &Block<'_>) {
        let before = self.clock.demo;
        self.clock.block(&block.framing);
        if self.clock.demo != before {
            self.flush();
        }
        self.message = block.number;
    }

    /// The recording ends.
    pub fn finish(&mut self) {
        self.flush();
    }

    /// Tells what waited for the moment to pass, in stream order.
    fn flush(&mut self) {
        if self.items.is_empty() {
            return;
        }
        let mut events: Vec<Event> = self.items.take().chain(std::mem::take(&mut self.held)).collect();
        events.sort_by_key(|event| event.message);
        events.into_iter().for_each(|event| (self.sink)(event));
    }

    /// A message comes; `game` is still without it.
    pub fn before(&mut self, d: &Dialect, game: &Game, message: &Message, target: Target) {
        let demo = self.clock.demo;
        self.clock.message(message);
        if self.clock.demo != demo {
            self.flush();
        }
        match message {
            Message::UpdateUserInfo(m) if self.ready => {
                let mut changed = crate::state::Roster::default();
                changed.apply(message);
                self.person(game, m.slot, changed.get(m.slot), Some(m.user_id));
            }
            Message::SetInfo(m) if self.ready && matches!(m.key.bytes(), b"name" | b"team") => {
                let mut changed = game.roster.get(m.slot).cloned().unwrap_or_default();
                match m.key.bytes() {
                    b"name" => m.value.bytes().clone_into(&mut changed.name),
                    _ => m.value.bytes().clone_into(&mut changed.team),
                }
                self.person(game, m.slot, Some(&changed).filter(|person| person.is_here()), None);
            }
            Message::UpdateName(m) if self.ready => {
                let changed = Person { name: m.name.bytes().to_vec(), ..game.roster.get(m.slot).cloned().unwrap_or_default() };
                self.person(game, m.slot, Some(&changed).filter(|person| person.is_here()), None);
            }
            Message::UpdateFrags(m) if self.ready && self.wants(Kind::Score) => {
                if let Some(person) = game.roster.get(m.slot).filter(|person| person.frags != m.frags) {
                    let kind = EventKind::Score { player: Some(player(m.slot, person)), team: None, score: i32::from(m.frags) };
                    self.tell(Evidence::Stated, kind);
                }
            }
            Message::StatByte(m) if usize::from(m.stat) == stat::ACTIVE_WEAPON => self.weapon(game, target, i32::from(m.value)),
            Message::StatLong(m) if usize::from(m.stat) == stat::ACTIVE_WEAPON => self.weapon(game, target, m.value),
            Message::ClientData(m) => self.weapon(game, target, m.row[crate::fields::netquake::client_slot::ACTIVE_WEAPON] as i32),
            Message::QwPrint(m) if self.wanted.any(TEXT) => self.print(game, target, Level::of(m.level), m.text.bytes()),
            Message::NqPrint(m) if self.wanted.any(TEXT) => self.print(game, target, Level::Unknown, m.text.bytes()),
            Message::CenterPrint(m) if self.wants(Kind::CenterPrint) && self.is_new(m.text.bytes()) => {
                self.tell(Evidence::Stated, EventKind::CenterPrint { text: m.text.game() });
            }
            Message::StuffText(m) => self.stuffed(d, game, m.text.bytes()),
            Message::ServerInfoKey(m) if m.key.bytes() == b"status" && m.value.bytes().starts_with(b"Countdown") => {
                self.match_state(Evidence::Stated, MatchState::Countdown);
            }
            _ => {}
        }
    }

    /// A message has been taken in.
    pub fn after(&mut self, game: &Game, message: &Message) {
        match message {
            Message::ServerData(_) | Message::ServerInfo(_) => {
                (self.ready, self.level_told, self.scores_told, self.intermission, self.match_start) = (false, false, false, false, None);
                self.paused = false;
            }
            message if crate::recording::is_frame(message) => {
                self.tell_level(game);
                self.ready = true;
            }
            Message::ViewPlayer(_) | Message::PlayerInfo(_) => self.ready = true,
            Message::ModelList(_) | Message::ModelListShort(_) => self.tell_level(game),
            Message::QwIntermission(_) | Message::NqIntermission(_) | Message::Finale(_) | Message::CutScene(_) => self.level_ends(game),
            Message::SetPause(_) if self.paused != game.paused => {
                self.paused = game.paused;
                let state = if game.paused { MatchState::Paused } else { MatchState::Resumed };
                self.tell(Evidence::Stated, EventKind::Match { state });
            }
            _ => {}
        }
    }

    fn level_ends(&mut self, game: &Game) {
        if !std::mem::replace(&mut self.intermission, true) {
            self.tell(Evidence::Stated, EventKind::Match { state: MatchState::Intermission });
            self.tell_scores(game);
        }
    }

    fn tell_level(&mut self, game: &Game) {
        if self.level_told {
            return;
        }
        let Some(map) = game.level.map() else { return };
        self.level_told = true;
        let game_type = game.level.setting("mode").map(Cow::Owned).or(match game.level.game_type {
            Some(0) => Some(Cow::Borrowed("cooperative")),
            Some(1) => Some(Cow::Borrowed("deathmatch")),
            _ => None,
        });
        let title = (!game.level.title.bytes().is_empty()).then(|| game.level.title.game());
        self.tell(Evidence::Stated, EventKind::Level { map, game: crate::recording::game_directory(game), game_type, title });
    }

    fn tell_scores(&mut self, game: &Game) {
        if !self.wants(Kind::Scores) || std::mem::replace(&mut self.scores_told, true) {
            return;
        }
        let mut players: Vec<Score> = game
            .roster
            .iter()
            .filter(|(_, person)| !person.spectator)
            .map(|(slot, person)| Score { player: player(slot, person), score: i32::from(person.frags), deaths: None, ping: person.ping, minutes: None })
            .collect();
        players.sort_by_key(|line| std::cmp::Reverse(line.score));
        let mut teams: Vec<(Cow<'static, str>, i32)> = Vec::new();
        let teamplay = game.level.setting("teamplay").is_some_and(|value| value != "0");
        for line in players.iter().filter(|_| teamplay) {
            let Some(team) = &line.player.team else { continue };
            match teams.iter_mut().find(|(name, _)| name == team) {
                Some((_, sum)) => *sum += line.score,
                None => teams.push((team.clone(), line.score)),
            }
        }
        if !players.is_empty() {
            self.tell(Evidence::Stated, EventKind::Scores { teams, players });
        }
    }

    /// Somebody's name, team or presence changes.
    fn person(&mut self, game: &Game, slot: u8, after: Option<&Person>, user_id: Option<i32>) {
        let before = game.roster.get(slot);
        let other = before.is_some_and(|person| user_id.is_some_and(|id| id != person.user_id));
        match (before, after) {
            (None, Some(new)) => self.tell(Evidence::Stated, EventKind::Join { player: player(slot, new) }),
            (Some(old), None) => self.tell(Evidence::Stated, EventKind::Leave { player: player(slot, old), reason: None }),
            (Some(old), Some(new)) if other => {
                self.tell(Evidence::Stated, EventKind::Leave { player: player(slot, old), reason: None });
                self.tell(Evidence::Stated, EventKind::Join { player: player(slot, new) });
            }
            (Some(old), Some(new)) => {
                if old.name != new.name {
                    self.tell(Evidence::Stated, EventKind::Rename { player: player(slot, new), from: characters::text(&old.name) });
                }
                let (from, to) = (team(old), team(new));
                if from != to {
                    self.tell(Evidence::Stated, EventKind::Team { player: player(slot, new), from: from.unwrap_or(Cow::Borrowed("")) });
                }
            }
            (None, None) => {}
        }
    }

    fn weapon(&mut self, game: &Game, target: Target, value: i32) {
        if !self.ready || !self.wants(Kind::Weapon) {
            return;
        }
        let slot = match target.kind {
            kind::SINGLE | kind::STATS => Some(target.slot),
            0 | kind::READ => game.own,
            _ => None,
        };
        let Some(slot) = slot else { return };
        let before = game.stats_of(slot).map_or(0, |stats| stats[stat::ACTIVE_WEAPON]);
        if before == value {
            return;
        }
        if let (Some(player), Some(weapon)) = (game.roster.player(slot), items::weapon(value)) {
            self.tell(Evidence::Stated, EventKind::Weapon { player, weapon: Cow::Borrowed(weapon) });
        }
    }

    fn match_state(&mut self, evidence: Evidence, state: MatchState) {
        if state == MatchState::Countdown && self.counting_down {
            return;
        }
        self.counting_down = state == MatchState::Countdown;
        match state {
            MatchState::Started if self.match_start.is_some() => return,
            MatchState::Started => self.match_start = Some(self.clock.demo),
            MatchState::Countdown => self.match_start = None,
            _ => {}
        }
        self.tell(evidence, EventKind::Match { state });
    }

    /// Whether a text was not just told to another reader.
    fn is_new(&mut self, text: &[u8]) -> bool {
        const AT_ONCE: i64 = 100;
        let now = self.clock.demo;
        self.recent.retain(|(time, _)| (now - *time).0 <= AT_ONCE);
        if self.recent.iter().any(|(_, known)| known == text) {
            return false;
        }
        self.recent.push((now, text.to_vec()));
        true
    }

    fn print(&mut self, game: &Game, target: Target, level: Level, text: &[u8]) {
        let reader: Reader = match target.kind {
            kind::SINGLE | kind::STATS => (kind::SINGLE, target.slot, 0),
            kind::MULTIPLE => (kind::MULTIPLE, 0, target.players),
            _ => (0, 0, 0),
        };
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
                if self.is_new(said) {
                    self.chat(game, said);
                }
                return;
            }
        }
        let to = match reader {
            (kind::SINGLE, slot, _) => Some(slot),
            (0, ..) => game.own.filter(|_| !game.own_spectates),
            _ => None,
        };
        if matches!(level, Level::Low | Level::Unknown) && self.item_line(game, to, line) {
            return;
        }
        if !self.is_new(line) {
            return;
        }
        if matches!(level, Level::Medium | Level::High | Level::Unknown) {
            if self.kill(game, line) || self.flag(game, line) {
                return;
            }
            if let Some(state) = phrases::match_state(line) {
                self.match_state(Evidence::Inferred, state);
            }
        }
        if self.wants(Kind::Print) {
            self.tell(Evidence::Stated, EventKind::Print { text: characters::text(line) });
        }
    }

    fn kill(&mut self, game: &Game, line: &[u8]) -> bool {
        // a piece without a line's end may have been left over from before
        let Some(found) = obituary_of(game, line).or_else(|| obituary_of(game, line.trim_ascii_start())) else { return false };
        if !self.wants(Kind::Kill) {
            return true;
        }
        let killer = found.killer.map(|name| named(game, name));
        let Some(victim) = found.victim.map(|name| named(game, name)) else {
            // only the killer is named: nobody can be said to have died
            return false;
        };
        let same_team = killer.as_ref().is_some_and(|killer| killer.team.is_some() && killer.team == victim.team && killer != &victim);
        let teamplay = game.level.setting("teamplay").is_some_and(|value| value != "0");
        let team_kill = match found.phrase.shape {
            obituary::Shape::OfTeamMate | obituary::Shape::ByTeamMate | obituary::Shape::BySomeTeamMate => true,
            _ => same_team && teamplay,
        };
        let mut kill = Kill::new(killer, victim, found.phrase.means);
        kill.team_kill = team_kill;
        self.tell(Evidence::Inferred, EventKind::Kill(kill));
        true
    }

    fn flag(&mut self, game: &Game, line: &[u8]) -> bool {
        let Some((name, action, flag_team)) = phrases::flag(game, line) else { return false };
        self.tell(Evidence::Inferred, EventKind::Flag { team: flag_team, action, player: Some(named(game, name)) });
        true
    }

    fn stuffed(&mut self, d: &Dialect, game: &Game, text: &[u8]) {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next() != Some(b"//ktx") {
            return;
        }
        let what = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<u32>().ok());
        match what {
            b"matchstart" => self.match_state(Evidence::Stated, MatchState::Started),
            b"took" if self.wants(Kind::Item) => {
                let (Some(entity), _, Some(by)) = (number(), number(), number()) else { return };
                let Some(name) = items::of_entity(d, game, entity) else { return };
                self.took(game, by, name);
            }
            b"bp" if self.wants(Kind::Item) => {
                let (_, Some(by)) = (number(), number()) else { return };
                self.took(game, by, "backpack");
            }
            _ => {}
        }
    }

    fn took(&mut self, game: &Game, entity: u32, name: &'static str) {
        let Some(slot) = slot_of_entity(entity) else { return };
        let Some(player) = game.roster.player(slot) else { return };
        let event = self.event(Evidence::Stated, EventKind::Item { player, item: Cow::Borrowed(name) });
        self.items.stated(slot, name, event);
    }

    /// Hidden blocks of a multi-view recording.
    pub fn hidden(&mut self, game: &Game, blocks: &HiddenBlocks) {
        for Hidden { body, .. } in &blocks.blocks {
            match body {
                HiddenBody::DamageDone { death_type, attacker, victim, damage } if self.wants(Kind::Damage) => {
                    let who = |entity: u16| slot_of_entity(u32::from(entity)).and_then(|slot| game.roster.player(slot));
                    let Some(victim) = who(*victim) else { continue };
                    let means = phrases::death_type(death_type & 0x7fff).map(Cow::Borrowed);
                    self.tell(Evidence::Stated, EventKind::Damage { attacker: who(*attacker), victim, amount: i32::from(*damage), means });
                }
                HiddenBody::DemoInfo { block, content } => {
                    if self.demo_info.len() + content.len() <= demo_info::LONGEST {
                        self.demo_info.extend_from_slice(content);
                    }
                    if *block == 0 {
                        let text = std::mem::take(&mut self.demo_info);
                        if let Some(kind) = demo_info::scores(game, &text)
                            && self.wants(Kind::Scores)
                            && !std::mem::replace(&mut self.scores_told, true)
                        {
                            self.tell(Evidence::Stated, kind);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The death that a line tells, going by the names on the score board.
fn obituary_of<'l>(game: &Game, line: &'l [u8]) -> Option<obituary::Obituary<'l>> {
    let is_name = |bytes: &[u8]| game.roster.iter().any(|(_, person)| person.name == bytes);
    let ends = game.roster.iter().filter(|(_, person)| line.starts_with(&person.name)).map(|(_, person)| person.name.len());
    obituary::read(line, ends, is_name)
}

/// The slot of a player's entity.
fn slot_of_entity(entity: u32) -> Option<u8> {
    (1..=255).contains(&entity).then(|| (entity - 1) as u8)
}

/// The player of a name, or a player of whom only the name is known.
fn named(game: &Game, name: &[u8]) -> Player {
    match game.roster.iter().find(|(_, person)| person.name == name) {
        Some((slot, person)) => player(slot, person),
        None => Player { slot: None, name: characters::text(name), team: None },
    }
}

/// Whether a framing holds messages.
pub(crate) fn target_of(framing: &Framing) -> Option<Target> {
    match framing {
        Framing::NetQuake { .. } => Some(Target::default()),
        Framing::Packet { target, .. } => Some(*target),
        _ => None,
    }
}

/// Text with a prefix that is not part of it taken off.
fn said(text: &[u8]) -> Text {
    characters::text(text.strip_prefix(b" ").unwrap_or(text))
}
