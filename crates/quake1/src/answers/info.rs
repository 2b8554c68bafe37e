//! Summarizes a recording.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Chunks, Fed, Whole, feed_all};
use fragreel_model::{Family, Info, Milliseconds};

use crate::characters;
use crate::container::Container;
use crate::message::Message;
use crate::message::hot_path::Unasked;
use crate::state::{Game, Stuffed};
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::{MessageContext, Playback};
use crate::walk::roster::SeenPlayers;

/// What a recording in memory is: game, mod, server, maps, players and duration.
pub(crate) fn info(input: &Input<'_>) -> Info {
    let Ok(info) = info_chunks(input, &mut Whole(input.bytes));
    info
}

/// What the recording is that `chunks` give. `input` says how it is read.
pub(crate) fn info_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Info, C::Error> {
    info_of(Playback::new(input, false).over(Chunk::none()), input, chunks)
}

/// The same by reading every block, for tests.
pub(crate) fn info_with_quiet(input: &Input<'_>) -> Info {
    let playback = Playback::new(input, false).with_quiet().over(Chunk::none());
    let Ok(info) = info_of(playback, input, &mut Whole(input.bytes));
    info
}

fn info_of<C: Chunks>(playback: Playback<'static>, input: &Input<'_>, chunks: &mut C) -> Result<Info, C::Error> {
    let walk = InfoWalk { playback, builder: InfoBuilder::default(), messages: 0, length: 0 };
    let InfoWalk { playback, builder, messages, length } = feed_all(walk, chunks)?;
    let mut info = Info::new(Family::Quake1, input.dialect.name(), length as u64);
    info.messages = messages;
    builder.fill(input.container, &playback, &mut info);
    info.dialect = input.dialect.name();
    info.damage = playback.findings.kept;
    Ok(info)
}

/// Only printed lines about the match are asked for.
const UNASKED: Unasked = Unasked { stats: true, center_prints: true, low_prints: true, chat: true };

/// The walk that summarizes.
struct InfoWalk {
    playback: Playback<'static>,
    builder: InfoBuilder,
    messages: u64,
    /// Bytes that were walked over.
    length: usize,
}

impl Fed for InfoWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let InfoWalk { playback, mut builder, mut messages, .. } = self;
        let mut playback = playback.over(chunk);
        loop {
            if builder.is_idle(playback.clock.demo) {
                let passed = playback.pass_quiet(UNASKED);
                messages += u64::from(passed.blocks);
                if let Some(time) = passed.frame {
                    builder.frame(time);
                }
            }
            let Some(step) = playback.next_block() else { break };
            let NextBlock::Block(block) = step else { continue };
            messages += 1;
            // errors are among the findings
            let _ = playback.play(&block, |context, item| {
                if let Item::Message(message) = item {
                    context.apply(message);
                    builder.message(context, message);
                }
            });
        }
        InfoWalk { playback: playback.over(Chunk::none()), builder, messages, length: chunk.end() }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }
}

#[derive(Default)]
struct InfoBuilder {
    maps: Vec<String>,
    players: SeenPlayers,
    /// The same with spectators: the recorder may be one.
    everybody: SeenPlayers,
    /// The time of the last frame.
    last: Milliseconds,
    match_clock: MatchClock,
    /// The first and the last reading of the match clock.
    match_times: Option<(Milliseconds, Milliseconds)>,
    /// The game and the engine, if the server prints them.
    banner: Option<(Option<String>, String)>,
}

/// The game, if it is not Quake, and the engine, from the first line of DarkPlaces servers: `Server: GAME build DATE (progs CRC crc)`.
fn banner(text: &str) -> Option<(Option<String>, String)> {
    let stated = text.trim_start().strip_prefix("Server: ")?;
    let (game, _) = stated.split_once(" build ")?;
    let engine = stated.split(" (progs").next().unwrap_or(stated).trim_end();
    let is_quake = game.starts_with("DarkPlaces");
    Some(((!is_quake).then(|| game.to_owned()), engine.to_owned()))
}

