//! Every question and every edit, and what must hold of the answers whatever the bytes are.

use fragreel::edit::{Chat, Clock, Edited, Range, Rewrite, Same, Scrub, Split, Target};
use fragreel::model::{DamageKind, Event, Kinds, Milliseconds, RoundTrip, Selection, Verification, When};
use fragreel::{Limits, Recording, text_form};
use fragreel_testkit::Random;

use crate::case::Case;
use crate::clean::Clean;
use crate::operation::{Operation, Outcome, opened, part};
use crate::seeks::frames;

macro_rules! operations {
    ($($name:ident $(($flag:ident))?),* $(,)?) => {
        /// All of them.
        pub const OPERATIONS: &[Operation] = &[$(Operation { $($flag: true,)? ..Operation::plain(stringify!($name), $name) }),*];
    };
}

operations! {
    info, verify, audit, events(needs_clean), state(seeded), explain, commands, text,
    frames(seeded), cut(seeded), split(seeded), join(seeded), repair, convert(seeded), untouched, scrub(seeded), strip(seeded), rename,
    repaired(seeded), excerpt(seeded),
}

fn must(holds: bool, what: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(what()) }
}

fn info(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let info = recording.info();
        must(info.duration.is_none_or(|duration| duration.0 >= 0), || format!("a duration below zero: {:?}", info.duration))?;
        must(info.bytes == case.bytes.len() as u64, || format!("a size of {} bytes", info.bytes))
    })
}

fn verify(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let report = recording.verify();
        must(report.round_trip != RoundTrip::Differs, || format!("decoding and encoding differ: {:?}", report.first_difference))?;
        must(report.canonical_identical <= report.canonical_attempted, || String::from("more canonical messages than were tried"))?;
        let size = case.bytes.len() as u64;
        let astray =
            report.damage.iter().find(|damage| damage.offset > size || damage.skipped.is_some_and(|skipped| skipped.from > skipped.to || skipped.to > size));
        must(astray.is_none(), || format!("damage outside of the file: {astray:?}"))
    })
}

/// What `verify` calls damaged is not unbroken, and findings lie in the file.
fn audit(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let audit = recording.audit();
        let size = case.bytes.len() as u64;
        let astray =
            audit.findings.iter().find(|finding| finding.offset > size || finding.extent.is_some_and(|extent| extent.from > extent.to || extent.to > size));
        must(astray.is_none(), || format!("a finding outside of the file: {astray:?}"))?;
        must(!audit.is_unbroken() || case.is_whole(), || String::from("what is damaged is called unbroken"))
    })
}

/// Events come in stream order, and those in messages before the first byte that was changed are the clean recording's. Those behind
/// the last frame before it are of the time of the next one, which may be spoiled.
fn events(case: &Case, clean: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let found: Vec<Event> = recording.events(Kinds::ALL).collect();
        must(found.is_sorted_by_key(|event| event.message), || String::from("events out of order"))?;
        must(found.iter().all(|event| event.time.0 >= 0), || String::from("an event before the recording's start"))?;
        let Some(spoiled) = case.first.and_then(|first| clean.sound(first)) else { return Ok(()) };
        let before = |event: &&Event| event.message < spoiled.message;
        let (expected, found): (Vec<_>, Vec<_>) = (clean.events().iter().filter(before).collect(), found.iter().filter(before).collect());
        let same = |event: &Event, found: &Event| {
            let timed = spoiled.frame.is_some_and(|frame| event.message <= frame);
            *event == *found || !timed && (event.message, event.evidence, &event.kind) == (found.message, found.evidence, &found.kind)
        };
        let missing = expected.iter().find(|event| !found.iter().any(|found| same(event, found)));
        must(missing.is_none(), || format!("an event before the damage in message {} is not delivered: {missing:?}", spoiled.message))
    })
}

fn state(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let length = recording.info().duration.unwrap_or_default().0;
        for when in [When::Demo(part(length, random.below(256))), When::Server(Milliseconds(random.number() as i64)), When::Demo(Milliseconds(i64::MAX))] {
            // No state is an answer too.
            let _ = recording.state_at(when);
        }
        Ok(())
    })
}

