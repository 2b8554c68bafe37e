//! Clocks that restart: with the level, without a word, never, or from below zero.

use fragreel_model::{Clock, Kinds, Milliseconds, Range, When};

use super::made::*;

#[test]
fn times_never_go_back_and_are_never_negative() {
    let frames = |numbers: std::ops::Range<i32>| {
        let first = numbers.start;
        numbers.map(move |number| [frame(number, if number == first { -1 } else { number - 1 }, &[(3, number as i16)]), block(&[print("line\n")])].concat())
    };
    let level = |count: u8| vec![block(&[server_data(count), map("maps/q2dm2.bsp"), skin(0, "Alice")])];
    let cases: Vec<(&str, Vec<Vec<u8>>)> = vec![
        ("with the level", frames(500..520).chain(level(2)).chain(frames(3..20)).collect()),
        ("late", frames(500..520).chain(level(2)).chain(frames(520..524)).chain(frames(3..20)).collect()),
        ("without a word", frames(500..520).chain(frames(3..20)).collect()),
        ("never", frames(500..520).chain(level(2)).chain(frames(520..540)).collect()),
        ("early", frames(500..520).chain(frames(3..6)).chain(level(2)).chain(frames(6..20)).collect()),
        ("from below zero", frames(-20..20).chain(level(2)).chain(frames(-7..9)).collect()),
        ("three times", frames(9..20).chain(level(2)).chain(frames(9..20)).chain(level(3)).chain(frames(9..20)).collect()),
    ];
    for (name, blocks) in cases {
        let bytes = client(&blocks);
        let recording = open(&bytes, "dm2");
        let info = recording.info();
        assert!(recording.verify().is_whole(), "{name}: {:?}", recording.verify().damage);
        let (mut last, below_zero) = (Milliseconds(0), name == "from below zero");
        recording.events(Kinds::ALL).for_each(|event| {
            assert!(event.time >= last && (event.server_time.0 >= 0 || below_zero), "{name}: {event:?} after {last}");
            last = event.time;
        });
        let length = info.duration.unwrap();
        assert_eq!(last, length, "{name}");
        // Every frame is there at its time, and a cut from the middle to the end has the rest.
        assert!((info.snapshots as i64 - 3) * 100 <= length.0 && length.0 <= info.snapshots as i64 * 100, "{name}: {} in {length}", info.snapshots);
        let cut = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(length.0 / 2), to: length }).unwrap();
        let again = open(&cut.bytes, "dm2");
        assert_eq!(recording.compare(&again).differing, 0, "{name}");
        assert!(again.info().duration.unwrap().0 >= length.0 / 2 - 100, "{name}");
        for time in (0..=length.0).step_by(300) {
            let moment = recording.state_at(When::Demo(Milliseconds(time))).unwrap();
            assert!(moment.time.0 <= time && moment.time.0 + 100 >= time && (moment.server_time.0 >= 0 || below_zero), "{name} at {time}: {}", moment.time);
        }
        let beyond = Range { clock: Clock::Demo, from: length + Milliseconds(100), to: length + Milliseconds(200) };
        assert_eq!(recording.cut(beyond).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse, "{name}");
    }
}

/// The server's clock is what the frames' numbers say, below 0 too; the recording's begins with 0 all the same.
#[test]
fn servers_clocks_below_zero_are_as_stated() {
    let blocks: Vec<Vec<u8>> = (-30..10).map(|number| [frame(number, -1, &[(3, number as i16)]), block(&[print("line\n")])].concat()).collect();
    let bytes = client(&blocks);
    let recording = open(&bytes, "dm2");
    let shown: Vec<(i64, i64)> = recording.frames(fragreel_model::FrameOptions::default()).map(|frame| (frame.time.0, frame.server_time.0)).collect();
    assert_eq!(shown, (0..40).map(|at| (at * 100, at * 100 - 3000)).collect::<Vec<_>>());
    let mut printed = Vec::new();
    recording.events([fragreel_model::Kind::Print].into_iter().collect()).for_each(|event| printed.push((event.time.0, event.server_time.0)));
    assert_eq!(printed, shown);
    let moment = recording.state_at(When::Server(Milliseconds(-1950))).unwrap();
    assert_eq!((moment.time.0, moment.server_time.0), (1000, -2000));
    let cut = recording.cut(Range { clock: Clock::Server, from: Milliseconds(-2000), to: Milliseconds(-1000) }).unwrap();
    let part = open(&cut.bytes, "dm2");
    let comparison = recording.compare(&part);
    assert_eq!((part.info().duration, comparison.differing), (Some(Milliseconds(1000)), 0), "{comparison:?}");
}
