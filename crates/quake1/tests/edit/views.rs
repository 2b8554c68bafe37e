//! A session seen by the server, as one of its clients saw it, held against what that client recorded.

use std::collections::BTreeMap;

use fragreel_base::wire::Limits;
use fragreel_model::{Milliseconds, Target};
use fragreel_quake1::Recording;

use super::opened;

type Place = [f32; 3];

/// Where players and entities were, frame by frame, by the server's clock.
fn places(recording: &Recording<'_>) -> BTreeMap<Milliseconds, BTreeMap<u32, (u32, Place)>> {
    let mut frames = BTreeMap::new();
    recording.replay(|frame, d, game| {
        let mut here = BTreeMap::new();
        game.world.each(d, |seen| {
            here.insert(seen.number, (seen.model, seen.origin));
        });
        if !d.replacement() {
            for (slot, _) in game.roster.iter() {
                if let Some(body) = game.body_of(slot).filter(|body| body.frame_number >= game.frames) {
                    here.insert(u32::from(slot) + 1, (body.model, body.origin));
                }
            }
        }
        frames.insert(frame.server_time, here);
    });
    frames
}

/// Both recordings state the server's time; at the same time the same things are in the same places.
#[test]
fn a_point_of_view_is_what_its_client_recorded() {
    let find = |name: &str| fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
    let (server, client) = (find("match_e1m1.mvd"), find("match_e1m1.qwd"));
    let server = Recording::open(&server, Some("mvd"), Limits::default()).unwrap();
    let client = Recording::open(&client, Some("qwd"), Limits::default()).unwrap();
    let recorder = client.info().recorder.expect("a recorder").name.clean;
    let view = server.convert(&Target { format: Some(String::from("qwd")), pov: Some(recorder.clone()) }).unwrap();
    let view = opened(&view, "a point of view");
    assert_eq!(view.info().recorder.expect("a recorder").name.clean, recorder);
    let (seen, recorded) = (places(&view), places(&client));
    let (mut both, mut same) = (0u32, 0u32);
    for (time, here) in &seen {
        let Some(there) = recorded.get(time) else { continue };
        for (number, (_, origin)) in here {
            if let Some((_, place)) = there.get(number) {
                both += 1;
                same += u32::from((0..3).all(|axis| (origin[axis] - place[axis]).abs() <= 0.126));
            }
        }
    }
    assert!(both > 5000, "{both} places in both");
    assert!(f64::from(same) >= f64::from(both) * 0.99, "{same} of {both} places agree");
}

/// There and back: what a client's recording as multi-view says of players and entities is what the client saw.
#[test]
fn there_and_back() {
    for name in ["match_e1m1.qwd", "quakeworld_plain_dm3.qwd"] {
        let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
        let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
        let recorder = source.info().recorder.expect("a recorder").name.clean;
        let there = source.convert(&Target { format: Some(String::from("mvd")), pov: None }).unwrap();
        let there = opened(&there, name);
        let back = there.convert(&Target { format: Some(String::from("qwd")), pov: Some(recorder) }).unwrap();
        let back = opened(&back, name);
        let (old, new) = (places(&source), places(&back));
        let (mut both, mut same) = (0u32, 0u32);
        for (time, here) in &new {
            let Some(there) = old.get(time) else { continue };
            for (number, (_, origin)) in here {
                if let Some((_, place)) = there.get(number) {
                    both += 1;
                    same += u32::from((0..3).all(|axis| (origin[axis] - place[axis]).abs() <= 0.126));
                }
            }
        }
        assert!(both > 200 && both == same, "{name}: {same} of {both}");
    }
}