impl InfoBuilder {
    fn message(&mut self, context: &MessageContext<'_>, message: &Message) {
        let game = &*context.game;
        self.match_clock.message(message, context.delivery.target, context.clock.demo);
        match message {
            Message::ModelList(_) | Message::ModelListShort(_) | Message::ServerInfo(_) => {
                if matches!(message, Message::ServerInfo(_)) {
                    self.players.players.level();
                    self.everybody.players.level();
                }
                if let Some(map) = game.level.map().filter(|map| self.maps.last() != Some(map)) {
                    self.maps.push(map);
                }
            }
            Message::UpdateUserInfo(_) | Message::SetInfo(_) | Message::UpdateName(_) => {
                self.seen(game);
            }
            Message::NqPrint(m) if self.banner.is_none() => self.banner = banner(&characters::clean(m.text.bytes())),
            Message::StuffText(m) if m.text.bytes().starts_with(b"//") && Stuffed::read(m.text.bytes()).any(|command| command.slot().is_some()) => {
                self.seen(game);
            }
            message if crate::message::is_frame(message) => {
                self.frame(context.clock.demo);
            }
            _ => {}
        }
    }

    /// Follows a frame.
    fn frame(&mut self, time: Milliseconds) {
        self.last = time;
        if let Some(now) = self.match_clock.at(time) {
            self.match_times = Some((self.match_times.map_or(now, |(first, _)| first), now));
        }
    }

    /// True if only the last of the next frames counts: the match clock runs on, or stands.
    fn is_idle(&self, now: Milliseconds) -> bool {
        if self.match_clock.at(now).is_some() { self.match_times.is_some() && !self.match_clock.is_over() } else { true }
    }

    fn seen(&mut self, game: &Game) {
        self.players.update(game, false);
        self.everybody.update(game, true);
    }

    fn fill(self, container: Container, playback: &Playback<'_>, info: &mut Info) {
        let game = &playback.game;
        info.recording = String::from(if container == Container::MultiView { "multi-view" } else { "client" });
        info.game = String::from(if container == Container::NetQuake { "Quake" } else { "QuakeWorld" });
        let directory = game.level.game_directory();
        let ktx = game.level.setting("ktxver");
        // the game's own directory does not name a mod
        info.game_mod = Some(directory).filter(|directory| !directory.is_empty() && directory != "qw").or_else(|| ktx.as_ref().map(|_| String::from("ktx")));
        info.mod_version = ktx.map(|version| format!("KTX {version}"));
        info.engine = game.level.setting("*version");
        if let Some((game, engine)) = self.banner {
            info.game = game.unwrap_or(info.game.clone());
            info.engine.get_or_insert(engine);
        }
        info.maps = self.maps;
        info.match_clock = self.match_times;
        info.game_type = game.level.game_type();
        info.server = game.level.info.get(b"hostname".as_slice()).map(|name| characters::text(name));
        info.duration = (game.frames > 0).then_some(self.last);
        info.snapshots = game.frames;
        info.snapshot_rate = Info::rate(game.frames, info.duration);
        info.recorder = game.own.and_then(|slot| self.everybody.players.in_slot(slot.into())).cloned();
        info.players = self.players.players.all();
        info.server_settings = game.level.info.iter().map(|(key, value)| (characters::clean(key), characters::clean(value))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn darkplaces_says_which_game_it_runs() {
        let said = |text: &str| banner(text).map(|(game, engine)| (game.unwrap_or_default(), engine));
        let two = |game: &str, engine: &str| Some((game.to_owned(), engine.to_owned()));
        assert_eq!(said("\nServer: Nexuiz build 12:00:00 Jan  1 2008 (progs 5 crc)\n"), two("Nexuiz", "Nexuiz build 12:00:00 Jan  1 2008"));
        assert_eq!(said("\nServer: DarkPlaces-Quake build 2 (progs 5 crc)\n"), two("", "DarkPlaces-Quake build 2"));
        assert_eq!(said("VERSION 1.09 SERVER (22264 CRC)"), None);
    }
}
