//! The properties of [`properties`](super::properties) over the stored seeds, over whole sessions, and over what a few
//! thousand small mutations make of them.

use crate::properties::{ALL, datagrams};
use crate::recorder::{Recorder, Settings};
use crate::server::{Level, Server};
use fragreel_quake1::unstable::replacement::EntityState;

/// A session's datagrams as inputs: the server's, the client's.
fn session() -> [Vec<u8>; 2] {
    let mut server =
        Server::new(Level { baselines: (1..9).map(|number| (number, EntityState { model: number, ..EntityState::default() })).collect(), ..Level::default() });
    let mut client = Recorder::new(Settings { qport: 258, interval: 0.02, ..Settings::default() });
    let mut inputs = [Vec::new(), Vec::new()];
    let mut keep = |at: usize, datagram: &[u8]| {
        inputs[at].extend_from_slice(&(datagram.len() as u16).to_le_bytes());
        inputs[at].extend_from_slice(datagram);
    };
    for step in 0..40u32 {
        let now = f64::from(step) * 0.03;
        client.tick(now);
        while let Some(datagram) = client.next_datagram() {
            keep(1, &datagram);
            server.receive(0, &datagram);
        }
        let state = EntityState { model: 2, origin: [step * 8, 0, 0], frame: step, ..EntityState::default() };
        server.frame(now as f32, &[(3, state.clone()), (20_000, state)]);
        while let Some((_, datagram)) = server.next_datagram() {
            if !datagram.starts_with(&[0xff; 4]) {
                keep(0, &datagram);
            }
            client.receive(now, &datagram);
        }
    }
    assert!(client.deltas().entities().len() == 2, "the session gets as far as entities");
    inputs
}

/// Messages of the session behind a byte for their layout, as the properties of updates want them.
fn messages(server: &[u8]) -> Vec<u8> {
    let mut input = vec![0x33];
    for datagram in datagrams(server) {
        let Some(start) = datagram.iter().skip(8).position(|&byte| byte == 86) else { continue };
        let message = &datagram[8 + start + 1..];
        input.extend_from_slice(&(message.len() as u16).to_le_bytes());
        input.extend_from_slice(message);
    }
    input
}

fn bases(target: &str) -> Vec<Vec<u8>> {
    let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(target);
    let stored = std::fs::read_dir(&folder).map(|entries| entries.filter_map(|entry| std::fs::read(entry.ok()?.path()).ok()).collect());
    let mut bases: Vec<Vec<u8>> = stored.unwrap_or_default();
    let [server, client] = session();
    bases.push(match target {
        "quake1_live_recorder" => server,
        "quake1_live_updates" => messages(&server),
        _ => client,
    });
    bases
}

#[test]
fn every_seed_and_its_mutations_keep_the_properties() {
    for (target, property) in ALL {
        let mut dice = 0x9e37_79b9_7f4a_7c15u64;
        let mut roll = move |end: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice >> 24) as usize % end.max(1)
        };
        let bases = bases(target);
        for base in &bases {
            property(base);
        }
        for _ in 0..1500 {
            let mut input = bases[roll(bases.len())].clone();
            for _ in 0..=roll(4) {
                if input.is_empty() {
                    break;
                }
                let at = roll(input.len());
                match roll(5) {
                    0 => input[at] ^= 1 << roll(8),
                    1 => input[at] = roll(256) as u8,
                    2 => input.truncate(at),
                    3 => {
                        let other = &bases[roll(bases.len())];
                        let from = roll(other.len());
                        let length = roll(40).min(other.len() - from);
                        input.splice(at..at, other[from..from + length].iter().copied());
                    }
                    _ => {
                        let end = (at + roll(40)).min(input.len());
                        input.drain(at..end);
                    }
                }
            }
            property(&input);
        }
    }
}
