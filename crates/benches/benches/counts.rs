//! Instructions that each question takes over samples of each family, counted by valgrind: they do not depend on what else the machine does.
//!
//! `cargo xtask counts` runs this and compares the figures with those that are written down. What a question is asked of is made before counting begins.

#![allow(missing_docs, unused_qualifications, reason = "the macros write modules and whole paths")]

use std::hint::black_box;

use fragreel::model::{EntityKinds, Fields, Frame, FrameOptions, Kind, Kinds, Milliseconds, Split, When};
use fragreel::{Bytes, Recording, text_form};
use gungraun::Callgrind;
use gungraun::prelude::*;
use mimalloc::MiMalloc;

/// It keeps blocks of a size together, so what was allocated before hardly changes what an allocation takes. With the system's allocator the length of
/// the checkout's path made 3 % of `verify` of a QuakeWorld recording; with this one two checkouts differ by 0.3 % at most, and by 1 % where a question
/// takes less than a million instructions.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// One function a question, each counted over the same samples.
macro_rules! questions {
    ($($name:ident of $given:ident = $ask:expr;)*) => {
        $(
            #[library_benchmark(setup = load)]
            #[bench::quake3("quake3/crowd_latency.dm_71")]
            #[bench::quake3_68("quake3/warmup_restart.dm_68")]
            #[bench::quake2("quake2/yq2dm_Alice.dm2")]
            #[bench::quake2_server("quake2/srv_city.dm2")]
            #[bench::quake2_mvd("quake2/mvd_base_ext2013.mvd2")]
            #[bench::goldsrc("goldsrc/two-recordings.dem")]
            #[bench::quakeworld("quake1/match_e1m1.qwd")]
            #[bench::quakeworld_mvd("quake1/match_e1m1.mvd")]
            #[bench::netquake("quake1/rerelease_e1m1.dem")]
            fn $name(given: $given) -> usize {
                let ask: fn(&$given) -> usize = $ask;
                ask(black_box(&given))
            }
        )*
        library_benchmark_group!(name = questions, benchmarks = [$($name),*]);
    };
}

questions! {
    info of Sample = |sample| sample.open().info().players.len();
    kills of Sample = |sample| sample.events([Kind::Kill].into_iter().collect());
    all_events of Sample = |sample| sample.events(Kinds::ALL);
    scores of Sample = |sample| sample.open().scores().value.len();
    verify of Sample = |sample| usize::from(sample.open().verify().is_whole());
    state of Sample = |sample| usize::from(sample.open().state_at(When::Demo(Milliseconds(i64::from(u32::MAX)))).is_ok());
    frames of Sample = |sample| sample.walk(FrameOptions::default());
    frames_with_entities of Sample = |sample| sample.walk(FrameOptions::default().entities(EntityKinds::ALL));
    frames_with_looks of Sample = |sample| sample.walk_with_looks(FrameOptions::default().entities(EntityKinds::ALL));
    frames_with_happenings of Sample = |sample| sample.walk_with_looks(FrameOptions::default().entities(EntityKinds::ALL).happenings());
    split of Sample = |sample| sample.open().split(Split::Size(sample.bytes.len() as u64 / 10)).map_or(0, |parts| parts.len());
    places of Sample = |sample| sample.walk(FrameOptions::default().hz(10.0).fields(Fields::ORIGIN));
    decompile of Sample = |sample| sample.text().len();
    compile of Text = |text| text_form::compile(&text.0).expect("a recording").len();
}

struct Sample {
    bytes: Bytes,
    name: String,
}

/// A recording as text.
struct Text(Vec<u8>);

/// What is made of a sample before counting begins.
trait Given {
    fn of(sample: &str) -> Self;
}

impl Given for Sample {
    fn of(sample: &str) -> Self {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
        Sample { bytes: std::fs::read(path).expect("a sample").into(), name: sample.to_owned() }
    }
}

impl Given for Text {
    fn of(sample: &str) -> Self {
        Text(Sample::of(sample).text())
    }
}

fn load<G: Given>(sample: &str) -> G {
    G::of(sample)
}

impl Sample {
    fn open(&self) -> Recording {
        Recording::open(self.bytes.clone(), &self.name).expect("a recording")
    }

    fn events(&self, wanted: Kinds) -> usize {
        self.open().events(wanted).count()
    }

    /// All frames, each over the one before. Returns how many players they show.
    fn walk(&self, options: FrameOptions) -> usize {
        let (mut frames, mut frame, mut count) = (self.open().frames(options).expect("frames"), Frame::default(), 0);
        while frames.next_into(&mut frame) {
            count += frame.players.len();
        }
        count
    }

    /// All frames with the models and poses in them, and what happens between them where the options ask for it. Returns how many there are.
    fn walk_with_looks(&self, options: FrameOptions) -> usize {
        let (mut frames, mut frame, mut count) = (self.open().frames(options).expect("frames"), Frame::default(), 0);
        let (mut looks, mut happenings) = (Vec::new(), Vec::new());
        while frames.next_into(&mut frame) {
            frames.looks(&mut looks);
            frames.happenings(&mut happenings);
            count += looks.len() + happenings.len();
        }
        count
    }

    fn text(&self) -> Vec<u8> {
        text_form::decompile(&self.bytes, "").expect("text")
    }
}

// caches are not looked at
main!(config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])), library_benchmark_groups = questions);
