//! A player that is as strict as engines are: what of ioquake3's client decides whether a recording plays, written by its rules
//! and not with the crate's state.

use quake3::Recording;
use quake3::container::{self, Frames, Piece};
use quake3::dialect::Layout;
use quake3::message::{Message, Operation};

/// What playing showed.
#[derive(Debug, Default)]
pub struct Played {
    /// For each frame: its server time, and the commands executed with it.
    pub frames: Vec<(i32, Vec<Vec<u8>>)>,
}

struct Client {
    /// Snapshots by sequence modulo 32: the sequence, and entities parsed before it.
    snapshots: [Option<(i32, u64)>; 32],
    latest: i32,
    parsed: u64,
    received: i32,
    executed: i32,
    ring: Vec<Vec<u8>>,
    entities: [Vec<u16>; 32],
    server_time: Option<i32>,
    connected: bool,
}

/// Plays a recording; anything that an engine complains about is an error.
pub fn play(recording: &Recording<'_>) -> Result<Played, String> {
    let bytes = recording.bytes();
    let mut client = Client {
        snapshots: [None; 32],
        latest: 0,
        parsed: 0,
        received: 0,
        executed: 0,
        ring: vec![Vec::new(); 64],
        entities: std::array::from_fn(|_| Vec::new()),
        server_time: None,
        connected: false,
    };
    let mut played = Played::default();
    let mut message = Message::default();
    let mut ended = false;
    for piece in Frames::new(bytes) {
        match piece {
            Piece::Message(frame) => {
                let data = container::data(bytes, &frame);
                let at = |what: String| format!("message {}: {what}", frame.number);
                if data.len() > 16384 {
                    return Err(at(format!("demoMsglen {} > MAX_MSGLEN", data.len())));
                }
                message.read(data, recording.dialect()).map_err(|error| at(error.to_string()))?;
                // engines read nothing of an end that leaves no byte behind it
                if recording.dialect().layout == Layout::Coded && message.rest.is_empty() && ends_on_boundary(&message, recording) {
                    return Err(at(String::from("the end cannot be seen")));
                }
                client.message(frame.sequence, &message, recording.dialect().kept_entities, &mut played).map_err(at)?;
            }
            Piece::End(_) => ended = true,
            // nobody reads on behind the end
            Piece::Opaque(..) if ended => break,
            Piece::Opaque(range, fault) => return Err(format!("{range:?}: {}", fault.rule)),
            Piece::Prologue(_) => {}
        }
    }
    if ended { Ok(played) } else { Err(String::from("no end")) }
}

fn ends_on_boundary(message: &Message, recording: &Recording<'_>) -> bool {
    let mut again = message.clone();
    let plain = again.write(recording.dialect()).len();
    again.write_anew(recording.dialect()).len() > plain
}

impl Client {
    fn message(&mut self, sequence: i32, message: &Message, limit: u64, played: &mut Played) -> Result<(), String> {
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    let strings: usize = gamestate
                        .items
                        .iter()
                        .map(|item| if let quake3::message::GamestateItem::ConfigString(string) = item { string.text.len() + 1 } else { 0 })
                        .sum();
                    if strings > 16000 {
                        return Err(format!("MAX_GAMESTATE_CHARS exceeded: {strings}"));
                    }
                    self.snapshots = [None; 32];
                    self.latest = 0;
                    self.received = gamestate.command_sequence;
                    self.server_time = None;
                    self.connected = true;
                }
                _ if !self.connected => return Err(String::from("nothing may come before the gamestate")),
                Operation::ServerCommand(command) if command.sequence > self.received => {
                    self.received = command.sequence;
                    self.ring[command.sequence as usize & 63] = command.text.clone();
                }
                Operation::Snapshot(snapshot) => self.snapshot(sequence, snapshot, limit, played)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn snapshot(&mut self, sequence: i32, snapshot: &quake3::message::Snapshot, limit: u64, played: &mut Played) -> Result<(), String> {
        let base = sequence - i32::from(snapshot.delta);
        let mut list = Vec::new();
        if snapshot.delta != 0 && base > 0 {
            match self.snapshots[base as usize & 31] {
                None => return Err(String::from("delta from invalid frame")),
                Some((kept, _)) if kept != base => return Err(String::from("delta frame too old")),
                Some((_, before)) if self.parsed - before > limit => return Err(String::from("delta parseEntitiesNum too old")),
                Some(_) => list.clone_from(&self.entities[base as usize & 31]),
            }
        }
        for delta in &snapshot.entities {
            let at = list.iter().position(|&number| number >= delta.number).unwrap_or(list.len());
            let known = list.get(at) == Some(&delta.number);
            match delta.change {
                quake3::message::Change::Removed if known => drop(list.remove(at)),
                quake3::message::Change::Removed => {}
                _ if !known => list.insert(at, delta.number),
                _ => {}
            }
        }
        for missed in (self.latest + 1).max(sequence - 31)..sequence {
            self.snapshots[missed as usize & 31] = None;
        }
        self.latest = sequence;
        self.snapshots[sequence as usize & 31] = Some((sequence, self.parsed));
        self.parsed += list.len() as u64;
        self.entities[sequence as usize & 31] = list;
        if self.server_time.is_some_and(|before| snapshot.server_time < before) {
            return Err(String::from("server time went backwards"));
        }
        self.server_time = Some(snapshot.server_time);
        let mut commands = Vec::new();
        while self.executed < self.received {
            self.executed += 1;
            // a client that starts late has missed the commands before
            if self.executed > self.received - 64 {
                commands.push(self.ring[self.executed as usize & 63].clone());
            }
        }
        commands.retain(|command| !command.is_empty());
        played.frames.push((snapshot.server_time, commands));
        Ok(())
    }
}
