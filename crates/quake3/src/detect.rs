//! Detects the dialect of a recording from its content (`docs/formats/quake3.md`, "Which dialect").

use fragreel_base::wire::{Error, Wire};
use fragreel_model::Certainty;

use crate::container::{self, Frame, Frames, Piece};
use crate::dialect::{Dialect, Layout};
use crate::message::{GamestateItem, Message, Operation};
use crate::strings::{info, number};

/// How sure we are that `bytes` are a recording of this family.
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Certainty {
    match container::first(bytes) {
        Some(first) if stated_protocol(container::data(bytes, &first)).is_some() => Certainty::Certain,
        Some(first) if first.sequence >> SEQUENCE_BITS == 0 && is_plausible(bytes, &first) => Certainty::Likely,
        _ if extension.and_then(Dialect::hinted).is_some() => Certainty::Possible,
        _ => Certainty::No,
    }
}

/// The dialect of a recording.
pub fn dialect(bytes: &[u8], extension: Option<&str>) -> Result<&'static Dialect, Error> {
    let hinted = extension.and_then(Dialect::hinted);
    let mut messages = first_messages(bytes, LOOKED_IN);
    let Some(first) = messages.next() else {
        // a file that ends inside its first message may still state its protocol
        let protocol = bytes.get(container::HEAD..).and_then(stated_protocol).ok_or_else(|| unknown("there is no message in the file", 0))?;
        return Dialect::of(protocol).ok_or_else(|| refusal(protocol));
    };
    if let Some(stated) = stated(container::data(bytes, &first)) {
        let dialect = Dialect::of(stated.protocol).ok_or_else(|| refusal(stated.protocol))?;
        // ioquake3 plays and records older protocols, too, and its servers state their own
        let recorded = hinted.and_then(Dialect::of).filter(|hinted| stated.of_server && hinted.line == dialect.line && hinted.layout == dialect.layout);
        return Ok(recorded.unwrap_or(dialect));
    }
    if let Some(protocol) = hinted.filter(|&protocol| Dialect::is_refused(protocol)) {
        return Err(refusal(protocol));
    }
    // no protocol is stated: take the hint if it fits, else the best fit
    let hinted = hinted.and_then(Dialect::of);
    let offset = first.offset;
    let messages: Vec<Frame> = std::iter::once(first).chain(messages).collect();
    let guesses = hinted.into_iter().chain(Dialect::candidates(Layout::Coded)).chain(Dialect::candidates(Layout::Plain));
    let best = guesses.map(|dialect| (count_fitting(bytes, &messages, dialect), dialect)).reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((fits, dialect)) if fits > 0 => Ok(dialect),
        _ => Err(unknown("the first messages match no known protocol", offset)),
    }
}

#[cold]
fn unknown(why: &str, offset: u64) -> Error {
    Error::malformed(format!("not a recognized recording format, whatever the file's name says: {why}")).at_offset(offset)
}

#[cold]
fn refusal(protocol: u16) -> Error {
    let game = if Dialect::is_refused(protocol) { "Return to Castle Wolfenstein's recordings are" } else { "this protocol is" };
    Error::unsupported(format!("protocol {protocol}: {game} not decoded")).at_offset(0)
}

/// How many messages are tried where no protocol is stated, and the bytes that they are looked for in.
const LOOKED_AT: usize = 32;
pub(crate) const LOOKED_IN: usize = 128 << 10;
const LOOKED_NEAR: usize = 16 << 10;
/// Bits of a sequence: a server of 30 packets a second takes a hundred days to use more, and letters at the start of other files do.
const SEQUENCE_BITS: u32 = 28;

/// The first messages within that many bytes.
fn first_messages(bytes: &[u8], within: usize) -> impl Iterator<Item = Frame> {
    let messages = Frames::new(&bytes[..bytes.len().min(within)]).filter_map(|piece| match piece {
        Piece::Message(frame) => Some(frame),
        _ => None,
    });
    messages.take(LOOKED_AT)
}

