//! The opening of another recording of the same level, for one whose own is lost (`docs/formats/goldsrc.md`, "Repair").

use fragreel_base::wire::Error;

use crate::container::{Entry, Header, MacroType, Step, directory};
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
