//! The opening of another recording of the same level, or its descriptions, for one whose own are lost (`docs/formats/goldsrc.md`, "Repair").

use std::collections::HashMap;

use fragreel_base::wire::{Error, Limits};

use crate::container::{Entry, Header, MAX_MESSAGE, MacroType, Step, directory};
use crate::fields::Structure;
use crate::game_text::clean;
use crate::message::Message;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// The game of `recording` behind the loading segment of `donor`, without what that says of its players.
pub(crate) fn open_by(input: &Input, donor: &Input) -> Result<Vec<u8>, Error> {
    if input.dialect().demo_protocol != donor.dialect().demo_protocol {
        return Err(Error::misuse("the donor is of another protocol"));
    }
    let dialect = *donor.dialect();
    let mut out = donor.container.bytes[..dialect.header_bytes()].to_vec();
    let loading = (0..donor.container.segments.len()).find(|&segment| !donor.is_played(segment));
    let loading = loading.ok_or_else(|| Error::misuse("the donor has no loading segment"))?;
    let mut entries = vec![Entry { offset: out.len() as i32, ..donor.container.segments[loading].entry.clone() }];
    if !copy_loading(donor, loading, &mut out) {
        return Err(Error::misuse("the donor has no server information"));
    }
    entries[0].length = out.len() as i32 - entries[0].offset;
    for segment in input.container.segments.iter().filter(|segment| segment.is_playback()) {
        let entry = Entry { offset: out.len() as i32, length: (segment.to - segment.from) as i32, ..segment.entry.clone() };
        out.extend_from_slice(&input.container.bytes[segment.from..segment.to]);
        entries.push(entry);
    }
    if entries.len() == 1 {
        return Err(Error::malformed("nothing of the game can be read"));
    }
    let directory_offset = i32::try_from(out.len()).map_err(|_| Error::limit("the directory would be beyond 2 GiB"))?;
    out.extend_from_slice(&directory::bytes(&entries));
    let header = Header { directory_offset, ..donor.container.header.clone() }.bytes(&dialect);
    out[..header.len()].copy_from_slice(&header);
    Ok(out)
}

