//! A program in C, compiled with the header and the library, against the Rust library's answers.

use std::path::{Path, PathBuf};
use std::process::Command;

use fragreel::Recording;
use fragreel::edit::{Clock, Range};
use fragreel::model::{FrameOptions, Kind, Milliseconds};
use fragreel_testkit as testkit;

/// The folder with the library that cargo built for this test.
fn library() -> PathBuf {
    std::env::current_exe().expect("a test is a program").parent().expect("it is in a folder").to_owned()
}

/// Compiles the program. Nothing where there is no compiler for C.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if !cfg!(unix) || Command::new(&compiler).arg("--version").output().is_err() {
        testkit::skipped("the library for C: there is no C compiler; on Debian, `apt install gcc`");
        return None;
    }
    let (program, library) = (folder.join("program"), library());
    let output = Command::new(&compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(root.join("include"))
        .arg(root.join("tests/program.c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&library)
        .arg("-lfragreel_c")
        // with `-Wl`, a comma in the path would end it
        .args(["-Xlinker", "-rpath", "-Xlinker"])
        .arg(&library)
        .output()
        .expect("it has just started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

#[test]
fn c_gets_what_rust_gets() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(program) = compiled(folder.path()) else { return };
    for sample in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.mvd"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
        let bytes = std::fs::read(&path).expect("the sample is there");
        let cut = folder.path().join("cut");
        let output = Command::new(&program).args([&path, &cut]).output().expect("it starts");
        let printed = String::from_utf8(output.stdout).expect("it is UTF-8");
        assert!(output.status.success(), "{printed}");
        let lines: Vec<(&str, &str)> = printed.lines().filter_map(|line| line.split_once(' ')).collect();
        let said = |what: &str| lines.iter().find(|(name, _)| *name == what).unwrap_or_else(|| panic!("{sample}: no {what} in {printed}")).1;

        let recording = Recording::open(bytes, &path.display().to_string()).expect("it opens");
        let kills: Vec<_> = recording.events(Kind::Kill).collect();
        assert_eq!(said("version"), env!("CARGO_PKG_VERSION"));
        assert_eq!(said("info"), serde_json::to_string(&recording.info()).expect("it is JSON"));
        assert_eq!(said("events"), serde_json::to_string(&kills).expect("it is JSON"));
        assert_eq!(said("wrong"), "failed: there is no kind of event `no such kind`");
        assert_eq!(said("scores"), serde_json::to_string(&recording.scores().value).expect("it is JSON"));
        assert_eq!(said("verify"), serde_json::to_string(&recording.verify()).expect("it is JSON"));
        let report: serde_json::Value = serde_json::from_str(said("cut")).expect("it is JSON");
        assert_eq!((&report["whole"], &report["differing"]), (&true.into(), &0.into()), "{sample}: {report}");
        let edited = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(0), to: Milliseconds(3000) }).expect("it can be cut");
        assert_eq!(std::fs::read(&cut).expect("it was written"), edited.bytes);
        assert!(Recording::open(edited.bytes, sample).is_ok());
        let frames: Vec<_> = recording.frames(FrameOptions::default().hz(1.0)).expect("it has frames").collect();
        assert_eq!(said("frame"), serde_json::to_string(&frames[0]).expect("it is JSON"));
        assert_eq!(said("frames").trim(), frames.len().to_string());
        assert_eq!(said("null"), "failed: the recording or the frames are null");
    }
    let no_recording = folder.path().join("words.dem");
    std::fs::write(&no_recording, "words").expect("there is room");
    let output = Command::new(&program).args([&no_recording, &folder.path().join("cut")]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("open failed: "));
}
