//! Editing: what comes out is whole, and says what went in.

use model::{Clock, Comparison, DamageKind, Edited, EventKind, Fate, Kinds, Milliseconds, Place, Range, Rewrite, Role, Split, Target, When};
use quake2::Recording;
use quake2::container::dm2::Blocks;
use quake2::fields::player;
use quake2::identify::identify;
use quake2::message::{Body, Reader};
use quake2::state::{Detail, Effect, PlayerState, State};
use testkit::Sample;
use wire::Limits;

use super::viewpoints::{differences, frames, load};

pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

/// Every recording that can be edited, ours and the corpus', each once.
fn recordings() -> Vec<(Sample, Vec<u8>)> {
    let mut seen = std::collections::HashSet::new();
    let all = testkit::corpus("quake2").into_iter().chain(testkit::samples("quake2"));
    all.map(|sample| (sample.clone(), sample.bytes())).filter(|(_, bytes)| seen.insert(bytes.clone()) && !bytes[4..].starts_with(&[7, 25])).collect()
}

fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

/// Verifies what an edit made, and compares it with its source.
fn check(name: &str, source: &Recording, edited: &Edited) -> Comparison {
    let again = open(&edited.bytes, &edited.extension);
    let report = again.verify();
    assert!(report.is_whole(), "{name}: {:?} {:?}", report.damage.first(), report.first_difference);
    let comparison = source.compare(&again);
    // A frame with more changes than a block holds is late, and said to be.
    let late = if edited.losses.iter().any(|loss| loss.starts_with("punctuality")) { comparison.frames / 20 } else { 0 };
    assert!(comparison.differing <= late, "{name}: of {} frames: {:?}\n{:?}", comparison.frames, comparison.differences, edited.actions);
    assert!(comparison.frames > 0, "{name}");
    comparison
}

#[test]
fn a_cut_says_what_its_source_says() {
    let mut random = Random(0x5eed_0001);
    let (mut cuts, mut frames) = (0, 0);
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let length = source.info().duration.unwrap().0;
        for round in 0..3 {
            let from = random.below(length as u64) as i64;
            let to = from + random.below((length - from) as u64 / (1 + round) + 100) as i64;
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
            let name = format!("{} {from}..{to}", sample.name);
            let edited = source.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"));
            frames += check(&name, &source, &edited).frames;
            strings_agree(&name, &source, &edited, from);
            cuts += 1;
        }
    }
    eprintln!("{cuts} cuts, {frames} frames compared");
}

/// The strings at the cut's first frame are the source's at that time.
fn strings_agree(name: &str, source: &Recording, edited: &Edited, from: i64) {
    let strings = |recording: &Recording, time: i64| {
        let moment = recording.state_at(When::Demo(Milliseconds(time))).unwrap();
        moment.sections.into_iter().find(|section| section.name == "configstrings").unwrap().records
    };
    let again = open(&edited.bytes, &edited.extension);
    let (old, new) = (strings(source, from), strings(&again, 0));
    let differing = new.iter().filter(|record| !old.contains(record)).count();
    assert!(differing == 0 && new.len() == old.len(), "{name}: {differing} strings of {} and {}", old.len(), new.len());
}

/// Leaves everything as it is.
struct Identity;

impl Rewrite for Identity {}

#[test]
fn a_rewrite_that_changes_nothing_changes_nothing() {
    for (sample, bytes) in recordings() {
        let edited = open(&bytes, &sample.extension()).rewrite(&mut Identity).unwrap();
        assert!(edited.bytes == bytes, "{}: {} and {} bytes", sample.name, edited.bytes.len(), bytes.len());
        assert!(edited.actions.is_empty(), "{}: {:?}", sample.name, edited.actions);
    }
}

/// Takes chat away, and everybody's name.
#[derive(Default)]
struct Scrub {
    names: usize,
    lines: usize,
}

impl Rewrite for Scrub {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if kind == "svc_sound" || kind == "svc_frame" { Fate::Drop } else { Fate::Keep }
    }

    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat | Role::Print => {
                self.lines += 1;
                return Fate::Drop;
            }
            Role::Name => {
                self.names += 1;
                *text = b"somebody with a name that is longer than it was".to_vec();
            }
            _ => {}
        }
        Fate::Keep
    }
}

