//! Text and back.

use std::thread;

use quake3::text_form::{Compiler, Decompiler};
use testkit::Sample;
use textform::{Decompile, compile, decompile};
use wire::Limits;

fn all() -> Vec<Sample> {
    testkit::samples("quake3").into_iter().chain(testkit::corpus("quake3")).collect()
}

fn decompiler(bytes: &[u8], name: &str) -> Option<Decompiler> {
    Decompiler::new(bytes, name.rsplit('.').next(), Limits::default()).ok()
}

/// Runs `check` on every sample, on two threads.
fn each(check: impl Fn(&str, &[u8]) + Sync) {
    let samples = all();
    thread::scope(|scope| {
        for half in 0..2 {
            let (samples, check) = (&samples, &check);
            scope.spawn(move || {
                for sample in samples.iter().skip(half).step_by(2) {
                    check(&sample.name, &sample.bytes());
                }
            });
        }
    });
}

#[test]
fn every_recording_comes_back_from_its_text() {
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes, name) else { return };
        let text = decompile(decompiler, bytes);
        let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == bytes, "{name} differs from byte {:?} on", back.iter().zip(bytes).position(|(a, b)| a != b));
        let ratio = text.len() as f64 / bytes.len() as f64;
        assert!(ratio <= 8.0 || bytes.len() < 4096, "{name}: the text is {ratio:.1} times the recording");
    });
}
