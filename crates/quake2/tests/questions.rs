//! The questions that `Recording` answers, asked of the whole corpus.

use fragreel_base::wire::Limits;
use fragreel_model::{Certainty, DamageKind, Milliseconds, RoundTrip, Selection, When};
use fragreel_quake2::Recording;
use fragreel_testkit::Sample;

use super::made::{block, client, entities, frame, header, open, player, print, skin};

fn each(mut ask: impl FnMut(&Sample, &[u8], Recording<'_>)) {
    for sample in fragreel_testkit::corpus("quake2") {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        ask(&sample, &bytes, recording);
    }
}

#[test]
fn verify_finds_every_well_formed_recording_whole() {
    each(|sample, bytes, recording| {
        let report = recording.verify();
        assert_eq!(report.round_trip, RoundTrip::Identical, "{}: {:?}", sample.name, report.first_difference);
        assert_eq!(report.bytes, bytes.len() as u64);
        let unsupported = report.damage.iter().all(|damage| damage.kind == DamageKind::Unsupported);
        assert!(sample.damaged || unsupported, "{}: {:?}", sample.name, report.damage.first());
        // Q2PRO's recorder compares what it rounded: everything comes out from the states as it was.
        if sample.name.contains("ext3436") || sample.name.contains("q2pmulti") {
            assert!(report.canonical_attempted > 90 && report.canonical_identical == report.canonical_attempted, "{}", sample.name);
        }
        if sample.damaged {
            assert!(!report.is_whole(), "{}", sample.name);
        }
    });
}

#[test]
fn info_names_map_and_players() {
    each(|sample, _, recording| {
        let info = recording.info();
        let report = recording.verify();
        assert_eq!(info.snapshots, report.snapshots, "{}", sample.name);
        assert!(!info.maps.is_empty(), "{}", sample.name);
        assert_eq!(fragreel_quake2::detect(recording_bytes(&recording), Some(&sample.extension())), Certainty::Certain, "{}", sample.name);
        let own = info.recorder.as_ref().map(|own| own.slot);
        assert!(own.is_none_or(|own| info.players.iter().any(|player| player.slot == own)), "{}: {own:?}", sample.name);
        assert!(info.snapshot_rate.is_none_or(|rate| rate > 0.0 && rate <= 40.1), "{}: {:?}", sample.name, info.snapshot_rate);
    });
}

fn recording_bytes<'a>(recording: &Recording<'a>) -> &'a [u8] {
    recording.bytes()
}

/// The manifest's counts of blocks were made with another reader.
#[test]
fn counts_agree_with_another_reader() {
    let mut compared = 0;
    each(|sample, _, recording| {
        let Some(blocks) = sample.notes.split_whitespace().find_map(|word| word.strip_prefix("blocks=")?.parse::<u64>().ok()) else { return };
        assert_eq!(recording.info().messages, blocks, "{}", sample.name);
        compared += 1;
    });
    assert!(compared > 10 || fragreel_testkit::corpus("quake2").is_empty(), "{compared}");
}

#[test]
fn a_moment_is_the_last_frame_at_or_before_the_time() {
    each(|sample, _, recording| {
        let Some(duration) = recording.info().duration else { return };
        if sample.name.contains("jburnhams") {
            return;
        }
        let mut last = None;
        for part in 0..3 {
            let time = Milliseconds(duration.0 * part / 2);
            let moment = recording.state_at(When::Demo(time)).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            assert!(moment.time <= time, "{}: {} for {time}", sample.name, moment.time);
            assert!(moment.time.0 + 2000 > time.0, "{}: {} for {time}", sample.name, moment.time);
            assert!(last <= Some(moment.message), "{}", sample.name);
            last = Some(moment.message);
            let entities = moment.sections.iter().find(|section| section.name == "entities").unwrap();
            assert!(!entities.records.is_empty(), "{} at {time}", sample.name);
        }
    });
}

/// Every bit of every message belongs to a field, in order and without gaps.
#[test]
fn explanations_leave_no_gap() {
    for sample in fragreel_testkit::corpus("quake2").into_iter().chain(fragreel_testkit::samples("quake2")) {
        let bytes = sample.bytes();
        if bytes.len() > 200_000 {
            continue;
        }
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let mut blocks = 0;
        for explained in recording.explain(Selection::All) {
            blocks += 1;
            let mut at = 0;
            for part in &explained.parts {
                assert_eq!(part.from_bit, at, "{} block {}: {part:?}", sample.name, explained.message);
                assert!(!part.field.is_empty(), "{} block {}: {part:?}", sample.name, explained.message);
                at = part.to_bit;
            }
            assert!(explained.error.is_some() || at == explained.length * 8, "{} block {}", sample.name, explained.message);
        }
        assert!(blocks > 0, "{}", sample.name);
    }
}

