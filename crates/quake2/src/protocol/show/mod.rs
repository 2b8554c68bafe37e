//! A server that shows a client's recording of protocol 34 to whoever joins with the game itself. Entities' states have no times in them and frames
//! only numbers, so a jump is a frame in full with a later number, and the strings that differ there (`docs/live.md`).

mod reel;
#[cfg(test)]
mod tests;
mod viewer;

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use live::{Challenges, Console, Control, ControlCommand, Growing, Rates};

use super::handshake::{OUTSIDE, PROTOCOL, Question};
use crate::Recording;
use crate::dialect::RecordingKind;
use crate::edit::opening::write;
use crate::edit::retell::{Picture, Teller};
use crate::edit::strings::Image;
use crate::fields::player::{PM_FLAGS, PM_TYPE};
use crate::identify::Framing;
use crate::message::{Body, ConfigString, Context, Message, Print, ServerData, Text};
use crate::state::aged;
use reel::Reel;
use viewer::{Cache, Stage, Viewer};

/// The state machine. `A` is whatever the caller calls an address.
#[derive(Clone)]
pub struct Show<A> {
    recording: Growing,
    reel: Reel,
    /// Places that were passed, and how far they are apart.
    keys: Vec<Reel>,
    key_distance: i64,
    control: Control,
    console: Console,
    viewers: BTreeMap<A, Viewer>,
    outbox: VecDeque<(A, Vec<u8>)>,
    challenges: Challenges,
    rates: Rates<A>,
    name: String,
    now: f64,
    /// When a frame was sent last, and its number.
    sent: f64,
    number: i32,
    /// Levels that were sent so far.
    levels: u32,
    signon: Option<Arc<Signon>>,
    /// A frame was taken in that nobody was sent yet.
    fresh: bool,
    over: bool,
    /// Another level begins, which had no frame yet.
    pending: bool,
}

/// A frame as it is sent.
pub(super) struct Shot {
    number: i32,
    areas: Vec<u8>,
    picture: Arc<Picture>,
}

/// What a client is sent when it joins.
pub(super) struct Signon {
    messages: Vec<Vec<u8>>,
}

/// Console commands of a recording that its viewers get.
const ALLOWED: [&str; 1] = ["play"];
/// Most who watch.
const MOST_VIEWERS: usize = 64;
/// Milliseconds between two places that are kept for going back, at least, and most of them.
const KEY: i64 = 15_000;
const MOST_KEYS: i64 = 64;
/// Seconds of silence after which somebody counts as gone, and those after which somebody who connects again begins again.
const TIMEOUT: f64 = 60.0;
const RECONNECT: f64 = 3.0;
/// Seconds between two frames while nothing moves, and the fewest while something does.
const STILL: f64 = 0.1;
const QUICK: f64 = 0.02;
/// Seconds without a new frame after which a recording that grows is shown as one that rests.
const DRY: f64 = 1.0;
/// Seconds between two packets to who has something to acknowledge, and to who has not.
const PUSH: f64 = 0.1;
const IDLE: f64 = 0.5;
/// Bytes that may wait for a client: with more, chat is left out, or the client is.
const MUCH_WAITING: usize = 16 << 10;
const MOST_WAITING: usize = 512 << 10;
/// How far numbers jump with the picture, so that no earlier frame is a base.
const GAP: i32 = 16;
/// Nobody moves, and nothing is predicted: the game shows the view as it is.
const FROZEN: u32 = 4;
const NO_PREDICTION: u32 = 64;

