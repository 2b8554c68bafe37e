//! Conversions, and one player's view of a server's recording.

use fragreel_model::Target;
use fragreel_quake2::container::dm2::Blocks;
use fragreel_quake2::detect::identify;
use fragreel_quake2::fields::player;
use fragreel_quake2::message::Reader;
use fragreel_quake2::state::{Detail, Effect, PlayerState, State};

use super::{check, open, recordings};
use crate::made::{block, entities, map, server_data, skin};
use crate::viewpoints::{self, differences, frames, load};

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
            viewpoints::check(compared, found, 1_000);
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
type Seen = Vec<(PlayerState, std::collections::HashMap<u16, fragreel_quake2::fields::entity::Row>)>;

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
    use fragreel_quake2::fields::entity::{ANGLES_X, ANGLES_Z, OLD_ORIGIN_X, OLD_ORIGIN_Z};
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
                            *differing.entry(fragreel_quake2::fields::entity::NAMES[at]).or_default() += 1;
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

/// A part of a server's recording with a level that comes unannounced, whose frames have the numbers of those that were cut off: frames that only
/// prepare the first are not held against them.
#[test]
fn parts_of_servers_recordings_with_several_levels_are_converted() {
    let Some(bytes) = load("yq2_srv_multi.dm2") else { return };
    let source = open(&bytes, "dm2");
    let range =
        fragreel_model::Range { clock: fragreel_model::Clock::Demo, from: fragreel_model::Milliseconds(2000), to: fragreel_model::Milliseconds(1 << 40) };
    let cut = source.cut(range).unwrap();
    check("cut", &source, &cut);
    let part = open(&cut.bytes, "dm2");
    let converted = part.convert(&Target { format: None, pov: Some(String::from("0")) }).unwrap();
    assert!(check("converted", &part, &converted).frames > 480);
}
