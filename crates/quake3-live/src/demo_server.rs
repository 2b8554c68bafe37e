//! A server that plays a recording to game clients. All viewers share one clock; those who may control it can pause, seek, and change the
//! speed from their console or in chat (`docs/live.md`).
//!
//! Sans-IO: the caller has the socket and the clock. Addresses are any type that can be compared.

use std::hash::Hash;
use std::sync::Arc;

use fragreel_live::{Challenges, PlaybackCore, Rates, ViewerList, Viewers};

use super::adaptive::unpack;
use super::playhead::{MessageStep, OutgoingFrame, Playhead};
use super::viewer::Viewer;
use fragreel_quake3::message::{ConfigString, Gamestate, GamestateItem, op};
use fragreel_quake3::state::ENTITIES;
use fragreel_quake3::strings::{Words, info, info_pairs, number};
use fragreel_quake3::unstable::canonical;

/// The state machine. `A` is the caller's type of addresses.
#[derive(Debug, Clone)]
pub struct DemoServer<A> {
    core: PlaybackCore<A>,
    playhead: Playhead,
    name: String,
    viewers: Viewers<A, Viewer>,
    challenges: Challenges,
    rates: Rates<A>,
    /// The number of levels sent so far.
    levels: i32,
    /// The current frame.
    outgoing: Option<Arc<OutgoingFrame>>,
    /// Added to the recording's times; and its value when strings with times were last sent.
    shift: i32,
    sent_shift: i32,
    /// The time of the last frame sent.
    sent: f64,
}

/// The maximum number of viewers.
const MOST_VIEWERS: usize = 64;
/// Seconds of silence after which a viewer is dropped.
const TIMEOUT: f64 = 60.0;
/// Seconds of silence after which a repeated `connect` starts a new connection.
const RECONNECT: f64 = 3.0;
/// How far the clock of a growing recording may drift from ours, in milliseconds.
const MAX_DRIFT: i64 = 500;
/// Seconds between two frames while the recording is paused.
const PAUSED_INTERVAL: f64 = 0.1;
/// Configstrings that hold times: the end of the warmup and the start of the level.
const TIMED: [usize; 2] = [5, 21];
/// A seek that changes more strings than this sends the level again.
const MOST_STRINGS: usize = 40;
/// How many players a game has. Clients read beyond their tables for other numbers.
const MOST_CLIENTS: i32 = 64;
/// The longest name in answers, in bytes: anybody may ask in another's name.
const SHORT_NAME: usize = 24;
/// How many times as long as a question its answer to a stranger may be.
const MOST_TIMES: usize = 3;
/// The first word of the answer to `getinfo`.
const INFO: &str = "infoResponse";
const OUT_OF_BAND: &[u8] = b"\xff\xff\xff\xff";

impl<A: Ord + Copy + Hash> DemoServer<A> {
    /// Starts a server at the first frame. `secret` is a random number for challenges; `marks` are the times that
    /// `next` and `prev` go to, in rising order.
    pub fn new(playhead: Playhead, name: &str, secret: u64, marks: impl IntoIterator<Item = i64>) -> Self {
        let mut server = DemoServer {
            core: PlaybackCore::new(playhead.length().0, marks, &[]),
            playhead,
            name: name.chars().filter(|c| !c.is_control() && !"\\\";%".contains(*c)).collect(),
            viewers: Viewers::new(MOST_VIEWERS),
            challenges: Challenges::new(secret),
            rates: Rates::new(),
            levels: 0,
            outgoing: None,
            shift: 0,
            sent_shift: 0,
            sent: f64::NEG_INFINITY,
        };
        server.playhead.step_to_frame();
        server.update_outgoing();
        server
    }

    /// Sends the commands of a message to all viewers.
    fn send_step(&mut self, step: &MessageStep) {
        if step.level {
            self.viewers.values_mut().for_each(|viewer| viewer.wants_level = true);
        }
        for text in &step.commands {
            if let Some(text) = self.for_viewers(text) {
                self.viewers.values_mut().filter(|viewer| viewer.active).for_each(|viewer| viewer.command(&text));
            }
        }
    }

    /// A command as viewers get it; `None` for commands that end their game or answer the recorder.
    fn for_viewers(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut words = Words::new(text);
        match words.next()? {
            b"disconnect" | b"clientLevelShot" | b"map_restart" => None,
            b"cs" => {
                let index = number(words.next()?) as usize;
                match index {
                    // clients read only the level's number, which is our own
                    1 => None,
                    // clients end the game
                    fragreel_quake3::state::STRINGS.. => None,
                    index if TIMED.contains(&index) => Some(set(index, &self.string(index, 0))),
                    _ => Some(text.to_vec()),
                }
            }
            _ => Some(text.to_vec()),
        }
    }

