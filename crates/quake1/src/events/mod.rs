//! Concludes events from messages and the states before and after them (`docs/formats/quake1.md`, "Events").

mod chat;
mod damage;
mod deaths;
pub(crate) mod demo_info;
mod doubts;
mod final_scores;
mod items;
mod line_names;
mod match_progress;
mod obituaries;
pub(crate) mod obituary;
mod phrases;
mod pickups;
mod print;
mod pro_quake;
mod repeats;
mod roster_changes;
mod runs;
mod scores;
mod sink;
mod tables;
mod weapon_stats;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{EventSource, Fed, make_ready};
use fragreel_model::{Damage, Event, EventKind, Evidence, Kind, Kinds, MatchState, Milliseconds};

use crate::characters;
use crate::container::{Block, Target, kind};
use crate::dialect::Dialect;
use crate::message::hidden::{Hidden, HiddenBlocks, HiddenBody};
use crate::message::hot_path::Unasked;
use crate::message::{Message, is_frame};
use crate::phrase_file::PhraseFile;
use crate::state::{Game, player, slot_of_entity, stat};
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::lines::{Level, Lines};
use crate::walk::match_clock::is_countdown;
use crate::walk::playback::{MessageContext, PassedBlocks, Playback};
use crate::walk::rounds::Rounds;
use damage::HealthTracker;
use deaths::Deaths;
use match_progress::MatchProgress;
use obituaries::Obituaries;
use repeats::Repeats;
use runs::Runs;
use sink::EventSink;
use tables::Tables;
use weapon_stats::WeaponStats;

/// The walk that makes the events of the wanted kinds.
pub(crate) struct EventPlayback<'a> {
    playback: Playback<'a>,
    builder: EventBuilder,
}

impl<'a> EventPlayback<'a> {
    /// A walk that stands at the start.
    pub(crate) fn new(input: &Input<'a>, wanted: Kinds) -> Self {
        EventPlayback { playback: Playback::new(input, false), builder: EventBuilder::new(wanted, input.phrases.clone()) }
    }
}

impl EventPlayback<'_> {
    /// Reads every block, for tests.
    pub(crate) fn with_quiet(self) -> Self {
        EventPlayback { playback: self.playback.with_quiet(), ..self }
    }

    /// The same walk over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> EventPlayback<'b> {
        EventPlayback { playback: self.playback.over(chunk), builder: self.builder }
    }
}

impl Fed for EventPlayback<'static> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let mut walk = self.over(chunk);
        make_ready(&mut walk);
        walk.over(Chunk::none())
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }
}

impl EventSource for EventPlayback<'_> {
    fn advance(&mut self) -> bool {
        let EventPlayback { playback, builder } = self;
        if builder.is_idle() {
            let passed = playback.pass_quiet(builder.unasked);
            builder.passed(passed, &playback.clock);
        }
        let Some(step) = playback.next_block() else {
            if !playback.chunk().hides_more() {
                builder.finish(&playback.game);
            }
            return false;
        };
        let NextBlock::Block(block) = step else { return true };
        builder.block(&block, &playback.clock);
        builder.out.uncertain = playback.uncertain;
        // errors are among the findings
        let _ = playback.play(&block, |context, item| match item {
            Item::Message(message) => {
                builder.before(context, message);
                context.apply(message);
                builder.after(context.game, message);
            }
            Item::Hidden(blocks) => builder.hidden(context.game, blocks),
            Item::Header(_) | Item::Opaque(_) => {}
        });
        true
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        &mut self.builder.out.ready
    }

    fn damage(&self) -> Vec<Damage> {
        self.playback.findings.kept.clone()
    }

    fn end(&self) -> Milliseconds {
        self.builder.end
    }
}

/// Makes events from messages.
pub(crate) struct EventBuilder {
    out: EventSink,
    progress: MatchProgress,
    runs: Runs,
    lines: Lines,
    repeats: RepeatFilters,
    deaths: Deaths,
    obituaries: Obituaries,
    health: HealthTracker,
    respawns: items::Respawns,
    demo_info: Vec<u8>,
    weapon_stats: WeaponStats,
    tables: Tables,
    rounds: Rounds,
    /// A command that has not ended yet.
    command: Vec<u8>,
    /// The time of the last frame.
    end: Milliseconds,
    /// What no wanted event depends on.
    unasked: Unasked,
}