fn explain(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let mut wrong = None;
        for message in recording.explain(Selection::All) {
            let mut at = 0;
            for part in &message.parts {
                if part.from_bit < at || part.to_bit > message.length * 8 {
                    wrong.get_or_insert_with(|| format!("parts of message {} overlap or leave it: {} at {}", message.message, part.field, part.from_bit));
                }
                at = part.to_bit;
            }
        }
        wrong.map_or(Ok(()), Err)
    })
}

fn commands(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        recording.usercmds().into_iter().flatten().for_each(drop);
        Ok(())
    })
}

/// The text form gives the bytes back. Line by line, as the commands do, so that the text is never in memory as a whole.
fn text(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    let head = &case.bytes[..case.bytes.len().min(text_form::HEAD)];
    let Ok(mut decompiler) = text_form::decompiler(head, &case.name, Limits::default()) else { return Ok(()) };
    let (mut compiler, mut made, mut number, mut lines, mut from) = (None, Vec::new(), 0, Vec::new(), 0);
    while from < case.bytes.len() {
        lines.clear();
        let mut size = text_form::HEAD;
        loop {
            let to = (from + size).min(case.bytes.len());
            let last = to == case.bytes.len();
            let used = decompiler.step(&case.bytes[from..to], last, &mut lines);
            from += used;
            if used > 0 || last {
                must(!last || from == case.bytes.len() || used > 0, || format!("the text ends at byte {from}"))?;
                break;
            }
            size *= 2;
        }
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            number += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let shown = || String::from_utf8_lossy(&line[..line.len().min(300)]).into_owned();
            if compiler.is_none() {
                compiler = Some(text_form::compiler(line).map_err(|error| format!("no compiler: {error:?}"))?);
            }
            let Some(compiler) = &mut compiler else { continue };
            compiler.line(line, number, &mut made).map_err(|error| format!("its own text does not compile: {error:?}; {}", shown()))?;
        }
    }
    let Some(mut compiler) = compiler else { return Ok(()) };
    let patches = compiler.finish(&mut made).map_err(|error| format!("its own text does not compile: {error:?}"))?;
    for patch in patches {
        let at = patch.offset as usize;
        made[at..at + patch.bytes.len()].copy_from_slice(&patch.bytes);
    }
    let differs = made.iter().zip(&case.bytes).position(|(a, b)| a != b).or((made.len() != case.bytes.len()).then_some(made.len().min(case.bytes.len())));
    must(differs.is_none(), || format!("the text gives other bytes from {} on", differs.unwrap_or_default()))
}

fn cut(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let length = recording.info().duration.unwrap_or_default().0;
        let (a, b) = (random.below(256), random.below(256));
        let range = Range { clock: Clock::Demo, from: part(length, a.min(b)), to: part(length, a.max(b)) };
        let Ok(edited) = recording.cut(range) else { return Ok(()) };
        sound(case, recording, &edited, true)
    })
}

fn split(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let size = Split::Size((case.bytes.len() / (2 + random.below(6))).max(1) as u64);
        let by = *random.choose(&[Split::Level, Split::Gamestate, Split::Match, size]).unwrap_or(&size);
        let Ok(parts) = recording.split(by) else { return Ok(()) };
        parts.iter().try_for_each(|edited| sound(case, recording, edited, true))
    })
}

/// Cut in two and joined.
fn join(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    opened(case, |recording| {
        let length = recording.info().duration.unwrap_or_default().0;
        let middle = part(length, Random::new(seed).below(256));
        let cut = |from, to| recording.cut(Range { clock: Clock::Demo, from, to });
        let (Ok(a), Ok(b)) = (cut(Milliseconds(0), middle), cut(middle, Milliseconds(length))) else { return Ok(()) };
        let [Ok(a), Ok(b)] = [a, b].map(|edited| Recording::open(edited.bytes, &format!("part.{}", edited.extension))) else { return Ok(()) };
        let parts = [a, b];
        let Ok(joined) = Recording::join(&parts) else { return Ok(()) };
        if !case.is_whole() {
            return Ok(());
        }
        let checked = Recording::check_joined(&parts, &joined).map_err(|error| format!("the result does not open: {error}"))?;
        must(checked.verification.is_whole(), || whole_not(&checked.verification))?;
        must(checked.comparison.differing == 0, || {
            format!("{} of {} frames differ: {:?}", checked.comparison.differing, checked.comparison.frames, checked.comparison.differences.first())
        })
    })
}

