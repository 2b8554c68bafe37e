//! `fragreel relay`

mod outlet;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use fragreel_live::Delay;

use self::outlet::Outlet;
use super::record::{Extra, Files, JoinOptions, Joining, Limits, Patience, Upstream, run_stream, say};
use crate::address::{Game, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::printable;
use crate::shell::{Outcome, Shell};

/// Join a server once and let many clients watch
///
/// Forwards FROM to each TO, delayed by --delay, to up to 64 clients. A server of QuakeWorld
/// (qw://), NetQuake (nq://), Quake II (q2://), or Quake III (q3://) is served to clients of the
/// same game. A QTV stream (qtv://) is served as QTV or to QuakeWorld clients, and a Q2PRO stream
/// (mvd2://) as itself. TO names a game or stream and a port. Listens on localhost unless --public.
/// Viewers cannot pause or seek. -o also records.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel relay qw://quake.example:27500 qw://:27600 --public
      watch with any QuakeWorld client at port 27600
  fragreel relay qtv://1@qtv.example:28000 qtv://:28001 qw://:27600 --delay 20
      serve a stream as a stream and as a server, 20 seconds later
  fragreel relay q3://localhost q3://:27970 --protocol 71 -o live.dm_71
      OpenArena, and record it

Exit codes: 0 served, 2 nothing served.")]
pub struct Arguments {
    /// Server URL, such as qw://quake.example:27500
    #[arg(value_name = "FROM")]
    server: String,

    /// Where to serve it, such as qw://:27600
    #[arg(value_name = "TO", required = true)]
    to: Vec<String>,

    /// Delay everything by this number of seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    delay: f64,

    /// Also record, without the delay
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    /// Accept connections from other machines
    #[arg(long)]
    public: bool,

    /// Join again when the connection ends, until --for or Ctrl-C. Viewers stay connected
    #[arg(long)]
    reconnect: bool,

    #[command(flatten)]
    joining: Joining,

    /// Protocol of the Quake III server: 68, or 71 for OpenArena
    #[arg(long, value_name = "NUMBER", default_value_t = 68)]
    protocol: u16,
}

/// Longest delay.
const LONGEST_DELAY: f64 = 3600.0;

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if !(0.0..=LONGEST_DELAY).contains(&self.delay) {
            return Err(Failure::new("--delay takes seconds from 0 to 3600").into());
        }
        let upstream = Upstream::of(&self.server)?;
        // clients of all kinds are to see it
        let options = JoinOptions { plain: true, protocol: self.protocol, ..self.joining.options()? };
        let kind = upstream.source.kind(self.protocol).ok_or_else(|| Failure::new("--protocol takes numbers from 66 to 71"))?;
        let mut files = self.output.as_deref().map(|output| Files::new(output, self.force, kind)).transpose()?;
        let outlets: Result<Vec<Outlet>, Failure> = self.to.iter().map(|url| Outlet::open(url, upstream.source, kind.0, self.public)).collect();
        let mut relay = Relay {
            outlets: outlets?,
            delay: Delay::new(self.delay),
            started: Instant::now(),
            source: upstream.source,
            connections: 0,
            fresh: true,
            watching: 0,
            talks: shell.errors_are_terminal,
        };
        for outlet in &relay.outlets {
            outlet.announce(&self.server)?;
        }
        let _guard = crate::interrupt::SignalGuard::patient();
        let (mut began, mut patience, mut any) = (None, Patience::new(), false);
        let outcome = loop {
            let limits =
                Limits { began: &mut began, seconds: self.joining.seconds(), bytes: self.joining.size, keep_free: self.joining.keep_free, watch: None };
            relay.begin();
            let ended = run_stream(&mut *upstream.join(&options)?, upstream.source.by(), upstream.address, &mut files, limits, &mut relay, |_| Ok(()))?;
            any |= ended.frames;
            if let Some(file) = &ended.file {
                say(file, &ended.reason)?;
            }
            let wait = patience.next(ended.frames);
            let over = ended.left.is_some() || !self.reconnect;
            if !over {
                eprintln!("{}: {}; joining again in {wait:.0} s", printable(&self.server), printable(&ended.reason));
            }
            let pause = Instant::now();
            while !over && !crate::interrupt::asked() && !self.joining.is_over(began) && pause.elapsed().as_secs_f64() < wait {
                relay.idle();
            }
            if over || crate::interrupt::asked() || self.joining.is_over(began) {
                break ended;
            }
        };
        // what is still held is shown, unless somebody wants to go
        while outcome.left.is_none() && !relay.delay.is_empty() && !crate::interrupt::asked() {
            relay.idle();
        }
        relay.outlets.iter_mut().for_each(Outlet::close);
        if any {
            eprintln!("{}: {}", printable(&self.server), printable(&outcome.reason));
            return Ok(Outcome::Fine);
        }
        let hint = if upstream.source == Source::Game(Game::QuakeWorld) && outcome.left.is_none() { self.joining.hint() } else { "" };
        let advice = upstream.advice(outcome.left);
        let failure = Failure::new(format!("`{}` sent nothing: {}", printable(&self.server), printable(&outcome.reason))).kind(FailureKind::Io);
        Err(failure.help(format!("No viewer was served. {advice} {hint}").trim_end()).into())
    }
}

/// What comes, on its way to those who watch.
struct Relay {
    outlets: Vec<Outlet>,
    delay: Delay,
    started: Instant,
    source: Source,
    connections: u32,
    /// Whether nothing of this connection's recording has come yet.
    fresh: bool,
    watching: usize,
    talks: bool,
}

impl Relay {
    /// Another connection: its recording goes on where the one before ended, as after a level change.
    fn begin(&mut self) {
        self.connections += 1;
        self.fresh = true;
    }

    /// Bytes that stand before a recording's first block.
    fn header(&self, bytes: &[u8]) -> usize {
        match self.source {
            Source::Gtv => 4.min(bytes.len()),
            Source::Game(Game::NetQuake) => bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1),
            _ => 0,
        }
    }

    fn idle(&mut self) {
        self.poll();
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Extra for Relay {
    fn heard(&mut self, bytes: &[u8], _: bool) {
        if bytes.is_empty() {
            return;
        }
        let first = std::mem::take(&mut self.fresh);
        let skipped = if first && self.connections > 1 { self.header(bytes) } else { 0 };
        self.delay.push(self.started.elapsed().as_secs_f64(), bytes[skipped..].to_vec());
    }

    fn poll(&mut self) {
        let now = self.started.elapsed().as_secs_f64();
        while let Some(bytes) = self.delay.pop(now) {
            self.outlets.iter_mut().for_each(|outlet| outlet.feed(&bytes));
        }
        self.outlets.iter_mut().for_each(|outlet| outlet.poll(now));
        let watching = self.outlets.iter().map(Outlet::watching).sum();
        if std::mem::replace(&mut self.watching, watching) != watching && self.talks {
            eprintln!("{watching} watching");
        }
    }
}