#[test]
fn chat_and_names_go_away_and_states_stay() {
    let (mut names, mut lines) = (0, 0);
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let mut scrub = Scrub::default();
        let edited = source.rewrite(&mut scrub).unwrap();
        let comparison = check(&sample.name, &source, &edited);
        assert_eq!(comparison.frames, source.info().snapshots, "{}", sample.name);
        let again = open(&edited.bytes, &edited.extension);
        again.events(Kinds::ALL, &mut |event| {
            let gone = !matches!(event.kind, EventKind::Chat { .. } | EventKind::Print { .. } | EventKind::CenterPrint { .. });
            assert!(gone, "{}: {:?}", sample.name, event);
        });
        for player in again.info().players {
            assert_eq!(player.name.clean, "somebody with a name that is longer than it was", "{}", sample.name);
        }
        (names, lines) = (names + scrub.names, lines + scrub.lines);
    }
    eprintln!("{names} names, {lines} lines");
}

#[test]
fn frames_may_be_dropped_and_the_others_stay() {
    let mut random = Random(0xd20b);
    let mut kept = 0;
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| sample.extension() != "mvd2" && !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let mut dropped = 0;
        let kind = random.below(20);
        let edited = source
            .map_messages(&mut |_, message| {
                let frame = matches!(message.body, Body::Frame(_)) && random.below(7) == 0;
                let other = random.below(9) == 0 && !matches!(message.body, Body::ConfigString(_) | Body::Frame(_)) && message.body.op() as u64 == kind;
                dropped += u64::from(frame);
                if frame || other { Fate::Drop } else { Fate::Keep }
            })
            .unwrap();
        let comparison = check(&sample.name, &source, &edited);
        assert_eq!(comparison.frames + dropped, source.info().snapshots, "{}", sample.name);
        kept += comparison.frames;
    }
    eprintln!("{kept} frames kept");
}

/// Everything written on the screen.
fn lines(recording: &Recording) -> Vec<String> {
    let mut lines = Vec::new();
    recording.events(Kinds::ALL, &mut |event| match &event.kind {
        // A join where the name is known already, which it is when the strings of that frame stand before it.
        EventKind::Print { text } if text.raw.ends_with(" entered the game") => {}
        EventKind::Chat { text, .. } | EventKind::Print { text } | EventKind::CenterPrint { text } => lines.push(text.raw.clone()),
        EventKind::Shot { .. } => lines.push(String::from("shot")),
        _ => {}
    });
    lines
}

#[test]
fn parts_are_whole_and_cover_their_source() {
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let frames = source.info().snapshots;
        for by in [Split::Level, Split::Gamestate, Split::Size(200_000), Split::Size(60_000)] {
            // Longer ones take long.
            if bytes.len() > 400_000 && by != Split::Size(200_000) && source.info().maps.len() < 2 {
                continue;
            }
            let parts = match source.split(by) {
                Ok(parts) => parts,
                Err(error) if by == Split::Size(60_000) => {
                    assert!(error.to_string().contains("too small"), "{error}");
                    continue;
                }
                Err(error) => panic!("{}: {error}", sample.name),
            };
            let mut compared = 0;
            for (at, part) in parts.iter().enumerate() {
                if let Split::Size(most) = by {
                    assert!(part.bytes.len() as u64 <= most, "{}", sample.name);
                }
                compared += check(&format!("{} {by:?} {at}", sample.name), &source, part).frames;
            }
            assert_eq!(compared, frames, "{} {by:?}: {} parts", sample.name, parts.len());
            let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, &part.extension)).collect();
            let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{} {by:?}: {error}", sample.name));
            let comparison = check(&format!("{} {by:?} joined", sample.name), &source, &joined);
            assert_eq!(comparison.frames, frames, "{} {by:?}", sample.name);
            let lines: Vec<String> = opened.iter().flat_map(lines).collect();
            let joined_lines = self::lines(&open(&joined.bytes, &joined.extension));
            assert_eq!(lines, self::lines(&source), "{} {by:?}", sample.name);
            assert_eq!(joined_lines, lines, "{} {by:?} joined", sample.name);
            if by == Split::Size(60_000) && parts.len() > 1 {
                let grown = joined.bytes.len() as f64 / bytes.len() as f64;
                assert!((0.98..1.05).contains(&grown), "{}: {} parts: {grown}", sample.name, parts.len());
            }
        }
    }
}