impl<A: Ord + Copy + Hash> Show<A> {
    /// A server that shows a recording from its start. `secret` is a random number that challenges are made of; `marks` are the times that
    /// `next` and `prev` go to, in rising order.
    ///
    /// Fails, and says why, where the recording is not a client's of protocol 34: `convert` makes one of it.
    pub fn new(recording: &Recording<'_>, name: &str, secret: u64, marks: impl IntoIterator<Item = i64>) -> Result<Self, &'static str> {
        let found = recording.identified();
        if found.framing != Framing::Dm2 || !found.dialect.is_playable() {
            return Err("it is no client's recording of protocol 34");
        }
        let length = recording.info().duration.map_or(0, |length| length.0);
        let mut console = Console::allowing(&ALLOWED);
        let (mut reel, tape) = (Reel::new(recording), Growing::whole(recording.bytes().to_vec()));
        while !reel.is_open {
            reel.step(&tape, &mut console).ok_or("there is no frame in it")?;
        }
        let mut show = Show {
            keys: vec![reel.clone()],
            recording: tape,
            key_distance: KEY.max(length / MOST_KEYS),
            reel,
            control: Control::new(length, marks),
            console,
            viewers: BTreeMap::new(),
            outbox: VecDeque::new(),
            challenges: Challenges::new(secret),
            rates: Rates::new(),
            name: name.chars().filter(|c| c.is_ascii_graphic() && !"\\\";%".contains(*c)).take(32).collect(),
            now: 0.0,
            sent: f64::NEG_INFINITY,
            number: GAP,
            levels: 0,
            signon: None,
            fresh: true,
            over: false,
            pending: false,
        };
        show.begin_level();
        Ok(show)
    }

    fn write(&self, body: Body) -> Vec<u8> {
        write(&Message::new(body), &mut Context::new(self.reel.state().dialect))
    }

    fn stuff(&self, text: String) -> Vec<u8> {
        self.write(Body::StuffText(Text(text.into_bytes())))
    }

    /// Another level, or the same again: its count of levels is what clients answer with.
    fn begin_level(&mut self) {
        self.levels += 1;
        self.signon = None;
    }

    /// The level for all who had one.
    fn open_level(&mut self) {
        self.begin_level();
        let again = [self.stuff(String::from("changing\n")), self.stuff(String::from("reconnect\n"))].concat();
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage > Stage::Connected) {
            viewer.stage = Stage::Connected;
            viewer.channel.queue(&again);
        }
    }

    /// What somebody who joins now is sent.
    fn signon(&mut self) -> Arc<Signon> {
        if let Some(signon) = &self.signon {
            return Arc::clone(signon);
        }
        let (background, state) = (&self.reel.background, self.reel.state());
        let data = background.server_data.clone().unwrap_or_default();
        let data = ServerData { kind: RecordingKind::NETWORK.0, servercount: self.levels, ..data };
        let mut messages = vec![self.write(Body::ServerData(Box::new(data)))];
        messages.extend(self.strings(&Image::default()));
        for (number, row) in state.baselines.iter() {
            let delta = crate::canonical::entity(&state.dialect, state.dialect.line, number, &crate::state::NOTHING, row, true, true);
            messages.extend(delta.map(|delta| self.write(Body::SpawnBaseline(Box::new(delta)))));
        }
        messages.push(self.stuff(format!("precache {}\n", self.levels)));
        let signon = Arc::new(Signon { messages });
        self.signon = Some(Arc::clone(&signon));
        signon
    }

