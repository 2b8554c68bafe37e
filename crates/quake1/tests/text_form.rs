//! The text form over real recordings, and edits of it.

use quake1::text_form::{Compiler, Decompiler};
use testkit::Sample;

fn all() -> Vec<Sample> {
    super::corpus::recordings().into_iter().chain(testkit::samples("quake1")).collect()
}

fn decompiler(bytes: &[u8], extension: &str) -> Decompiler {
    Decompiler::new(&bytes[..bytes.len().min(1 << 20)], Some(extension), wire::Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Over all recordings, two at a time.
fn each(test: impl Fn(&Sample, &[u8]) + Sync) {
    let samples = all();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(sample) = samples.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    test(sample, &sample.bytes());
                }
            });
        }
    });
}

#[test]
fn text_compiles_to_the_same_bytes() {
    each(|sample, bytes| {
        let text = textform::decompile(decompiler(bytes, &sample.extension()), bytes);
        let back = textform::compile(Compiler::new(), &text).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let at = back.iter().zip(bytes).position(|(a, b)| a != b);
        assert!(back == bytes, "{}: {} of {} bytes, first difference at {at:?}", sample.name, back.len(), bytes.len());
    });
}
