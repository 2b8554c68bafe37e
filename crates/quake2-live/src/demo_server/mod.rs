//! A server that plays a recording to clients of the game: a client's of protocol 34, or one of several players, of whom each viewer follows one. Entity states contain no times, and frames only numbers.
//! So a seek sends a full frame with a later number, and the strings that differ (`docs/live.md`).

mod camera;
mod follow;
mod order;
#[cfg(test)]
mod tests;
mod viewer;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use fragreel_live::{Challenges, Checkpoints, ControlCommand, Growing, PlaybackCore, Rates, ViewerList, Viewers};

use super::handshake::{OUTSIDE, PROTOCOL, Question};
use super::playhead::{Directed, Playhead};
use super::safe;
use camera::{Camera, OWN_SLOT};
use fragreel_quake2::Recording;
use fragreel_quake2::detect::Framing;
use fragreel_quake2::dialect::RecordingKind;
use fragreel_quake2::fields::player::{PM_FLAGS, PM_TYPE};
use fragreel_quake2::message::{Body, ConfigString, Context, Message, Print, ServerData, Text};
use fragreel_quake2::state::aged;
use fragreel_quake2::unstable::reencode::{FrameEncoder, FrameState};
use fragreel_quake2::unstable::signon::write;
use fragreel_quake2::unstable::strings::StringSlots;
use fragreel_quake2::unstable::views::{Eyes, has_several_views};
use order::next_of;
use viewer::{Cache, ClientPhase, OutgoingFrame, SignonMessages, Viewer};

/// The demo server. `A` is the caller's address type.
#[derive(Clone)]
pub struct DemoServer<A> {
    core: PlaybackCore<A>,
    recording: Growing,
    playhead: Playhead,
    checkpoints: Checkpoints<Playhead>,
    viewers: Viewers<A, Viewer>,
    challenges: Challenges,
    rates: Rates<A>,
    name: String,
    /// The time and number of the last frame sent.
    last_sent: f64,
    number: i32,
    /// Levels sent so far.
    levels: u32,
    /// By followed player.
    signon: BTreeMap<Option<u16>, Arc<SignonMessages>>,
    /// The players' eyes, if several can be followed, and the player whom new viewers follow.
    eyes: BTreeMap<u16, Eyes>,
    pov: Option<u16>,
    /// Whether the newest frame was not sent yet.
    has_new_frame: bool,
    over: bool,
    /// Whether another level begins that had no frame yet.
    level_pending: bool,
}

/// Console commands of a recording that viewers receive.
const ALLOWED: [&str; 1] = ["play"];
/// The maximum number of viewers.
const MAX_VIEWERS: usize = 64;
/// Bytes of the answer to `info`.
const INFO_ANSWER: usize = 41;
/// The minimum distance of checkpoints in milliseconds, and their maximum number.
const CHECKPOINT_INTERVAL: i64 = 15_000;
const MAX_CHECKPOINTS: i64 = 64;
/// Seconds of silence before a viewer is dropped, and seconds before a repeated `connect` starts over.
const TIMEOUT: f64 = 60.0;
const RECONNECT: f64 = 3.0;
/// Seconds between two frames while playback rests, and the minimum while it runs.
const IDLE_FRAME_INTERVAL: f64 = 0.1;
const MIN_FRAME_INTERVAL: f64 = 0.02;
/// Seconds without a new frame before a growing recording counts as resting.
const STARVED_FRAME_INTERVAL: f64 = 1.0;
/// Seconds between two packets to a viewer with unacknowledged data, and to others.
const RESEND_INTERVAL: f64 = 0.1;
const KEEPALIVE_INTERVAL: f64 = 0.5;
/// Reliable bytes queued for a viewer. Above the first limit chat is dropped, above the second the viewer.
const CHAT_QUEUE_LIMIT: usize = 16 << 10;
const QUEUE_LIMIT: usize = 512 << 10;
/// How far frame numbers jump on a seek, so that no earlier frame is a base.
const NUMBER_JUMP: i32 = 16;
/// Movement type and flag that stop prediction: the game shows the view as it is sent.
const FROZEN: u32 = 4;
const NO_PREDICTION: u32 = 64;