    /// The strings that differ from those of `before`.
    fn strings(&self, before: &Image) -> Vec<Vec<u8>> {
        let changed = self.reel.background.image.changed(before);
        changed.into_iter().map(|(index, text)| self.write(Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) }))).collect()
    }

    /// What is on the screen until something else is: layout and inventory.
    fn lasting(&self) -> Vec<Vec<u8>> {
        self.reel.background.kept.messages().map(|message| write(message, &mut Context::new(self.reel.state().dialect))).collect()
    }

    /// Sends to all who have the level, reliably.
    fn broadcast(&mut self, messages: &[Vec<u8>]) {
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage > Stage::Connected) {
            messages.iter().for_each(|message| viewer.channel.queue(message));
        }
    }

    fn say(&mut self, text: &str) {
        const HIGH: u8 = 2;
        let line = self.write(Body::Print(Print { level: HIGH, text: Text(format!("{text}\n").into_bytes()) }));
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage == Stage::Playing && viewer.channel.waiting() < MUCH_WAITING) {
            viewer.channel.queue(&line);
        }
    }

    /// Takes in blocks up to a time.
    fn advance(&mut self, time: i64, heard: bool) {
        while (self.reel.time() < time || !self.reel.is_open) && !self.over {
            let Some(beat) = self.reel.step(&self.recording, &mut self.console) else {
                self.over = true;
                break;
            };
            self.pending |= beat.level;
            self.fresh |= beat.framed;
            if self.reel.is_open && !self.control.is_live() && self.reel.time() >= self.keys.last().map_or(0, Reel::time) + self.key_distance {
                self.keys.push(self.reel.clone());
            }
            if !beat.reliable.is_empty() {
                self.signon = None;
                if heard && !self.pending {
                    self.broadcast(&beat.reliable);
                }
            }
        }
        if !heard {
            self.pending = false;
        } else if self.pending && (self.reel.is_open || !self.control.is_live()) {
            self.pending = false;
            self.open_level();
        }
        if self.control.is_live() {
            self.control.grow(self.reel.time());
        }
    }

    /// Goes somewhere else: everybody is sent what differs there.
    fn go(&mut self, time: i64) {
        let time = self.control.seek(self.now, time);
        let (level, before) = (self.reel.level, self.reel.background.image.clone());
        let key = self.keys.iter().rposition(|key| key.time() <= time).unwrap_or(0);
        if time < self.reel.time() || self.keys[key].time() > self.reel.time() {
            self.reel = self.keys[key].clone();
        }
        self.over = false;
        self.advance(time, false);
        self.signon = None;
        if self.reel.level == level {
            let mut changes = self.strings(&before);
            changes.extend(self.lasting());
            changes.push(self.stuff(String::from("stopsound\n")));
            self.broadcast(&changes);
        } else {
            self.open_level();
        }
        self.number += GAP;
        self.viewers.values_mut().for_each(Viewer::jump);
        (self.fresh, self.sent) = (true, f64::NEG_INFINITY);
        let at = live::stamp(self.control.position(self.now));
        self.say(&format!("at {at}"));
    }

    /// The frame to be sent: the newest, or the same again at rest.
    fn shot(&mut self) -> Option<Shot> {
        let state = self.reel.state();
        let view = state.ring.current()?;
        let mut picture = Picture::of(view, &state.dialect);
        picture.entities.sort_by_key(|(number, _)| *number);
        picture.entities.dedup_by_key(|(number, _)| *number);
        picture.players.truncate(1);
        picture.players.resize_with(1, Default::default);
        picture.players[0].0 = None;
        let player = &mut picture.players[0].1.row;
        player[PM_TYPE] = FROZEN;
        player[PM_FLAGS] |= NO_PREDICTION;
        if !self.fresh {
            picture.entities.iter_mut().for_each(|(_, row)| *row = aged(row, state.dialect.line));
        }
        let areas = view.areas().to_vec();
        self.number += 1;
        Some(Shot { number: self.number, areas, picture: Arc::new(picture) })
    }

    fn send(&mut self) {
        let rests = self.control.clock.is_paused() || self.over;
        let since = self.now - self.sent;
        let still = if self.control.is_live() { DRY } else { STILL };
        let due = if self.fresh { since >= QUICK } else { rests && since >= still };
        if due && self.viewers.values().any(|viewer| viewer.stage == Stage::Playing) {
            self.send_frame();
        }
        let (now, mut lost) = (self.now, Vec::new());
        for (&address, viewer) in &mut self.viewers {
            let quiet = now - viewer.sent;
            let patience = if viewer.channel.waiting() > 0 { PUSH } else { IDLE };
            if viewer.channel.has_reliable() || quiet >= patience {
                viewer.sent = now;
                self.outbox.push_back((address, viewer.channel.transmit(b"")));
            }
            if viewer.left || now - viewer.heard > TIMEOUT || viewer.channel.waiting() > MOST_WAITING {
                lost.push(address);
            }
        }
        lost.into_iter().for_each(|address| self.drop_viewer(address));
    }

    fn send_frame(&mut self) {
        let Some(shot) = self.shot() else { return };
        let state = self.reel.state();
        let max_clients = state.max_clients();
        let teller = Teller { dialect: &state.dialect, baselines: &state.baselines, max_clients };
        let effects = if self.fresh { &self.reel.effects[..] } else { &[] };
        let (mut cache, now) = (Cache::default(), self.now);
        for (&address, viewer) in self.viewers.iter_mut().filter(|(_, viewer)| viewer.stage == Stage::Playing) {
            if viewer.channel.has_reliable() {
                self.outbox.push_back((address, viewer.channel.transmit(b"")));
            }
            if viewer.allowance.is_clear(now) {
                let packet = viewer.show(&shot, effects, teller, &mut cache);
                viewer.allowance.sent(now, packet.len());
                self.outbox.push_back((address, packet));
                viewer.sent = now;
            } else {
                viewer.allowance.leave_out();
            }
        }
        (self.sent, self.fresh) = (self.now, false);
    }

    fn drop_viewer(&mut self, address: A) {
        if let Some(mut viewer) = self.viewers.remove(&address) {
            let goodbye = self.write(Body::Disconnect);
            self.outbox.push_back((address, viewer.channel.transmit(&goodbye)));
        }
    }

    /// Outside of any connection: who cannot be sure to be who he says gets little, and rarely.
    fn outside(&mut self, from: A, datagram: &[u8]) {
        let answer = match Question::read(datagram) {
            Some(Question::Challenge) => format!("challenge {} p={PROTOCOL}", self.challenges.of(&from, self.now)).into_bytes(),
            Some(Question::Connect { protocol, qport, challenge, rate }) => {
                self.connect(from, protocol, Viewer::new(challenge, qport, rate, self.now)).into_bytes()
            }
            Some(Question::Info(PROTOCOL)) => {
                format!("info\n{:>16.16} {:>8.8} {:>2}/{MOST_VIEWERS:>2}\n", self.name, self.map(), self.viewers.len()).into_bytes()
            }
            Some(Question::Status) => {
                let (name, map) = (&self.name, self.map());
                format!("print\n\\hostname\\{name}\\mapname\\{map}\\protocol\\{PROTOCOL}\\maxclients\\{MOST_VIEWERS}\\viewers\\{}\n", self.viewers.len())
                    .into_bytes()
            }
            Some(Question::Ping) => b"ack".to_vec(),
            _ => return,
        };
        if self.rates.allow(from, self.now) {
            self.outbox.push_back((from, [OUTSIDE, &answer].concat()));
        }
    }

    /// The map's name, out of its file's.
    fn map(&self) -> String {
        let state = self.reel.state();
        let file = String::from_utf8_lossy(state.strings.get(state.dialect.strings.models + 1)).into_owned();
        let name = file.strip_prefix("maps/").unwrap_or(&file);
        name.strip_suffix(".bsp").unwrap_or(name).chars().filter(|c| c.is_ascii_graphic() && *c != '\\').take(32).collect()
    }

    fn connect(&mut self, from: A, protocol: i32, who: Viewer) -> String {
        if !self.challenges.accepts(&from, self.now, who.challenge) {
            return String::from("print\nBad challenge.\n");
        }
        if protocol != PROTOCOL {
            return format!("print\nThis recording is shown in protocol {PROTOCOL}.\n");
        }
        if !self.viewers.contains_key(&from) && self.viewers.len() >= MOST_VIEWERS {
            return String::from("print\nServer is full.\n");
        }
        // A `connect` that was doubled or late must not undo what it brought; who begins again was silent for a while.
        let same = |viewer: &Viewer| viewer.challenge == who.challenge && viewer.qport == who.qport && self.now - viewer.heard <= RECONNECT;
        if !self.viewers.get(&from).is_some_and(same) {
            self.viewers.insert(from, who);
        }
        String::from("client_connect")
    }

    fn command(&mut self, from: A, text: &[u8], controls: bool) {
        let words = live::status::words(text);
        let count = words.get(1).and_then(|word| live::status::number(word));
        match words.first().map_or(&b""[..], Vec::as_slice) {
            b"new" => {
                let signon = self.signon();
                if let Some(viewer) = self.viewers.get_mut(&from).filter(|viewer| viewer.channel.waiting() < MUCH_WAITING) {
                    viewer.sign_on(&signon);
                }
            }
            b"begin" => {
                let (ready, lasting) = (count == Some(self.levels as i32), self.lasting());
                let signon = self.signon();
                match self.viewers.get_mut(&from) {
                    Some(viewer) if viewer.stage == Stage::Loading && ready => {
                        viewer.stage = Stage::Playing;
                        lasting.iter().for_each(|message| viewer.channel.queue(message));
                    }
                    Some(viewer) if viewer.stage == Stage::Loading && viewer.channel.waiting() < MUCH_WAITING => viewer.sign_on(&signon),
                    _ => {}
                }
            }
            b"disconnect" => {
                if let Some(viewer) = self.viewers.get_mut(&from) {
                    viewer.left = true;
                }
            }
            b"download" => {
                // No file, whatever it is: clients go on without it.
                let refusal = crate::message::Download { size: -1, percent: 0, ..Default::default() };
                let refusal = self.write(Body::Download(refusal));
                if let Some(viewer) = self.viewers.get_mut(&from).filter(|viewer| viewer.channel.waiting() < MUCH_WAITING) {
                    viewer.channel.queue(&refusal);
                }
            }
            _ if controls => live::PlaybackServer::order(self, text),
            _ => {}
        }
    }
}

