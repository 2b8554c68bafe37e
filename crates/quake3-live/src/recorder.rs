//! A client that records a server as the games' own recorders do: a gamestate with the current state, then every message as it came,
//! from the first full snapshot on. It is a spectator from its first packet on, and no player
//! ever sees it play.
//!
//! It speaks the scrambled channel of protocol 68, and of OpenArena's 71. Servers that check the game's files (`sv_pure`) let it in only with
//! the checksums of these files ([`Settings::paks`]).
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake3_live::recorder::{Recorder, Settings};
//!
//! let mut recorder = Recorder::new(Settings::default(), fragreel_quake3::dialect::Dialect::of(68).unwrap());
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_request().unwrap(), b"\xff\xff\xff\xffgetchallenge");
//! recorder.receive(b"\xff\xff\xff\xffchallengeResponse -17 0 71");
//! assert!(recorder.next_request().unwrap().starts_with(b"\xff\xff\xff\xffconnect "));
//! recorder.receive(b"\xff\xff\xff\xffprint\nServer is full.\n");
//! assert_eq!(recorder.ended(), Some("the server refuses: Server is full."));
//! ```

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use fragreel_base::wire::{ReadHuffman, Wire};
use fragreel_live::{DatagramRecorder, RecorderCore};

use super::adaptive::pack;
use super::client_message::ClientMessage;
use super::netchan::{Channel, FROM_SERVER, Side, scramble};
use super::pure::{self, Pak};
use fragreel_quake3::container::{END_MARK, Frame, Framing};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::fields::{find, q3};
use fragreel_quake3::game::strings::QUAKE3;
use fragreel_quake3::message::{Gamestate, Message, Operation, op};
use fragreel_quake3::state::{Command, Effect, Outcome, State};
use fragreel_quake3::strings::{Words, clean, info, number};
use fragreel_quake3::unstable::canonical;

/// How to join.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The server's password; empty where there is none.
    pub password: String,
    /// Any number; it identifies our packets.
    pub qport: u16,
    /// Bytes per second that the server may send; a high rate by default.
    pub rate: Option<u32>,
    /// The player to follow: a part of the name, or the slot; `None` for the first player.
    pub follow: Option<String>,
    /// Follow nobody.
    pub alone: bool,
    /// The game's files, for servers with `sv_pure 1`.
    pub paks: Vec<Pak>,
}

/// The state machine: a [`Stream`](fragreel_live::Stream) of datagrams.
#[derive(Debug)]
pub struct Recorder {
    core: RecorderCore,
    settings: Settings,
    phase: Phase,
    channel: Channel,
    state: State,
    message: Message,
    /// The numbers of the last gamestate.
    numbers: Gamestate,
    server_id: i32,
    /// The newest message; whether it may be a delta base.
    newest: i32,
    valid: bool,
    /// Our commands, from number 1 on, and how many of them the server acknowledged.
    commands: Vec<Vec<u8>>,
    acknowledged_commands: usize,
    /// The server's last commands, by number.
    texts: Vec<Vec<u8>>,
    /// Commands that wait, and when the next one may go: servers with `sv_floodProtect 1` ignore a second one within a second.
    waiting: VecDeque<String>,
    command_due: f64,
    server_time: i32,
    /// Whether the recording has its gamestate.
    opened: bool,
    sent: f64,
    entered: bool,
    /// When the player to follow is looked for again, and whether that player was ever followed.
    follow_due: f64,
    followed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// We wait for a challenge.
    Challenging,
    /// We have this challenge, and wait to be let in.
    Connecting(i32),
    /// We are let in with this challenge.
    Connected(i32),
}

const OUT_OF_BAND: &[u8] = b"\xff\xff\xff\xff";
/// Seconds between two requests while connecting.
const CONNECT_INTERVAL: f64 = 1.5;
/// Seconds between two packets of ours, in the game and while the level loads.
const PACKET_INTERVAL: f64 = 0.05;
const LOADING_INTERVAL: f64 = 0.5;
/// Seconds between two commands of ours.
const COMMAND_INTERVAL: f64 = 1.5;
/// How many commands engines keep.
const TEXTS: usize = 64;
/// Seconds until the player to follow is asked for again.
const FOLLOW_INTERVAL: f64 = 5.0;
/// Set in the view of somebody who follows a player.
const FOLLOWS: u32 = 4096;
/// The number of the spectators' team.
const SPECTATORS: i32 = 3;
/// What is said of a server whose files we do not have.
const IMPURE: &str = "the server wants checksums of the game's files (sv_pure 1), and may not let us into the game without: --pk3 FOLDER names yours";
/// The client is not in the game yet.
const NOT_ACTIVE: u8 = 2;

