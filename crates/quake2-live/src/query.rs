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

/// Reads a server's answer.
pub fn read_status(datagram: &[u8]) -> Option<Status> {
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffprint\n")?;
    let keys = Keys { name: "hostname", map: "mapname", most: "maxclients" };
    Some(Status::read(text, keys, |words| match words {
        [score, ping, name, ..] => Some(Player { name: name.clone(), score: number(score)?, ping: number(ping) }),
        _ => None,
    }))
}
