//! Older network protocols become today's.

use fragreel_goldsrc::container::Step;
use fragreel_goldsrc::message::Message;
use fragreel_goldsrc::properties::assemble::{Plan, recording};
use fragreel_model::Target;

use super::{assert_same, assert_whole, open, sound};

#[test]
fn older_protocols_become_todays() {
    for network in [45, 46, 47] {
        for (instanced, hltv) in [(false, false), (true, false), (false, true)] {
            let bytes = recording(Plan { network, instanced, hltv, ..Plan::default() });
            let source = open(&bytes);
            for format in [None, Some("48"), Some("dem 48"), Some("dem")] {
                let edited = source.convert(&Target { format: format.map(str::to_owned), pov: None }).unwrap();
                assert_whole("converted", &edited);
                let new = open(&edited.bytes);
                assert_eq!(new.dialect().name(), "HLDEMO 5/48");
                assert_same("converted", &source, &new, 2);
                assert_eq!((new.info().players, new.info().maps), (source.info().players, source.info().maps));
                assert!(!edited.losses.is_empty());
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let today = recording(Plan::default());
    let same = open(&today).convert(&Target::default()).unwrap();
    assert!(same.bytes == today && same.actions.is_empty());
    let refused = |bytes: &[u8], format: Option<&str>| open(bytes).convert(&Target { format: format.map(str::to_owned), pov: None }).unwrap_err();
    for format in ["47", "dm_68", "dem 15", ""] {
        let error = refused(&today, Some(format));
        assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Unsupported);
        assert!(error.detail().contains("possible is `dem` or `48`"), "{error}");
    }
    let old = recording(Plan { network: 43, ..Plan::default() });
    assert!(refused(&old, None).detail().contains("HLDEMO 5/43 is not described well enough"));
    for sample in fragreel_testkit::samples("goldsrc").iter().filter(|sample| sample.name.contains("protocol-4")) {
        let bytes = sample.bytes();
        assert_eq!(refused(&bytes, None).kind(), fragreel_base::wire::ErrorKind::Unsupported);
    }
}

/// Protocol 47 is 48 where a server has no security module: recordings that only say 47 become what they were.
#[test]
fn recordings_that_say_47_become_what_they_were() {
    let mut files = 0;
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() < 500_000 && bytes[12] == 48) {
        let mut old = bytes.clone();
        old[12] = 47;
        let source = open(&bytes);
        let mut decoder = fragreel_goldsrc::Decoder::new(fragreel_goldsrc::Context::new(source.dialect().messages.unwrap()));
        for window in source.container().macros().filter_map(Step::found) {
            let Some((offset, data)) = fragreel_goldsrc::messages(&window, source.dialect()) else { continue };
            let mut says = |_: &fragreel_goldsrc::Context, message: &mut Message, range: std::ops::Range<usize>| match message {
                Message::ServerInfo(_) | Message::Version(_) => old[offset + range.start + 1] = 47,
                _ => {}
            };
            decoder.block(data, offset, &mut says).unwrap();
        }
        assert!(open(&old).convert(&Target::default()).unwrap().bytes == bytes, "{name}");
        files += 1;
    }
    assert!(files > 0);
}
