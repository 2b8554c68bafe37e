//! What `info`, `state_at` and `explain` answer, held against a second view of the same thing.

use fragreel_base::wire::Limits;
use fragreel_model::{Milliseconds, Moment, Record, Selection, Value, When};
use fragreel_quake1::Recording;
use fragreel_testkit::Sample;

fn samples() -> Vec<Sample> {
    fragreel_testkit::samples("quake1")
}

fn bytes_of(name: &str) -> Vec<u8> {
    samples().iter().find(|sample| sample.name.ends_with(name)).unwrap_or_else(|| panic!("no sample {name}")).bytes()
}

fn players(moment: &Moment) -> Vec<(String, [f32; 3])> {
    let section = moment.sections.iter().find(|section| section.name == "players").expect("players");
    let entry = |record: &Record| {
        let Some(Value::Game(name)) = record.find("name") else { return None };
        let Some(Value::Floats(origin)) = record.find("origin") else { return None };
        Some((name.clean.clone(), [origin[0], origin[1], origin[2]]))
    };
    section.records.iter().filter_map(entry).collect()
}

/// One session, seen by a client and by the server: players are in the same places.
#[test]
fn two_views_of_a_session_agree() {
    let (client, server) = (bytes_of("match_e1m1.qwd"), bytes_of("match_e1m1.mvd"));
    let client = Recording::open(&client, Some("qwd"), Limits::default()).unwrap();
    let server = Recording::open(&server, Some("mvd"), Limits::default()).unwrap();
    let mut compared = 0;
    for seconds in 15..55 {
        let at = When::Server(Milliseconds(seconds * 1000));
        let (seen, known) = (client.state_at(at).unwrap(), server.state_at(at).unwrap());
        if seen.server_time != known.server_time {
            continue;
        }
        let known = players(&known);
        for (name, origin) in players(&seen) {
            let Some((_, place)) = known.iter().find(|(other, _)| *other == name) else { continue };
            assert_eq!(&origin, place, "{name} at {seconds} s");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} places compared");
}

#[test]
fn info_tells_what_the_manifest_notes() {
    for sample in super::corpus::recordings() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let info = recording.info();
        assert!(info.damage.is_empty(), "{}: {:?}", sample.name, info.damage);
        let noted = |key: &str| sample.notes.split_whitespace().find_map(|word| word.strip_prefix(key)?.parse::<u64>().ok());
        if let Some(blocks) = noted("blocks=") {
            assert_eq!(info.messages, blocks, "{}", sample.name);
        }
        if recording.dialect().supported() {
            assert!(!info.maps.is_empty() || info.snapshots == 0, "{}: no map of {} frames", sample.name, info.snapshots);
        }
    }
}

/// Every bit of a block that can be read belongs to exactly one part.
#[test]
fn explanations_have_no_gaps() {
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let (mut blocks, mut origins) = (0, 0);
        for explained in recording.explain(Selection::All) {
            assert_eq!(explained.error, None, "{}", sample.name);
            let mut at = 0;
            for part in &explained.parts {
                assert_eq!(part.from_bit, at, "{} block {}: {part:?}", sample.name, explained.message);
                at = part.to_bit;
                // Maps reach 4096 units from their middle, and words of 16 bits would reach 65535.
                if part.field.starts_with("origin") && !part.field.contains("bits") {
                    assert!(part.meaning.parse::<f32>().is_ok_and(|units| units.abs() <= 4096.0), "{} block {}: {part:?}", sample.name, explained.message);
                    origins += 1;
                }
            }
            assert_eq!(at, explained.length * 8, "{} block {}", sample.name, explained.message);
            blocks += 1;
        }
        assert_eq!(blocks, recording.blocks().count());
        println!("{}: {origins} origins", sample.name);
        for explained in recording.explain(Selection::At(bytes.len() as u64 / 2)) {
            assert!((explained.offset..explained.data_offset + explained.length).contains(&(bytes.len() as u64 / 2)));
        }
    }
}