impl<A: Ord + Copy + Hash> DemoServer<A> {
    /// Creates a server that starts at the beginning of a recording. `secret` is a random number for challenges. `marks` are the times for
    /// `next` and `prev`, in ascending order.
    ///
    /// Fails with a reason if it is neither a client recording of protocol 34, which `convert` makes, nor one of several players that protocol 34 can
    /// express.
    pub fn new(recording: &Recording<'_>, name: &str, secret: u64, marks: impl IntoIterator<Item = i64>) -> Result<Self, &'static str> {
        let found = recording.input();
        if has_several_views(found) {
            if !found.dialect.is_convertible() {
                return Err("protocol 34 cannot express its frames");
            }
        } else if found.container != Framing::Dm2 || !found.dialect.is_playable() {
            return Err("it is no client's recording of protocol 34");
        }
        let length = recording.info().duration.map_or(0, |length| length.0);
        let mut core = PlaybackCore::new(length, marks, &ALLOWED);
        let (mut playhead, source) = (Playhead::new(recording), Growing::whole(recording.bytes().to_vec()));
        while !playhead.is_open {
            playhead.step(&source, &mut core.console).ok_or("there is no frame in it")?;
        }
        if playhead.state().clock.rate() != playhead.dialect().rate {
            return Err("protocol 34 has ten frames a second");
        }
        let mut server = DemoServer {
            core,
            checkpoints: Checkpoints::new(playhead.clone(), CHECKPOINT_INTERVAL.max(length / MAX_CHECKPOINTS)),
            recording: source,
            playhead,
            viewers: Viewers::new(MAX_VIEWERS),
            challenges: Challenges::new(secret),
            rates: Rates::new(),
            name: name.chars().filter(|c| c.is_ascii_graphic() && !"\\\";%".contains(*c)).take(32).collect(),
            last_sent: f64::NEG_INFINITY,
            number: NUMBER_JUMP,
            levels: 0,
            signon: BTreeMap::new(),
            eyes: BTreeMap::new(),
            pov: None,
            has_new_frame: true,
            over: false,
            level_pending: false,
        };
        server.begin_level();
        Ok(server)
    }

    fn write(&self, body: Body) -> Vec<u8> {
        write(&Message::new(body), &mut Context::new(self.playhead.dialect()))
    }

    fn stufftext(&self, text: String) -> Vec<u8> {
        self.write(Body::StuffText(Text(text.into_bytes())))
    }

    /// Starts a level. Clients answer with its number.
    fn begin_level(&mut self) {
        self.levels += 1;
        self.signon.clear();
        self.eyes.clear();
    }

    /// Sends the level to every viewer that had one.
    fn open_level(&mut self) {
        self.begin_level();
        let again = [self.stufftext(String::from("changing\n")), self.stufftext(String::from("reconnect\n"))].concat();
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.phase > ClientPhase::Connected) {
            viewer.phase = ClientPhase::Connected;
            viewer.channel.queue(&again);
        }
    }

    /// The messages for a client that joins now.
    fn signon(&mut self, follows: Option<u16>) -> Arc<SignonMessages> {
        if let Some(signon) = self.signon.get(&follows) {
            return Arc::clone(signon);
        }
        let (signon, dialect) = (&self.playhead.signon, self.playhead.dialect());
        let mut data = signon.server_data.clone().unwrap_or_default();
        if self.playhead.has_views() {
            data.clientnum = OWN_SLOT as i16;
        }
        let data = ServerData { kind: RecordingKind::NETWORK.0, servercount: self.levels, ..safe::server_data(data) };
        let mut messages = vec![self.write(Body::ServerData(Box::new(data)))];
        messages.extend(self.strings(&StringSlots::default(), follows));
        for (number, row) in self.playhead.baselines().iter().filter(|(number, _)| fragreel_quake2::unstable::limits::holds(&dialect, *number)) {
            let delta = fragreel_quake2::unstable::canonical::entity(&dialect, dialect.line, number, &fragreel_quake2::state::NOTHING, row, true, true);
            messages.extend(delta.map(|delta| self.write(Body::SpawnBaseline(Box::new(delta)))));
        }
        messages.push(self.stufftext(format!("precache {}\n", self.levels)));
        let signon = Arc::new(SignonMessages { messages });
        self.signon.insert(follows, Arc::clone(&signon));
        signon
    }

