//! Asking a server who plays, without joining. Document: *Queries*.
//!
//! ```
//! use fragreel_quake1_live::query;
//!
//! let answer = b"\xff\xff\xff\xffn\\hostname\\here\\map\\dm3\\maxclients\\8\n5 12 3 40 \"somebody\" \"base\" 4 4\n";
//! let status = query::read_status(answer).unwrap();
//! assert_eq!((&status.name[..], &status.map[..], status.most_players), (&b"here"[..], &b"dm3"[..], Some(8)));
//! assert_eq!((&status.players[0].name[..], status.players[0].score, status.players[0].ping), (&b"somebody"[..], 12, Some(40)));
//! ```

use fragreel_live::status::{Keys, Player, Status, number, padded};

use crate::handshake::netquake::control;
use crate::netchan::netquake::CONTROL;

/// What a QuakeWorld server is asked with. It is padded: some servers answer a stranger with no more bytes than he sent.
pub const STATUS: &[u8] = &padded::<1024>(b"\xff\xff\xff\xffstatus\n");

/// Reads a QuakeWorld server's answer.
pub fn read_status(datagram: &[u8]) -> Option<Status> {
    // other words may begin with its letter
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffn").filter(|text| matches!(text.first(), None | Some(b'\\' | b'\n')))?;
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    let keys = Keys { name: "hostname", map: "map", most: "maxclients" };
    Some(Status::read(text, keys, |words| match words {
        [_, score, _, ping, name, ..] => Some(Player { name: name.clone(), score: number(score)?, ping: number(ping) }),
        _ => None,
    }))
}

const SERVER_INFO: u8 = 0x02;
const PLAYER_INFO: u8 = 0x03;
const SERVER_INFO_REPLY: u8 = 0x83;
const PLAYER_INFO_REPLY: u8 = 0x84;

/// What a NetQuake server is asked with.
pub fn server_info() -> Vec<u8> {
    control(&[&[SERVER_INFO][..], b"QUAKE\0\x03"].concat())
}

/// What a NetQuake server answers when asked about itself. Clients know its address already.
pub fn server_info_reply(name: &str, map: &str, players: u8, most: u8) -> Vec<u8> {
    let text = format!("\0{name}\0{map}\0");
    control(&[&[SERVER_INFO_REPLY], text.as_bytes(), &[players, most, 3]].concat())
}

/// What a NetQuake server is asked with about one of its players, from 0 on.
pub fn player_info(number: u8) -> Vec<u8> {
    control(&[PLAYER_INFO, number])
}

/// What a NetQuake server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// About itself, and how many play.
    Server(Status, u8),
    /// About a player: his number first.
    Player(u8, Player),
}

/// Reads a NetQuake server's answer.
pub fn read_reply(datagram: &[u8]) -> Option<Reply> {
    let (&word, body) = datagram.split_first_chunk::<4>()?;
    let word = u32::from_be_bytes(word);
    if word & CONTROL == 0 || word & 0xffff != datagram.len() as u32 {
        return None;
    }
    let (&kind, mut rest) = body.split_first()?;
    let mut text = || {
        let end = rest.iter().position(|&byte| byte == 0)?;
        let found = rest[..end].to_vec();
        rest = &rest[end + 1..];
        Some(found)
    };
    if kind == SERVER_INFO_REPLY {
        let (address, name, map) = (text()?, text()?, text()?);
        let (&players, &most) = (rest.first()?, rest.get(1)?);
        let info = [(&b"address"[..], &address), (b"hostname", &name), (b"map", &map)].map(|(key, value)| (key.to_vec(), value.clone())).to_vec();
        return Some(Reply::Server(Status { name, map, most_players: Some(u32::from(most)), info, players: Vec::new() }, players));
    }
    if kind == PLAYER_INFO_REPLY {
        let (&at, after) = rest.split_first()?;
        let end = after.iter().position(|&byte| byte == 0)?;
        // Colors, score and seconds follow the name.
        let score = after.get(end + 5..)?.first_chunk::<4>()?;
        return Some(Reply::Player(at, Player { name: after[..end].to_vec(), score: i32::from_le_bytes(*score), ping: None }));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netquake_is_asked_in_two_steps() {
        assert_eq!(server_info(), b"\x80\x00\x00\x0c\x02QUAKE\0\x03");
        assert_eq!(player_info(1), b"\x80\x00\x00\x06\x03\x01");
        let Some(Reply::Server(status, 1)) = read_reply(&control(b"\x8310.0.0.1:26000\0here\0dm4\0\x01\x08\x03")) else { panic!() };
        assert_eq!((&status.name[..], &status.map[..], status.most_players), (&b"here"[..], &b"dm4"[..], Some(8)));
        let player = Player { name: b"who".to_vec(), score: -2, ping: None };
        assert_eq!(read_reply(&control(b"\x84\x00who\0\x44\0\0\0\xfe\xff\xff\xff\x05\0\0\0addr\0")), Some(Reply::Player(0, player)));
        // Cut anywhere, it is no answer, and nothing worse.
        let whole = control(b"\x84\x00who\0\x44\0\0\0\xfe\xff\xff\xff");
        for end in 4..whole.len() - 4 {
            assert_eq!(read_reply(&control(&whole[4..end])), None);
        }
        assert_eq!(read_status(b"\xff\xff\xff\xffn"), Some(Status::default()));
        assert_eq!(read_status(b"\xff\xff\xff\xffl"), None);
    }
}
