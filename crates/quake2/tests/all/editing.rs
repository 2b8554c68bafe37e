//! Editing: what comes out is whole, and says what went in.

use model::{
    Clock, Comparison, Edited, EntityKinds, EventKind, Fate, Frame, FrameOptions, Kinds, Milliseconds, Place, Range, Rewrite, Role, Split, Subject, Target,
    Value, When,
};
use quake2::Recording;
use quake2::container::dm2::Blocks;
use quake2::fields::player;
use quake2::identify::identify;
use quake2::message::{Body, Reader};
use quake2::state::{Detail, Effect, PlayerState, State};
use testkit::{Random, Sample};
use wire::Limits;

use super::made::{block, entities, map, server_data, skin};
use super::viewpoints::{differences, frames, load};

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
    assert!(comparison.differing == 0, "{name}: of {} frames: {:?}\n{:?}", comparison.frames, comparison.differences, edited.actions);
    assert!(comparison.frames > 0, "{name}");
    comparison
}

#[test]
fn a_cut_says_what_its_source_says() {
    let mut random = Random::new(0x5eed_0001);
    let (mut cuts, mut frames) = (0, 0);
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let length = source.info().duration.unwrap().0;
        for round in 0..3 {
            let from = random.below(length as usize) as i64;
            let to = from + random.below((length - from) as usize / (1 + round) + 100) as i64;
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
            let name = format!("{} {from}..{to}", sample.name);
            let edited = source.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"));
            frames += check(&name, &source, &edited).frames;
            strings_agree(&name, &source, &edited, from);
            cuts += 1;
        }
    }
    assert!(cuts > 20 && frames > 1000, "{cuts} cuts, {frames} frames");
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
                *text = b"somebody with a longer name".to_vec();
            }
            _ => {}
        }
        Fate::Keep
    }
}

/// The stat that says which string names what was picked up.
const PICKUP_STRING: usize = 8;

#[test]
fn stats_that_are_numbers_of_strings_move_with_the_strings() {
    let mut seen = 0;
    for (sample, bytes) in recordings() {
        let Ok(edited) = open(&bytes, &sample.extension()).convert(&Target { format: None, pov: None }) else { continue };
        let found = identify(&edited.bytes, Some("dm2")).unwrap();
        let mut state = State::new(found.dialect, Detail::Full, false);
        let mut reader = Reader::new(found.dialect);
        for block in Blocks::new(&edited.bytes) {
            let read = reader.block(block.data, |message, _, _| {
                if state.apply(message) == Effect::Frame
                    && let Some((_, player)) = state.players().next()
                    && player.stats[PICKUP_STRING] > 0
                {
                    let named = state.strings.get(player.stats[PICKUP_STRING] as u16);
                    assert!(!named.is_empty(), "{}: {} in frame {}", sample.name, player.stats[PICKUP_STRING], state.clock.number());
                    seen += 1;
                }
                true
            });
            assert!(read.is_ok() || sample.damaged, "{}", sample.name);
        }
    }
    assert!(seen > 100 || testkit::corpus("quake2").is_empty(), "{seen} names of items");
}

struct Grow;

impl Rewrite for Grow {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if role == Role::Name {
            *text = vec![b'n'; 80];
        }
        Fate::Keep
    }
}

#[test]
fn a_name_that_engines_have_no_room_for_is_refused() {
    for sample in testkit::samples("quake2").into_iter().filter(|sample| sample.name.ends_with("yq2dm_Alice.dm2") || sample.name.ends_with("multi.mvd2")) {
        let error = open(&sample.bytes(), &sample.extension()).rewrite(&mut Grow).map(drop).unwrap_err();
        assert!(error.to_string().contains("engines have room for 63"), "{}: {error}", sample.name);
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
            assert_eq!(player.name.clean, "somebody with a longer name", "{}", sample.name);
        }
        (names, lines) = (names + scrub.names, lines + scrub.lines);
    }
    assert!(names > 20 && lines > 50, "{names} names, {lines} lines");
}