    /// A configstring as viewers get it.
    fn string(&self, index: usize, server_id: i32) -> Vec<u8> {
        let text = self.playhead.state().string(index);
        match index {
            1 => system_info(text, server_id),
            index if TIMED.contains(&index) && !text.is_empty() && number(text) != 0 => number(text).wrapping_add(self.shift).to_string().into_bytes(),
            _ => text.to_vec(),
        }
    }

    /// Makes the frame at the playhead, on the viewers' clock, which always rises.
    fn update_outgoing(&mut self) {
        let Some(snapshot) = self.playhead.state().snapshot() else { return };
        let recorded = snapshot.server_time;
        let base = self.base();
        if self.core.control.is_live() {
            self.shift = self.live_shift(base, i64::from(recorded));
            self.outgoing = OutgoingFrame::of(self.playhead.state(), self.shift).map(Arc::new);
            return;
        }
        let at = if self.core.control.clock.is_paused() { self.core.now * 1000.0 } else { self.live_time() };
        self.shift = (base + at.round() as i64).wrapping_sub(i64::from(recorded)) as i32;
        self.outgoing = OutgoingFrame::of(self.playhead.state(), self.shift).map(Arc::new);
    }

    /// The shift for a growing recording. It stays the same unless the recording's clock is set, or drifts far from ours.
    fn live_shift(&self, base: i64, recorded: i64) -> i32 {
        let ours = base + (self.core.now * 1000.0).round() as i64;
        let drifted = (ours - recorded - i64::from(self.shift)).abs() > MAX_DRIFT;
        let last = self.outgoing.as_ref().map_or(i64::MIN, |outgoing| i64::from(outgoing.server_time));
        let falls = recorded + i64::from(self.shift) < last;
        // engines end the game where the time goes back
        if drifted || falls { ours.max(last).wrapping_sub(recorded) as i32 } else { self.shift }
    }

    /// Our time at which the playhead's frame is due, in milliseconds.
    fn live_time(&self) -> f64 {
        let frame = self.playhead.time(self.playhead.next_frame().saturating_sub(1)).unwrap_or(0);
        let is_last = self.playhead.time(self.playhead.next_frame()).is_none();
        1000.0 * if is_last { self.core.now } else { self.core.control.clock.when(frame as f64) }
    }

    /// The viewers' clock at our time 0: the recording's first server time.
    fn base(&self) -> i64 {
        self.playhead.first_server_time()
    }

    fn send_frames(&mut self) {
        let Some(outgoing) = self.outgoing.clone() else { return };
        let addresses: Vec<A> = self.viewers.keys().copied().collect();
        for address in addresses {
            if self.viewers[&address].wants_level {
                self.send_level(address);
                continue;
            }
            let Some(viewer) = self.viewers.get_mut(&address) else { continue };
            // a client that loads the level needs packets to acknowledge, or it cannot report that the level got lost
            let datagrams = if !viewer.active {
                viewer.idle_since(self.core.now)
            } else if viewer.wants_frame(self.core.now) {
                viewer.frame(self.core.now, self.playhead.state(), &outgoing)
            } else {
                continue;
            };
            self.core.outbox.extend(datagrams.into_iter().map(|datagram| (address, datagram)));
        }
    }

    fn send_level(&mut self, address: A) {
        self.levels += 1;
        self.sent_shift = self.shift;
        let numbers = Gamestate {
            client: self.playhead.state().client().filter(|client| (0..MOST_CLIENTS).contains(client)).unwrap_or(0),
            checksum_feed: 0,
            end: op::EOF,
            ..Gamestate::default()
        };
        let mut gamestate = canonical::gamestate(self.playhead.state(), &numbers);
        let mut has_system_info = false;
        for item in &mut gamestate.items {
            if let GamestateItem::ConfigString(string) = item {
                has_system_info |= string.index == 1;
                string.text = self.string(usize::from(string.index), self.levels);
            }
        }
        if !has_system_info {
            gamestate.items.insert(0, GamestateItem::ConfigString(ConfigString { index: 1, text: system_info(b"", self.levels) }));
        }
        if let Some(viewer) = self.viewers.get_mut(&address) {
            let datagrams = viewer.level(self.levels, gamestate);
            self.core.outbox.extend(datagrams.into_iter().map(|datagram| (address, datagram)));
        }
    }

    fn drop_lost(&mut self) {
        let now = self.core.now;
        self.core.outbox.extend(self.viewers.part("timed out", |viewer| viewer.left || now - viewer.last_received > TIMEOUT));
    }