impl Recorder {
    /// A recorder that has not connected yet. `dialect` is one of the protocols 66 to 71.
    pub fn new(settings: Settings, dialect: &'static Dialect) -> Self {
        Recorder {
            core: RecorderCore::default(),
            channel: Channel::new(Side::Client { qport: settings.qport }),
            settings,
            phase: Phase::Challenging,
            state: State::new(dialect),
            message: Message::default(),
            numbers: Gamestate::default(),
            server_id: 0,
            newest: 0,
            valid: false,
            commands: Vec::new(),
            acknowledged_commands: 0,
            texts: vec![Vec::new(); TEXTS],
            waiting: VecDeque::new(),
            command_due: f64::NEG_INFINITY,
            server_time: 0,
            opened: false,
            sent: f64::NEG_INFINITY,
            entered: false,
            follow_due: 0.0,
            followed: false,
        }
    }

    fn user_info(&self, challenge: i32) -> String {
        let clean = |text: &str| text.chars().filter(|c| !c.is_control() && !"\\\";%".contains(*c)).take(31).collect::<String>();
        let Settings { qport, name, password, rate, .. } = &self.settings;
        let protocol = self.state.dialect().protocol;
        // OpenArena requires one
        let guid = format!("{qport:04X}").repeat(8);
        let mut info = format!(
            "\\challenge\\{challenge}\\qport\\{qport}\\protocol\\{protocol}\\name\\{}\\rate\\{}\\snaps\\40\\cl_anonymous\\0\\team\\s\\model\\sarge\\cl_guid\\{guid}",
            clean(name),
            rate.unwrap_or(90_000)
        );
        if !password.is_empty() {
            info += &format!("\\password\\{}", clean(password));
        }
        info
    }

    fn push_command(&mut self, text: &str) {
        self.commands.push(text.as_bytes().to_vec());
    }

    fn out_of_band(&mut self, text: &[u8]) {
        let mut words = Words::new(text);
        match (words.next().unwrap_or_default(), self.phase) {
            (b"challengeResponse", Phase::Challenging) => {
                self.phase = Phase::Connecting(number(words.next().unwrap_or_default()));
                self.sent = f64::NEG_INFINITY;
                self.send_if_due();
            }
            (b"connectResponse", Phase::Connecting(challenge)) => {
                self.phase = Phase::Connected(challenge);
                (self.sent, self.core.last_received) = (f64::NEG_INFINITY, self.core.now);
            }
            (b"print", Phase::Challenging | Phase::Connecting(_)) => {
                let text = clean(text.strip_prefix(b"print\n").unwrap_or(text));
                self.end(&format!("the server refuses: {}", text.trim()));
            }
            (b"disconnect", Phase::Connected(_)) => self.end("the server closed the connection"),
            _ => {}
        }
    }

    /// Sends the request or packet of this phase.
    fn send(&mut self) {
        self.sent = self.core.now;
        match self.phase {
            Phase::Challenging => self.core.requests.push_back([OUT_OF_BAND, b"getchallenge"].concat()),
            Phase::Connecting(challenge) => {
                let user = format!("\"{}\"", self.user_info(challenge));
                self.core.requests.push_back([OUT_OF_BAND, b"connect ", &pack(user.as_bytes())].concat());
            }
            Phase::Connected(challenge) => {
                let command = self.state.command_sequence();
                let commands = self.commands.iter().zip(1..).skip(self.acknowledged_commands).map(|(text, at)| (at, text.clone())).collect();
                let moves = (self.server_id != 0).then_some(self.opened && self.valid);
                let time = self.server_time.wrapping_add(((self.core.now - self.core.last_received) * 1000.0) as i32);
                let message = ClientMessage { server_id: self.server_id, message: self.newest, command, commands, moves, time };
                let text = self.texts[command as usize % TEXTS].clone();
                self.core.requests.extend(self.channel.transmit(&message.write(challenge, &text)));
            }
        }
    }