#[test]
fn frames_may_be_dropped_and_the_others_stay() {
    let mut random = Random::new(0xd20b);
    let mut kept = 0;
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| sample.extension() != "mvd2" && !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let mut dropped = 0;
        let kind = random.below(20);
        let edited = source
            .map_messages(&mut |_, message| {
                let frame = matches!(message.body, Body::Frame(_)) && random.below(7) == 0;
                let other = random.below(9) == 0 && !matches!(message.body, Body::ConfigString(_) | Body::Frame(_)) && message.body.op() as usize == kind;
                dropped += u64::from(frame);
                if frame || other { Fate::Drop } else { Fate::Keep }
            })
            .unwrap();
        let comparison = check(&sample.name, &source, &edited);
        assert_eq!(comparison.frames + dropped, source.info().snapshots, "{}", sample.name);
        kept += comparison.frames;
    }
    assert!(kept > 1000, "{kept} frames kept");
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
        assert_eq!(edited.actions.is_empty(), edited.bytes == bytes, "{}", sample.name);
        let again = open(&edited.bytes, &edited.extension);
        assert!(again.repair().unwrap().actions.is_empty(), "{}", sample.name);
        check(&sample.name, &source, &edited);
    }
}

#[test]
fn every_convertible_recording_becomes_one_that_all_engines_play() {
    let mut converted = 0;
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
                // He whose view it is may come late, and go.
                assert!(comparison.frames <= info.snapshots && (several || sample.damaged || comparison.frames == info.snapshots), "{}", sample.name);
                converted += 1;
                if !edited.losses.iter().any(|loss| loss.to_string().contains("longer than")) {
                    for note in again.verify().notes {
                        assert!(!note.detail.contains("longer than every engine"), "{}: {note:?}", sample.name);
                    }
                }
            }
            Err(error) => {
                assert!(["shows that player", "give one of", "not described"].iter().any(|why| error.to_string().contains(why)), "{}: {error}", sample.name);
            }
        }
    }
    assert!(converted > 4, "{converted}");
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
            assert!(edited.losses.iter().any(|loss| loss.to_string().contains("the player's own state")), "{:?}", edited.losses);
            super::viewpoints::check(compared, found, 1_000);
            let (mine, concluded) = (own_states(&own), own_states(&edited.bytes));
            let (mut alive, mut same_place, mut yaw, mut pitch, mut gun, mut height) = (0, 0, 0, 0, 0, 0);
            for (number, state) in &mine {
                let Some(other) = concluded.get(number).filter(|_| state.row[player::PM_TYPE] == 0) else { continue };
                alive += 1;
                let near = |at: usize, by: i32| i32::from((state.row[at] as i16).wrapping_sub(other.row[at] as i16)).abs() <= by;
                same_place += u32::from((player::ORIGIN_X..=player::ORIGIN_Z).all(|at| state.row[at] == other.row[at]));
                yaw += u32::from(near(player::VIEWANGLES_Y, 256));
                pitch += u32::from(near(player::VIEWANGLES_X, 768));
                gun += u32::from(state.row[player::GUNINDEX] == other.row[player::GUNINDEX]);
                height += u32::from(near(player::VIEWOFFSET_Z, 24));
            }
            let shares = [same_place, yaw, pitch, gun, height].map(|count| count * 100 / alive);
            assert!(alive > 100 && shares.iter().zip([95, 95, 80, 60, 60]).all(|(share, least)| *share >= least), "{server} {client}: {shares:?} % of {alive}");
        }
    }
}

/// A level as someone saw it: his own state and the entities, frame by frame.
type Seen = Vec<(PlayerState, std::collections::HashMap<u16, quake2::fields::entity::Row>)>;

fn levels(bytes: &[u8]) -> Vec<(Vec<u8>, Seen)> {
    let found = identify(bytes, Some("dm2")).unwrap();
    let (mut reader, mut state) = (Reader::new(found.dialect), State::new(found.dialect, Detail::Full, false));
    let mut levels: Vec<(Vec<u8>, Seen)> = Vec::new();
    for block in Blocks::new(bytes) {
        let read = reader.block(block.data, |message, _, _| {
            let effect = state.apply(message);
            if effect == Effect::Level {
                levels.push((Vec::new(), Seen::new()));
            }
            if effect == Effect::Frame {
                let mut entities = std::collections::HashMap::new();
                state.entities(|number, row| {
                    entities.insert(number, *row);
                });
                let (map, seen) = levels.last_mut().unwrap();
                *map = state.strings.get(state.dialect.strings.models + 1).to_vec();
                seen.push((state.players().next().unwrap().1.clone(), entities));
            }
            true
        });
        read.unwrap();
    }
    levels
}