    /// Answers datagrams without a connection. Answers are small and rate-limited, because addresses can be forged.
    fn out_of_band(&mut self, from: A, text: &[u8], is_near: bool) {
        let words: Vec<&[u8]> = Words::new(text).take(3).collect();
        let answer = match words.first().copied().unwrap_or_default() {
            b"getchallenge" => {
                format!("challengeResponse {} {}", self.challenges.of(&from, self.core.now), words.get(1).map_or(0, |word| number(word))).into_bytes()
            }
            b"getinfo" | b"getstatus" => {
                let is_info = words[0] == b"getinfo";
                let answer = self.status(&words, if is_info { INFO } else { "statusResponse" });
                // nobody proved the address yet: what is much longer than the question goes to this machine, and to those who pad it
                let room = MOST_TIMES * (OUT_OF_BAND.len() + text.len()) - OUT_OF_BAND.len();
                match (is_near || answer.len() <= room, is_info) {
                    (true, _) => answer,
                    (false, true) => match self.short_info(room) {
                        Some(answer) => answer,
                        None => return,
                    },
                    (false, false) => return,
                }
            }
            first if first.starts_with(b"connect") => match self.connect(from, text.get(8..).unwrap_or_default()) {
                Some(answer) => answer,
                None => return,
            },
            _ => return,
        };
        if self.rates.allow(from, self.core.now) {
            self.core.outbox.push_back((from, [OUT_OF_BAND, &answer].concat()));
        }
    }

    fn status(&self, words: &[&[u8]], kind: &str) -> Vec<u8> {
        let challenge: Vec<u8> = words.get(1).copied().unwrap_or_default().iter().copied().filter(|byte| !b"\\\";%".contains(byte)).take(SHORT_NAME).collect();
        let server = self.playhead.state().string(0);
        let of = |key: &str| String::from_utf8_lossy(&info(server, key)[..info(server, key).len().min(SHORT_NAME)]).into_owned();
        let name: String = self.name.chars().take(SHORT_NAME).collect();
        let mut text = match kind {
            INFO => {
                let game = Some(of("com_gamename")).filter(|game| !game.is_empty()).map(|game| format!("\\gamename\\{game}")).unwrap_or_default();
                let (protocol, clients) = (self.playhead.protocol(), self.viewers.len());
                format!(
                    "{kind}\n{game}\\protocol\\{protocol}\\hostname\\{name}\\mapname\\{}\\clients\\{clients}\\sv_maxclients\\{MOST_VIEWERS}\\challenge\\",
                    of("mapname")
                )
            }
            _ => format!("{kind}\n\\sv_hostname\\{name}\\mapname\\{}\\sv_maxclients\\{MOST_VIEWERS}\\challenge\\", of("mapname")),
        }
        .into_bytes();
        text.extend(challenge);
        text.push(b'\n');
        text
    }

    /// What stock browsers need to list a server, in this number of bytes: the protocol, and as much of the name as fits. They ask in 15 bytes, and
    /// three times that leave room for six characters.
    fn short_info(&self, room: usize) -> Option<Vec<u8>> {
        let head = format!("{INFO}\n\\protocol\\{}\\hostname\\", self.playhead.protocol());
        let name: Vec<u8> = self.name.bytes().filter(|byte| byte.is_ascii_graphic() && !b"\\\";%".contains(byte)).take(room.checked_sub(head.len())?).collect();
        (!name.is_empty()).then(|| [head.as_bytes(), &name].concat())
    }

    fn connect(&mut self, from: A, packed: &[u8]) -> Option<Vec<u8>> {
        let plain = unpack(packed);
        let user = Words::new(&plain).next().unwrap_or_default();
        let challenge = number(info(user, "challenge"));
        let refuse = |why: &str| Some(format!("print\n{why}\n").into_bytes());
        if !self.challenges.accepts(&from, self.core.now, challenge) {
            return refuse("No or bad challenge for address.");
        }
        if !(66..=71).contains(&number(info(user, "protocol"))) {
            return refuse("This recording is served in protocols 66 to 71.");
        }
        if !self.viewers.has_room(&from) {
            return refuse("Server is full.");
        }
        let qport = number(info(user, "qport")) as u16;
        // a duplicated or late `connect` must not reset the connection; a client that restarts was silent for a while
        if self.viewers.get(&from).is_none_or(|viewer| !viewer.is_same(challenge, qport) || self.core.now - viewer.last_received > RECONNECT) {
            let mut viewer = Viewer::new(challenge, qport, self.core.now);
            viewer.set_user_info(user);
            self.viewers.insert(from, viewer);
        }
        Some(format!("connectResponse {challenge}").into_bytes())
    }

    /// Prints a line for all viewers.
    fn print(&mut self, text: &str) {
        self.viewers.values_mut().filter(|viewer| viewer.active).for_each(|viewer| viewer.command(format!("print \"{text}\n\"").as_bytes()));
    }

    /// Sends the strings that hold times again, where the shift changed.
    fn send_timed_strings(&mut self) {
        self.update_outgoing();
        if self.shift == self.sent_shift {
            return;
        }
        self.sent_shift = self.shift;
        for index in TIMED {
            if !self.playhead.state().string(index).is_empty() {
                let text = set(index, &self.string(index, 0));
                self.viewers.values_mut().filter(|viewer| viewer.active).for_each(|viewer| viewer.command(&text));
            }
        }
    }
}