    fn connected(&mut self, datagram: &[u8], challenge: i32) {
        let Some(mut received) = self.channel.receive(datagram) else { return };
        self.core.last_received = self.core.now;
        let Ok(known) = ReadHuffman::new(&received.payload).signed("reliableAcknowledge", 0, 32) else { return };
        // the server cannot acknowledge what was never sent
        let Some(known) = usize::try_from(known).ok().filter(|known| *known <= self.commands.len()) else { return };
        let text = known.checked_sub(1).map_or(&[][..], |at| &self.commands[at]);
        scramble(&mut received.payload, FROM_SERVER, challenge as u32 ^ received.sequence, text);
        self.acknowledged_commands = self.acknowledged_commands.max(known);
        let before = (!self.opened).then(|| (self.state.clone(), self.numbers.clone()));
        let mut message = std::mem::take(&mut self.message);
        let read = message.read(&received.payload, self.state.dialect());
        (self.newest, self.valid) = (received.sequence as i32, false);
        let (mut frame, mut over) = (None, None);
        for operation in &message.operations {
            let effect = self.state.apply(received.sequence as i32, operation);
            match operation {
                Operation::Gamestate(gamestate) => {
                    self.numbers = Gamestate { items: Vec::new(), ..gamestate.clone() };
                    self.start_level();
                }
                Operation::ServerCommand(command) if effect != Effect::Command(Command::Repeated) => {
                    self.texts[command.sequence as usize % TEXTS].clone_from(&command.text);
                    if over.is_none() {
                        over = self.execute(&command.text.clone());
                    }
                }
                Operation::Snapshot(snapshot) => {
                    self.valid = effect == Effect::Snapshot(Outcome::Applied);
                    if self.valid {
                        self.server_time = snapshot.server_time;
                        frame = Some((snapshot.delta, snapshot.flags & NOT_ACTIVE == 0));
                    }
                }
                _ => {}
            }
        }
        self.message = message;
        if let Err(error) = read {
            self.end(&format!("the server sent what cannot be read: {error}"));
            return;
        }
        if let Some((_, true)) = frame
            && !std::mem::replace(&mut self.entered, true)
        {
            self.become_spectator();
        }
        self.follow();
        self.record(received.sequence, &received.payload, frame, before);
        if let Some(reason) = over {
            self.end(&reason);
        }
    }

    /// Handles a new gamestate.
    fn start_level(&mut self) {
        self.end_part();
        self.server_id = number(info(self.state.string(1), "sv_serverid"));
        self.sent = f64::NEG_INFINITY;
        if number(info(self.state.string(1), "sv_pure")) != 0 {
            // before our first move, or the server ignores us
            let feed = self.numbers.checksum_feed;
            match pure::command(&self.settings.paks, info(self.state.string(1), "sv_paks"), self.server_id, feed) {
                Some(command) if self.commands.len() - self.acknowledged_commands < TEXTS => self.push_command(&command),
                Some(_) => {}
                None => self.core.notice = self.core.notice.take().or_else(|| Some(String::from(IMPURE))),
            }
        }
    }

    /// Ends the file of a level or match, if each gets its own. The next file begins with a gamestate and a full snapshot.
    fn end_part(&mut self) {
        if self.end_level() {
            self.opened = false;
        }
    }

    /// Joins the spectators, unless the game made us one when we came. Who plays and leaves the players dies by it, and everybody sees that.
    fn become_spectator(&mut self) {
        let own = self.state.client().map(|client| self.player_string(client));
        let is_spectator = own.is_some_and(|own| number(info(own, "t")) == SPECTATORS);
        if !is_spectator {
            self.waiting.push_back(String::from("team s"));
        }
        if self.settings.follow.is_none() && !self.settings.alone {
            self.waiting.push_back(String::from("follownext"));
        }
    }

    fn player_string(&self, client: i32) -> &[u8] {
        usize::try_from(client).map_or(&[], |client| self.state.string(QUAKE3.players + client))
    }

    /// Asks for the player that is to be followed, as long as we do not see through that player's eyes.
    fn follow(&mut self) {
        if self.settings.follow.is_none() || !self.entered || self.core.now < self.follow_due {
            return;
        }
        let Some(target) = self.wanted() else { return };
        let player = self.state.snapshot().map(|snapshot| snapshot.player);
        let field = |name| player.map(|player| player.row[find(&q3::PLAYER, name)]);
        if field("clientNum") == Some(target) && field("pm_flags").is_some_and(|flags| flags & FOLLOWS != 0) {
            self.followed = true;
            return;
        }
        self.follow_due = self.core.now + FOLLOW_INTERVAL;
        self.waiting.push_back(format!("follow {target}"));
    }