impl<A: Ord + Copy + Hash> live::PlaybackServer<A> for Show<A> {
    fn control(&self) -> &Control {
        &self.control
    }

    fn control_mut(&mut self) -> &mut Control {
        &mut self.control
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn console(&self) -> Option<&Console> {
        Some(&self.console)
    }

    fn receive(&mut self, from: A, datagram: &[u8], controls: bool) {
        if datagram.starts_with(OUTSIDE) {
            self.outside(from, datagram);
            return;
        }
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        for command in viewer.receive(self.now, datagram) {
            self.command(from, &command, controls);
        }
    }

    fn tick(&mut self, now: f64) {
        self.now = self.now.max(now);
        if !self.control.clock.is_paused() {
            self.advance(self.control.due(self.now), true);
        }
        if let Some(text) = self.control.end(self.now) {
            self.say(text);
        }
        self.send();
    }

    fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.outbox.pop_front()
    }

    fn watching(&self) -> usize {
        self.viewers.values().filter(|viewer| viewer.stage == Stage::Playing).count()
    }

    fn has(&self, who: &A) -> bool {
        self.viewers.contains_key(who)
    }

    fn forget(&mut self, who: &A) {
        self.viewers.remove(who);
    }

    fn apply(&mut self, order: ControlCommand) {
        match order {
            ControlCommand::Seek(time) => self.go(time),
            ControlCommand::Say(text) => self.say(&text),
            ControlCommand::Follow(_) => self.say("a recording of one player's view has nobody else to follow"),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.control.go_live();
        self.keys.truncate(1);
        self.recording.feed(bytes);
        self.over = false;
    }

    fn close(&mut self) {
        let addresses: Vec<A> = self.viewers.keys().copied().collect();
        addresses.into_iter().for_each(|address| self.drop_viewer(address));
    }
}
