//! Asks a server for its players without joining.
//!
//! ```
//! use fragreel_quake2_live::query;
//!
//! let answer = b"\xff\xff\xff\xffprint\n\\hostname\\here\\mapname\\q2dm1\\maxclients\\8\n3 40 \"somebody\"\n";
//! let status = query::read_status(answer).unwrap();
//! assert_eq!((&status.name[..], &status.map[..], status.most_players), (&b"here"[..], &b"q2dm1"[..], Some(8)));
//! assert_eq!((&status.players[0].name[..], status.players[0].score, status.players[0].ping), (&b"somebody"[..], 3, Some(40)));
//! ```

use fragreel_live::status::{Keys, Player, Status, number, padded};

/// The request. It is as long as usual answers, so that nobody can use it to multiply traffic to a forged address. Servers read it up to
/// the line end.
pub const STATUS: &[u8] = &padded::<512>(b"\xff\xff\xff\xffstatus\n");

/// The request for the number of clients, which includes those who watch.
pub const INFO: &[u8] = &padded::<128>(b"\xff\xff\xff\xffinfo 34\n");

/// Reads the number of clients in a server's answer to [`INFO`]: `info`, then the name, the map, and `3/64`.
///
/// ```
/// assert_eq!(fragreel_quake2_live::query::read_info(b"\xff\xff\xff\xffinfo\n    somewhere    q2dm1  3/64\n"), Some(3));
/// ```
pub fn read_info(datagram: &[u8]) -> Option<usize> {
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffinfo\n")?.trim_ascii_end();
    let slash = text.iter().rposition(|&byte| byte == b'/')?;
    let from = text[..slash].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    std::str::from_utf8(&text[from..slash]).ok()?.parse().ok()
}

/// Reads a server's answer.
pub fn read_status(datagram: &[u8]) -> Option<Status> {
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffprint\n")?;
    let keys = Keys { name: "hostname", map: "mapname", most: "maxclients" };
    Some(Status::read(text, keys, |words| match words {
        [score, ping, name, ..] => Some(Player { name: name.clone(), score: number(score)?, ping: number(ping) }),
        _ => None,
    }))
}
