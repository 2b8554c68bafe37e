//! The 2021 re-release: how long its recordings last, and when they stand still.

use fragreel_base::wire::Limits;
use fragreel_model::{EventKind, FrameOptions, Kinds, MatchState, Milliseconds};
use fragreel_quake1::Recording;

use super::made::{blocks, client_data, server_info, time, update};

/// A single-player game of these server times. It is paused in the signon, and goes on before frame `resumed`.
fn single_player(times: &[f32], resumed: usize) -> Vec<u8> {
    let signon = [server_info(0, 1), vec![13, 0], b"Player\0".to_vec(), vec![24, 1]].concat();
    let frame = |(at, seconds): (usize, &f32)| {
        let goes_on: &[u8] = if at == resumed { &[24, 0] } else { &[] };
        // its number of the frame stands behind the time
        [&time(*seconds)[..], &[51, at as u8 + 1], goes_on, &client_data(100), &update(5, at as i16)].concat()
    };
    let mut all = vec![signon];
    all[0][1..5].copy_from_slice(&666u32.to_le_bytes());
    all.extend(times.iter().enumerate().map(frame));
    blocks(&all)
}

/// Its length, the server's times of its frames, and when the game stood still and went on.
fn course(bytes: &[u8]) -> (i64, Vec<i64>, Vec<(i64, MatchState)>) {
    let recording = Recording::open(bytes, Some("dem"), Limits::default()).unwrap();
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    let info = recording.info();
    assert_eq!((info.dialect.as_str(), info.game_type.as_deref()), ("netquake 666+rerelease", Some("single player")));
    let frames = recording.frames(FrameOptions::default());
    let times = frames.map(|frame| frame.server_time.0).collect();
    let mut states = Vec::new();
    recording.events(Kinds::ALL).for_each(|event| {
        if let EventKind::Match { state, .. } = event.kind {
            states.push((event.time.0, state));
        }
    });
    (info.duration.unwrap_or(Milliseconds(-1)).0, times, states)
}

/// A server that is paused from the first message to the last states one time in every frame: the recording lasts no time, and says why.
#[test]
fn a_game_that_is_paused_all_the_time_lasts_no_time() {
    assert_eq!(course(&single_player(&[1.5; 40], usize::MAX)), (0, vec![1500; 40], vec![(0, MatchState::Paused)]));
}

#[test]
fn a_game_that_goes_on_lasts_as_long_as_it_went_on() {
    let bytes = single_player(&[1.5, 1.5, 1.5, 2.0, 2.25], 2);
    assert_eq!(course(&bytes), (750, vec![1500, 1500, 1500, 2000, 2250], vec![(0, MatchState::Paused), (0, MatchState::Resumed)]));
}