/// An unfinished download, a lost sector, and a transfer in text mode are named.
#[test]
fn causes_of_damage_are_named() {
    for name in ["netquake15_deltas_dm3.dem", "quakeworld_plain_dm3.qwd", "match_e1m1.mvd"] {
        let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1").join(name)).unwrap();
        let details = |bytes: &[u8]| -> String {
            let recording = Recording::open(bytes, name.rsplit('.').next(), Limits::default()).unwrap();
            recording.verify().damage.iter().map(|damage| damage.detail.clone() + "\n").collect()
        };
        assert_eq!(details(&bytes), "", "{name}");
        if name.ends_with("dem") {
            let two = details(&[&bytes[..], &bytes[..]].concat());
            assert!(two.starts_with("a second recording begins here"), "{two}");
        }
        let half = bytes.len() / 2;
        let (mut unfinished, mut hole) = (bytes.clone(), bytes.clone());
        unfinished[half..].fill(0);
        assert!(details(&unfinished).contains("an unfinished download or copy"), "{name}: {}", details(&unfinished));
        hole[half..half + 512].fill(0);
        assert!(details(&hole).contains("zeros from"), "{name}: {}", details(&hole));
        let text: Vec<u8> = bytes.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
        assert!(details(&text).contains("a transfer in text mode inserted them"), "{name}: {}", details(&text));
    }
}

#[test]
fn states_follow_the_clock() {
    let mut followed = 0;
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let Ok(first) = recording.state_at(When::Demo(Milliseconds(-1))) else { continue };
        let mut last = first.time;
        for wanted in [0, 1000, 5000, 10_000, i64::MAX] {
            let moment = recording.state_at(When::Demo(Milliseconds(wanted))).unwrap();
            assert!(moment.time.0 <= wanted.max(first.time.0), "{}: {} for {wanted}", sample.name, moment.time);
            assert!(moment.time >= last);
            last = moment.time;
        }
        followed += u32::from(last > first.time);
    }
    assert!(followed >= 6, "{followed}");
}

/// From the middle on every mask has a byte more than it needs: another program wrote that.
#[test]
fn a_change_of_encoder_is_found() {
    use fragreel_model::{Fate, FindingKind, Grade};
    use fragreel_quake1::unstable::fields::netquake::{client_bits, client_slot};
    use fragreel_quake1::unstable::fields::quakeworld::bits;
    use fragreel_quake1::unstable::message::Message;
    let mut found = 0;
    for sample in samples().into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let half = source.verify().messages as u32 / 2;
        let edited = source.map_messages(&mut |place, message| {
            match message {
                _ if place.message < half => {}
                Message::DeltaPacketEntities(delta) => {
                    delta.entities.iter_mut().filter(|entity| !entity.removes()).for_each(|entity| entity.mask |= bits::MOREBITS as u32);
                }
                Message::UpdateEntities(message) => {
                    for update in &mut message.update.entities {
                        if let fragreel_quake1::unstable::replacement::Change::Delta(delta) = &mut update.change {
                            delta.bits |= fragreel_quake1::unstable::replacement::bits::EXTEND1;
                        }
                    }
                }
                // the height that every view has unless another is sent
                Message::ClientData(data) if u64::from(data.mask) & client_bits::VIEWHEIGHT == 0 => {
                    data.mask |= client_bits::VIEWHEIGHT as u32;
                    data.row[client_slot::VIEWHEIGHT] = 22;
                }
                _ => {}
            }
            Fate::Keep
        });
        let falls = |bytes: &[u8]| -> Vec<(Grade, u32)> {
            let audit = Recording::open(bytes, Some(&sample.extension()), Limits::default()).unwrap().audit();
            audit.findings.iter().filter(|finding| finding.kind == FindingKind::NotCanonical).map(|finding| (finding.grade, finding.message)).collect()
        };
        assert_eq!(falls(&bytes), [], "{}", sample.name);
        let changed = falls(&edited.bytes);
        assert!(changed.iter().all(|(grade, at)| *grade == Grade::Suspicious && (half..half + half / 2).contains(at)), "{}: {changed:?} {half}", sample.name);
        found += changed.len();
    }
    assert!(found > 0, "{found}");
}
