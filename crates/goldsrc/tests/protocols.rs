//! Network protocols and dialects without a recording in the corpus: hand-made ones survive, and what changes
//! between them changes.

use fragreel_goldsrc::properties::assemble::{Plan, recording};
use fragreel_goldsrc::{Dialect, Recording};
use fragreel_model::{Kind, Kinds, Milliseconds, RoundTrip, Value, When};

fn check(plan: Plan) -> Vec<u8> {
    let bytes = recording(plan);
    let opened = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let report = opened.verify();
    assert_eq!((&report.damage[..], report.round_trip), (&[][..], RoundTrip::Identical), "{plan:?}");
    assert_eq!((report.snapshots, report.canonical_attempted), (2, 2));
    let seen = Dialect::new(5, plan.network).unwrap().messages.unwrap().seen;
    assert_eq!(report.notes.is_empty(), seen, "{plan:?}: a protocol that was never seen is marked");
    let last = opened.state_at(When::Demo(Milliseconds(i64::MAX))).unwrap();
    let entities = &last.sections.iter().find(|section| section.name == "entities").unwrap().records;
    let numbers: Vec<_> = entities.iter().map(|entity| entity.find("entity").unwrap().clone()).collect();
    assert_eq!(numbers, [Value::Int(1), Value::Int(2), Value::Int(50)], "{plan:?}: the beam was removed");
    let origin = |at: usize| entities[at].find("origin").unwrap().clone();
    // 808 sixteenths of a sign and magnitude: 404 eighths; 801 ends in a sign bit
    let least_first = plan.network > 43;
    if least_first {
        assert_eq!(origin(0), Value::Floats(vec![50.5, -50.0]), "{plan:?}");
        // entity 2 started from the entity before it in the first frame, and did not move since
        assert_eq!(origin(1), Value::Floats(vec![50.0, -50.0]), "{plan:?}");
    } else {
        assert_eq!(origin(0), Value::Floats(vec![101.0, 100.125]), "{plan:?}");
        assert_eq!(origin(1), Value::Floats(vec![0.0, 0.0]), "{plan:?}");
    }
    // time windows: 100 is 50 hundredths behind 100.0 seconds, in either frame
    if least_first {
        assert_eq!(entities[2].find("animtime"), Some(&Value::Float(99.5)), "{plan:?}");
        assert_eq!(entities[2].find("impacttime"), Some(&Value::Float(100.1)), "{plan:?}");
        let expected = if plan.instanced { Value::Floats(vec![1.0, 0.0]) } else { Value::Floats(vec![0.0, 0.0]) };
        assert_eq!(origin(2), expected, "{plan:?}");
    }
    bytes
}

#[test]
fn every_network_protocol_survives() {
    for network in [43, 45, 46, 47, 48] {
        check(Plan { network, ..Plan::default() });
    }
}

#[test]
fn instanced_baselines_cost_a_bit_each() {
    let plain = check(Plan::default());
    let instanced = check(Plan { instanced: true, ..Plan::default() });
    assert_ne!(plain, instanced);
    // a reader that does not know the bit is out of step: the count that the first frame declares shows it
    for network in [43, 45] {
        check(Plan { network, instanced: true, ..Plan::default() });
    }
}

#[test]
fn proxies_send_client_data_without_a_body() {
    let bytes = recording(Plan { hltv: true, ..Plan::default() });
    let opened = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    assert_eq!(opened.verify().damage, []);
    assert_eq!(opened.info().recording, "hltv");
    let moment = opened.state_at(When::Demo(Milliseconds(0))).unwrap();
    assert!(moment.sections.iter().find(|section| section.name == "player").unwrap().records.is_empty());
}

#[test]
fn deaths_are_told_in_several_ways() {
    let cases: [(&'static [u8], &str, bool); 6] = [
        (b"\x01\x02crossbow\0", "crossbow", false),
        (b"\x01\x02\x01deagle\0", "deagle", true),
        (b"\x01\x02\x00ak47\0", "ak47", false),
        (b"\x01\x02\x00ak47\0\x05\x01\x02\x03", "ak47", false),
        (b"\x01\x02\x11", "mg42", false),
        (b"\x01\x02\0", "", false),
    ];
    for (death, means, headshot) in cases {
        let bytes = recording(Plan { death, ..Plan::default() });
        let mut kills = Vec::new();
        let opened = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        opened.events(Kinds::from_iter([Kind::Kill])).for_each(|event| kills.push(event));
        let [fragreel_model::Event { kind: fragreel_model::EventKind::Kill(kill), time, message: 7, .. }] = &kills[..] else { panic!("{death:?}: {kills:?}") };
        assert_eq!((&kill.means[..], kill.headshot, *time), (means, headshot, Milliseconds(125)));
        assert_eq!((kill.attacker.as_ref().unwrap().name.clean.as_str(), kill.victim.name.clean.as_str()), ("Gordon", "Barney"));
        assert!(!kill.team_kill);
    }
}

/// Numbers of players who are not there name nobody, and are not the world.
#[test]
fn deaths_by_or_of_nobody_known_say_so() {
    let kill = |death: &'static [u8]| {
        let bytes = recording(Plan { death, ..Plan::default() });
        let mut kills = Vec::new();
        Recording::open(&bytes, None, fragreel_base::wire::Limits::default())
            .unwrap()
            .events(Kinds::from_iter([Kind::Kill]))
            .for_each(|event| kills.push(event.kind));
        let Some(fragreel_model::EventKind::Kill(kill)) = kills.pop() else { panic!("no kill") };
        kill
    };
    let by_nobody = kill(b"\x07\x02\0awp\0");
    assert_eq!((by_nobody.unknown, by_nobody.victim.name.clean.as_str()), (Some(fragreel_model::Unknown::Attacker), "Barney"));
    assert!(by_nobody.attacker.is_some_and(|attacker| attacker.slot == Some(6) && attacker.name.clean.is_empty()));
    let of_nobody = kill(b"\x01\x07\0awp\0");
    assert_eq!((of_nobody.unknown, of_nobody.victim.slot), (Some(fragreel_model::Unknown::Victim), Some(6)));
    let by_the_world = kill(b"\0\x02\0world\0");
    assert!(by_the_world.attacker.is_none() && by_the_world.unknown.is_none());
}

#[test]
fn all_that_happens_in_a_small_recording() {
    let bytes = recording(Plan::default());
    let mut names = Vec::new();
    let opened = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    opened.events(Kinds::ALL).for_each(|event| names.push((event.kind.kind().name(), event.time.0)));
    assert_eq!(names, [("print", 0), ("level", 0), ("command", 0), ("money", 0), ("kill", 125), ("chat", 125)]);
    let rows: Vec<_> = opened.usercmds().collect();
    assert_eq!((rows.len(), rows[0].msec, rows[0].pitch, &rows[0].buttons[..]), (2, 10, -5.0, &["attack", "forward"][..]));
}
