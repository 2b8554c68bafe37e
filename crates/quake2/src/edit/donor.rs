//! The opening of another recording of the same level, for one whose own is lost (`docs/formats/quake2.md`, "Repair").

use fragreel_base::wire::{Error, WriteBytes};

use super::EditSource;
use crate::container::dm2::{Blocks, write_block};
use crate::container::mvd2::{MAGIC, Records, write_record};
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::message::{Body, Context, MvdBody, MvdFrame, MvdMessage, MvdReader, MvdServerData, Reader};

/// The recording of `source` with the opening of `donor`, without what that says of its players.
pub(crate) fn open_by(source: &EditSource<'_>, donor: &EditSource<'_>) -> Result<Vec<u8>, Error> {
    match (source.input.container, donor.input.container) {
        (Framing::Dm2, Framing::Dm2) => open_client(source, donor),
        (Framing::Mvd2, Framing::Mvd2) => open_multi_view(source, donor),
        _ => Err(Error::misuse("the donor is of another format")),
    }
}

const NO_SIGNON: &str = "the donor has no signon";
const NO_FRAME: &str = "no frame of the recording can be read";
const NEEDS_NONE: &str = "the recording states its level: it needs no donor";

/// The blocks of `source` from its first frame on, behind those of `donor` before its first.
fn open_client(source: &EditSource<'_>, donor: &EditSource<'_>) -> Result<Vec<u8>, Error> {
    let (mut out, mut states_level) = (Vec::new(), false);
    let mut reader = Reader::new(donor.input.dialect);
    for block in Blocks::new(donor.input.bytes) {
        let (mut kept, mut framed) = (Vec::new(), false);
        let read = reader.block(block.data, |message, range, cx| {
            framed |= matches!(message.body, Body::Frame(_));
            states_level |= matches!(message.body, Body::ServerData(_));
            let is_of_players = match &message.body {
                Body::ConfigString(string) => names_player(&cx.dialect, string.index),
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
        return Err(Error::misuse(NO_SIGNON));
    }
    let mut reader = Reader::new(donor.input.dialect);
    let mut own = Blocks::recovering(source.input.bytes, donor.input.dialect);
    loop {
        let block = own.next().ok_or_else(|| Error::malformed(NO_FRAME))?;
        let (mut framed, mut states) = (false, false);
        let read = reader.block(block.data, |message, _, _| {
            framed |= matches!(message.body, Body::Frame(_));
            states |= matches!(message.body, Body::ServerData(_));
            true
        });
        if states {
            return Err(Error::misuse(NEEDS_NONE));
        }
        if framed && read.is_ok() {
            out.extend_from_slice(&source.input.bytes[block.offset as usize..]);
            return Ok(out);
        }
    }
}

/// The records of `source` from its first frame on, behind the level and the strings of `donor`. The state of its game is left out: frames of an MVD2
/// name no delta base, and only the lost record had theirs.
fn open_multi_view(source: &EditSource<'_>, donor: &EditSource<'_>) -> Result<Vec<u8>, Error> {
    let dialect = donor.input.dialect;
    let (mut reader, mut level) = (MvdReader::new(dialect), None);
    for record in Records::readable(donor.input.bytes, dialect) {
        let _ = reader.record(record.data, |message, _, cx| {
            if let MvdBody::ServerData(data) = &message.body {
                level = Some(without_game(message.extra, data, &cx.dialect));
            }
            level.is_none()
        });
        if level.is_some() {
            break;
        }
    }
    let mut level = level.ok_or_else(|| Error::misuse(NO_SIGNON))?;
    let mut record = WriteBytes::default();
    let Ok(()) = level.write(&mut record, &mut Context::new(dialect));
    let record = record.finish();
    if record.len() > usize::from(u16::MAX) {
        return Err(Error::unsupported("the opening of the donor is longer than a record"));
    }
    let mut out = MAGIC.to_vec();
    write_record(&mut out, &record);
    let mut reader = MvdReader::new(dialect);
    for record in Records::readable(source.input.bytes, dialect) {
        let (mut framed, mut states) = (false, false);
        let read = reader.record(record.data, |message, _, _| {
            framed |= matches!(message.body, MvdBody::Frame(_));
            states |= matches!(message.body, MvdBody::ServerData(_));
            true
        });
        if states && read.is_ok() {
            return Err(Error::misuse(NEEDS_NONE));
        }
        if framed && read.is_ok() {
            out.extend_from_slice(&source.input.bytes[record.offset as usize..]);
            return Ok(out);
        }
    }
    Err(Error::malformed(NO_FRAME))
}

/// A level with its strings, but without players and entities.
fn without_game(extra: u8, data: &MvdServerData, dialect: &Dialect) -> MvdMessage {
    let mut data = data.clone();
    data.strings.0.retain(|string| !names_player(dialect, string.index));
    data.frame = MvdFrame { portals: std::mem::take(&mut data.frame.portals), ..MvdFrame::default() };
    MvdMessage { extra, body: MvdBody::ServerData(Box::new(data)) }
}

/// Whether a configstring is the name of a player.
fn names_player(dialect: &Dialect, index: u16) -> bool {
    let first = dialect.strings.playerskins;
    (first..first + MOST_PLAYERS).contains(&index)
}

/// The strings of players.
const MOST_PLAYERS: u16 = 256;