    /// Encodes the strings of a viewer that differ from those of `before`.
    fn strings(&self, before: &StringSlots, follows: Option<u16>) -> Vec<Vec<u8>> {
        let (dialect, image) = (self.playhead.dialect(), self.playhead.image(follows));
        let changed = image.changed(before).into_iter();
        let safe = changed.filter_map(|(index, text)| Some((index, safe::config_string(&dialect, index, text)?)));
        safe.map(|(index, text)| self.write(Body::ConfigString(ConfigString { index, text: Text(text) }))).collect()
    }

    /// The messages that stay on the screen of a viewer: layout and inventory.
    fn screen_messages(&self, follows: Option<u16>) -> Vec<Vec<u8>> {
        let dialect = self.playhead.dialect();
        self.playhead.screen(follows).filter_map(|message| safe::message(message, &dialect)).collect()
    }

    /// Sends messages reliably to every viewer that has the level and follows their receiver.
    fn broadcast(&mut self, messages: &[Directed]) {
        let dialect = self.playhead.dialect();
        for message in messages {
            let Some(bytes) = safe::message(&message.message, &dialect) else { continue };
            for viewer in self.viewers.values_mut().filter(|viewer| viewer.phase > ClientPhase::Connected && message.is_for(viewer.follows)) {
                viewer.channel.queue(&bytes);
            }
        }
    }

    /// Plays up to a time.
    fn advance(&mut self, time: i64, last_received: bool) {
        while (self.playhead.time() < time || !self.playhead.is_open) && !self.over {
            let Some(step) = self.playhead.step(&self.recording, &mut self.core.console) else {
                self.over = true;
                break;
            };
            self.level_pending |= step.level;
            self.has_new_frame |= step.framed;
            if self.playhead.is_open && !self.core.control.is_live() {
                self.checkpoints.pass(self.playhead.time(), &self.playhead);
            }
            if !step.reliable.is_empty() {
                self.signon.clear();
                if last_received && !self.level_pending {
                    self.broadcast(&step.reliable);
                }
            }
        }
        if !last_received {
            self.level_pending = false;
        } else if self.level_pending && (self.playhead.is_open || !self.core.control.is_live()) {
            self.level_pending = false;
            self.open_level();
        }
        if self.core.control.is_live() {
            self.core.control.grow(self.playhead.time());
        }
    }

    /// What a viewer sees: the newest frame, or the same again while playback rests.
    fn outgoing(&mut self, follows: Option<u16>) -> Option<OutgoingFrame> {
        let (state, dialect) = (self.playhead.state(), self.playhead.dialect());
        // whose eyes these are
        let mut seen_by = follows;
        let (mut frame_state, areas) = if let Some(slot) = follows {
            let mut look = |slot| self.eyes.entry(slot).or_insert_with(|| Eyes::of(slot)).look(state);
            let (mut player, mut entities) = look(slot);
            // until the player has a place, the next one shows the game
            if let Some(other) = next_of(&self.playhead.players(), follows, false).filter(|_| player.is_none()) {
                (player, entities) = look(other);
                seen_by = Some(other);
            }
            // nothing says which areas are open
            (FrameState { players: vec![(None, player.unwrap_or_default())], entities }, vec![0xff; fragreel_quake2::unstable::limits::AREAS])
        } else {
            let view = state.ring.current()?;
            let mut areas = view.areas().to_vec();
            areas.truncate(fragreel_quake2::unstable::limits::AREAS);
            (FrameState::of(view, &dialect), areas)
        };
        frame_state.entities.sort_by_key(|(number, _)| *number);
        frame_state.entities.dedup_by_key(|(number, _)| *number);
        frame_state.players.truncate(1);
        frame_state.players.resize_with(1, Default::default);
        frame_state.players[0].0 = None;
        let player = &mut frame_state.players[0].1.row;
        player[PM_TYPE] = FROZEN;
        player[PM_FLAGS] |= NO_PREDICTION;
        let screen = self.playhead.screen(follows).filter_map(|message| match &message.body {
            Body::Layout(layout) => Some(&layout.0[..]),
            _ => None,
        });
        // A status bar runs over several slots.
        let image = self.playhead.image(follows);
        let programs: Vec<&[u8]> = screen.chain([image.text(dialect.strings.statusbar)]).collect();
        safe::frame(&mut frame_state, &dialect, &programs);
        if let Some(slot) = seen_by {
            Camera::of(slot).entities(&mut frame_state.entities);
        }
        if !self.has_new_frame {
            frame_state.entities.iter_mut().for_each(|(_, row)| *row = aged(row, dialect.line));
        }
        Some(OutgoingFrame { number: self.number, areas, frame_state: Arc::new(frame_state) })
    }

