//! One match recorded by several clients and by the server: the states rebuilt from each must agree.

use std::collections::HashMap;

use fragreel_quake2::container::dm2::Blocks;
use fragreel_quake2::detect::identify;
use fragreel_quake2::fields::entity::{EVENT, MODELINDEX, NAMES, OLD_ORIGIN_X, OLD_ORIGIN_Z, Row, SOLID};
use fragreel_quake2::message::Reader;
use fragreel_quake2::state::{Detail, Effect, State};

/// Field, entity, frame.
pub(super) type Differences = Vec<(&'static str, u16, i64)>;
pub(super) type Frames = HashMap<i64, HashMap<u16, Row>>;

pub(super) fn frames(bytes: &[u8]) -> Frames {
    let found = identify(bytes, Some("dm2")).unwrap();
    let mut reader = Reader::new(found.dialect);
    let mut state = State::new(found.dialect, Detail::Full, false);
    let mut frames = Frames::new();
    for block in Blocks::new(bytes) {
        reader
            .block(block.data, |message, _, _| {
                match state.apply(message) {
                    Effect::Frame => {
                        let mut entities = HashMap::new();
                        state.entities(|number, row| {
                            entities.insert(number, *row);
                        });
                        frames.insert(state.clock.number(), entities);
                    }
                    Effect::MissingBase(base) => panic!("frame {} lacks its base {base}", state.clock.number()),
                    _ => {}
                }
                true
            })
            .unwrap();
    }
    frames
}

/// What a client's recording and the server's disagree on: field, entity, frame.
pub(super) fn differences(client: &Frames, server: &Frames) -> (usize, Differences) {
    let (mut compared, mut unmodelled, mut found) = (0, 0, Vec::new());
    for (number, entities) in client {
        let Some(on_server) = server.get(number) else { continue };
        for (entity, row) in entities {
            compared += 1;
            let Some(there) = on_server.get(entity) else {
                found.push(("absent", *entity, *number));
                continue;
            };
            if row != there && there[MODELINDEX] == 0 {
                // id's client leaves the baselines of entities without a model out of its recordings.
                unmodelled += 1;
                continue;
            }
            for at in 0..row.len() {
                // The server's recording has every entity's old origin; a client's only where it was sent.
                if row[at] != there[at] && !(OLD_ORIGIN_X..=OLD_ORIGIN_Z).contains(&at) {
                    found.push((NAMES[at], *entity, *number));
                }
            }
        }
    }
    assert!(unmodelled < compared / 50, "{unmodelled} of {compared}");
    (compared, found)
}

pub(super) fn load(name: &str) -> Option<Vec<u8>> {
    fragreel_testkit::corpus("quake2").into_iter().find(|sample| sample.name == format!("quake2/{name}")).map(|sample| sample.bytes())
}

fn compare(server: &str, clients: &[&str]) -> Option<(usize, Differences)> {
    let server = frames(&load(server)?);
    let (mut compared, mut found) = (0, Vec::new());
    for client in clients {
        let (more, differences) = differences(&frames(&load(client)?), &server);
        compared += more;
        found.extend(differences);
    }
    Some((compared, found))
}

#[test]
fn three_clients_and_the_server_agree() {
    let Some((compared, found)) = compare("yq2_srv_dm.dm2", &["yq2dm_Alice.dm2", "yq2dm_Bob.dm2", "yq2dm_Carol.dm2"]) else { return };
    check(compared, found, 30_000);
}

#[test]
fn a_cooperative_game_agrees() {
    let Some((compared, found)) = compare("yq2_srv_coop.dm2", &["yq2coop_Alice.dm2", "yq2coop_Bob.dm2"]) else { return };
    check(compared, found, 30_000);
}

/// The two exceptions that the server's own code explains: a missile is not solid to its owner, and a player who is just
/// leaving has lost his event, or is gone.
pub(super) fn check(compared: usize, found: Differences, least: usize) {
    assert!(compared > least, "{compared}");
    let solid = NAMES[SOLID];
    let missiles = found.iter().filter(|(name, ..)| *name == solid).count();
    let rest: Vec<_> = found.iter().filter(|(name, ..)| *name != solid).collect();
    assert!(missiles < compared / 100, "{missiles}");
    assert!(rest.len() <= 2 && rest.iter().all(|(name, ..)| *name == NAMES[EVENT] || *name == "absent"), "{rest:?}");
}