#[test]
fn whole_recordings_need_no_repair() {
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let edited = source.repair().unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        eprintln!("{}: {:?} {:?}", sample.name, edited.actions, edited.losses);
        assert_eq!(edited.actions.is_empty(), edited.bytes == bytes, "{}", sample.name);
        let again = open(&edited.bytes, &edited.extension);
        assert!(again.repair().unwrap().actions.is_empty(), "{}", sample.name);
        check(&sample.name, &source, &edited);
        let _ = DamageKind::Framing;
    }
}

#[test]
fn every_convertible_recording_becomes_one_that_all_engines_play() {
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let info = source.info();
        let several = info.recording != "client" && info.recording != "network";
        let pov = several.then(|| info.players.first().map_or(String::from("0"), |player| player.slot.to_string()));
        if info.dialect.starts_with("202") {
            continue;
        }
        match source.convert(&Target { format: None, pov }) {
            Ok(edited) if edited.bytes == bytes => assert!(edited.actions.is_empty() && edited.losses.is_empty()),
            Ok(edited) => {
                let comparison = check(&sample.name, &source, &edited);
                let again = open(&edited.bytes, "dm2");
                assert_eq!(again.info().dialect, "34");
                eprintln!("{}: {} of {} frames, {} bytes, {:?}", sample.name, comparison.frames, info.snapshots, edited.bytes.len(), edited.losses.len());
                if !edited.losses.iter().any(|loss| loss.contains("longer than")) {
                    for note in again.verify().notes {
                        assert!(!note.detail.contains("longer than every engine"), "{}: {note:?}", sample.name);
                    }
                }
            }
            Err(error) => eprintln!("{}: {error}", sample.name),
        }
    }
}

/// A player's own state by frame number.
fn own_states(bytes: &[u8]) -> std::collections::HashMap<i64, PlayerState> {
    let found = identify(bytes, Some("dm2")).unwrap();
    let (mut reader, mut state) = (Reader::new(found.dialect), State::new(found.dialect, Detail::Full, false));
    let mut states = std::collections::HashMap::new();
    for block in Blocks::new(bytes) {
        let read = reader.block(block.data, |message, _, _| {
            if state.apply(message) == Effect::Frame {
                states.insert(state.clock.number(), state.players().next().unwrap().1.clone());
            }
            true
        });
        read.unwrap();
    }
    states
}

/// What the server's recording gives, seen through a player's eyes, is what he recorded himself.
#[test]
fn a_server_recording_through_a_players_eyes_is_what_he_recorded() {
    for (server, clients) in [("yq2_srv_dm.dm2", &["Alice", "Bob", "Carol"][..]), ("yq2_srv_coop.dm2", &["Alice", "Bob"])] {
        let Some(bytes) = load(server) else { return };
        let source = open(&bytes, "dm2");
        let prefix = if server.contains("coop") { "yq2coop" } else { "yq2dm" };
        for client in clients {
            let edited = source.convert(&Target { format: Some(String::from("dm2")), pov: Some((*client).to_owned()) }).unwrap();
            check(client, &source, &edited);
            let own = load(&format!("{prefix}_{client}.dm2")).unwrap();
            let (compared, found) = differences(&frames(&own), &frames(&edited.bytes));
            eprintln!("{server} {client}: {compared} entities, {} differences; {:?} {:?}", found.len(), edited.actions, edited.losses);
            super::viewpoints::check(compared, found, 1_000);
            let (mine, concluded) = (own_states(&own), own_states(&edited.bytes));
            let (mut alive, mut same_place, mut yaw, mut pitch, mut gun, mut height) = (0, 0, 0, 0, 0, 0);
            for (number, state) in &mine {
                let Some(other) = concluded.get(number).filter(|_| state.row[player::PM_TYPE] == 0) else { continue };
                alive += 1;
                let near = |at: usize, by: i32| ((state.row[at] as i16).wrapping_sub(other.row[at] as i16) as i32).abs() <= by;
                same_place += u32::from((player::ORIGIN_X..=player::ORIGIN_Z).all(|at| state.row[at] == other.row[at]));
                yaw += u32::from(near(player::VIEWANGLES_Y, 256));
                pitch += u32::from(near(player::VIEWANGLES_X, 768));
                gun += u32::from(state.row[player::GUNINDEX] == other.row[player::GUNINDEX]);
                height += u32::from(near(player::VIEWOFFSET_Z, 24));
            }
            eprintln!("  {alive} frames alive: place {same_place}, yaw {yaw}, pitch {pitch}, weapon {gun}, height {height}");
            assert!(alive > 100);
        }
    }
}
