//! Recordings whose header is damaged. Their directory and the server say what the header said (`docs/formats/goldsrc.md`, "Repair").

use fragreel_base::wire::ReadBits;

use super::directory::{self, ENTRY_BYTES};
use super::header::Header;
use super::scan;
use crate::dialect::Dialect;

/// Most entries of a directory that is looked for at the end of the file.
const ENTRIES: usize = 16;
/// Bytes in which the server states itself.
const SIGNON: usize = 1 << 18;
/// Bytes of a server information before the map's name.
const BEFORE_MAP: usize = 600;
/// The number of `svc_serverinfo`.
const SERVER_INFO: u8 = 11;

/// The header as it stands there, and the dialect of what follows it. `None` where no recording follows.
pub(super) fn find(bytes: &[u8]) -> Option<(Header, Dialect)> {
    let shapes = [(5, 48), (4, 35)].into_iter().filter_map(|(demo, network)| Dialect::new(demo, network));
    let shape = shapes.into_iter().find(|dialect| has_directory(bytes, dialect))?;
    let network = stated_protocol(bytes).unwrap_or(shape.network_protocol);
    let dialect = Dialect::new(shape.demo_protocol, network).filter(|dialect| dialect.header_bytes() == shape.header_bytes()).unwrap_or(shape);
    let mut header = Header::default();
    header.code(&mut ReadBits::new(bytes), &dialect).ok()?;
    Some((header, dialect))
}

/// True if the bytes end with, or name, a directory whose first segment begins where the header ends.
pub(crate) fn is_recording(bytes: &[u8]) -> bool {
    [(5, 48), (4, 35)].into_iter().filter_map(|(demo, network)| Dialect::new(demo, network)).any(|dialect| has_directory(bytes, &dialect))
}

fn has_directory(bytes: &[u8], dialect: &Dialect) -> bool {
    let begins = dialect.header_bytes();
    let named = bytes.get(begins - 4..begins).and_then(|four| four.first_chunk()).map(|four| i32::from_le_bytes(*four));
    let last = (1..=ENTRIES).filter_map(|entries| bytes.len().checked_sub(4 + entries * ENTRY_BYTES)).filter_map(|at| i32::try_from(at).ok());
    named.into_iter().chain(last).any(|offset| {
        let is_one = usize::try_from(offset).is_ok_and(|at| scan::looks_like_directory(bytes, at));
        is_one && directory::read(bytes, offset).is_ok_and(|entries| entries.iter().any(|entry| entry.range().is_some_and(|(from, _)| from == begins)))
    })
}

/// The network protocol that the first server information states.
pub(super) fn stated_protocol(bytes: &[u8]) -> Option<i32> {
    let signon = &bytes[..bytes.len().min(SIGNON)];
    let maps = signon.windows(5).enumerate().filter(|(_, window)| *window == b"maps/");
    maps.map(|(at, _)| at).find_map(|map| {
        let before = &signon[map.saturating_sub(BEFORE_MAP)..map];
        before.windows(5).rev().find_map(|window| {
            let protocol = i32::from_le_bytes(*window[1..].first_chunk()?);
            let is_known = Dialect::new(5, protocol).is_some_and(|dialect| dialect.messages.is_some());
            (window[0] == SERVER_INFO && is_known).then_some(protocol)
        })
    })
}
