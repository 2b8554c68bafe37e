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

/// The request. The server repeats the number, which nobody else knows. It is padded behind its line, because servers may answer strangers with
/// little more than was asked.
pub fn status(challenge: i32) -> Vec<u8> {
    question("getstatus", challenge)
}

/// The request for the number of clients, which includes those who watch.
pub fn info(challenge: i32) -> Vec<u8> {
    question("getinfo", challenge)
}

fn question(what: &str, challenge: i32) -> Vec<u8> {
    let mut question = [b"\xff\xff\xff\xff", what.as_bytes(), format!(" {challenge}\n").as_bytes()].concat();
    question.resize(PADDED, 0);
    question
}

/// Bytes of a request.
const PADDED: usize = 256;

/// Reads the number of clients in the server's answer to [`info`], with this number.
pub fn read_info(datagram: &[u8], challenge: i32) -> Option<usize> {
    let text = datagram.strip_prefix(b"\xff\xff\xff\xffinfoResponse\n")?;
    let line = text.split(|&byte| byte == b'\n').next()?;
    let keys = fragreel_live::status::info(line);
    let value = |key: &[u8]| keys.iter().find(|(known, _)| known == key).and_then(|(_, value)| number(value));
    (value(b"challenge") == Some(challenge)).then(|| value(b"clients"))?.and_then(|clients| usize::try_from(clients).ok())
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
        assert!(status(-5).starts_with(b"\xff\xff\xff\xffgetstatus -5\n\0") && status(-5).len() == PADDED);
        let answer = b"\xff\xff\xff\xffinfoResponse\n\\clients\\3\\challenge\\-5\n";
        assert_eq!((read_info(answer, -5), read_info(answer, 5), read_info(b"x", -5)), (Some(3), None, None));
    }
}