/// The longest command that engines take, in bytes.
const LONGEST_COMMAND: usize = 1000;

fn set(index: usize, text: &[u8]) -> Vec<u8> {
    [format!("cs {index} \"").as_bytes(), text, b"\""].concat()
}

/// The systeminfo for viewers: without checks of their files, and with our level number.
fn system_info(text: &[u8], server_id: i32) -> Vec<u8> {
    const OURS: [&[u8]; 9] =
        [b"sv_serverid", b"sv_pure", b"sv_paks", b"sv_pakNames", b"sv_referencedPaks", b"sv_referencedPakNames", b"sv_voipProtocol", b"sv_voip", b"sv_cheats"];
    let mut out = Vec::new();
    for (key, value) in info_pairs(text).filter(|(key, _)| !OURS.iter().any(|ours| ours.eq_ignore_ascii_case(key))) {
        out.extend([b"\\", key, b"\\", value].concat());
    }
    out.extend(format!("\\sv_serverid\\{server_id}\\sv_pure\\0\\sv_paks\\\\sv_pakNames\\\\sv_referencedPaks\\\\sv_referencedPakNames\\\\sv_cheats\\0").bytes());
    out
}

impl<A: Ord + Copy + Hash> fragreel_live::PlaybackServer<A> for DemoServer<A> {
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (&self.core, &self.viewers)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        (&mut self.core, &mut self.viewers)
    }

    fn receive(&mut self, from: A, datagram: &[u8], controls: bool) {
        if let Some(text) = datagram.strip_prefix(OUT_OF_BAND) {
            self.out_of_band(from, text, controls);
            return;
        }
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let commands = viewer.receive(self.core.now, datagram);
        if viewer.wants_level && self.outgoing.is_some() {
            self.send_level(from);
        }
        for command in commands {
            if controls {
                fragreel_live::PlaybackServer::order(self, &command);
            }
        }
    }

    fn tick(&mut self, now: f64) {
        let due = self.core.pass(now);
        let mut fresh = false;
        while let Some(next) = self.playhead.time(self.playhead.next_frame())
            && due.is_some_and(|due| next <= due)
        {
            for step in self.playhead.step_to_frame() {
                self.send_step(&step);
            }
            fresh = true;
        }
        let at_end = self.playhead.time(self.playhead.next_frame()).is_none();
        if let Some(text) = at_end.then(|| self.core.end()).flatten() {
            self.say(text);
        }
        if self.core.control.is_live() {
            self.core.control.grow(self.playhead.length().0);
            if fresh {
                self.send_timed_strings();
            }
        }
        if fresh || self.core.now - self.sent >= PAUSED_INTERVAL {
            self.update_outgoing();
            self.sent = self.core.now;
            self.send_frames();
        }
        self.drop_lost();
    }

    fn say(&mut self, text: &str) {
        self.print(text);
        self.send_timed_strings();
    }

    /// Moves to a time.
    fn seek(&mut self, time: i64) {
        let time = self.core.control.seek(self.core.now, time);
        let before: Vec<Vec<u8>> = (0..fragreel_quake3::state::STRINGS).map(|index| self.playhead.state().string(index).to_vec()).collect();
        let baselines: Vec<_> = (0..ENTITIES as u16).map(|number| *self.playhead.state().baseline(number)).collect();
        let frame = self.playhead.find(time);
        self.playhead.seek(frame);
        self.core.control.seek(self.core.now, self.playhead.time(frame).unwrap_or(0));
        self.update_outgoing();
        let changed: Vec<usize> = (0..before.len()).filter(|&index| self.playhead.state().string(index) != before[index]).collect();
        // viewers have the baselines of the level that was sent
        let same_level = info(&before[0], "mapname") == info(self.playhead.state().string(0), "mapname")
            && baselines.iter().zip(0..).all(|(baseline, number)| baseline == self.playhead.state().baseline(number));
        let again = !same_level || changed.len() > MOST_STRINGS;
        let texts: Vec<Vec<u8>> =
            changed.iter().filter(|index| **index != 1 && !TIMED.contains(index)).map(|&index| set(index, &self.string(index, 0))).collect();
        for viewer in self.viewers.values_mut() {
            viewer.jump();
            viewer.wants_level |= again || texts.iter().any(|text| text.len() > LONGEST_COMMAND);
            if !again && viewer.active {
                texts.iter().for_each(|text| viewer.command(text));
            }
        }
        self.print(&format!("at {}", self.core.stamp()));
        self.send_timed_strings();
        self.sent = f64::NEG_INFINITY;
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.playhead.feed(bytes);
    }
}

#[cfg(test)]
mod tests;
