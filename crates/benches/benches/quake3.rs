//! Bytes of recording per second for each question, whole files in memory, one thread.
//!
//! `cargo xtask bench quake3` runs over every whole recording of the corpus with the Huffman layout.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fragreel_model::{Kind, Kinds};
use fragreel_quake3::container::{self, Frames, Piece};
use fragreel_quake3::dialect::Layout;
use fragreel_quake3::message::{Message, Snapshot};
use fragreel_quake3::state::State;
use fragreel_quake3::text::{Compiler, Decompiler};
use fragreel_quake3::walk::{Visitor, visit};
use fragreel_quake3::{Recording, detect};

struct Entities(usize);

impl Visitor for Entities {
    fn snapshot(&mut self, state: &State, _: &Snapshot) {
        self.0 += state.snapshot().map_or(0, |snapshot| snapshot.entities.len());
    }
}

fn text_of(bytes: &[u8]) -> Vec<u8> {
    Decompiler::new(bytes, None, fragreel_base::wire::Limits::default())
        .map_or_else(|_| Vec::new(), |decompiler| fragreel_base::textform::decompile(decompiler, bytes))
}

fn questions(c: &mut Criterion) {
    let samples: Vec<_> = fragreel_testkit::corpus("quake3").into_iter().filter(|sample| !sample.damaged).collect();
    let files: Vec<Vec<u8>> = samples.iter().map(fragreel_testkit::Sample::bytes).collect();
    let recordings: Vec<Recording<'_>> = files
        .iter()
        .filter_map(|bytes| Recording::open(bytes, None, fragreel_base::wire::Limits::default()).ok())
        .filter(|recording| recording.dialect().layout == Layout::Coded)
        .collect();
    let bytes = recordings.iter().map(|recording| recording.bytes().len() as u64).sum();
    let mut group = c.benchmark_group("quake3");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);

    group.bench_function("container", |b| b.iter(|| recordings.iter().map(|recording| Frames::new(black_box(recording.bytes())).count()).sum::<usize>()));
    group.bench_function("info", |b| b.iter(|| recordings.iter().map(|recording| black_box(recording).info().snapshots).sum::<u64>()));
    group.bench_function("kills", |b| {
        let wanted = Kinds::from_iter([Kind::Kill]);
        b.iter(|| {
            let mut kills = 0;
            for recording in &recordings {
                black_box(recording).events(wanted).for_each(|_| kills += 1);
            }
            kills
        });
    });
    group.bench_function("state", |b| {
        b.iter(|| {
            let mut entities = Entities(0);
            for recording in &recordings {
                visit(black_box(recording.bytes()), recording.dialect(), &mut entities);
            }
            entities.0
        });
    });
    group.bench_function("decompile", |b| b.iter(|| recordings.iter().map(|recording| text_of(black_box(recording.bytes())).len()).sum::<usize>()));
    let texts: Vec<Vec<u8>> = recordings.iter().map(|recording| text_of(recording.bytes())).collect();
    group.bench_function("compile", |b| {
        b.iter(|| {
            texts.iter().map(|text| fragreel_base::textform::compile(Compiler::default(), black_box(text)).map_or(0, |bytes| bytes.len())).sum::<usize>()
        });
    });
    // trees are made beforehand, of a part of each file for memory's sake
    let mut trees: Vec<(Message, &'static fragreel_quake3::dialect::Dialect)> = Vec::new();
    let mut tree_bytes = 0;
    for bytes in &files {
        let Ok(dialect) = detect::dialect(bytes, None) else { continue };
        for piece in Frames::new(bytes).take(400) {
            let Piece::Message(frame) = piece else { continue };
            let mut message = Message::default();
            if message.read(container::data(bytes, &frame), dialect).is_ok() {
                tree_bytes += u64::from(frame.length);
                trees.push((message, dialect));
            }
        }
    }
    group.throughput(Throughput::Bytes(tree_bytes));
    group.bench_function("encode", |b| {
        b.iter(|| trees.iter_mut().map(|(message, dialect)| message.write(dialect).len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, questions);
criterion_main!(benches);
