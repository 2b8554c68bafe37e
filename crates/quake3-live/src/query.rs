//! Queries a server for its players without joining.
//!
//! ```
//! use fragreel_quake3_live::query;
//!
//! let answer = b"\xff\xff\xff\xffstatusResponse\n\\sv_hostname\\here\\mapname\\q3dm6\\sv_maxclients\\8\\challenge\\17\n3 40 \"somebody\"\n";
//! let status = query::read_status(answer, 17).unwrap();
//! assert_eq!((&status.name[..], &status.map[..], status.most_players), (&b"here"[..], &b"q3dm6"[..], Some(8)));
//! assert_eq!((&status.players[0].name[..], status.players[0].score, status.players[0].ping), (&b"somebody"[..], 3, Some(40)));
//! assert_eq!(query::read_status(answer, 18), None);
//! ```

use fragreel_live::status::{Keys, Player, Status, number};

/// The request. The server repeats the number, which nobody else knows.
pub fn status(challenge: i32) -> Vec<u8> {
    format!("\u{ff}\u{ff}\u{ff}\u{ff}getstatus {challenge}").chars().map(|c| c as u8).collect()
}

/// Reads the server's answer to the request with this number.
pub fn read_status(datagram: &[u8], challenge: i32) -> Option<Status> {
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffstatusResponse\n")?;
    let keys = Keys { name: "sv_hostname", map: "mapname", most: "sv_maxclients" };
    let status = Status::read(text, keys, |words| match words {
        [score, ping, name, ..] => Some(Player { name: name.clone(), score: number(score)?, ping: number(ping) }),
        _ => None,
    });
    let echoed = status.info.iter().find(|(key, _)| key == b"challenge").and_then(|(_, value)| number(value));
    (echoed == Some(challenge)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_has_its_number() {
        assert_eq!(status(-5), b"\xff\xff\xff\xffgetstatus -5");
    }
}