/// How many of these messages can be decoded in `dialect` and are not empty.
fn count_fitting(bytes: &[u8], messages: &[Frame], dialect: &Dialect) -> usize {
    let mut message = Message::default();
    messages.iter().filter(|frame| message.read(container::data(bytes, frame), dialect).is_ok() && !message.operations.is_empty()).count()
}

/// Whether most of the first messages make sense in some dialect.
fn is_plausible(bytes: &[u8], first: &Frame) -> bool {
    let fits = |messages: &[Frame], more_than: usize| {
        let mut candidates = Dialect::candidates(Layout::Coded).chain(Dialect::candidates(Layout::Plain));
        candidates.any(|dialect| count_fitting(bytes, messages, dialect) > more_than)
    };
    // Where neither the first message nor a second one speaks for this family, messages are searched for nearby alone.
    let speaks = container::first(&bytes[first.end() as usize..]).is_some() || fits(std::slice::from_ref(first), 0);
    let messages: Vec<Frame> = first_messages(bytes, if speaks { LOOKED_IN } else { LOOKED_NEAR }).collect();
    messages.len() > 1 && fits(&messages, messages.len() / 2)
}

/// A protocol that a serverinfo states.
struct Stated {
    protocol: u16,
    /// Whether it is the one that the server speaks to its own kind, which clients of another may record.
    of_server: bool,
}

/// The protocol that the serverinfo of a first message states.
fn stated_protocol(data: &[u8]) -> Option<u16> {
    stated(data).map(|stated| stated.protocol)
}

fn stated(data: &[u8]) -> Option<Stated> {
    let serverinfo = serverinfo_coded(data).or_else(|| serverinfo_plain(data))?;
    // ioquake3 names the protocol it speaks to its own kind `com_protocol`
    [("protocol", false), ("com_protocol", true)]
        .into_iter()
        .map(|(key, of_server)| (number(info(&serverinfo, key)), of_server))
        .find(|(protocol, _)| *protocol > 0)
        .and_then(|(protocol, of_server)| Some(Stated { protocol: u16::try_from(protocol).ok()?, of_server }))
}

/// Configstring 0 of a Huffman-coded gamestate. Nothing before it depends on the protocol.
fn serverinfo_coded(data: &[u8]) -> Option<Vec<u8>> {
    let mut r = fragreel_base::wire::ReadHuffman::new(data);
    let _acknowledged = r.bits(0, 32).ok()?;
    let gamestate = u32::from(crate::message::op::GAMESTATE);
    let string = u32::from(crate::message::op::CONFIGSTRING);
    // commands may come before the gamestate
    let mut text = Vec::new();
    let limit = fragreel_base::wire::Bounded { bytes: Dialect::MAX_COMMAND, rule: "too long" };
    loop {
        match r.bits(0, 8).ok()? {
            op if op == gamestate => break,
            op if op == u32::from(crate::message::op::SERVER_COMMAND) => {
                r.bits(0, 32).ok()?;
                r.text(&mut text, limit).ok()?;
            }
            op if op == u32::from(crate::message::op::NOP) => {}
            _ => return None,
        }
    }
    r.bits(0, 32).ok()?;
    while r.bits(0, 8).ok()? == string {
        let index = r.bits(0, 16).ok()?;
        r.text(&mut text, limit).ok()?;
        if index == 0 {
            return Some(text);
        }
    }
    None
}

/// Configstring 0 of a gamestate in plain bits.
fn serverinfo_plain(data: &[u8]) -> Option<Vec<u8>> {
    Dialect::candidates(Layout::Plain).find_map(|dialect| {
        let mut message = Message::default();
        // with a wrong table the baselines may fail, but the strings before them are decoded
        let _ = message.read(data, dialect);
        message.operations.iter().find_map(|operation| match operation {
            Operation::Gamestate(gamestate) => gamestate.items.iter().find_map(|item| match item {
                GamestateItem::ConfigString(string) if string.index == 0 => Some(string.text.clone()),
                _ => None,
            }),
            _ => None,
        })
    })
}