    /// The sounds and effects of the newest frame as a viewer hears and sees them.
    fn effects(&self, follows: Option<u16>) -> Vec<Vec<u8>> {
        if !self.has_new_frame {
            return Vec::new();
        }
        let (dialect, cx) = (self.playhead.dialect(), Context::new(self.playhead.dialect()));
        let heard = self.playhead.effects.iter().filter(|effect| effect.is_for(follows));
        let own = |message: &Message| match follows {
            Some(slot) => safe::message(&Camera::of(slot).message(message, &cx), &dialect),
            None => safe::message(message, &dialect),
        };
        heard.filter_map(|effect| own(&effect.message)).collect()
    }

    fn send(&mut self) {
        let rests = self.core.control.clock.is_paused() || self.over;
        let since = self.core.now - self.last_sent;
        let still = if self.core.control.is_live() { STARVED_FRAME_INTERVAL } else { IDLE_FRAME_INTERVAL };
        let due = if self.has_new_frame { since >= MIN_FRAME_INTERVAL } else { rests && since >= still };
        if due && self.viewers.values().any(|viewer| viewer.phase == ClientPhase::Playing) {
            self.send_frame();
        }
        let now = self.core.now;
        for (&address, viewer) in self.viewers.iter_mut() {
            let quiet = now - viewer.last_sent;
            let patience = if viewer.channel.waiting() > 0 { RESEND_INTERVAL } else { KEEPALIVE_INTERVAL };
            if viewer.channel.has_reliable() || quiet >= patience {
                viewer.last_sent = now;
                self.core.outbox.push_back((address, viewer.channel.transmit(b"")));
            }
        }
        let is_lost = |viewer: &Viewer| viewer.left || now - viewer.last_received > TIMEOUT || viewer.channel.waiting() > QUEUE_LIMIT;
        self.core.outbox.extend(self.viewers.part("", is_lost));
    }

    fn send_frame(&mut self) {
        self.replace_missing_players();
        self.number += 1;
        let plays = |viewer: &&Viewer| viewer.phase == ClientPhase::Playing;
        let followed: BTreeSet<Option<u16>> = self.viewers.values().filter(plays).map(|viewer| viewer.follows).collect();
        self.eyes.retain(|slot, _| followed.contains(&Some(*slot)));
        for follows in followed {
            self.send_view(follows);
        }
        (self.last_sent, self.has_new_frame) = (self.core.now, false);
    }

    /// Sends a frame to all who follow the same player.
    fn send_view(&mut self, follows: Option<u16>) {
        let Some(outgoing) = self.outgoing(follows) else { return };
        let (dialect, max_clients) = (self.playhead.dialect(), self.playhead.state().max_clients());
        let encoder = FrameEncoder { dialect: &dialect, baselines: self.playhead.baselines(), max_clients };
        let effects = self.effects(follows);
        let (mut cache, now) = (Cache::default(), self.core.now);
        let watches = |viewer: &Viewer| viewer.phase == ClientPhase::Playing && viewer.follows == follows;
        for (&address, viewer) in self.viewers.iter_mut().filter(|(_, viewer)| watches(viewer)) {
            if viewer.channel.has_reliable() {
                self.core.outbox.push_back((address, viewer.channel.transmit(b"")));
            }
            if viewer.rate_limiter.is_clear(now) {
                let packet = viewer.encode_frame(&outgoing, &effects, encoder, &mut cache);
                viewer.rate_limiter.sent(now, packet.len());
                self.core.outbox.push_back((address, packet));
                viewer.last_sent = now;
            } else {
                viewer.rate_limiter.leave_out();
            }
        }
    }

