//! Is it ours, and which of the three containers (`docs/formats/quake1.md`, "Detection").

use fragreel_base::wire::{Chunk, Limits};
use fragreel_model::Certainty;

use crate::container::{Block, Blocks, Container, Framing, sense};
use crate::dialect::Dialect;
use crate::message::{Message, Packet};

const ALL: [Container; 3] = [Container::NetQuake, Container::QuakeWorld, Container::MultiView];
/// Blocks that have to make sense before content alone decides.
const ENOUGH: usize = 4;

/// How sure it is that `bytes` are a recording of QuakeWorld or NetQuake. `extension` is the file's, in lower case,
/// without its dot and without `gz`.
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Certainty {
    let found = find(bytes, extension).or_else(|| behind_damage(bytes, extension).map(|(container, _)| (container, Certainty::Possible)));
    found.map_or(Certainty::No, |(_, certainty)| certainty)
}

/// Which container it is, and how sure that is.
pub(crate) fn find(bytes: &[u8], extension: Option<&str>) -> Option<(Container, Certainty)> {
    let named = ALL.into_iter().find(|container| extension == Some(container.extension()));
    if bytes.starts_with(b"HLDEMO") || is_hexen2(bytes) {
        return None;
    }
    let mut best: Option<(Container, Certainty)> = None;
    for container in ALL {
        let count = sense(bytes, container, ENOUGH);
        let whole = count < ENOUGH && is_whole(bytes, container);
        let certainty = match count {
            0 => continue,
            // zeros are user commands without an end
            _ if !has_packet(bytes, container) => continue,
            _ if starts_a_level(bytes, container) => Certainty::Certain,
            ENOUGH => Certainty::Likely,
            _ if whole => Certainty::Likely,
            _ if named == Some(container) => Certainty::Possible,
            _ => continue,
        };
        let better = match best {
            None => true,
            Some((_, before)) => certainty > before || (certainty == before && named == Some(container)),
        };
        if better {
            best = Some((container, certainty));
        }
    }
    if let (Some((container, _)), Some(named)) = (best, named)
        && container != named
        && is_whole(bytes, named)
        && !is_whole(bytes, container)
    {
        // what breaks off may state a server by chance
        best = Some((named, Certainty::Likely));
    }
    // an empty line states no track, and many files begin with one
    let has_track = crate::container::header(bytes).is_some_and(|line| !line.trim_ascii().is_empty());
    best.or_else(|| named.filter(|&container| container == Container::NetQuake && has_track).map(|c| (c, Certainty::Possible)))
}

/// The container and the dialect of a recording whose start is damaged: that of its name, and that in which the first blocks behind the damage decode.
/// `None` where few blocks follow each other, or few of them decode in any dialect.
#[cold]
pub(crate) fn behind_damage(bytes: &[u8], extension: Option<&str>) -> Option<(Container, Dialect)> {
    let container = ALL.into_iter().find(|container| extension == Some(container.extension()))?;
    if bytes.starts_with(b"HLDEMO") {
        return None;
    }
    let head = &bytes[..bytes.len().min(LOOKED_IN)];
    let mut reader = Blocks::without_start(head, container, &Limits::default());
    let mut blocks: Vec<Block<'_>> = Vec::new();
    while blocks.len() < LEGIBLE {
        match reader.next() {
            Some(Ok(block)) => blocks.push(block),
            Some(Err(_)) if reader.resume(|_| true).is_some() => {}
            _ => break,
        }
    }
    if blocks.len() < FEWEST {
        return None;
    }
    if let Some(dialect) = stated(&blocks, container) {
        return Some((container, dialect));
    }
    let packets = |block: &&Block<'_>| matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. });
    let packets: Vec<&Block<'_>> = blocks.iter().filter(packets).collect();
    let is_read = |block: &Block<'_>, dialect: &Dialect| {
        let packet = Packet::read(block.data, &mut dialect.clone(), container == Container::QuakeWorld);
        packet.is_ok_and(|packet| !packet.messages.iter().any(|message| matches!(message, Message::Unknown(_))))
    };
    let decoded = |dialect: &Dialect| packets.iter().filter(|block| is_read(block, dialect)).count();
    let all = std::iter::once(Dialect::new(container.stream())).chain(Dialect::shapes(container.stream()));
    // of equal ones the first, which is the plainest
    let best = all.map(|dialect| (decoded(&dialect), dialect)).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(count, _)| count * 2 > packets.len()).map(|(_, dialect)| (container, dialect))
}

/// Bytes in which blocks are looked for behind a damaged start, how many of them are read, and how few are chance.
const LOOKED_IN: usize = 1 << 18;
const LEGIBLE: usize = 200;
const FEWEST: usize = 16;

