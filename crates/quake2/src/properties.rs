//! Properties that hold for any bytes. Checked by the fuzz targets, by the tests on the seeds of the targets, and by a small
//! deterministic mutation loop.

use fragreel_base::wire::{Limits, WriteBytes};
use fragreel_model::{Clock, Fate, Kind, Kinds, Milliseconds, Range, RoundTrip, Selection, Split, Target, When};

use fragreel_base::textform::{compile, decompile};

use crate::Recording;
use crate::container::{End, dm2, mvd2};
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::message::{Context, MvdReader, Reader};
use crate::text::{Compiler, Decompiler};

/// Writing blocks and records again gives the same file.
pub fn container(data: &[u8]) {
    let mut blocks = dm2::Blocks::new(data);
    let mut out = Vec::new();
    for block in blocks.by_ref() {
        assert_eq!(block.offset as usize, out.len());
        dm2::write_block(&mut out, block.data);
    }
    assert_eq!(&data[..out.len()], out);
    match blocks.end() {
        End::File => assert_eq!(out.len(), data.len()),
        End::Mark { at, .. } | End::InLength(at) | End::InBlock { at, .. } | End::Zeros(at) => assert_eq!(at as usize, out.len()),
    }
    if data.starts_with(mvd2::MAGIC) {
        let mut records = mvd2::Records::new(data);
        let mut out = mvd2::MAGIC.to_vec();
        records.by_ref().for_each(|record| mvd2::write_record(&mut out, record.data));
        assert_eq!(&data[..out.len()], out);
    }
}

/// Dialects by number, so that a fuzzer reaches all of them.
fn dialect(choice: u8) -> Dialect {
    let all: Vec<Dialect> = Dialect::all().into_iter().filter(|dialect| !dialect.is_mvd()).collect();
    all[usize::from(choice) % all.len()]
}

/// The first byte chooses a dialect, the rest is a block. Writing each message again gives the same bytes. Reading twice gives the same
/// result, as does a fresh reader.
pub fn message(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let dialect = dialect(choice);
    let mut context = Context::new(dialect);
    let mut first = Vec::new();
    let mut w = WriteBytes::default();
    let read = Reader::new(dialect).block(data, |message, range, _| {
        if first.len() < 64 {
            first.push(message.clone());
            let mut fresh = Reader::new(dialect);
            fresh.context = context.clone();
            let alone = fresh.block(&data[range.clone()], |alone, _, _| {
                assert_eq!(alone, message);
                true
            });
            assert!(alone.is_ok(), "{message:?}");
        }
        let Ok(()) = message.write(&mut w, &mut context);
        assert_eq!(w.written(), &data[..range.end], "{message:?}");
        true
    });
    let mut again = first.iter();
    let repeat = Reader::new(dialect).block(data, |message, _, _| {
        if let Some(before) = again.next() {
            assert_eq!(before, message);
        }
        true
    });
    assert_eq!(read.map_err(|failure| failure.error), repeat.map_err(|failure| failure.error));
}

/// The bytes are a record of an MVD2. Otherwise like [`message`].
pub fn mvd_record(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let all: Vec<Dialect> = Dialect::all().into_iter().filter(Dialect::is_mvd).collect();
    let dialect = all[usize::from(choice) % all.len()];
    let mut context = Context::new(dialect);
    let mut w = WriteBytes::default();
    let mut left = 64;
    let _ = MvdReader::new(dialect).record(data, |message, range, _| {
        if left > 0 {
            left -= 1;
            let mut fresh = MvdReader::new(dialect);
            fresh.context = context.clone();
            let alone = fresh.record(&data[range.clone()], |alone, _, _| {
                assert_eq!(alone, message);
                true
            });
            assert!(alone.is_ok(), "{message:?}");
        }
        let Ok(()) = message.write(&mut w, &mut context);
        assert_eq!(w.written(), &data[..range.end], "{message:?}");
        true
    });
}

/// Anything that opens is written again with the same bytes, as far as it can be read.
pub fn round_trip(data: &[u8]) {
    for extension in ["dm2", "rla"] {
        if let Ok(recording) = Recording::open(data, Some(extension), Limits::default()) {
            let report = recording.verify();
            assert_ne!(report.round_trip, RoundTrip::Differs, "{:?}", report.first_difference);
            assert!(report.canonical_identical <= report.canonical_attempted);
            assert!(report.damage.len() <= Limits::default().damage_entries);
        }
    }
}

/// Every question has an answer, and twice the same.
pub fn questions(data: &[u8]) {
    let Ok(recording) = Recording::open(data, Some("dm2"), Limits::default()) else { return };
    assert_eq!(recording.info(), recording.info());
    for time in [0, 1000, i64::MAX / 2, -5] {
        for when in [When::Demo(Milliseconds(time)), When::Server(Milliseconds(time))] {
            let _ = recording.state_at(when);
            let _ = recording.state_at(when);
        }
    }
    for explained in recording.explain(Selection::All) {
        assert!(explained.parts.iter().all(|part| part.from_bit <= part.to_bit && part.to_bit <= explained.length * 8));
    }
}