    /// Answers a connectionless packet. Its sender may be forged, so answers are short and rate-limited.
    fn connectionless(&mut self, from: A, datagram: &[u8], is_near: bool) {
        let answer = match Question::read(datagram) {
            Some(Question::Challenge) => format!("challenge {} p={PROTOCOL}", self.challenges.of(&from, self.core.now)).into_bytes(),
            Some(Question::Connect { protocol, qport, challenge, rate }) => {
                self.connect(from, protocol, Viewer::new(challenge, qport, rate, self.core.now)).into_bytes()
            }
            // Nobody proved the address yet: the answer is no more than three times as long. Stock browsers ask in 11 bytes, and get half of the names.
            Some(Question::Info(PROTOCOL)) => {
                let columns = [16, 8, 4].into_iter().find(|name| is_near || datagram.len() * 3 >= INFO_ANSWER - (24 - name - name.min(&8)));
                let Some(name) = columns else { return };
                let map = name.min(8);
                format!("info\n{:>name$.name$} {:>map$.map$} {:>2}/{MAX_VIEWERS:>2}\n", self.name, self.map(), self.viewers.len()).into_bytes()
            }
            // Nobody proved the address yet: what is longer than the question goes only to those who pad it.
            Some(Question::Status) => {
                let (name, map) = (&self.name, self.map());
                let short = format!("print\n\\hostname\\{name:.16}\\mapname\\{map:.16}\n");
                let rules = format!("print\n\\hostname\\{name}\\mapname\\{map}\\protocol\\{PROTOCOL}\\maxclients\\{MAX_VIEWERS}\n");
                let viewers = "0 0 \"viewer\"\n".repeat(self.viewers.len());
                let answer = [short.clone(), rules.clone(), rules + &viewers];
                let fits = |answer: &&String| OUTSIDE.len() + answer.len() <= datagram.len();
                let answer = answer.iter().rfind(|answer| is_near || fits(answer)).unwrap_or(&short).clone();
                if !is_near && OUTSIDE.len() + answer.len() > 3 * datagram.len() {
                    return;
                }
                answer.into_bytes()
            }
            Some(Question::Ping) => b"ack".to_vec(),
            _ => return,
        };
        if self.rates.allow(from, self.core.now) {
            self.core.outbox.push_back((from, [OUTSIDE, &answer].concat()));
        }
    }

    /// The map name.
    fn map(&self) -> String {
        let state = self.playhead.state();
        let file = String::from_utf8_lossy(state.strings.get(state.dialect.strings.models + 1)).into_owned();
        let name = file.strip_prefix("maps/").unwrap_or(&file);
        name.strip_suffix(".bsp").unwrap_or(name).chars().filter(|c| c.is_ascii_graphic() && *c != '\\').take(32).collect()
    }

    fn connect(&mut self, from: A, protocol: i32, who: Viewer) -> String {
        if !self.challenges.accepts(&from, self.core.now, who.challenge) {
            return String::from("print\nBad challenge.\n");
        }
        if protocol != PROTOCOL {
            return format!("print\nThis recording is shown in protocol {PROTOCOL}.\n");
        }
        if !self.viewers.has_room(&from) {
            return String::from("print\nServer is full.\n");
        }
        // A repeated or late `connect` must not reset a connection. A client that starts over was silent for a while.
        let same = |viewer: &Viewer| viewer.challenge == who.challenge && viewer.qport == who.qport && self.core.now - viewer.last_received <= RECONNECT;
        if !self.viewers.get(&from).is_some_and(same) {
            self.viewers.insert(from, who);
        }
        String::from("client_connect")
    }

