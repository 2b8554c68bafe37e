//! What a test skips is said, though it passes.

use std::process::Command;

use fragreel_testkit::{SKIPPED, skipped};

const WHAT: &str = "nothing, in truth";

#[test]
#[ignore = "run by the test below, as a test that passes and whose output is captured"]
fn skips() {
    skipped(WHAT);
    skipped(WHAT);
}

#[test]
fn what_is_skipped_is_seen_though_the_test_passes() {
    let path = std::env::temp_dir().join(format!("fragreel-skip-test-{}", std::process::id()));
    let mut inner = Command::new(std::env::current_exe().expect("this program"));
    let output = inner.args(["--exact", "skipped::skips", "--include-ignored"]).env(SKIPPED, &path).output().expect("it runs");
    let collected = std::fs::read_to_string(&path).expect("a summary");
    std::fs::remove_file(&path).expect("it is there");
    assert!(output.status.success());
    let seen = String::from_utf8_lossy(&output.stderr);
    assert_eq!(seen.matches(&format!("SKIPPED: {WHAT}")).count(), 1, "{seen}");
    assert_eq!(collected, format!("{WHAT}\n"));
}