/// From the middle on every mask of an entity, and what ends a list of them, has a byte more than it needs: another program wrote that.
#[test]
fn a_change_of_encoder_is_found() {
    use fragreel_model::{Fate, FindingKind, Grade};
    use fragreel_quake2::fields::entity::{MORE, U_MOREBITS1};
    use fragreel_quake2::message::Body;
    let mut judged = 0;
    for sample in fragreel_testkit::samples("quake2").into_iter().filter(|sample| !sample.damaged && !sample.name.ends_with(".mvd2")) {
        let bytes = sample.bytes();
        let one = open(&bytes, &sample.extension());
        let report = one.verify();
        // yquake2's server has a way of its own from the start, and damage leaves nothing to compare with
        if report.canonical_identical < report.canonical_attempted || !report.is_whole() {
            continue;
        }
        // One after the other, each with its level, until there are enough frames.
        let (blocks, end) = bytes.split_at(bytes.len() - 4);
        let long = [&blocks.repeat(250_usize.div_ceil(report.snapshots as usize)), end].concat();
        let source = open(&long, &sample.extension());
        let half = source.verify().messages as u32 / 2;
        let edited = source.map_messages(&mut |place, message| {
            if let Body::PacketEntities(list) = &mut message.body
                && place.message >= half
            {
                list.end_mask |= U_MOREBITS1;
                for delta in list.deltas.iter_mut().filter(|delta| !delta.removes()) {
                    // the first flag for another byte that is not set yet
                    delta.mask |= MORE.iter().find(|&&more| delta.mask & more == 0).copied().unwrap_or_default();
                }
            }
            Fate::Keep
        });
        let falls = |bytes: &[u8]| -> Vec<(Grade, u32)> {
            let audit = open(bytes, &sample.extension()).audit();
            audit.findings.iter().filter(|finding| finding.kind == FindingKind::NotCanonical).map(|finding| (finding.grade, finding.message)).collect()
        };
        let (before, changed) = (falls(&long), falls(&edited.unwrap().bytes));
        let is_found = matches!(changed[..], [(Grade::Suspicious, at)] if (half..half + 20).contains(&at));
        assert!(before.is_empty() && is_found, "{}, from {half} on: {before:?}, {changed:?}", sample.name);
        judged += 1;
    }
    assert!(judged >= 3);
}

#[test]
fn explain_says_what_numbers_mean() {
    // −803.875 in eighths
    let bytes = client(&[block(&[header(1, -1), player(-6431), entities(&[(3, -6431)])])]);
    let mut meanings = Vec::new();
    for explained in open(&bytes, "dm2").explain(Selection::All) {
        meanings.extend(explained.parts.into_iter().filter(|part| part.field == "origin_x").map(|part| (part.raw, part.meaning)));
    }
    let meant = (String::from("e6e1"), String::from("-803.875"));
    assert_eq!(meanings, [meant.clone(), meant]);
}

/// Action Quake II and OpenTDM state teams on their boards, not in what they print about deaths.
#[test]
fn kills_have_the_teams_of_the_board() {
    let board = "xv 0 yv 0 string2 \" Team          Frags\" yv 8 string \"reds               1\" xv 80 yv 40 string \"reds:36(male/grunt)\" \
        xv 8 yv 48 string2 \" Name            Frags Dths Net Ping\" yv 56 string \"ann                  1    0   1   36\" \
        yv 64 string \"ben                  1    0   1   36\"";
    let layout = [&[4], board.as_bytes(), b"\0"].concat();
    let death = || print("ben was railed by ann\n");
    let bytes = client(&[frame(1, -1, &[]), block(&[skin(1, "ann"), skin(2, "ben"), death()]), block(&[layout, death()])]);
    let mut kills = Vec::new();
    open(&bytes, "dm2").events(fragreel_model::Kinds::ALL).for_each(|event| {
        if let fragreel_model::EventKind::Kill(kill) = event.kind {
            kills.push((kill.attacker.and_then(|player| player.team), kill.victim.team, kill.team_kill));
        }
    });
    assert_eq!(kills, [(None, None, false), (Some("reds".into()), Some("reds".into()), true)]);
}