    fn command(&mut self, from: A, text: &[u8], controls: bool) {
        let words = fragreel_live::status::words(text);
        let count = words.get(1).and_then(|word| fragreel_live::status::number(word));
        match words.first().map_or(&b""[..], Vec::as_slice) {
            b"new" => {
                let first = self.first_player();
                let follows = self.viewers.get_mut(&from).and_then(|viewer| {
                    viewer.follows = viewer.follows.or(first);
                    viewer.follows
                });
                let signon = self.signon(follows);
                if let Some(viewer) = self.viewers.get_mut(&from).filter(|viewer| viewer.channel.waiting() < CHAT_QUEUE_LIMIT) {
                    viewer.sign_on(&signon);
                }
            }
            b"begin" => {
                let follows = self.viewers.get(&from).and_then(|viewer| viewer.follows);
                let (ready, screen_messages) = (count == Some(self.levels as i32), self.screen_messages(follows));
                let signon = self.signon(follows);
                match self.viewers.get_mut(&from) {
                    Some(viewer) if viewer.phase == ClientPhase::Loading && ready => {
                        viewer.phase = ClientPhase::Playing;
                        screen_messages.iter().for_each(|message| viewer.channel.queue(message));
                    }
                    Some(viewer) if viewer.phase == ClientPhase::Loading && viewer.channel.waiting() < CHAT_QUEUE_LIMIT => viewer.sign_on(&signon),
                    _ => {}
                }
            }
            b"disconnect" => {
                if let Some(viewer) = self.viewers.get_mut(&from) {
                    viewer.left = true;
                }
            }
            b"download" => {
                // Refuse every file. Clients continue without it.
                let refusal = fragreel_quake2::message::Download { size: -1, percent: 0, ..Default::default() };
                let refusal = self.write(Body::Download(refusal));
                if let Some(viewer) = self.viewers.get_mut(&from).filter(|viewer| viewer.channel.waiting() < CHAT_QUEUE_LIMIT) {
                    viewer.channel.queue(&refusal);
                }
            }
            _ if self.follow_by_command(from, text) => {}
            _ if controls => fragreel_live::PlaybackServer::order(self, text),
            _ => {}
        }
    }
}

impl<A: Ord + Copy + Hash> fragreel_live::PlaybackServer<A> for DemoServer<A> {
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (&self.core, &self.viewers)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        (&mut self.core, &mut self.viewers)
    }

    fn receive(&mut self, from: A, datagram: &[u8], controls: bool) {
        if datagram.starts_with(OUTSIDE) {
            self.connectionless(from, datagram, controls);
            return;
        }
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let message = viewer.receive(self.core.now, datagram);
        for command in &message.commands {
            self.command(from, command, controls);
        }
        if let Some(buttons) = message.buttons {
            self.follow_by_button(from, buttons);
        }
    }

    fn apply(&mut self, order: ControlCommand) {
        match order {
            ControlCommand::Seek(position) => self.seek(position),
            ControlCommand::Say(text) => self.say(&text),
            ControlCommand::Follow(wanted) if self.playhead.has_views() => self.follow_for_all(&wanted),
            ControlCommand::Follow(_) => self.say("the recording has only one player's view"),
            _ => {}
        }
    }

    fn tick(&mut self, now: f64) {
        if let Some(due) = self.core.pass(now) {
            self.advance(due, true);
        }
        if let Some(text) = self.core.end() {
            self.say(text);
        }
        self.send();
    }

    fn say(&mut self, text: &str) {
        const HIGH: u8 = 2;
        let line = self.write(Body::Print(Print { level: HIGH, text: Text(format!("{text}\n").into_bytes()) }));
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.phase == ClientPhase::Playing && viewer.channel.waiting() < CHAT_QUEUE_LIMIT) {
            viewer.channel.queue(&line);
        }
    }

    /// Seeks, and sends every viewer the differences.
    fn seek(&mut self, time: i64) {
        let time = self.core.control.seek(self.core.now, time);
        let followed: BTreeSet<Option<u16>> = self.viewers.values().map(|viewer| viewer.follows).collect();
        let (level, before) =
            (self.playhead.level, followed.into_iter().map(|follows| (follows, self.playhead.image(follows).into_owned())).collect::<Vec<_>>());
        if let Some(checkpoint) = self.checkpoints.seek(time, self.playhead.time()) {
            self.playhead = checkpoint;
        }
        self.over = false;
        self.advance(time, false);
        self.signon.clear();
        self.eyes.clear();
        if self.playhead.level == level {
            for (follows, before) in before {
                let mut changes = self.strings(&before, follows);
                changes.extend(self.screen_messages(follows));
                changes.push(self.stufftext(String::from("stopsound\n")));
                for viewer in self.viewers.values_mut().filter(|viewer| viewer.phase > ClientPhase::Connected && viewer.follows == follows) {
                    changes.iter().for_each(|message| viewer.channel.queue(message));
                }
            }
        } else {
            self.open_level();
        }
        self.number += NUMBER_JUMP;
        self.viewers.values_mut().for_each(Viewer::jump);
        (self.has_new_frame, self.last_sent) = (true, f64::NEG_INFINITY);
        self.say(&format!("at {}", self.core.stamp()));
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.checkpoints.forget();
        self.recording.feed(bytes);
        self.over = false;
    }
}
