//! Which blocks a range of time is.

use model::{Clock, EventKind, Kind, Kinds, MatchState, Milliseconds, Range};
use wire::Error;

use crate::Recording;
use crate::clock::Clock as Clocks;
use crate::container::Container;
use crate::message::{Message, MessageKind};
use crate::recording::is_frame;
use crate::walk::{Decoder, Item, Step};

/// A frame of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameAt {
    /// Its block.
    pub block: u32,
    /// The recording's clock.
    pub demo: Milliseconds,
    /// The server's.
    pub server: Milliseconds,
    /// How many levels came before.
    pub level: u32,
    /// The number of its packet (`.qwd`).
    pub sequence: u32,
    /// Whether the connection was closed before: engines stop there.
    pub closed: bool,
    /// Whether it is part of the signon: a multi-view recording shows players there, too.
    pub opening: bool,
}

/// Blocks of a recording: the frame that starts it, and the block after its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// The first block, a frame.
    pub first: u32,
    /// The block after the last.
    pub end: u32,
}

/// What a server stuffs once everything is told.
const SIGNED_ON: &[u8] = b"skins\n";

/// Every frame of a recording.
pub fn frames(recording: &Recording<'_>) -> Vec<FrameAt> {
    frames_and_end(recording).0
}

/// Every frame of a recording, and where its clocks stand at its end.
fn frames_and_end(recording: &Recording<'_>) -> (Vec<FrameAt>, Clocks) {
    let mut decoder = Decoder::skimming(recording.container());
    let mut clock = Clocks::default();
    let (mut frames, mut level, mut signon, mut closed) = (Vec::new(), 0, false, false);
    for step in recording.walk() {
        let Step::Block(block) = step else { continue };
        clock.block(&block.framing);
        let (mut framed, mut sequence, mut closes) = (false, 0, false);
        let _ = decoder.decode(&block, |_, item, _| {
            if let Item::Header(header) = item {
                sequence = header.sequence & 0x7fff_ffff;
            } else if let Item::Message(message) = item {
                clock.message(message);
                framed |= is_frame(message) || matches!(message, Message::ViewPlayer(_));
                if matches!(message.kind(), MessageKind::ServerData | MessageKind::ServerInfo) {
                    level += 1;
                    closed = false;
                    signon = recording.container() == Container::MultiView;
                }
                closes |= message.kind() == MessageKind::Disconnect;
                signon &= !(is_frame(message) || matches!(message, Message::StuffText(m) if m.text.bytes() == SIGNED_ON));
            }
        });
        if framed {
            frames.push(FrameAt { block: block.number, demo: clock.demo, server: clock.server, level, sequence, closed, opening: signon });
        }
        closed |= closes;
    }
    (frames, clock)
}

/// Whether the server's clock stands still in all frames, as single-player recordings of FTE may have it: then only the recording's tells moments.
pub fn server_stands_still(frames: &[FrameAt]) -> bool {
    frames.len() > 1 && frames.windows(2).all(|pair| pair[0].server == pair[1].server)
}

/// Where a range lies. Its first frame is the last at or before its start, or the first there is; its end is before the first
/// frame past its end.
pub fn locate(recording: &Recording<'_>, range: Range) -> Result<(Vec<FrameAt>, Blocks), Error> {
    if range.to < range.from {
        return Err(Error::misuse(format!("a range from {} to {} ends before it starts", range.from, range.to)));
    }
    let (frames, end) = frames_and_end(recording);
    if frames.is_empty() {
        return Err(Error::malformed("the recording has no frame"));
    }
    let (from, to, clock) = match range.clock {
        Clock::Match => {
            let start = match_start(recording, range)?;
            (range.from + start, range.to + start, Clock::Demo)
        }
        clock => (range.from, range.to, clock),
    };
    let time = |frame: &FrameAt| if clock == Clock::Server { frame.server } else { frame.demo };
    let end = if clock == Clock::Server { end.server } else { end.demo };
    let last = frames.iter().map(time).max().unwrap_or_default().max(end);
    if from > last {
        return Err(Error::misuse(format!("no frame is between {} and {}: the recording ends at {last}", range.from, range.to)));
    }
    let first = frames.iter().position(|frame| time(frame) > from).map_or(frames.len() - 1, |after| after.saturating_sub(1));
    let after = frames.iter().skip(first + 1).find(|frame| time(frame) > to).map_or(u32::MAX, |frame| frame.block);
    if time(&frames[first]) > to {
        return Err(Error::misuse(format!("no frame is between {} and {}: the recording's are from {} to {last}", range.from, range.to, time(&frames[0]))));
    }
    let first = frames[first].block;
    Ok((frames, Blocks { first, end: after }))
}

/// When, on the recording's clock, the first match starts in which both ends of a range lie.
fn match_start(recording: &Recording<'_>, range: Range) -> Result<Milliseconds, Error> {
    let matches = matches(recording);
    let fits = |(start, end): &&(Milliseconds, Milliseconds)| *start + range.to <= *end;
    match matches.iter().find(fits) {
        Some((start, _)) => Ok(*start),
        None if matches.is_empty() => Err(Error::misuse("no match starts in the recording: give times on another clock")),
        None => Err(Error::misuse(format!("no match of the recording lasts until {}", range.to))),
    }
}

/// From when to when the matches of a recording last.
pub fn matches(recording: &Recording<'_>) -> Vec<(Milliseconds, Milliseconds)> {
    let mut matches: Vec<(Milliseconds, Milliseconds)> = Vec::new();
    let (mut open, mut last) = (false, Milliseconds(0));
    let kinds = [Kind::Match, Kind::Level].into_iter().collect::<Kinds>();
    recording.events(kinds, &mut |event| {
        let ends = match event.kind {
            EventKind::Match { state: MatchState::Started } => {
                matches.push((event.time, event.time));
                open = true;
                false
            }
            EventKind::Match { state: MatchState::Intermission } | EventKind::Level { .. } => true,
            _ => false,
        };
        if let Some(current) = matches.last_mut().filter(|_| open && ends) {
            current.1 = event.time;
            open = false;
        }
        last = event.time;
    });
    if let Some(current) = matches.last_mut().filter(|_| open) {
        current.1 = frames(recording).last().map_or(last, |frame| frame.demo);
    }
    matches
}