/// Copies the macros of the loading segment. Returns whether the server states itself there.
fn copy_loading(donor: &Input, loading: usize, out: &mut Vec<u8>) -> bool {
    let mut states_level = false;
    let mut playback = Playback::new(donor);
    while let Some(step) = playback.next() {
        let Step::Macro { segment, window, .. } = step else { continue };
        if segment != loading {
            break;
        }
        let from = out.len();
        out.extend_from_slice(&donor.container.bytes[window.offset..window.end()]);
        let Some((offset, data)) = playback.messages(&window) else { continue };
        let mut kept = Vec::new();
        let read = playback.read(&window, |_, message, range| {
            states_level |= matches!(message, Message::ServerInfo(_));
            if !matches!(message, Message::UpdateUserInfo(_) | Message::Print(_)) {
                kept.extend_from_slice(&data[range]);
            }
        });
        if read.is_ok() {
            let head = from + offset - window.offset;
            out.truncate(head);
            out[head - 4..head].copy_from_slice(&(kept.len() as u32).to_le_bytes());
            out.extend_from_slice(&kept);
        }
    }
    let is_ended = out.len() >= crate::container::HEAD_BYTES && out[out.len() - crate::container::HEAD_BYTES] == MacroType::end(donor.dialect().macros).0;
    if !is_ended {
        out.extend_from_slice(&[MacroType::end(donor.dialect().macros).0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    states_level
}

/// What a recording's loading segment states.
#[derive(Default)]
struct Stated {
    /// The game directory.
    game: Option<String>,
    /// Where the data of the block with the server information begins in the file, and where that message ends.
    level: Option<(usize, usize)>,
    /// The messages that describe structures.
    descriptions: HashMap<Structure, Vec<u8>>,
}

/// Most of a hundred data blocks that may be unreadable with the donor's descriptions.
const UNREADABLE: u64 = 5;

/// A recording with descriptions that a donor has stated.
#[derive(Debug)]
pub struct Described {
    /// The recording.
    pub bytes: Vec<u8>,
    /// The names of the structures.
    pub structures: Vec<&'static str>,
}

/// The recording with those descriptions of the donor that its own signon has lost. `None` if it has lost none, or does not state its level.
pub(crate) fn described_by(input: &Input, donor: &Input) -> Result<Option<Described>, Error> {
    let (own, other) = (stated(input), stated(donor));
    let is_lost = |structure: &Structure| !own.descriptions.contains_key(structure) && other.descriptions.contains_key(structure);
    let lost: Vec<Structure> = Structure::ALL.into_iter().filter(is_lost).collect();
    let Some((data, place)) = own.level.filter(|_| !lost.is_empty() && !input.container.header_lost) else { return Ok(None) };
    if own.game != other.game || input.dialect() != donor.dialect() {
        return Err(Error::misuse("the donor is of another game or protocol, whose descriptions may differ"));
    }
    let taken: Vec<u8> = lost.iter().flat_map(|structure| &other.descriptions[structure]).copied().collect();
    let bytes = with_messages(input, data, place, &taken)?;
    let (unreadable, blocks) = unreadable_blocks(&bytes, &input.limits)?;
    if unreadable * 100 > blocks * UNREADABLE {
        return Err(Error::misuse(format!("the donor describes structures differently: {unreadable} of {blocks} data blocks cannot be read with it")));
    }
    Ok(Some(Described { bytes, structures: lost.into_iter().map(Structure::name).collect() }))
}

fn stated(input: &Input) -> Stated {
    let mut stated = Stated::default();
    let mut playback = Playback::new(input);
    while let Some(step) = playback.next() {
        let Step::Macro { segment, window, .. } = step else { continue };
        let Some((offset, data)) = playback.messages(&window).filter(|_| !input.is_played(segment)) else { continue };
        // what cannot be read is lost
        let _ = playback.read(&window, |_, message, range| match message {
            Message::ServerInfo(info) => {
                stated.game = Some(clean(&info.game.0));
                stated.level = Some((offset, offset + range.end));
            }
            Message::DeltaDescription(tree) => {
                if let Some(structure) = Structure::from_name(&tree.name.0) {
                    stated.descriptions.insert(structure, data[range].to_vec());
                }
            }
            _ => {}
        });
    }
    // a broken one describes nothing
    stated.descriptions.retain(|&structure, _| playback.context().is_some_and(|context| context.description(structure).is_some()));
    stated
}

/// The file with messages inserted at `place`, in the block whose data begins at `data`.
fn with_messages(input: &Input, data: usize, place: usize, messages: &[u8]) -> Result<Vec<u8>, Error> {
    let (container, dialect) = (&input.container, input.dialect());
    let length = container.bytes.get(data - 4..data).and_then(|four| four.first_chunk()).map_or(0, |four| u32::from_le_bytes(*four));
    let length = length + messages.len() as u32;
    if length > MAX_MESSAGE as u32 {
        return Err(Error::limit("the block of the signon would be too long with the donor's descriptions"));
    }
    let mut out = container.bytes[..dialect.header_bytes()].to_vec();
    let mut entries = Vec::new();
    for segment in &container.segments {
        let from = out.len();
        if (segment.from..segment.to).contains(&data) {
            out.extend_from_slice(&container.bytes[segment.from..data - 4]);
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&container.bytes[data..place]);
            out.extend_from_slice(messages);
            out.extend_from_slice(&container.bytes[place..segment.to]);
        } else {
            out.extend_from_slice(&container.bytes[segment.from..segment.to]);
        }
        entries.push(Entry { offset: from as i32, length: (out.len() - from) as i32, ..segment.entry.clone() });
    }
    let directory_offset = i32::try_from(out.len()).map_err(|_| Error::limit("the directory would be beyond 2 GiB"))?;
    out.extend_from_slice(&directory::bytes(&entries));
    let header = Header { directory_offset, ..container.header.clone() }.bytes(dialect);
    out[..header.len()].copy_from_slice(&header);
    Ok(out)
}

/// The data blocks of the game that cannot be read, and all of them.
fn unreadable_blocks(bytes: &[u8], limits: &Limits) -> Result<(u64, u64), Error> {
    let input = Input::open(bytes, *limits)?;
    let mut playback = Playback::new(&input);
    let (mut unreadable, mut blocks) = (0, 0);
    while let Some(step) = playback.next() {
        let Step::Macro { segment, window, .. } = step else { continue };
        if input.is_played(segment) && playback.messages(&window).is_some() {
            blocks += 1;
            unreadable += u64::from(playback.read(&window, |_, _, _| {}).is_err());
        } else {
            // of the signon, the descriptions behind a hole are read
            let _ = playback.read(&window, |_, _, _| {});
        }
    }
    Ok((unreadable, blocks))
}