    /// The slot of the player to follow: by its number, by the whole name, or by a part of it.
    fn wanted(&self) -> Option<u32> {
        let wanted = self.settings.follow.as_deref()?.to_lowercase();
        let players = (0..QUAKE3.player_slots() as u32).filter_map(|slot| {
            let string = self.player_string(slot as i32);
            let plays = !string.is_empty() && number(info(string, "t")) != SPECTATORS;
            plays.then(|| (slot, clean(info(string, "n")).to_lowercase()))
        });
        let players: Vec<(u32, String)> = players.collect();
        let by = |is: &dyn Fn(&(u32, String)) -> bool| players.iter().find(|player| is(player)).map(|(slot, _)| *slot);
        by(&|(_, name)| *name == wanted).or_else(|| by(&|(_, name)| name.contains(&wanted))).or_else(|| by(&|(slot, _)| slot.to_string() == wanted))
    }

    /// Executes a server command as far as a recorder must. Returns the reason if it ends the connection.
    fn execute(&mut self, text: &[u8]) -> Option<String> {
        let mut words = Words::new(text);
        match words.next()? {
            b"disconnect" => {
                let why = clean(words.next().unwrap_or_default());
                Some(if why.is_empty() { String::from("the server closed the connection") } else { format!("the server closed the connection: {why}") })
            }
            b"cs" if words.next() == Some(b"1") => {
                self.server_id = number(info(self.state.string(1), "sv_serverid"));
                None
            }
            b"map_restart" => {
                self.end_part();
                None
            }
            _ => None,
        }
    }

    /// Writes a message. `frame` is the base of its snapshot, and whether we are in the game.
    fn record(&mut self, sequence: u32, payload: &[u8], frame: Option<(u8, bool)>, before: Option<(State, Gamestate)>) {
        if let (Some((0, true)), Some((state, numbers))) = (frame, before)
            && state.client().is_some()
        {
            self.opened = true;
            let numbers = Gamestate { command_sequence: state.command_sequence(), end: op::EOF, ..numbers };
            let operations = vec![Operation::Gamestate(canonical::gamestate(&state, &numbers))];
            let mut opening = Message { acknowledged: self.acknowledged_commands as u32, operations, end: Some(op::EOF), ..Message::default() };
            let data = opening.write_anew(state.dialect());
            self.put(sequence.wrapping_sub(1), &data);
        }
        if self.opened {
            self.put(sequence, payload);
            self.core.frames += u64::from(frame.is_some());
        }
    }

    fn put(&mut self, sequence: u32, data: &[u8]) {
        let frame = Frame { number: 0, offset: 0, sequence: sequence as i32, length: data.len() as u32, framing: Framing::Plain };
        frame.write(data, &mut self.core.written.bytes);
    }
}

impl DatagramRecorder for Recorder {
    const ENTER: (f64, &'static str) = (20.0, "the server does not admit us to the game; with sv_pure 1 it wants checksums of the game's files");

    fn remark(&self) -> Option<String> {
        let wanted = self.settings.follow.as_ref().filter(|_| !self.followed && self.core.frames > 0)?;
        Some(format!("nobody was followed: no player's name contains `{wanted}`"))
    }

    fn core(&self) -> &RecorderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut RecorderCore {
        &mut self.core
    }

    fn is_connected(&self) -> bool {
        matches!(self.phase, Phase::Connected(_))
    }

    fn take(&mut self, datagram: &[u8]) {
        match (datagram.strip_prefix(OUT_OF_BAND), self.phase) {
            (Some(text), _) => self.out_of_band(text),
            (None, Phase::Connected(challenge)) => {
                self.connected(datagram, challenge);
                self.send_if_due();
            }
            _ => {}
        }
    }

    fn send_if_due(&mut self) {
        if self.core.now >= self.command_due
            && let Some(text) = self.waiting.pop_front()
        {
            self.push_command(&text);
            self.command_due = self.core.now + COMMAND_INTERVAL;
        }
        let wait = match self.phase {
            Phase::Connected(_) if self.server_id != 0 => PACKET_INTERVAL,
            Phase::Connected(_) => LOADING_INTERVAL,
            _ => CONNECT_INTERVAL,
        };
        if !self.has_ended() && self.core.now - self.sent >= wait {
            self.send();
        }
    }

    fn say_goodbye(&mut self) {
        self.push_command("disconnect");
        (0..3).for_each(|_| self.send());
    }

    fn write_end(&mut self) {
        self.core.written.bytes.extend(END_MARK);
    }
}