/// Kinds of events that depend on stats of players.
const OF_STATS: &[Kind] = &[Kind::Kill, Kind::Damage, Kind::Weapon, Kind::Item, Kind::Finish, Kind::Print];
/// Kinds of events that texts in the middle of the screen give.
const OF_CENTER_PRINTS: &[Kind] = &[Kind::CenterPrint, Kind::Round];

/// The longest command that is collected.
const LONGEST_COMMAND: usize = 256;

/// Recent texts, so that a text to several readers is one event.
#[derive(Debug, Default)]
struct RepeatFilters {
    lines: Repeats,
    chat: Repeats,
    center: Repeats,
}

impl EventBuilder {
    /// A builder that has seen nothing yet.
    pub(crate) fn new(wanted: Kinds, phrases: Option<Arc<PhraseFile>>) -> Self {
        EventBuilder {
            out: EventSink::new(wanted),
            progress: MatchProgress::default(),
            runs: Runs::default(),
            lines: Lines::default(),
            repeats: RepeatFilters::default(),
            deaths: Deaths::default(),
            obituaries: Obituaries::new(phrases),
            health: HealthTracker::default(),
            respawns: items::Respawns::default(),
            demo_info: Vec::new(),
            weapon_stats: WeaponStats::default(),
            tables: Tables::default(),
            rounds: Rounds::default(),
            command: Vec::new(),
            end: Milliseconds(0),
            unasked: Unasked { stats: !wanted.any(OF_STATS), center_prints: !wanted.any(OF_CENTER_PRINTS), low_prints: false, chat: !wanted.has(Kind::Chat) },
        }
    }

    /// Starts a block.
    pub(crate) fn block(&mut self, block: &Block<'_>, clock: &Clock) {
        self.advance(clock);
        self.out.message = block.number;
    }

    /// True if quiet blocks change nothing but the time: nothing waits for a moment or a frame.
    fn is_idle(&self) -> bool {
        self.progress.is_settled() && self.out.is_idle() && self.tables.is_empty() && self.command.is_empty()
    }

    /// Follows quiet blocks that were passed over.
    fn passed(&mut self, passed: PassedBlocks, clock: &Clock) {
        if passed.blocks == 0 {
            return;
        }
        self.advance(clock);
        self.out.message = self.out.message.wrapping_add(passed.blocks);
        self.end = passed.frame.unwrap_or(self.end);
    }

    /// Emits everything that still waits.
    pub(crate) fn finish(&mut self, game: &Game) {
        self.end_tables(self.out.now(), None);
        self.state_totals(game);
        self.out.flush(&mut self.deaths);
    }

    fn advance(&mut self, clock: &Clock) {
        let before = self.out.clock.demo;
        self.out.clock.clone_from(clock);
        if clock.demo != before {
            self.end_tables(before, Some(clock.demo));
            self.out.moment_passed(&mut self.deaths);
        }
    }

    /// Emits the tables that nothing follows.
    fn end_tables(&mut self, time: Milliseconds, now: Option<Milliseconds>) {
        if self.tables.is_empty() {
            return;
        }
        for statement in self.tables.take(now) {
            self.out.emit_at(time, EventKind::Statistics(Box::new(statement)));
        }
    }

    /// Follows a message before it is applied. The clocks already have its time.
    pub(crate) fn before(&mut self, context: &MessageContext<'_>, message: &Message) {
        if Clock::follows(message) {
            self.advance(context.clock);
        }
        let (d, game, target) = (context.dialect, &*context.game, context.delivery.target);
        if self.progress.ready {
            roster_changes::changes(&mut self.out, game, message);
        }
        match message {
            Message::ServerInfo(_) | Message::ServerData(_) => {
                self.end_lines(game);
                self.end_tables(self.out.now(), None);
            }
            Message::UpdateFrags(m) if self.progress.ready => self.score(game, m.slot, m.frags),
            Message::StatByte(m) => self.stat(game, target, usize::from(m.stat), i32::from(m.value)),
            Message::StatLong(m) => self.stat(game, target, usize::from(m.stat), m.value),
            Message::ClientData(m) => {
                use crate::fields::netquake::client_slot::{ACTIVE_WEAPON, HEALTH};
                self.stat(game, target, stat::HEALTH, m.row[HEALTH] as i32);
                self.stat(game, target, stat::ACTIVE_WEAPON, m.row[ACTIVE_WEAPON] as i32);
            }
            Message::QwPrint(m) => self.print(game, target, Level::of(m.level), m.text.bytes()),
            Message::NqPrint(m) => self.print(game, target, Level::Unknown, m.text.bytes()),
            Message::CenterPrint(m) if self.out.wanted.any(OF_CENTER_PRINTS) && self.repeats.center.is_new(self.out.now(), m.text.bytes()) => {
                if let Some(round) = self.rounds.center(m.text.bytes()) {
                    self.out.emit(Evidence::Inferred, round);
                }
                self.out.emit(Evidence::Stated, EventKind::CenterPrint { text: m.text.game() });
            }
            Message::StuffText(m) => self.stuffed(d, game, target, m.text.bytes()),
            message if is_countdown(message) => {
                self.progress.state(&mut self.out, Evidence::Stated, MatchState::Countdown);
            }
            _ => {}
        }
    }

