//! The opening of another recording of the same level, for one whose own is lost (`docs/formats/quake2.md`, "Repair").

use fragreel_base::wire::Error;

use super::EditSource;
use crate::container::dm2::{Blocks, write_block};
use crate::detect::Framing;
use crate::message::{Body, Reader};

/// The blocks of `source` from its first frame on, behind those of `donor` before its first, without the names of the donor's players.
pub(crate) fn open_by(source: &EditSource<'_>, donor: &EditSource<'_>) -> Result<Vec<u8>, Error> {
    if source.input.container != Framing::Dm2 || donor.input.container != Framing::Dm2 {
        return Err(Error::unsupported("an MVD2 states everything in one record: it takes no opening from another"));
    }
    let (mut out, mut states_level) = (Vec::new(), false);
    let mut reader = Reader::new(donor.input.dialect);
    for block in Blocks::new(donor.input.bytes) {
        let (mut kept, mut framed) = (Vec::new(), false);
        let read = reader.block(block.data, |message, range, cx| {
            let strings = cx.dialect.strings;
            let players = strings.playerskins..strings.playerskins + MOST_PLAYERS;
            framed |= matches!(message.body, Body::Frame(_));
            states_level |= matches!(message.body, Body::ServerData(_));
            let is_of_players = match &message.body {
                Body::ConfigString(string) => players.contains(&string.index),
                Body::Print(_) | Body::CenterPrint(_) => true,
                _ => false,
            };
            if !is_of_players {
                kept.extend_from_slice(&block.data[range]);
            }
            true
        });
        if framed {
            break;
        }
        if read.is_ok() {
            write_block(&mut out, &kept);
        }
    }
    if !states_level {
        return Err(Error::misuse("the donor has no signon"));
    }
    let mut reader = Reader::new(donor.input.dialect);
    let mut own = Blocks::recovering(source.input.bytes, donor.input.dialect);
    loop {
        let block = own.next().ok_or_else(|| Error::malformed("no frame of the recording can be read"))?;
        let (mut framed, mut states) = (false, false);
        let read = reader.block(block.data, |message, _, _| {
            framed |= matches!(message.body, Body::Frame(_));
            states |= matches!(message.body, Body::ServerData(_));
            true
        });
        if states {
            return Err(Error::misuse("the recording states its level: it needs no donor"));
        }
        if framed && read.is_ok() {
            out.extend_from_slice(&source.input.bytes[block.offset as usize..]);
            return Ok(out);
        }
    }
}

/// The strings of players.
const MOST_PLAYERS: u16 = 256;