/// An MVD2 through a player's eyes shows what his own recording of the same match shows.
#[test]
fn a_multi_view_recording_through_a_players_eyes_is_what_he_recorded() {
    use quake2::fields::entity::{ANGLES_X, ANGLES_Z, OLD_ORIGIN_X, OLD_ORIGIN_Z};
    let (mut frames, mut compared, mut differing) = (0, 0, std::collections::BTreeMap::<&str, usize>::new());
    for (mvd, client) in [("q2p_mvd_multi.mvd2", "q2pmulti_Alice.dm2"), ("q2p_mvd_multi2.mvd2", "q2pmulti2_Alice.dm2")] {
        let Some(bytes) = load(mvd) else { return };
        let edited = open(&bytes, "mvd2").convert(&Target { format: None, pov: Some(String::from("Alice")) }).unwrap();
        let (ours, own) = (levels(&edited.bytes), levels(&load(client).unwrap()));
        for (map, seen) in &own {
            let Some((_, concluded)) = ours.iter().find(|(known, _)| known == map) else { continue };
            // The client counted frames from 1, so where his recording begins is found by where he stood.
            let place = |state: &PlayerState| [0, 1, 2].map(|axis| (state.row[player::ORIGIN_X + axis], state.row[player::VIEWANGLES_X + axis]));
            let agreeing = |offset: i64| {
                let pairs = seen.iter().enumerate().filter_map(|(at, frame)| Some((frame, concluded.get(usize::try_from(at as i64 + offset).ok()?)?)));
                pairs.filter(|(a, b)| place(&a.0) == place(&b.0)).collect::<Vec<_>>()
            };
            let best = (-(seen.len() as i64)..concluded.len() as i64).max_by_key(|&offset| agreeing(offset).len()).unwrap();
            let pairs = agreeing(best);
            assert!(pairs.len() * 2 > seen.len().min(concluded.len()), "{mvd} {}: {} of {} frames", String::from_utf8_lossy(map), pairs.len(), seen.len());
            frames += pairs.len();
            for ((state, entities), (other, others)) in pairs {
                for at in [player::PM_TYPE, player::VIEWOFFSET_Z, player::GUNINDEX, player::GUNFRAME, player::FOV, player::RDFLAGS] {
                    *differing.entry(player::NAMES[at]).or_default() += usize::from(state.row[at] != other.row[at]);
                }
                *differing.entry("stats").or_default() += usize::from(state.stats != other.stats);
                for (number, row) in entities {
                    compared += 1;
                    let Some(there) = others.get(number) else {
                        *differing.entry("absent").or_default() += 1;
                        continue;
                    };
                    let player = *number <= 4;
                    for at in (0..row.len()).filter(|at| !((OLD_ORIGIN_X..=OLD_ORIGIN_Z).contains(at) || player && (ANGLES_X..=ANGLES_Z).contains(at))) {
                        if row[at] != there[at] {
                            *differing.entry(quake2::fields::entity::NAMES[at]).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    differing.retain(|_, count| *count > 0);
    assert!(frames > 100 && compared > 1000);
    assert!(differing.is_empty(), "{differing:?}");
}

fn blocks_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    Blocks::new(bytes).map(|block| block.data.to_vec()).collect()
}

fn file_of(blocks: &[Vec<u8>], mark: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    blocks.iter().for_each(|block| quake2::container::dm2::write_block(&mut bytes, block));
    if mark {
        bytes.extend_from_slice(&[0xff; 4]);
    }
    bytes
}

#[test]
fn damaged_recordings_are_repaired() {
    let Some(sample) = testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")) else { return };
    let bytes = sample.bytes();
    let whole = open(&bytes, "dm2");
    let frames = whole.info().snapshots;
    let blocks = blocks_of(&bytes);
    let repaired = |bytes: &[u8], action: &str| {
        let edited = open(bytes, "dm2").repair().unwrap();
        assert!(edited.actions.iter().any(|done| done.to_string().contains(action)), "{action}: {:?}", edited.actions);
        let again = open(&edited.bytes, "dm2");
        assert!(again.verify().is_whole());
        assert!(again.repair().unwrap().actions.is_empty());
        edited
    };
    // Without its end mark, and cut inside the last block.
    assert_eq!(repaired(&file_of(&blocks, false), "end mark").bytes, bytes);
    let cut = repaired(&bytes[..bytes.len() - 10], "inside a block");
    assert_eq!(open(&cut.bytes, "dm2").info().snapshots, frames - 1);
    // Blocks without data.
    let mut gaps = blocks.clone();
    gaps.insert(100, Vec::new());
    assert_eq!(repaired(&file_of(&gaps, true), "without data").bytes, bytes);
    // Two blocks in one that is too long.
    let at = (0..blocks.len() - 1).find(|&at| blocks[at].len() + blocks[at + 1].len() > 1390).unwrap();
    let mut long = blocks.clone();
    let second = long.remove(at + 1);
    long[at].extend_from_slice(&second);
    let edited = repaired(&file_of(&long, true), "blocks split");
    assert_eq!(whole.compare(&open(&edited.bytes, "dm2")).differing, 0);
    assert!(blocks_of(&edited.bytes).iter().all(|block| block.len() <= 1390));
    // Behind the end mark.
    assert_eq!(repaired(&[&bytes[..], b"junk"].concat(), "follow the end mark").bytes, bytes);
    // A block in the middle overwritten, and a length.
    let middle = blocks.len() / 2;
    let mut broken = blocks.clone();
    broken[middle] = vec![0xee; broken[middle].len()];
    let offset: usize = blocks[..middle].iter().map(|block| 4 + block.len()).sum();
    let mut wild = bytes.clone();
    wild[offset..offset + 4].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
    for damaged in [file_of(&broken, true), wild] {
        let edited = repaired(&damaged, "re-encoded");
        let again = open(&edited.bytes, "dm2");
        assert_eq!(again.info().snapshots, frames - 1, "{:?}", edited.actions);
        assert!(edited.losses.iter().any(|loss| loss.to_string().contains("what changed in missing frames")), "{:?}", edited.losses);
        let comparison = open(&damaged, "dm2").compare(&again);
        assert_eq!((comparison.frames, comparison.differing), (frames - 1, 0), "{comparison:?}");
        // What comes before is what it was, and what comes after is soon so again.
        let comparison = whole.compare(&again);
        assert!(comparison.differing < frames / 4, "{comparison:?}");
        let firsts = blocks_of(&edited.bytes)[middle].clone();
        assert_eq!(firsts[5..9], [0xff; 4], "a whole frame follows the damage");
    }
}

#[test]
fn what_cannot_be_edited_is_refused_with_a_reason() {
    let Some(sample) = testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")) else { return };
    let bytes = sample.bytes();
    let recording = open(&bytes, "dm2");
    let range = |clock, from, to| Range { clock, from: Milliseconds(from), to: Milliseconds(to) };
    let error = |result: Result<Edited, wire::Error>| result.unwrap_err().to_string();
    assert!(error(recording.cut(range(Clock::Demo, 5000, 1000))).contains("before it starts"));
    assert!(error(recording.cut(range(Clock::Demo, 5_000_000, 6_000_000))).contains("no frame is between"));
    assert!(error(recording.cut(range(Clock::Match, 0, 1000))).contains("no match runs"));
    let target = |format: &str, pov: Option<&str>| Target { format: Some(format.to_owned()), pov: pov.map(str::to_owned) };
    assert!(error(recording.convert(&target("dm_68", None))).contains("`dm2` or `34`"));
    assert!(error(recording.convert(&target("34", Some("Bob")))).contains("eyes"));
    assert_eq!(recording.convert(&target("dm2 34", Some("Alice"))).unwrap().bytes, bytes);
    assert!(error(recording.split(Split::Match).map(|_| Edited::default())).contains("match starts"));
    assert!(error(recording.split(Split::Size(100)).map(|_| Edited::default())).contains("too small"));
    let test_release = [&[9, 0, 0, 0, 7, 25, 0, 0, 0, 0, 0, 0, 0][..]].concat();
    assert!(error(open(&test_release, "dm2").cut(range(Clock::Demo, 0, 1))).contains("test release"));
    if let Some(server) = testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("srv_city.dm2")) {
        let other = server.bytes();
        let other = open(&other, "dm2");
        assert!(error(other.convert(&target("34", None))).contains("through whose eyes"));
        assert!(error(Recording::join(&[&recording, &other])).contains("convert them first"));
    }
}

/// A recording of R1Q2's network stream, every third frame inside a compressed packet.
fn packed_recording() -> Vec<u8> {
    use quake2::dialect::{Announced, Dialect, RecordingKind};
    use quake2::fields::entity;
    use quake2::message::{ConfigString, Contents, Context, EntityDelta, Frame, Message, Packed, PacketEntities, PlayerDelta, ServerData, Text};
    let dialect = Dialect::of(35, RecordingKind::CLIENT, Announced { minor: 1905, ..Announced::default() }).unwrap();
    let mut cx = Context::new(dialect);
    let mut blocks = Vec::new();
    let mut block = |messages: Vec<Body>| {
        let mut w = wire::WriteBytes::default();
        for body in messages {
            let Ok(()) = Message::new(body).write(&mut w, &mut cx);
        }
        blocks.push(w.finish());
    };
    let string = |index, text: &str| Body::ConfigString(ConfigString { index, text: Text(text.into()) });
    let data = ServerData { protocol: 35, servercount: 7, kind: 1, levelname: Text(b"Level".to_vec()), minor: 1905, ..ServerData::default() };
    let precache = Body::StuffText(Text(b"precache\n".to_vec()));
    block(vec![Body::ServerData(Box::new(data)), string(0, "Level"), string(33, "maps/q2dm1.bsp"), string(1312, "Alice\\male/grunt"), precache]);
    let mut had = std::collections::HashMap::new();
    for number in 1..=40i32 {
        // Told now from the frame before, now from one further back.
        let delta = if number < 4 { -1 } else { number - 1 - number % 3 };
        let second = had.get(&delta).copied().unwrap_or(false);
        let mut player = PlayerDelta { mask: player::PS_M_ORIGIN | player::EPS_M_ORIGIN2 | player::EPS_STATS, ..PlayerDelta::default() };
        player.row[player::ORIGIN_X..=player::ORIGIN_Z].copy_from_slice(&[number as u32 * 3, 5, (-number) as u32]);
        (player.stats_mask, player.stats[1]) = (2, number as i16);
        let mut entities = PacketEntities::default();
        for entity in 1..=3u16 {
            let gone = number % 5 == 0 && entity == 2 && second;
            if number % 5 == 1 || entity != 2 || gone {
                let mask = if gone { entity::U_REMOVE } else { entity::U_ORIGIN1 | entity::U_EVENT };
                let mut delta = EntityDelta { mask, number: entity, ..EntityDelta::default() };
                if !gone {
                    (delta.row[entity::ORIGIN_X], delta.row[entity::EVENT]) = (number as u32 * u32::from(entity), 1 + number as u32 % 3);
                }
                entities.deltas.push(delta);
            }
        }
        had.insert(number, number % 5 == 1 || second && number % 5 != 0);
        let extra = (player.mask >> player::EXTRA) as u8;
        let frame = Frame { number, delta, extra, packed: Some(Box::new((player, entities))), ..Frame::default() };
        let frame = Body::Frame(Box::new(frame));
        block(if number % 3 == 0 {
            vec![Body::ZPacket(Box::new(Packed { contents: Contents::Messages(vec![Message::new(frame)]), ..Packed::default() }))]
        } else {
            vec![frame]
        });
    }
    file_of(&blocks, true)
}

#[test]
fn packed_frames_and_compressed_packets_are_edited() {
    let bytes = packed_recording();
    let source = open(&bytes, "dm2");
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    assert_eq!(source.info().snapshots, 40);
    assert_eq!(source.rewrite(&mut Identity).unwrap().bytes, bytes);
    assert_eq!(source.repair().unwrap().bytes, bytes);
    for from in (0..3900).step_by(300) {
        let range = Range { clock: Clock::Server, from: Milliseconds(from), to: Milliseconds(from + 1200) };
        let cut = source.cut(range).unwrap();
        assert!(check("cut", &source, &cut).frames >= 4, "{from}");
    }
    let mut at = 0;
    let dropped = source
        .map_messages(&mut |_, message| {
            at += u32::from(matches!(message.body, Body::Frame(_)));
            if at % 4 == 2 && matches!(message.body, Body::Frame(_)) { Fate::Drop } else { Fate::Keep }
        })
        .unwrap();
    assert_eq!(check("dropped", &source, &dropped).frames, 30);
    let converted = source.convert(&Target::default()).unwrap();
    assert_eq!(check("converted", &source, &converted).frames, 40);
    let parts = source.split(Split::Size(700)).unwrap();
    assert!(parts.len() > 2);
    let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, "dm2")).collect();
    let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(check("joined", &source, &joined).frames, 40);
}

/// A server's frame whose number is not positive, as a broken file may have it: no frame can name it as its base.
#[test]
fn no_frame_is_encoded_against_one_whose_number_is_not_positive() {
    let frame = |number: i32, list: &[(u16, i16)]| block(&[[&[20][..], &number.to_le_bytes()].concat(), entities(list)]);
    let mut begin = server_data(1);
    begin[9] = 2;
    let begin = block(&[begin, map("maps/q2dm1.bsp"), skin(0, "Alice")]);
    let all: &[(u16, i16)] = &[(1, 8), (20, 16), (21, 24)];
    let bytes = [begin, frame(5, all), frame(6, all), frame(-7, all), frame(1, &all[..1]), frame(2, all), vec![0xff; 4]].concat();
    let source = open(&bytes, "dm2");
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    let converted = source.convert(&Target { format: None, pov: Some(String::from("Alice")) }).unwrap();
    assert_eq!(check("converted", &source, &converted).frames, 5);
}

/// Lifts entities, and makes the player healthier.
#[derive(Default)]
struct Lifted {
    places: u32,
}

impl Rewrite for Lifted {
    fn fields(&self) -> &[&str] {
        &["origin_z", "stat_1"]
    }

    fn field(&mut self, _: Place, of: Subject, name: &str, value: &mut Value) {
        let number = value.as_int().unwrap();
        match of {
            Subject::Entity(_) => {
                *value = Value::Int(number + 8);
                self.places += 1;
            }
            _ if name == "stat_1" && number > 0 => *value = Value::Int(number + 1000),
            _ => {}
        }
    }
}

#[test]
fn fields_are_changed_by_name_and_nothing_else_is() {
    let (mut lifted, mut healthier) = (0, 0);
    for sample in testkit::samples("quake2").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let source = open(&bytes, &sample.extension());
        let mut lift = Lifted::default();
        let edited = source.rewrite(&mut lift).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let again = open(&edited.bytes, &edited.extension);
        assert_eq!(again.verify().damage, source.verify().damage, "{}", sample.name);
        let options = FrameOptions::default().entities(EntityKinds::ALL);
        let (mut before, mut after) = (source.frames(options), again.frames(options));
        let (mut one, mut other) = (Frame::default(), Frame::default());
        while before.next_into(&mut one) {
            assert!(after.next_into(&mut other), "{}", sample.name);
            for entity in &one.entities {
                let there = other.entity(entity.number).unwrap();
                let (from, to) = (entity.origin.unwrap(), there.origin.unwrap());
                if lift.places == 0 {
                    assert_eq!(from, to, "{}: sent as differences, which are not shown", sample.name);
                    continue;
                }
                // one that was never said to be anywhere is at 0
                assert!(to[..2] == from[..2] && (to[2] == from[2] + 1.0 || from[2] == 0.0 && to[2] == 0.0), "{}: {from:?} {to:?}", sample.name);
                assert_eq!((entity.angles, &entity.model), (there.angles, &there.model));
                lifted += 1;
            }
            for player in &one.players {
                let of = Subject::Player(player.slot);
                let (Some(Value::Int(from)), Some(Value::Int(to))) = (before.raw(of, "stat_1"), after.raw(of, "stat_1")) else { continue };
                assert_eq!(to, if from > 0 { from + 1000 } else { from }, "{}", sample.name);
                assert_eq!(before.raw(of, "stat_14"), after.raw(of, "stat_14"));
                healthier += u32::from(from > 0);
            }
        }
        assert!(!after.next_into(&mut other));
    }
    assert!(lifted > 1000 && healthier > 100, "{lifted} {healthier}");
}

/// Wants what no field can hold.
struct TooMuch(&'static str);

impl Rewrite for TooMuch {
    fn fields(&self) -> &[&str] {
        std::slice::from_ref(&self.0)
    }

    fn field(&mut self, _: Place, _: Subject, _: &str, value: &mut Value) {
        *value = Value::Int(1 << 40);
    }
}

#[test]
fn a_value_that_a_field_cannot_hold_is_refused() {
    let Some(sample) = testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")) else { return };
    let bytes = sample.bytes();
    for name in ["origin_z", "frame", "stat_1"] {
        assert_eq!(open(&bytes, "dm2").rewrite(&mut TooMuch(name)).unwrap_err().fault(), wire::Fault::Misuse, "{name}");
    }
}
