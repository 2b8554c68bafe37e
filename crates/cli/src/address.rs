//! Servers as the command line names them: `qw://quake.example:27501`.

use std::net::{SocketAddr, ToSocketAddrs};

use crate::failure::{Failure, FailureKind};

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Game {
    /// QuakeWorld.
    QuakeWorld,
    /// NetQuake.
    NetQuake,
    /// Quake II.
    Quake2,
    /// Quake III.
    Quake3,
}

impl Game {
    /// All of them, with the schemes that mean them, the shortest first.
    const ALL: [(Game, &'static [&'static str]); 4] = [
        (Game::QuakeWorld, &["qw", "quakeworld"]),
        (Game::NetQuake, &["nq", "netquake"]),
        (Game::Quake2, &["q2", "quake2"]),
        (Game::Quake3, &["q3", "quake3"]),
    ];

    /// Its name, for machines.
    pub fn name(self) -> &'static str {
        Game::ALL.iter().find(|(game, _)| *game == self).map_or("", |(_, schemes)| schemes[1])
    }

    /// Where its servers listen by default.
    fn port(self) -> u16 {
        match self {
            Game::QuakeWorld => 27500,
            Game::NetQuake => 26000,
            Game::Quake2 => 27910,
            Game::Quake3 => 27960,
        }
    }
}

/// What a server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A game's server, as a client of it.
    Game(Game),
    /// A QTV server or proxy.
    Qtv,
    /// A Q2PRO server or proxy.
    Gtv,
}

/// The game and the address that a URL means; a bare host is of `default`.
pub fn resolve(url: &str, default: Game) -> Result<(Game, SocketAddr), Failure> {
    let help = "Write qw://HOST:PORT for QuakeWorld, or nq:// for NetQuake, q2:// for Quake II, q3:// for Quake III.";
    let (game, host) = match url.split_once("://") {
        Some((scheme, host)) => {
            let found = Game::ALL.iter().find(|(_, schemes)| schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)));
            let (game, _) = found.ok_or_else(|| Failure::new(format!("unknown server type `{scheme}`")).help(help))?;
            (*game, host.trim_end_matches('/'))
        }
        None => (default, url),
    };
    Ok((game, find(url, host, game.port())?))
}

/// What is to be shown, and at which port, of a URL such as `qw://:27600`. The host, if there is one, is passed over: it is this machine.
pub fn outlet(url: &str) -> Result<(Source, u16), Failure> {
    let help = "Write a game or stream and a port, such as qw://:27600. The others are nq, q2, q3, qtv and mvd2.";
    let wrong = || Failure::new(format!("cannot serve at `{url}`")).help(help);
    let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
    let (source, usual) = match scheme {
        "qtv" => (Source::Qtv, 28000),
        "mvd2" => (Source::Gtv, 27910),
        _ => {
            let found = Game::ALL.iter().find(|(_, schemes)| schemes.contains(&scheme)).ok_or_else(wrong)?;
            (Source::Game(found.0), found.0.port())
        }
    };
    let port = match rest.trim_end_matches('/').rsplit_once(':') {
        Some((_, port)) => port.parse().map_err(|_| wrong())?,
        None => usual,
    };
    Ok((source, port))
}

/// Where a host is. `url` is how it was named.
pub fn find(url: &str, host: &str, port: u16) -> Result<SocketAddr, Failure> {
    let help = "Write qw://HOST:PORT for QuakeWorld, or nq:// for NetQuake, q2:// for Quake II, q3:// for Quake III.";
    let host = host.trim_end_matches('/');
    if host.is_empty() {
        return Err(Failure::new(format!("`{url}` does not name a server")).help(help));
    }
    if let Some((name, port)) = host.rsplit_once(':')
        && !name.contains(':')
        && port.parse::<u16>().is_err()
    {
        return Err(Failure::new(format!("invalid port in `{url}`")).help("Ports are numbers from 1 to 65535. By default, it is the game's own port."));
    }
    // An IPv6 address without a port ends with its bracket.
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let found = if has_port { host.to_socket_addrs() } else { (host.trim_matches(['[', ']']), port).to_socket_addrs() };
    let found = found.map_err(|error| Failure::new(format!("there is no server `{url}`")).because(error).kind(FailureKind::NotFound).help(help))?;
    let addresses: Vec<SocketAddr> = found.collect();
    // Most servers only listen to IPv4.
    let best = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    best.copied().ok_or_else(|| Failure::new(format!("there is no server `{url}`")).kind(FailureKind::NotFound).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_by_their_url() {
        for (url, game, address) in [
            ("qw://127.0.0.1", Game::QuakeWorld, "127.0.0.1:27500"),
            ("QW://127.0.0.1:27501/", Game::QuakeWorld, "127.0.0.1:27501"),
            ("127.0.0.1:5", Game::QuakeWorld, "127.0.0.1:5"),
            ("quakeworld://[::1]:27600", Game::QuakeWorld, "[::1]:27600"),
            ("nq://127.0.0.1", Game::NetQuake, "127.0.0.1:26000"),
            ("q2://127.0.0.1", Game::Quake2, "127.0.0.1:27910"),
            ("quake3://127.0.0.1", Game::Quake3, "127.0.0.1:27960"),
        ] {
            assert_eq!(resolve(url, Game::QuakeWorld).map_err(|failure| failure.one_line()).unwrap(), (game, address.parse().unwrap()));
        }
        for (url, wanted) in [
            ("http://127.0.0.1", "unknown server type `http`"),
            ("qw://", "does not name a server"),
            ("", "does not name a server"),
            ("qw://127.0.0.1:99999", "invalid port in `qw://127.0.0.1:99999`"),
            ("127.0.0.1:", "invalid port"),
        ] {
            let refused = resolve(url, Game::QuakeWorld).map_err(|failure| failure.one_line());
            assert!(refused.as_ref().is_err_and(|failure| failure.contains(wanted)), "{url}: {refused:?}");
        }
    }
}