/// What is repaired is whole, shows what was sound, and needs no repair; and what repair changes, `verify` mentions.
fn repair(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let Ok(repaired) = recording.repair() else {
            return must(!case.is_whole(), || String::from("a whole recording cannot be repaired"));
        };
        let again = Recording::open(repaired.bytes.clone(), &format!("repaired.{}", repaired.extension))
            .map_err(|error| format!("the result does not open: {error}"))?;
        let report = again.verify();
        must(report.is_whole(), || whole_not(&report))?;
        let comparison = recording.compare(&again).map_err(|error| format!("cannot be compared: {error}"))?;
        must(comparison.differing == 0, || format!("{} of {} frames differ: {:?}", comparison.differing, comparison.frames, comparison.differences.first()))?;
        let second = again.repair().map_err(|error| format!("a second repair fails: {error}"))?;
        must(second.bytes == repaired.bytes, || format!("a second repair changes it again: {:?} after {:?}", second.actions, repaired.actions))?;
        must(repaired.bytes == case.bytes || mentions_repairs(&recording.verify()), || {
            format!("repair changes what verify does not mention: {:?}", repaired.actions)
        })
    })
}

/// Whether a report says anything that a repair is for.
fn mentions_repairs(report: &Verification) -> bool {
    let for_repair = |kind| matches!(kind, DamageKind::NoEndMarker | DamageKind::TrailingData | DamageKind::Compatibility);
    !report.is_whole() || report.notes.iter().any(|note| for_repair(note.kind))
}

fn convert(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let possible: &[Option<&str>] = match recording.family().name() {
            "quake3" => &[None, Some("dm_66"), Some("dm_68"), Some("dm_71"), Some("dm_91")],
            "quake2" => &[None, Some("dm2")],
            "quake1" => &[None, Some("qwd"), Some("mvd"), Some("dem 15"), Some("dem 666"), Some("dem 999")],
            _ => &[None],
        };
        let format = random.choose(possible).copied().flatten().map(str::to_owned);
        let target = Target { format, pov: Some(String::from("0")) };
        let Ok(edited) = recording.convert(&target) else { return Ok(()) };
        sound(case, recording, &edited, true).map_err(|what| format!("to {:?}: {what}", target.format))
    })
}

struct Untouched;

impl Rewrite for Untouched {}

fn untouched(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let Ok(edited) = recording.rewrite(&mut Untouched) else { return Ok(()) };
        if !case.is_whole() {
            return Ok(());
        }
        must(edited.bytes == case.bytes, || format!("a rewrite that changes nothing changes bytes: {:?}", edited.actions))
    })
}

fn scrub(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    opened(case, |recording| {
        let chat = if seed.is_multiple_of(2) { Chat::Keep } else { Chat::Remove };
        let Ok(edited) = recording.scrub(&Scrub::default().chat(chat)) else { return Ok(()) };
        sound(case, recording, &edited, false)
    })
}

fn strip(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let Ok(kinds) = recording.message_kinds() else { return Ok(()) };
        let names: Vec<&String> = kinds.keys().filter(|_| random.once_in(4)).collect();
        let Ok(edited) = recording.strip(&names) else { return Ok(()) };
        sound(case, recording, &edited, false).map_err(|what| format!("without {names:?}: {what}"))
    })
}

fn rename(case: &Case, _: &mut Clean, _: u64) -> Outcome {
    opened(case, |recording| {
        let info = recording.info();
        let Some(player) = info.players.first() else { return Ok(()) };
        let Ok(edited) = recording.rename(&[(&player.name.raw, "Somebody Else")]) else { return Ok(()) };
        sound(case, recording, &edited, false)
    })
}

