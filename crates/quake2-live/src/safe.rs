//! Makes what a recording holds safe for stock clients of protocol 34. Their checks end the connection, and what they do not check they
//! use as an index.

use fragreel_quake2::dialect::Dialect;
use fragreel_quake2::fields::entity::{FRAME, MODELINDEX, MODELINDEX2, RENDERFX, Row, SKINNUM};
use fragreel_quake2::fields::player::FOV;
use fragreel_quake2::message::{Body, Context, Message, MessageKind, ServerData, Sound};
use fragreel_quake2::state::{PlayerState, RF_BEAM};
use fragreel_quake2::unstable::limits;
use fragreel_quake2::unstable::reencode::{FrameState, distance};
use fragreel_quake2::unstable::signon::write;
use fragreel_quake2::unstable::strings::room;

/// The maximum length of a line. Clients leave the rest of a longer one unread, and read it as messages.
const LINE: usize = 1000;
/// The byte at which id's clients stop reading a string.
const STRING_END: u8 = 0xff;
/// The number of clients, images and stats.
const CLIENTS: i64 = 256;
const IMAGES: i16 = 256;
const STATS: usize = 32;
/// The entities of a frame in id's client and Q2PRO.
const ENTITIES: usize = 128;
/// The temporary entities that clients know, and the two among them that they do not.
const TEMP_ENTITIES: u8 = 56;
const UNKNOWN: [u8; 2] = [31, 32];
/// The model of a player, whose skin names a player and a weapon.
const PLAYER_MODEL: u32 = 255;

/// The text as every client reads it to its end.
pub(crate) fn text(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| *byte != STRING_END).take(LINE).collect()
}

/// A configstring that every client takes. `None` if none does.
pub(crate) fn config_string(dialect: &Dialect, index: u16, value: &[u8]) -> Option<Vec<u8>> {
    let strings = dialect.strings;
    if index >= strings.end {
        return None;
    }
    let mut value = text(value);
    // Only a status bar and general strings may run over into the next slot.
    let runs_over = (strings.statusbar..strings.airaccel).contains(&index) || index >= strings.general;
    if !runs_over {
        value.truncate(room(dialect, index));
    }
    // A brush model is a number in the map.
    let brush = (strings.models..strings.sounds).contains(&index) && value.first() == Some(&b'*');
    let valid = std::str::from_utf8(value.get(1..).unwrap_or_default()).ok().and_then(|number| number.parse::<u16>().ok()).is_some_and(|number| number > 0);
    if brush && !valid {
        value.clear();
    }
    // Clients load a model or a sound as soon as they get its name. Without a name they end the connection, or themselves.
    let is_loaded = (strings.models..strings.images).contains(&index);
    if is_loaded && value.is_empty() { None } else { Some(value) }
}

