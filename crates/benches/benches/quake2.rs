//! How fast the family's recordings are walked, skimmed, rebuilt and written again.
//!
//! `cargo bench -p fragreel-quake2`

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fragreel_base::wire::{Limits, WriteBytes};
use fragreel_model::{Frame, FrameOptions, Kind, Kinds, Milliseconds, When};
use fragreel_quake2::Recording;
use fragreel_quake2::container::{dm2::Blocks, mvd2::Records};
use fragreel_quake2::detect::Framing;
use fragreel_quake2::message::{Context, MvdReader, Reader};
use fragreel_quake2::text::{Compiler, Decompiler};
use fragreel_quake2::walk::{Input, Visitor, walk};

/// A client's recording of a long duel, a server's recording, and a multi-view recording of 17 players.
const FILES: [&str; 3] = ["jaime-gacitua__q2demo__myr.dm2", "yq2_srv_dm.dm2", "actionquake__distrib__20220317-002321-asylum.mvd2.gz"];

struct Nobody;
impl Visitor for Nobody {}

fn walked(bytes: &[u8]) -> u64 {
    if bytes.starts_with(b"MVD2") {
        Records::new(bytes).map(|record| record.data.len() as u64).sum()
    } else {
        Blocks::new(bytes).map(|block| block.data.len() as u64).sum()
    }
}

fn states(input: &Input<'_>) -> u64 {
    walk(input, input.walk_options(), &mut Nobody).1.clock.frames()
}

/// Reads every message and writes it again.
fn copied(bytes: &[u8], input: &Input<'_>) -> usize {
    let mut context = Context::new(input.dialect);
    let (mut out, mut total) = (Vec::new(), 0);
    if input.container == Framing::Mvd2 {
        let mut reader = MvdReader::new(input.dialect);
        for record in Records::new(bytes) {
            let mut w = WriteBytes::with_buffer(std::mem::take(&mut out));
            let _ = reader.record(record.data, |message, _, _| {
                let Ok(()) = message.write(&mut w, &mut context);
                true
            });
            out = w.finish();
            total += out.len();
        }
    } else {
        let mut reader = Reader::new(input.dialect);
        for block in Blocks::new(bytes) {
            let mut w = WriteBytes::with_buffer(std::mem::take(&mut out));
            let _ = reader.block(block.data, |message, _, _| {
                let Ok(()) = message.write(&mut w, &mut context);
                true
            });
            out = w.finish();
            total += out.len();
        }
    }
    total
}

fn recordings(c: &mut Criterion) {
    for sample in fragreel_testkit::corpus("quake2") {
        let Some(file) = FILES.iter().find(|file| sample.name.ends_with(**file)) else { continue };
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording of the corpus");
        let input = *recording.input();
        let mut group = c.benchmark_group(*file);
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        group.bench_function("walk blocks", |b| b.iter(|| walked(&bytes)));
        group.bench_function("info", |b| b.iter(|| recording.info()));
        let kills: Kinds = [Kind::Kill].into_iter().collect();
        group.bench_function("kills", |b| b.iter(|| recording.events(kills).into_damage()));
        group.bench_function("states", |b| b.iter(|| states(&input)));
        group.bench_function("frames", |b| {
            b.iter(|| {
                let (mut walk, mut frame) = (recording.frames(FrameOptions::default()), Frame::default());
                while walk.next_into(&mut frame) {}
                frame.number
            });
        });
        let mut walk = recording.frames(FrameOptions::default());
        let end = walk.by_ref().last().map(|frame| frame.time).unwrap_or_default();
        group.bench_function("seek", |b| b.iter(|| walk.seek(When::Demo(Milliseconds(end.0 * 9 / 10)))));
        group.bench_function("read and write", |b| b.iter(|| copied(&bytes, &input)));
        let decompiler = || Decompiler::new(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording of the corpus");
        let text = fragreel_base::textform::decompile(decompiler(), &bytes);
        group.bench_function("decompile", |b| b.iter(|| fragreel_base::textform::decompile(decompiler(), &bytes)));
        group.bench_function("compile", |b| b.iter(|| fragreel_base::textform::compile(Compiler::default(), &text)));
        group.bench_function("verify", |b| b.iter(|| recording.verify()));
        group.finish();
    }
}

criterion_group!(benches, recordings);
criterion_main!(benches);
