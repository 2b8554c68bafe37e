//! Lines put together at the same time.

use fragreel::Recording;
use fragreel::text_form::{Error, Line, Share, compile, compile_in_shares, compiler, decompile};

use super::{FAMILIES, recordings};

/// What a text stands for when `per_batch` lines are taken at a time, in `count` shares.
fn in_shares(text: &[u8], per_batch: usize, count: usize) -> Result<Vec<u8>, Error> {
    let lines: Vec<Line> = (1..).zip(text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec)).filter(|(_, line)| !line.is_empty()).collect();
    let (first, rest) = lines.split_at(1);
    let mut compiler = compiler(&first[0].1)?;
    let mut out = Vec::new();
    for batch in [first].into_iter().chain(rest.chunks(per_batch)) {
        // the last first, so that nothing can depend on the order
        let all = |shares: &mut [Share<'_>]| shares.iter_mut().rev().for_each(Share::run);
        compile_in_shares(&mut compiler, batch, count, all, &mut out)?;
    }
    for patch in compiler.finish(&mut out)? {
        out[patch.offset as usize..][..patch.bytes.len()].copy_from_slice(&patch.bytes);
    }
    Ok(out)
}

#[test]
fn shares_of_lines_are_what_the_lines_in_turn_are() {
    shares_are_the_lines(FAMILIES.iter().flat_map(|family| fragreel_testkit::samples(family)));
}

#[test]
#[ignore = "nightly"]
fn shares_of_lines_of_real_recordings_are_what_the_lines_in_turn_are() {
    shares_are_the_lines(super::real(u64::MAX));
}

fn shares_are_the_lines(samples: impl Iterator<Item = fragreel_testkit::Sample>) {
    const MOST: usize = 400_000;
    let mut compared = 0;
    for sample in samples {
        let bytes = sample.bytes();
        // one level and the next, whose dialect may be another, are in the first part of large recordings too
        let bytes = &bytes[..bytes.len().min(MOST)];
        let Ok(text) = decompile(bytes, &sample.name) else { continue };
        for (per_batch, count) in [(1024, 2), (300, 19)] {
            assert!(in_shares(&text, per_batch, count).as_deref() == Ok(bytes), "{} in {count}", sample.name);
        }
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn what_a_share_learned_holds_for_the_next() {
    // a level of protocol 10002, which has more models, behind one of protocol 15
    let level = |protocol: u32, frames: usize| {
        let serverinfo = format!(r#"{{"serverinfo":{{"protocol":{protocol},"max_clients":1,"game_type":"cooperative","level":"x","models":[],"sounds":[]}}}}"#);
        let head = format!(r#"{{"block":{{"messages":[{serverinfo}]}}}}"#);
        let frame =
            if protocol == 10002 { r#"{"block":{"messages":[{"updates":{"1":{"model":300}}}]}}"# } else { r#"{"block":{"messages":[{"time":{"time":1}}]}}"# };
        format!("{head}\n{}", format!("{frame}\n").repeat(frames))
    };
    let text = format!("{}\n{}{}", r#"{"recording":{"form":1,"family":"quake1","container":"dem","track":-1}}"#, level(15, 40), level(10002, 40));
    let whole = compile(text.as_bytes()).unwrap();
    for count in 1..8 {
        assert_eq!(in_shares(text.as_bytes(), 1024, count).unwrap(), whole, "{count}");
    }
    assert!(Recording::open(whole, "x.dem").unwrap().verify().damage.is_empty());
    // protocol 15 has no such model
    let wrong = text.replacen("10002", "15", 1);
    let error = compile(wrong.as_bytes()).unwrap_err();
    assert_eq!(in_shares(wrong.as_bytes(), 1024, 4).unwrap_err(), error);
}

/// Where in a line of JSON the last member of each object stands.
fn last_members(line: &str) -> Vec<std::ops::Range<usize>> {
    let (mut open, mut found): (Vec<(u8, usize)>, _) = (Vec::new(), Vec::new());
    let (mut text, mut escaped) = (false, false);
    for (at, &byte) in line.as_bytes().iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if text => escaped = true,
            b'"' => text = !text,
            _ if text => {}
            b'{' | b'[' => open.push((byte, at + 1)),
            b',' => open.last_mut().unwrap().1 = at + 1,
            b'}' | b']' => {
                let (kind, from) = open.pop().unwrap();
                found.extend((kind == b'{' && from < at).then_some(from..at));
            }
            _ => {}
        }
    }
    found
}

/// The last line of a text is no exception.
#[test]
fn a_text_may_not_say_twice_in_a_line_that_it_ends() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).unwrap();
    let text = String::from_utf8(decompile(&sample.bytes(), &sample.name).unwrap()).unwrap();
    let twice = text.replace(r#"{"end_of_text":true}"#, r#"{"end_of_text":true,"end_of_text":true}"#);
    assert!(text != twice && compile(text.as_bytes()).is_ok());
    assert!(compile(twice.as_bytes()).unwrap_err().to_string().contains("twice"));
}

#[test]
fn no_member_may_stand_in_an_object_twice() {
    const LINES: usize = 60;
    const TRIES: usize = 40;
    for family in FAMILIES {
        let sample = recordings(family).filter(|sample| sample.bytes().len() < 100_000).max_by_key(|sample| sample.bytes().len()).unwrap();
        let text = String::from_utf8(decompile(&sample.bytes(), &sample.name).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().take(LINES).collect();
        let places: Vec<(usize, std::ops::Range<usize>)> =
            lines.iter().enumerate().flat_map(|(line, text)| last_members(text).into_iter().map(move |member| (line, member))).collect();
        for (line, member) in places.iter().step_by(places.len().div_ceil(TRIES)) {
            let twice = format!("{},{}{}", &lines[*line][..member.end], &lines[*line][member.clone()], &lines[*line][member.end..]);
            let text = [&lines[..*line], &[&*twice]].concat().join("\n");
            let error = compile(text.as_bytes()).expect_err(&twice).to_string();
            assert!(
                error.contains("twice") || error.contains("one field too many") || error.contains("one member too many"),
                "{}: {error}: {twice}",
                sample.name
            );
        }
    }
}