    /// Follows a message after it was applied.
    pub(crate) fn after(&mut self, game: &Game, message: &Message) {
        match message {
            Message::ServerData(_) | Message::ServerInfo(_) => {
                self.progress.new_level(&mut self.out);
                self.runs.new_level();
                self.respawns.forget();
            }
            message if is_frame(message) => {
                self.progress.level(&mut self.out, game);
                self.progress.opening(&mut self.out, game);
                self.progress.ready = true;
                self.end = self.out.clock.demo;
            }
            Message::ViewPlayer(_) | Message::PlayerInfo(_) => self.progress.ready = true,
            Message::ModelList(_) | Message::ModelListShort(_) => self.progress.level(&mut self.out, game),
            Message::QwIntermission(_) | Message::NqIntermission(_) | Message::Finale(_) => {
                self.state_totals(game);
                self.runs.level_ends(&mut self.out, game);
                self.progress.ends(&mut self.out, game);
            }
            Message::SetPause(_) => self.progress.pause(&mut self.out, game),
            _ => {}
        }
    }

    /// Emits running totals once they are final.
    fn state_totals(&mut self, game: &Game) {
        if let Some(statement) = self.weapon_stats.statement(game) {
            self.out.emit(Evidence::Stated, EventKind::Statistics(Box::new(statement)));
        }
    }

    fn score(&mut self, game: &Game, slot: u8, frags: i16) {
        self.deaths.score(self.out.now(), game, slot, frags);
        if self.out.wants(Kind::Score)
            && let Some(person) = game.roster.get(slot).filter(|person| person.frags != frags)
        {
            self.out.emit(Evidence::Stated, EventKind::Score { player: Some(player(slot, person)), team: None, score: i32::from(frags) });
        }
    }

    fn stat(&mut self, game: &Game, target: Target, number: usize, value: i32) {
        game.addressed(target).for_each(|slot| self.health.stat(slot, number, value));
        match number {
            stat::HEALTH => game.addressed(target).for_each(|slot| {
                self.deaths.health(self.out.now(), game, slot, value);
                if value > 0 {
                    self.out.respawned(slot);
                }
            }),
            stat::ACTIVE_WEAPON => self.weapon(game, target, value),
            _ => {}
        }
    }

    fn weapon(&mut self, game: &Game, target: Target, value: i32) {
        if !self.progress.ready || !self.out.wants(Kind::Weapon) {
            return;
        }
        let slot = match target.kind {
            kind::MULTIPLE => None,
            _ => game.addressed(target).next(),
        };
        // a spectator receives the stats of the followed player
        let Some(slot) = slot.filter(|slot| !game.roster.get(*slot).is_some_and(|person| person.spectator)) else { return };
        let before = game.stats_of(slot).map_or(0, |stats| stats[stat::ACTIVE_WEAPON]);
        if before == value {
            return;
        }
        if let (Some(player), Some(weapon)) = (game.roster.player(slot), items::weapon(value)) {
            self.out.emit(Evidence::Stated, EventKind::Weapon { player, weapon: Cow::Borrowed(weapon) });
        }
    }