/// Whether the result of an edit is what it must be: whole when its source is; then also with the same frames, where the edit
/// keeps them.
fn sound(case: &Case, source: &Recording, edited: &Edited, keeps_frames: bool) -> Outcome {
    let checked = source.check_edited(edited, Same::States);
    if !case.is_whole() {
        return Ok(());
    }
    let checked = checked.map_err(|error| format!("the result does not open: {error}"))?;
    must(checked.verification.is_whole(), || whole_not(&checked.verification))?;
    let differing = checked.comparison.differing;
    must(!keeps_frames || differing == 0, || {
        format!("{differing} of {} frames differ: {:?}", checked.comparison.frames, checked.comparison.differences.first())
    })
}

fn whole_not(report: &Verification) -> String {
    format!("the result is not whole: {:?}", report.damage.first().or(report.first_difference.as_ref()))
}

/// Repairs the case, and tries another operation on the result, which is whole.
pub fn repaired(case: &Case, clean: &mut Clean, seed: u64) -> Outcome {
    again(case, clean, seed, "repair", |recording, _| recording.repair().ok())
}

/// Cuts a part out of the case, and tries another operation on it.
pub fn excerpt(case: &Case, clean: &mut Clean, seed: u64) -> Outcome {
    again(case, clean, seed, "cut", |recording, random| {
        let length = recording.info().duration.unwrap_or_default().0;
        let (a, b) = (random.below(256), random.below(256));
        recording.cut(Range { clock: Clock::Demo, from: part(length, a.min(b)), to: part(length, a.max(b)) }).ok()
    })
}

fn again(case: &Case, clean: &mut Clean, seed: u64, first: &str, edit: impl FnOnce(&Recording, &mut Random) -> Option<Edited>) -> Outcome {
    let mut random = Random::new(seed);
    let mut made = None;
    opened(case, |recording| {
        made = edit(recording, &mut random);
        Ok(())
    })?;
    let Some(edited) = made else { return Ok(()) };
    // An edit of an edit of an edit adds nothing but time.
    let others: Vec<&Operation> = OPERATIONS.iter().filter(|operation| !["repaired", "excerpt"].contains(&operation.name)).collect();
    let Some(second) = random.choose(&others) else { return Ok(()) };
    let name = format!("{first}.{}", edited.extension);
    let openable = Recording::open(edited.bytes.clone(), &name).is_ok();
    let case = Case::plain(name, edited.bytes);
    if !openable {
        return Err(format!("the result of {first} does not open"));
    }
    (second.run)(&case, clean, random.number()).map_err(|what| format!("after {first}, {}: {what}", second.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the gamestate says happens when the first snapshot comes; where that is cut off, it is delivered all the same.
    #[test]
    fn an_event_whose_time_was_cut_off_is_delivered() {
        let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name == "quake3/dm_bots.dm_71").unwrap();
        let bytes = sample.bytes();
        let mut clean = Clean::of(&bytes, &sample.name);
        let snapshot = (0..bytes.len()).step_by(8).find_map(|at| clean.message_at(at).filter(|message| message.number == 1)).unwrap();
        let end = snapshot.offset + 20;
        let case = Case { first: Some(end), ..Case::plain(sample.name.clone(), bytes[..end].to_vec()) };
        assert!(clean.events().iter().any(|event| event.message == 0 && event.server_time.0 > 0));
        assert_eq!(events(&case, &mut clean, 0), Ok(()));
    }

    /// Those of messages that have a frame are compared with their times.
    #[test]
    fn an_event_at_another_time_is_another_event() {
        let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name == "quake3/dm_bots.dm_71").unwrap();
        let (bytes, other) = (sample.bytes(), fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name == "quake3/ctf_bots.dm_71").unwrap());
        let mut clean = Clean::of(&bytes, &sample.name);
        let case = Case { first: Some(bytes.len() / 2), ..Case::plain(sample.name, other.bytes()) };
        assert!(events(&case, &mut clean, 0).unwrap_err().contains("is not delivered"));
    }
}
