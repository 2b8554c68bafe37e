//! The strict player stops where engines stop: it is seen to on recordings that are broken on purpose.

use super::engine::play;
use super::open;

const END: [u8; 8] = [0xff; 8];

/// The messages of a recording, each with its head.
fn messages(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while bytes[..8] != END {
        let length = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
        let (message, rest) = bytes.split_at(8 + length);
        messages.push(message.to_vec());
        bytes = rest;
    }
    messages
}

/// What a game says of these messages.
fn said(messages: &[Vec<u8>], end: &[u8]) -> String {
    let bytes = [&messages.concat(), end].concat();
    play(&open("broken", &bytes, "dm_71")).map_or_else(|error| error, |played| format!("{} frames", played.frames.len()))
}

#[test]
fn games_stop_at_what_is_broken() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("our sample");
    let whole = messages(&sample.bytes());
    let broken = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut messages = whole.clone();
        change(&mut messages);
        said(&messages, &END)
    };
    assert!(broken(&|_| {}).ends_with(" frames"));
    assert_eq!(said(&whole, &[]), "no end");
    let lost = broken(&|messages| drop(messages.drain(50..55)));
    assert!(lost.contains("delta frame too old"), "{lost}");
    let again = broken(&|messages| {
        let message = messages[50].clone();
        messages.insert(52, message);
    });
    assert!(again.contains("server time went backwards"), "{again}");
    let headless = broken(&|messages| drop(messages.remove(0)));
    assert!(headless.contains("nothing may come before the gamestate"), "{headless}");
    let long = broken(&|messages| {
        messages[50].resize(8 + 16385, 0);
        messages[50][4..8].copy_from_slice(&16385u32.to_le_bytes());
    });
    assert!(long.contains("MAX_MSGLEN"), "{long}");
    // the byte behind an end that falls on a boundary is what makes it seen
    let shorter = |at: usize| {
        broken(&|messages| {
            let message = &mut messages[at];
            let length = message.len() as u32 - 9;
            message.truncate(8 + length as usize);
            message[4..8].copy_from_slice(&length.to_le_bytes());
        })
    };
    let errors: Vec<String> = (50..90).map(shorter).collect();
    assert!(errors.iter().all(|error| !error.ends_with(" frames")), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("the end cannot be seen")), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("read past the end")), "{errors:?}");
}
