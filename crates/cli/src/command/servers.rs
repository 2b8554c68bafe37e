//! `fragreel servers`

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use fragreel::model::Text;
use fragreel_live::status::Status;
use serde::Serialize;

use crate::address::{Game, resolve};
use crate::failure::{Failure, FailureKind, Stop};
use crate::json;
use crate::output::{self, printable};
use crate::shell::{Ink, Outcome, Shell};
use crate::table::Rows;

/// Query servers: map, rules, players
///
/// Works with QuakeWorld, NetQuake, Quake II, and Quake III servers without joining them. Sends
/// each server at most three requests.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel servers qw://quake.example:27501                 one server
  fragreel servers q3://localhost q2://localhost nq://localhost   of several games
  fragreel servers --players qw://localhost                 with players
  fragreel servers --json qw://localhost                    for machines: one JSON object per server

Exit codes: 0 all answered, 2 one did not.")]
pub struct Arguments {
    /// Servers: qw://, nq://, q2:// or q3://, then HOST or HOST:PORT
    #[arg(value_name = "URL", required = true)]
    servers: Vec<String>,

    /// Also list players
    #[arg(long)]
    players: bool,

    /// One JSON object per server, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

/// What one server answered.
struct Answer {
    status: Status,
    game: Game,
    address: SocketAddr,
    /// Players, where the server says how many but not who.
    count: usize,
    milliseconds: f64,
}

/// Seconds after which the question is asked again, and how often it is asked.
const PATIENCE: f64 = 0.8;
const ATTEMPTS: u32 = 3;

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        // Asking is waiting, so that all are asked at the same time, some dozen at once.
        let mut answers = Vec::new();
        for some in self.servers.chunks(32) {
            answers.extend(std::thread::scope(|scope| {
                let asked: Vec<_> = some.iter().map(|url| scope.spawn(move || ask(url))).collect();
                let broken = || Err(Failure::new("the query failed").kind(FailureKind::Fault));
                asked.into_iter().map(|thread| thread.join().unwrap_or_else(|_| broken())).collect::<Vec<_>>()
            }));
        }
        let mut output = output::stdout();
        let mut rows = Rows::new(&["SERVER", "NAME", "MAP", "PLAYERS", "PING"]);
        let mut outcome = Outcome::Fine;
        let mut failures = Vec::new();
        for (url, answer) in self.servers.iter().zip(answers) {
            match answer {
                Ok(answer) if self.json => json::line(&mut output, &told(url, &answer))?,
                Ok(answer) if self.players => people(shell, &mut output, url, &answer)?,
                Ok(answer) => rows.hold(row(url, &answer)),
                Err(failure) => {
                    outcome = Outcome::Misuse;
                    if self.json {
                        json::line(&mut output, &Unanswered { server: url, error: failure.one_line(), kind: failure.kind_of() })?;
                    } else {
                        failures.push(failure);
                    }
                }
            }
        }
        rows.flush(shell, &mut output)?;
        output::finish(output)?;
        for failure in failures {
            shell.report(failure);
        }
        Ok(outcome)
    }
}

fn ask(url: &str) -> Result<Answer, Failure> {
    let (game, address) = resolve(url, Game::QuakeWorld)?;
    let nobody = |error| Failure::new(format!("`{url}` did not answer")).because(error).help("Check the port and the game.");
    let socket = open(address).map_err(nobody)?;
    let started = Instant::now();
    let challenge = (RandomState::new().hash_one(0) >> 33) as i32;
    let question = match game {
        Game::QuakeWorld => fragreel_quake1_live::query::STATUS.to_vec(),
        Game::NetQuake => fragreel_quake1_live::query::server_info(),
        Game::Quake2 => fragreel_quake2_live::query::STATUS.to_vec(),
        Game::Quake3 => fragreel_quake3_live::query::status(challenge),
    };
    let read = |datagram: &[u8]| match game {
        Game::QuakeWorld => fragreel_quake1_live::query::read_status(datagram).map(|status| (status.players.len(), status)),
        Game::NetQuake => match fragreel_quake1_live::query::read_reply(datagram)? {
            fragreel_quake1_live::query::Reply::Server(status, players) => Some((usize::from(players), status)),
            fragreel_quake1_live::query::Reply::Player(..) => None,
        },
        Game::Quake2 => fragreel_quake2_live::query::read_status(datagram).map(|status| (status.players.len(), status)),
        Game::Quake3 => fragreel_quake3_live::query::read_status(datagram, challenge).map(|status| (status.players.len(), status)),
    };
    let (mut count, mut status) = match exchange(&socket, &question, read) {
        // DarkPlaces answers NetQuake's question only where it plays one of that game's protocols
        Err(error) if game == Game::NetQuake => darkplaces(&socket, challenge).ok_or_else(|| nobody(error))?,
        answer => answer.map_err(nobody)?,
    };
    // who watches is in no list
    let clients = |question: &[u8], read: &dyn Fn(&[u8]) -> Option<usize>| attempts(&socket, question, read, 1).ok();
    count = count.max(match game {
        Game::Quake2 => clients(fragreel_quake2_live::query::INFO, &fragreel_quake2_live::query::read_info).unwrap_or_default(),
        Game::Quake3 => {
            clients(&fragreel_quake3_live::query::info(challenge), &|answer| fragreel_quake3_live::query::read_info(answer, challenge)).unwrap_or_default()
        }
        Game::QuakeWorld | Game::NetQuake => 0,
    });
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    if game == Game::NetQuake && status.players.is_empty() {
        let slots = status.most_players.unwrap_or_default().min(255) as u8;
        status.players = netquake_players(&socket, count, slots);
    }
    Ok(Answer { status, game, address, count, milliseconds })
}