    fn stuffed(&mut self, d: &Dialect, game: &Game, target: Target, text: &[u8]) {
        match pro_quake::read(text) {
            Some(pro_quake::Said::Score(team, score)) => {
                return self.out.emit(Evidence::Stated, EventKind::Score { player: None, team: Some(team), score });
            }
            Some(pro_quake::Said::Reset) => return self.progress.state(&mut self.out, Evidence::Stated, MatchState::Started),
            None => {}
        }
        if self.out.wants(Kind::Command) && self.played(text) {
            return;
        }
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"//ktx") => {}
            Some(b"//wps") if self.out.wants(Kind::Statistics) => {
                self.weapon_stats.take(words.map(|word| Cow::Owned(String::from_utf8_lossy(word).into_owned())));
                return;
            }
            Some(b"//finalscores") if self.out.wants(Kind::Statistics) => {
                let arguments = text.trim_ascii_start().strip_prefix(b"//finalscores").unwrap_or_default();
                if let Some(statement) = final_scores::statement(game, arguments) {
                    self.out.emit(Evidence::Stated, EventKind::Statistics(Box::new(statement)));
                }
                return;
            }
            Some(b"//demomark") if self.out.wants(Kind::Command) => {
                self.out.emit(Evidence::Stated, EventKind::Command { text: characters::text(text.trim_ascii()) });
                return;
            }
            _ => return,
        }
        let what = words.next().unwrap_or_default();
        if what == b"race" {
            let player = game.addressed(target).next().or(game.own).and_then(|slot| game.roster.player(slot));
            self.runs.race(&mut self.out, game, player, words.filter_map(|word| std::str::from_utf8(word).ok()));
            return;
        }
        let mut number = || words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<u32>().ok());
        match what {
            b"matchstart" => {
                self.respawns.forget();
                self.progress.state(&mut self.out, Evidence::Stated, MatchState::Started);
            }
            b"took" if self.out.wants(Kind::Item) => {
                let (Some(entity), seconds, Some(by)) = (number(), number(), number()) else { return };
                let delay = self.respawns.took(entity, seconds.unwrap_or(0), self.out.clock.demo);
                let Some(name) = items::of_entity(d, game, entity) else { return };
                items::stated(&mut self.out, game, by, name, delay);
            }
            b"timer" if self.out.wants(Kind::Item) => {
                let (Some(entity), Some(seconds)) = (number(), number()) else { return };
                self.respawns.comes(entity, seconds, self.out.clock.demo);
            }
            b"bp" if self.out.wants(Kind::Item) => {
                let (_, Some(by)) = (number(), number()) else { return };
                items::stated(&mut self.out, game, by, "backpack", None);
            }
            _ => {}
        }
    }

    /// Emits the command by which a recording goes on with another one. NetQuake sends commands in pieces. Returns false if the text is no part of one.
    fn played(&mut self, text: &[u8]) -> bool {
        const PLAY: &[u8] = b"playdemo ";
        if self.command.is_empty() && !text.starts_with(PLAY) || self.command.len() + text.len() > LONGEST_COMMAND {
            self.command.clear();
            return false;
        }
        self.command.extend_from_slice(text);
        if let Some(end) = self.command.iter().position(|&byte| byte == b'\n') {
            let command = characters::text(self.command[..end].trim_ascii());
            self.command.clear();
            self.out.emit(Evidence::Stated, EventKind::Command { text: command });
        }
        true
    }

    /// Follows hidden blocks of a multi-view recording.
    pub(crate) fn hidden(&mut self, game: &Game, blocks: &HiddenBlocks) {
        for Hidden { body, .. } in &blocks.blocks {
            self.deaths.hidden(self.out.now(), body);
            match body {
                HiddenBody::DamageDone { death_type, attacker, victim, damage } if self.out.wants(Kind::Damage) => {
                    let who = |entity: u16| slot_of_entity(u32::from(entity)).and_then(|slot| game.roster.player(slot));
                    let Some(slot) = slot_of_entity(u32::from(*victim)) else { continue };
                    let is_dead = self.health.is_dead(slot, self.out.now());
                    let lost = self.health.hit(slot, *damage, self.out.now());
                    let Some(victim) = game.roster.player(slot) else { continue };
                    let means = phrases::death_type(death_type & 0x7fff).map(Cow::Borrowed);
                    let kind = EventKind::Damage { attacker: who(*attacker), victim, amount: i32::from(*damage), lost, means };
                    if is_dead { self.out.on_corpse(slot, kind) } else { self.out.emit(Evidence::Stated, kind) }
                }
                HiddenBody::DemoInfo { block, content } => {
                    if self.demo_info.len() + content.len() <= demo_info::LONGEST {
                        self.demo_info.extend_from_slice(content);
                    }
                    if *block == 0 {
                        let text = std::mem::take(&mut self.demo_info);
                        if let Some(statement) = demo_info::statement(game, &text) {
                            if let Some(kind) = demo_info::scores(&statement) {
                                self.progress.scores(&mut self.out, kind);
                            }
                            self.out.emit(Evidence::Stated, EventKind::Statistics(Box::new(statement)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
