//! How fast recordings are read, beside the crates `hldemo` and `dem`: `cargo xtask bench goldsrc`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dem::types::MessageDataParseMode;
use fragreel_base::textform::{compile, decompile};
use fragreel_base::wire::WriteBits;
use fragreel_goldsrc::container::Step;
use fragreel_goldsrc::message::{Message, Pool};
use fragreel_goldsrc::text::{Compiler, Decompiler};
use fragreel_goldsrc::{Context, Decoder, Recording, State};
use fragreel_model::{Kind, Kinds};

/// A zombie server with many entities, a busy game of 32, and a player alone.
const FILES: [&str; 3] = ["Number1_srafe2", "New_Patriots_5", "ak47"];

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, None, fragreel_base::wire::Limits::default()).expect("a recording")
}

fn blocks(bytes: &[u8], mut each: impl FnMut(&mut Decoder, u32, &[u8], usize)) {
    let recording = open(bytes);
    let mut decoder = Decoder::new(Context::new(recording.dialect().messages.expect("known messages")));
    for window in recording.container().macros().filter_map(Step::found) {
        if let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) {
            each(&mut decoder, fragreel_goldsrc::frame_sequence(&window, recording.dialect()).unwrap_or_default(), data, offset);
        }
    }
}

fn decompiler(bytes: &[u8]) -> Decompiler {
    Decompiler::new(bytes, None, fragreel_base::wire::Limits::default()).expect("a recording")
}

/// Strict decoding with entities.
fn state(bytes: &[u8]) -> usize {
    let mut state = State::default();
    let mut frames = 0;
    blocks(bytes, |decoder, sequence, data, offset| {
        state.begin(sequence);
        let whole = decoder.block(data, offset, |context, message, _| frames += usize::from(state.apply(context, message).is_ok()));
        assert!(whole.is_ok());
    });
    frames
}

/// Decoding and writing every message again.
fn encode(bytes: &[u8]) -> usize {
    let (mut buffer, mut pool, mut written) = (Vec::new(), Pool::default(), 0);
    blocks(bytes, |decoder, _, data, offset| {
        let one = |context: &Context, message: &mut Message, _| {
            let mut writer = WriteBits::with_buffer(std::mem::take(&mut buffer));
            let Ok(()) = fragreel_goldsrc::message::code(&mut writer, context, message, &mut pool);
            buffer = writer.finish();
            written += buffer.len();
        };
        assert!(decoder.block(data, offset, one).is_ok());
    });
    written
}

fn all(c: &mut Criterion) {
    let corpus = fragreel_testkit::corpus("goldsrc");
    for name in FILES {
        let Some(sample) = corpus.iter().find(|sample| sample.name.contains(name)) else { continue };
        let bytes = sample.bytes();
        let mut group = c.benchmark_group("goldsrc");
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        let mut bench = |what: &str, run: &dyn Fn(&[u8]) -> usize| {
            group.bench_with_input(BenchmarkId::new(what, name), &bytes[..], |b, bytes| b.iter(|| black_box(run(bytes))));
        };
        bench("container", &|bytes| open(bytes).container().macros().count());
        bench("container, hldemo", &|bytes| hldemo::Demo::parse(bytes).map_or(0, |demo| demo.directory.entries.len()));
        bench("info", &|bytes| open(bytes).info().players.len());
        bench("kills", &|bytes| {
            let mut kills = 0;
            open(bytes).events(Kinds::from_iter([Kind::Kill])).for_each(|_| kills += 1);
            kills
        });
        bench("commands", &|bytes| open(bytes).usercmds().count());
        bench("state", &state);
        bench("messages, dem", &|bytes| dem::types::Demo::parse_from_bytes(bytes, MessageDataParseMode::Parse).map_or(0, |demo| demo.directory.entries.len()));
        bench("encode", &encode);
        let text = decompile(decompiler(&bytes), &bytes);
        bench("decompile", &|bytes| decompile(decompiler(bytes), bytes).len());
        bench("compile", &|_| compile(Compiler::default(), &text).map_or(0, |bytes| bytes.len()));
        bench("verify", &|bytes| open(bytes).verify().messages as usize);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