/// A DarkPlaces server with a protocol of its own: it answers as Quake III's do.
fn darkplaces(socket: &UdpSocket, challenge: i32) -> Option<(usize, Status)> {
    let read = |datagram: &[u8]| fragreel_quake3_live::query::read_status(datagram, challenge);
    let mut status = attempts(socket, &fragreel_quake3_live::query::status(challenge), read, 1).ok()?;
    let hostname = status.info.iter().find(|(key, _)| key == b"hostname").map(|(_, value)| value.clone());
    status.name = if status.name.is_empty() { hostname.unwrap_or_default() } else { status.name };
    Some((status.players.len(), status))
}

/// NetQuake servers are asked about each slot; a slot that does not answer is left out.
fn netquake_players(socket: &UdpSocket, count: usize, slots: u8) -> Vec<fragreel_live::status::Player> {
    let mut players = Vec::new();
    for slot in 0..slots {
        if players.len() >= count {
            break;
        }
        let read = |datagram: &[u8]| match fragreel_quake1_live::query::read_reply(datagram)? {
            fragreel_quake1_live::query::Reply::Player(_, player) => Some(player),
            fragreel_quake1_live::query::Reply::Server(..) => None,
        };
        match exchange(socket, &fragreel_quake1_live::query::player_info(slot), read) {
            Ok(player) => players.push(player),
            Err(_) => break,
        }
    }
    players
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
    // Only datagrams from there are received.
    socket.connect(address)?;
    Ok(socket)
}

/// Asks until something comes that is an answer.
fn exchange<T>(socket: &UdpSocket, question: &[u8], read: impl Fn(&[u8]) -> Option<T>) -> io::Result<T> {
    attempts(socket, question, read, ATTEMPTS)
}

/// The same, this number of times.
fn attempts<T>(socket: &UdpSocket, question: &[u8], read: impl Fn(&[u8]) -> Option<T>, times: u32) -> io::Result<T> {
    let mut datagram = vec![0; 1 << 16];
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for _ in 0..times {
        socket.send(question)?;
        let asked = Instant::now();
        // However much comes that is no answer, the time is over some time.
        while let Some(left) = Duration::from_secs_f64(PATIENCE).checked_sub(asked.elapsed()).filter(|left| !left.is_zero()) {
            socket.set_read_timeout(Some(left))?;
            match socket.recv(&mut datagram) {
                Ok(length) => {
                    if let Some(answer) = read(&datagram[..length]) {
                        return Ok(answer);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(error),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => break,
                Err(error) => last = error,
            }
        }
    }
    Err(last)
}

/// Text as a game's people see it.
fn text(game: Game, raw: &[u8]) -> Text {
    match game {
        Game::QuakeWorld | Game::NetQuake => fragreel_quake1::unstable::characters::text(raw),
        Game::Quake2 => Text::new(raw, fragreel_quake2::chars::clean(raw)),
        Game::Quake3 => Text::new(raw, fragreel_quake3::strings::clean(raw)),
    }
}

fn row(url: &str, answer: &Answer) -> Vec<String> {
    let Status { name, map, most_players, players, .. } = &answer.status;
    let count = answer.count.max(players.len());
    let most = most_players.map_or_else(String::new, |most| format!("/{most}"));
    let clean = |raw: &[u8]| text(answer.game, raw).clean;
    vec![url.to_owned(), clean(name), clean(map), format!("{count}{most}"), format!("{:.0} ms", answer.milliseconds)]
}

fn people(shell: &Shell, output: &mut impl Write, url: &str, answer: &Answer) -> io::Result<()> {
    writeln!(output, "{}", shell.paint(Ink::Strong, printable(&row(url, answer).join("  "))))?;
    for player in &answer.status.players {
        let ping = player.ping.map_or_else(String::new, |ping| format!("{ping} ms"));
        writeln!(output, "  {:>4}  {:>7}  {}", player.score, ping, printable(&text(answer.game, &player.name).clean))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Unanswered<'a> {
    server: &'a str,
    error: String,
    kind: FailureKind,
}

#[derive(Serialize)]
struct Told<'a> {
    server: &'a str,
    address: String,
    game: &'static str,
    name: Text,
    map: Text,
    players: Vec<Person>,
    player_count: usize,
    most_players: Option<u32>,
    round_trip: f64,
    info: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Person {
    name: Text,
    score: i32,
    ping: Option<i32>,
}

fn told<'a>(url: &'a str, answer: &Answer) -> Told<'a> {
    let status = &answer.status;
    let text = |raw: &[u8]| text(answer.game, raw);
    Told {
        server: url,
        address: answer.address.to_string(),
        game: answer.game.name(),
        name: text(&status.name),
        map: text(&status.map),
        players: status.players.iter().map(|player| Person { name: text(&player.name), score: player.score, ping: player.ping }).collect(),
        player_count: answer.count.max(status.players.len()),
        most_players: status.most_players,
        round_trip: answer.milliseconds.round(),
        info: status.info.iter().map(|(key, value)| (text(key).clean, text(value).raw.into())).collect(),
    }
}
