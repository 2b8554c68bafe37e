//! The server's clock is as stated, below 0 too; the recording's begins with 0 all the same.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, EventKind, FindingKind, FrameOptions, Grade, Kinds, Milliseconds, Range, When};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Framing, write_block};
use fragreel_quake1::unstable::message::{Float, Message};

use super::edit::{agrees, opened};
use super::made::{client_data, netquake, sample, time, update};

/// A client whose user commands last longer than the time that passes runs too fast.
#[test]
fn a_speed_hack_shows_in_the_user_commands() {
    let bytes = sample("match_e1m1.qwd");
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let paced = |times: f32| {
        let mut made = Vec::new();
        for block in source.blocks().map(Result::unwrap) {
            let mut framing = block.framing;
            if let Framing::Command { command, .. } = &mut framing {
                command.msec = (f32::from(command.msec) * times) as u8;
            }
            write_block(&mut made, source.container(), &framing, block.data);
        }
        let audit = Recording::open(&made, Some("qwd"), Limits::default()).unwrap().audit();
        audit.findings.into_iter().filter(|finding| finding.kind == FindingKind::ClockDrift).map(|finding| finding.grade).collect::<Vec<_>>()
    };
    for (times, found) in [(1.0, vec![]), (0.7, vec![]), (1.5, vec![Grade::Suspicious])] {
        assert_eq!(paced(times), found, "{times}");
    }
}

/// A recording's frames, events, moments and parts, where the server's clock starts below 0 and shows these times.
fn check(bytes: &[u8], extension: &str, stated: &[i64]) {
    let recording = Recording::open(bytes, Some(extension), Limits::default()).unwrap();
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    let shown: Vec<(Milliseconds, Milliseconds)> = recording.frames(FrameOptions::default()).map(|frame| (frame.time, frame.server_time)).collect();
    let first = shown[0];
    // a multi-view recording's first frame may come a moment behind its start
    assert!((0..10).contains(&first.0.0) && first.1.0 < -1000, "{first:?}");
    assert!(shown.is_sorted());
    assert_eq!(shown.len(), stated.len());
    let wrong = shown.iter().zip(stated).find(|((_, server), stated)| (server.0 - **stated).abs() > 2);
    assert!(wrong.is_none(), "{wrong:?}");
    let mut below = 0;
    recording.events(Kinds::ALL).for_each(|event| {
        assert!(event.time.0 >= 0 && event.match_time.is_none_or(|shown| shown.0 >= 0), "{event:?}");
        below += u32::from(event.server_time.0 < 0);
    });
    assert!(below > 0);
    let (time, server) = *shown.iter().find(|(time, _)| time.0 > 500).unwrap();
    assert!(server.0 < 0);
    let moment = recording.state_at(When::Server(server)).unwrap();
    assert_eq!((moment.time, moment.server_time), (time, server));
    let cut = recording.cut(Range { clock: Clock::Server, from: server, to: Milliseconds(server.0 + 2000) }).unwrap();
    assert!(agrees(&recording, &opened(&cut, extension), extension) > 3);
}

fn frames_from(seconds: i16) -> Vec<Vec<u8>> {
    (0..20).map(|at| [time(f32::from(seconds) + f32::from(at) / 2.0), client_data(100), update(5, at)].concat()).collect()
}

#[test]
fn in_netquake() {
    let mut frames = frames_from(-4);
    frames[1].extend(b"\x08a print\n\0");
    let bytes = netquake(4, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    check(&bytes, "dem", &(0..20).map(|at| at * 500 - 4000).collect::<Vec<_>>());
}

#[test]
fn in_multi_view_recordings() {
    let bytes = sample("match_e1m1.mvd");
    let source = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    let below = |seconds: f32| seconds - 30.0;
    let earlier = source.map_messages(&mut |_, message| {
        match message {
            Message::ServerData(data) => data.time = Float::from(below(data.time.value())),
            Message::QwTime(time) => time.time = Float::from(below(time.time.value())),
            Message::UpdateEntities(entities) => entities.update.time = below(f32::from_bits(entities.update.time)).to_bits(),
            _ => {}
        }
        fragreel_model::Fate::Keep
    });
    let stated: Vec<i64> = source.frames(FrameOptions::default()).map(|frame| frame.server_time.0 - 30_000).collect();
    check(&earlier.bytes, "mvd", &stated);
}

/// A level that ends while its clock is below 0 took no time that anybody knows.
#[test]
fn a_run_takes_no_negative_time() {
    for (begins, counted) in [(-40, None), (-2, Some(7500))] {
        let mut frames = frames_from(begins);
        frames[19].push(30);
        let bytes = netquake(1, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut runs = Vec::new();
        Recording::open(&bytes, Some("dem"), Limits::default()).unwrap().events(Kinds::ALL).for_each(|event| {
            if let EventKind::Finish(run) = event.kind {
                runs.push((run.time.counted, run.from.map(|from| from.0)));
            }
        });
        assert_eq!(runs, [(counted, counted.map(|_| 2000))], "{begins}");
    }
}