/// Whether these bytes begin a recording of Hexen II: Quake's container with other messages under the same numbers. Its servers list the models of
/// its players.
pub fn is_hexen2(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    crate::container::header(bytes).is_some() && memchr::memmem::find(head, b"\0models/paladin.mdl\0").is_some()
}

/// Whether the file ends where a block ends.
fn is_whole(bytes: &[u8], container: Container) -> bool {
    Blocks::new(bytes, container, &Limits::default()).is_ok_and(|mut blocks| blocks.all(|block| block.is_ok()))
}

/// Blocks among which a server states itself.
const FIRST: usize = 64;

/// Whether one of the first blocks holds messages.
fn has_packet(bytes: &[u8], container: Container) -> bool {
    let Ok(blocks) = Blocks::new(bytes, container, &Limits::default()) else { return false };
    blocks.take(FIRST).map_while(Result::ok).any(|block| matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. }))
}

/// Whether a recording that begins with `head` opens in the same way as `head` alone. This requires that its name and its content agree on the
/// container, and that the first blocks of each container end inside `head`.
pub(crate) fn is_settled(head: Chunk<'_>, extension: Option<&str>) -> bool {
    let is_sure = matches!(find(head.bytes(), extension), Some((container, Certainty::Certain)) if extension == Some(container.extension()));
    is_sure
        && ALL.into_iter().all(|container| {
            let Ok(blocks) = Blocks::new(head.bytes(), container, &Limits::default()) else { return true };
            let mut blocks = blocks.over(head);
            let stop = (0..FIRST).map(|_| blocks.next()).find(|next| !matches!(next, Some(Ok(_))));
            stop.is_none_or(|next| next.is_some() || head.is_last())
        })
}

/// Whether one of the first packets states a server.
fn starts_a_level(bytes: &[u8], container: Container) -> bool {
    let Ok(blocks) = Blocks::new(bytes, container, &Limits::default()) else { return false };
    let first: Vec<Block<'_>> = blocks.take(FIRST).map_while(Result::ok).collect();
    stated(&first, container).is_some()
}

/// The dialect that the first of these blocks state, if a server states itself there.
fn stated(blocks: &[Block<'_>], container: Container) -> Option<Dialect> {
    let mut dialect = Dialect::new(container.stream());
    for block in blocks.iter().take(FIRST) {
        let header = match block.framing {
            Framing::NetQuake { .. } => false,
            Framing::Packet { .. } => container == Container::QuakeWorld,
            _ => continue,
        };
        let _ = Packet::read(block.data, &mut dialect, header);
        if dialect.known {
            return Some(dialect);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user command of QuakeWorld and an end, whose bytes are also the start of a longer NetQuake block that states a server.
    const BOTH: &[u8] = b"-1\n\x1a\0\0\0\0\0\x0a\x1a\0\0\0\0\0\0\0\0\x0b\xb0\x0d\0\0\x04\xff\xb3\xff\x921\x0a\x1a\0\0\0\0\0\x0a\x1a\0\0\
        -1\x0a\x1a\x01\x0f\0\0\0\xff\xff\xff\xff\x02EndOfDemo\0";

    #[test]
    fn zeros_are_no_recording() {
        for extension in [None, Some("qwd"), Some("mvd"), Some("dem"), Some("bin")] {
            assert_eq!(detect(&[0; 50_000], extension), Certainty::No, "{extension:?}");
        }
    }

    #[test]
    fn hexen_is_no_quake() {
        let block = |models: &[u8]| {
            let messages = [b"\x0b\x0f\0\0\0\x01\0level\0maps/demo1.bsp\0", models, b"\0\0"].concat();
            [b"-1\n", &(messages.len() as u32).to_le_bytes()[..], &[0; 12], &messages].concat()
        };
        assert_eq!(detect(&block(b"progs/player.mdl\0"), Some("dem")), Certainty::Certain);
        assert_eq!(detect(&block(b"models/paladin.mdl\0"), Some("dem")), Certainty::No);
    }

    #[test]
    fn an_empty_line_is_no_recording() {
        assert_eq!(detect(b"\n", Some("dem")), Certainty::No);
        assert_eq!(detect(b"-1\n", Some("dem")), Certainty::Possible);
    }

    #[test]
    fn framing_that_holds_and_is_named_beats_a_server_in_framing_that_breaks() {
        assert_eq!(find(BOTH, Some("qwd")), Some((Container::QuakeWorld, Certainty::Likely)));
        assert_eq!(find(BOTH, None), Some((Container::NetQuake, Certainty::Certain)));
    }
}