/// Events do not depend on what else is asked for.
pub fn events(data: &[u8]) {
    let Ok(recording) = Recording::open(data, Some("dm2"), Limits::default()) else { return };
    let states = [Kind::Score, Kind::Item, Kind::Weapon];
    let cheap: Kinds = Kind::ALL.iter().copied().filter(|kind| !states.contains(kind)).collect();
    let collect = |kinds: Kinds| {
        let mut events = Vec::new();
        let mut walk = recording.events(kinds);
        walk.by_ref().for_each(|event| {
            if !states.contains(&event.kind.kind()) {
                events.push(event);
            }
        });
        let damage = walk.damage();
        (events, damage)
    };
    let (full, damage) = collect(Kinds::ALL);
    let (less, _) = collect(cheap);
    // Skipping damaged states, or states without bases, may find the messages after them.
    if damage.is_empty() {
        assert_eq!(full, less);
    }
}

/// Text compiles to the bytes that it was made from, for whole recordings and for blocks of any dialect. No text makes the compiler
/// panic.
pub fn text_form(data: &[u8]) {
    if let Ok(decompiler) = Decompiler::new(data, Some("dm2"), Limits::default()) {
        let text = decompile(decompiler, data);
        assert_eq!(compile(Compiler::default(), &text).as_deref(), Ok(data));
    }
    let Some((&choice, data)) = data.split_first() else { return };
    let all = Dialect::all();
    let dialect = all[usize::from(choice) % all.len()];
    let framing = if dialect.is_mvd() { Framing::Mvd2 } else { Framing::Dm2 };
    let data = &data[..data.len().min(4000)];
    let mut block = Vec::new();
    match framing {
        Framing::Dm2 => dm2::write_block(&mut block, data),
        Framing::Mvd2 => mvd2::write_record(&mut block, data),
    }
    let mut text = decompile(Decompiler::within(framing, dialect), &block);
    assert_eq!(compile(Compiler::within(framing, dialect), &text).as_deref(), Ok(&block[..]), "{}", String::from_utf8_lossy(&text));
    // Also with one character changed after another.
    for (step, &byte) in data.iter().take(8).enumerate() {
        let at = (usize::from(byte) * 241 + step * 997) % text.len();
        text[at] = b"0123456789-.,:\"{}[]xe"[usize::from(byte ^ step as u8) % 21];
        if let Ok(bytes) = compile(Compiler::within(framing, dialect), &text) {
            let again = decompile(Decompiler::within(framing, dialect), &bytes);
            assert_eq!(compile(Compiler::within(framing, dialect), &again).as_deref(), Ok(&bytes[..]));
        }
    }
    let _ = compile(Compiler::within(framing, dialect), data);
}

/// The first two bytes choose an edit, the rest is a recording. The output of every edit opens. The output of a cut, a split or a repair
/// has no damage, equals the source, and needs no repair.
pub fn edit(data: &[u8]) {
    let Some((&[choice, argument], data)) = data.split_first_chunk() else { return };
    let Ok(recording) = Recording::open(data, Some("dm2"), Limits::default()) else { return };
    let from = Milliseconds(i64::from(argument) * 100);
    let range = Range { clock: Clock::Demo, from, to: from + Milliseconds(i64::from(choice >> 3) * 500) };
    let parts = match choice & 7 {
        0 | 1 => recording.cut(range).map(|cut| vec![cut]),
        2 => recording.split(Split::Gamestate),
        3 => recording.split(Split::Size(u64::from(argument) * 64 + 2000)),
        4 => recording.repair().map(|repaired| vec![repaired]),
        5 => {
            let target = Target { format: None, pov: (argument < 32).then(|| argument.to_string()) };
            if let Ok(edited) = recording.convert(&target) {
                let again = Recording::open(&edited.bytes, Some("dm2"), Limits::default());
                assert!(again.is_ok_and(|again| edited.bytes == data || again.verify().is_whole()));
            }
            return;
        }
        6 => {
            let mut seen = 0u32;
            let mut hook = |_: fragreel_model::Place, message: &mut crate::message::Message| {
                seen = seen.wrapping_mul(33).wrapping_add(u32::from(argument));
                let frame = matches!(message.body, crate::message::Body::Frame(_));
                if !frame && seen >> 8 & 3 == 0 { Fate::Drop } else { Fate::Keep }
            };
            let _ = recording.map_messages(&mut hook);
            return;
        }
        _ => {
            struct Nothing;
            impl fragreel_model::Rewrite for Nothing {}
            if let Ok(edited) = recording.rewrite(&mut Nothing) {
                assert_eq!(edited.bytes, data);
            }
            return;
        }
    };
    for edited in parts.unwrap_or_default() {
        let again = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()).expect("what an edit makes opens");
        let report = again.verify();
        assert!(report.is_whole(), "{:?} {:?}", report.damage, edited.actions);
        if choice & 7 == 4 {
            assert_eq!(again.repair().map(|repaired| repaired.bytes).as_deref(), Ok(&edited.bytes[..]));
        } else {
            let comparison = recording.compare(&again);
            assert_eq!(comparison.differing, 0, "{:?}", comparison.differences);
        }
    }
}
