//! How fast recordings of the three containers are walked, asked and written again.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fragreel_base::wire::Limits;
use fragreel_model::{Kind, Kinds, Milliseconds, When};
use fragreel_quake1::Recording;
use fragreel_quake1::text::{Compiler, Decompiler};

/// One recording per container and dialect, by a part of its name.
const FILES: [(&str, &str); 5] = [
    ("mvd", "2on2_red_vs_blue"),
    ("mvd_deltas", "qw_repl_dm3.mvd"),
    ("qwd", "dm3_water_rjumps"),
    ("qwd_deltas", "qw_repl_e1m1_coop.qwd"),
    ("dem", "demo1~c4580898"),
];

fn benches(c: &mut Criterion) {
    let corpus = fragreel_testkit::corpus("quake1");
    for (name, part) in FILES {
        let Some(sample) = corpus.iter().find(|sample| sample.name.contains(part)) else { continue };
        let bytes = sample.bytes();
        let extension = sample.extension();
        let open = || Recording::open(&bytes, Some(&extension), Limits::default()).expect("a recording");
        let mut group = c.benchmark_group(format!("quake1/{name}"));
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        group.bench_function("container", |b| b.iter(|| open().blocks().map(|block| block.expect("whole").data.len()).sum::<usize>()));
        group.bench_function("info", |b| b.iter(|| black_box(open().info())));
        group.bench_function("kills", |b| {
            b.iter(|| {
                let mut count = 0;
                open().events([Kind::Kill].into_iter().collect::<Kinds>()).for_each(|_| count += 1);
                count
            });
        });
        group.bench_function("state", |b| {
            b.iter(|| {
                let mut sum = 0.0;
                open().replay(|_, _, game| sum += game.bodies.iter().map(|body| body.origin[0]).sum::<f32>());
                sum
            });
        });
        group.bench_function("state_at_end", |b| b.iter(|| black_box(open().state_at(When::Demo(Milliseconds(i64::MAX))))));
        group.bench_function("verify", |b| b.iter(|| black_box(open().verify())));
        let decompile = || fragreel_base::textform::decompile(Decompiler::new(&bytes, Some(&extension), Limits::default()).expect("a recording"), &bytes);
        group.bench_function("decompile", |b| b.iter(|| black_box(decompile())));
        let text = decompile();
        group.bench_function("compile", |b| b.iter(|| black_box(fragreel_base::textform::compile(Compiler::new(), &text).expect("its own text"))));
        group.finish();
    }
}

criterion_group!(quake1, benches);
criterion_main!(quake1);
