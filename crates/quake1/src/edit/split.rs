//! Parts of a recording, each a recording (`docs/formats/quake1.md`, "Editing").

use model::{Clock, Edited, Range, Split};
use wire::Error;

use crate::Recording;
use crate::container::Container;
use crate::message::Message;
use crate::state::Game;

use super::excerpt;
use super::range::{Blocks, FrameAt, frames, matches};
use super::reading::{Next, Reading};

/// Parts of a recording.
pub fn split(recording: &Recording<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    match by {
        Split::Level => Ok(parts(recording, &gamestates(recording)?, true)),
        Split::Gamestate => Ok(parts(recording, &gamestates(recording)?, false)),
        Split::Match => {
            let matches = matches(recording);
            if matches.is_empty() {
                return Err(Error::misuse("no match starts in the recording"));
            }
            matches.into_iter().map(|(from, to)| recording.cut(Range { clock: Clock::Demo, from, to })).collect()
        }
        Split::Size(most) => by_size(recording, most),
        _ => Err(Error::unsupported("recordings of QuakeWorld and NetQuake are split by level, gamestate, match and size")),
    }
}

/// A gamestate: where it is stated, its first frame, its map.
struct Gamestate {
    stated: u32,
    first: u32,
    map: Option<String>,
}

fn gamestates(recording: &Recording<'_>) -> Result<Vec<Gamestate>, Error> {
    let mut states: Vec<Gamestate> = Vec::new();
    let mut game = Game::without_bodies();
    let mut reading = Reading::new(recording);
    loop {
        let mut stated = false;
        let next = reading.next(|d, message, heard| {
            stated |= matches!(message, Message::ServerData(_) | Message::ServerInfo(_));
            game.apply(d, message, heard.target, heard.sequence);
        });
        match next {
            None => break,
            Some(Next::Broken(..)) => {}
            Some(Next::Unit(unit)) => {
                if stated {
                    states.push(Gamestate { stated: unit.block.number, first: u32::MAX, map: None });
                }
                if let Some(state) = states.last_mut() {
                    state.map = game.level.map().or(state.map.take());
                }
            }
        }
    }
    let frames = frames(recording);
    for (at, state) in states.iter_mut().enumerate() {
        let of = |frame: &&FrameAt| frame.level == at as u32 + 1;
        // players are shown within the signon, too: the game starts after it
        let first = frames.iter().filter(of).find(|frame| !frame.opening).or_else(|| frames.iter().find(of));
        state.first = first.map_or(u32::MAX, |frame| frame.block);
    }
    if states.iter().all(|state| state.first == u32::MAX) {
        return Err(Error::misuse("the recording has no level with a frame in it"));
    }
    Ok(states)
}

fn parts(recording: &Recording<'_>, states: &[Gamestate], by_level: bool) -> Vec<Edited> {
    let mut parts: Vec<(Blocks, bool)> = Vec::new();
    let mut map: Option<&String> = None;
    for (at, state) in states.iter().enumerate().filter(|(_, state)| state.first != u32::MAX) {
        let end = states.get(at + 1).map_or(u32::MAX, |next| next.stated);
        let same = by_level && map.is_some() && map == state.map.as_ref();
        map = state.map.as_ref();
        match parts.last_mut().filter(|_| same) {
            Some((part, _)) => part.end = end,
            None => parts.push((Blocks { first: state.first, end }, parts.is_empty())),
        }
    }
    parts.into_iter().map(|(part, from_start)| part_of(recording, part, from_start)).collect()
}

fn part_of(recording: &Recording<'_>, part: Blocks, from_start: bool) -> Edited {
    let (out, report) = excerpt::write(recording, part, from_start);
    report.edited(recording, out)
}

fn by_size(recording: &Recording<'_>, most: u64) -> Result<Vec<Edited>, Error> {
    if recording.bytes.len() as u64 <= most {
        return Ok(vec![Edited { bytes: recording.bytes.to_vec(), extension: recording.container().extension().to_owned(), ..Edited::default() }]);
    }
    let frames = frames(recording);
    // frames of the signon belong to what follows, and the blocks that a server writes at one moment stay together
    let together = recording.container() == Container::MultiView;
    let mut last = None;
    let starts = frames.iter().filter(|frame| {
        let moment = Some((frame.demo, frame.level));
        !frame.opening && (std::mem::replace(&mut last, moment) != moment || !together)
    });
    let starts: Vec<u32> = starts.map(|frame| frame.block).collect();
    if starts.is_empty() {
        return Err(Error::misuse("the recording has no frame to split at"));
    }
    let mut parts = Vec::new();
    let mut at = 0;
    while at < starts.len() {
        let first = at == 0;
        let end_of = |count: usize| starts.get(at + count).copied().unwrap_or(u32::MAX);
        let make = |count: usize| part_of(recording, Blocks { first: starts[at], end: end_of(count) }, first);
        // as many frames as fit: halve the interval, starting with what the sizes of blocks suggest
        let (mut fits, mut fails) = (0, starts.len() - at + 1);
        let mut made = None;
        let mut guess = guess(recording, &starts[at..], most).clamp(1, fails - 1);
        while fits + 1 < fails {
            let part = make(guess);
            if part.bytes.len() as u64 <= most {
                // close enough: a few frames more are not worth another pass
                let close = part.bytes.len() as u64 * 10 >= most * 9;
                (fits, made) = (guess, Some(part));
                if close {
                    break;
                }
            } else {
                fails = guess;
            }
            guess = (fits + fails) / 2;
        }
        let Some(part) = made else {
            let least = make(1).bytes.len();
            return Err(Error::misuse(format!("no part can have {most} bytes: an opening and one frame take {least}")));
        };
        parts.push(part);
        at += fits;
    }
    Ok(parts)
}

/// How many frames have about so many bytes.
fn guess(recording: &Recording<'_>, starts: &[u32], most: u64) -> usize {
    let mut from = None;
    let mut count = 0;
    for block in recording.blocks().map_while(Result::ok) {
        if starts.get(count) == Some(&block.number) {
            count += 1;
            let from = *from.get_or_insert(block.offset);
            if block.offset - from > most * 9 / 10 {
                break;
            }
        }
    }
    count
}