/// What a level begins with.
pub(crate) fn server_data(data: ServerData) -> ServerData {
    let mut data = data;
    data.gamedir.0.retain(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    data.gamedir.0.truncate(31);
    data.levelname.0 = text(&data.levelname.0);
    data.levelname.0.truncate(63);
    // Clients take a player of −1 for a cinematic.
    data.clientnum = data.clientnum.clamp(0, CLIENTS as i16 - 1);
    data
}

/// The message as every client takes it. `None` if none does.
pub(crate) fn message(message: &Message, dialect: &Dialect) -> Option<Vec<u8>> {
    let mut safe = message.clone();
    if limits::fatal(&safe.body, dialect).is_some() {
        return None;
    }
    match &mut safe.body {
        Body::Print(print) => print.text.0 = text(&print.text.0),
        Body::CenterPrint(line) | Body::StuffText(line) => line.0 = text(&line.0),
        Body::Layout(layout) => {
            layout.0 = text(&layout.0);
            if !is_safe_program(&layout.0) {
                layout.0.clear();
            }
        }
        Body::ConfigString(string) => string.text.0 = config_string(dialect, string.index, &string.text.0)?,
        Body::TempEntity(effect) if effect.kind >= TEMP_ENTITIES || UNKNOWN.contains(&effect.kind) => return None,
        Body::Sound(sound) if sound.flags & Sound::ENTITY != 0 && sound.entity_channel >> 3 >= dialect.entity_limit() => return None,
        _ => {}
    }
    debug_assert!(!matches!(safe.body.kind(), MessageKind::Frame | MessageKind::PacketEntities | MessageKind::PlayerInfo), "frames are encoded from states");
    Some(write(&safe, &mut Context::new(*dialect)))
}

fn words(program: &[u8]) -> impl Iterator<Item = &[u8]> {
    program.split(|byte| *byte <= b' ').filter(|word| !word.is_empty())
}

fn number(word: Option<&[u8]>) -> i64 {
    word.and_then(|word| std::str::from_utf8(word).ok()).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Whether the clients and stats that a layout program names exist.
fn is_safe_program(program: &[u8]) -> bool {
    let all: Vec<&[u8]> = words(program).collect();
    all.iter().enumerate().all(|(at, word)| match *word {
        b"client" | b"ctf" => (0..CLIENTS).contains(&number(all.get(at + 3).copied())),
        b"pic" | b"stat_string" | b"if" => (0..STATS as i64).contains(&number(all.get(at + 1).copied())),
        b"num" => (0..STATS as i64).contains(&number(all.get(at + 2).copied())),
        _ => true,
    })
}

/// The stats that layout programs use as an index.
#[derive(Debug, Clone, Copy, Default)]
struct Indexes {
    images: u32,
    strings: u32,
}

impl Indexes {
    fn of(program: &[u8]) -> Self {
        let all: Vec<&[u8]> = words(program).collect();
        let mut found = Indexes::default();
        for (at, word) in all.iter().enumerate() {
            let bit = u32::try_from(number(all.get(at + 1).copied())).ok().and_then(|stat| 1u32.checked_shl(stat)).unwrap_or(0);
            match *word {
                b"pic" => found.images |= bit,
                b"stat_string" => found.strings |= bit,
                _ => {}
            }
        }
        found
    }
}

/// The frame as every client takes it. `programs` are the status bar and the layout.
pub(crate) fn frame(frame: &mut FrameState, dialect: &Dialect, programs: &[&[u8]]) {
    for (_, row) in &mut frame.entities {
        entity(row);
    }
    if let Some((_, state)) = frame.players.first_mut() {
        for program in programs {
            player(state, dialect, Indexes::of(program));
        }
    }
    if frame.entities.len() > ENTITIES
        && let Some((_, state)) = frame.players.first()
    {
        let mut nearest: Vec<(u64, u16)> = frame.entities.iter().map(|(number, row)| (distance(row, state), *number)).collect();
        nearest.sort_unstable();
        let kept: std::collections::HashSet<u16> = nearest.iter().take(ENTITIES).map(|(_, number)| *number).collect();
        frame.entities.retain(|(number, _)| kept.contains(number));
    }
}

/// Negative frames and skins are indexes before an array. A beam's skin is four colors.
fn entity(row: &mut Row) {
    if (row[FRAME] as i32) < 0 {
        row[FRAME] = 0;
    }
    if (row[SKINNUM] as i32) < 0 && row[RENDERFX] & RF_BEAM == 0 {
        let players = row[MODELINDEX] == PLAYER_MODEL || row[MODELINDEX2] == PLAYER_MODEL;
        row[SKINNUM] = if players { row[SKINNUM] & 0xff } else { 0 };
    }
}

fn player(state: &mut PlayerState, dialect: &Dialect, indexes: Indexes) {
    // Q2PRO ends the connection at 0.
    if state.row[FOV] == 0 {
        state.row[FOV] = 90;
    }
    for (at, stat) in state.stats.iter_mut().enumerate().take(STATS) {
        let image = indexes.images >> at & 1 != 0 && !(0..IMAGES).contains(stat);
        let string = indexes.strings >> at & 1 != 0 && !(0..dialect.strings.end as i16).contains(stat);
        if image || string {
            *stat = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_quake2::message::{ConfigString, Print, TempEntity, Text};

    fn body(body: Body) -> Option<Vec<u8>> {
        message(&Message::new(body), &Dialect::playable())
    }

    #[test]
    fn what_clients_stop_at_is_left_out() {
        let string = |index, text: &[u8]| body(Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) }));
        assert_eq!(string(2080, b"x"), None);
        assert_eq!(string(1312, &[b'a'; 200]).unwrap().len(), 3 + 63 + 1);
        // models and sounds cannot be taken back, pictures can
        assert_eq!([string(33, b"*0"), string(112, b""), string(300, b"")], [const { None }; 3]);
        assert_eq!(string(600, b"").unwrap(), b"\x0d\x58\x02\0");
        assert_eq!(string(34, b"*1").unwrap()[3..], *b"*1\0");
        let line = body(Body::Print(Print { level: 3, text: Text([&[0xff; 3][..], &[b'a'; 3000]].concat()) })).unwrap();
        assert!(line.len() < 1100 && !line.contains(&0xff));
        let layout = |text: &[u8]| body(Body::Layout(Text(text.to_vec()))).unwrap();
        assert_eq!(layout(b"xv 0 yv 0 client 0 0 300 1 1 1"), layout(b""));
        assert_eq!(layout(b"xv 0 num 3 40"), layout(b""));
        assert!(layout(b"xv 0 yv 0 client 0 0 3 1 1 1").len() > 20);
        let temp = |kind| body(Body::TempEntity(Box::new(TempEntity { kind, ..TempEntity::default() })));
        assert_eq!([31, 32, 56, 255].map(temp), [const { None }; 4]);
        assert!(temp(55).is_some());
    }

    #[test]
    fn what_clients_use_as_an_index_is_one() {
        let mut state = PlayerState::default();
        (state.stats[0], state.stats[5], state.stats[9], state.stats[10]) = (-1, 300, 2080, -7);
        let mut row = [0; fragreel_quake2::fields::entity::SLOTS];
        (row[FRAME], row[SKINNUM]) = (-1i32 as u32, -1i32 as u32);
        let mut beam = row;
        beam[RENDERFX] = RF_BEAM;
        let entities = (1..=200).map(|number| (number, if number == 7 { beam } else { row })).collect();
        let mut made = FrameState { players: vec![(None, state)], entities };
        frame(&mut made, &Dialect::playable(), &[b"pic 0 if 5 pic 5 endif stat_string 9 num 3 10"]);
        let (_, state) = &made.players[0];
        assert_eq!([0, 5, 9, 10].map(|at| state.stats[at]), [0, 0, 0, -7]);
        assert_eq!((state.row[FOV], made.entities.len()), (90, ENTITIES));
        assert!(made.entities.iter().all(|(number, row)| row[FRAME] == 0 && (row[SKINNUM] == 0 || *number == 7)));
    }
}
