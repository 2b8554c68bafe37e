//! `fragreel extract`: what it writes, and where.

use super::{folder, run};

#[test]
fn files_are_put_into_the_folder_itself() {
    let root = folder("extract");
    let output = root.join("out");
    let out = output.to_str().unwrap();
    let sample = "samples/quake3/dm_bots.dm_71";
    let listed = run(&["extract", sample, "--dry-run"]);
    assert_eq!((listed.code, listed.err.as_str()), (0, ""));
    assert!(listed.out.starts_with("configstrings") && listed.out.contains("configstrings_1.tsv") && !output.exists(), "{}", listed.out);
    let written = run(&["extract", sample, "-o", out]);
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    let text = std::fs::read_to_string(output.join("configstrings_1.tsv")).unwrap();
    assert!(text.starts_with("0\tCS_SERVERINFO\t"), "{text}");
    // what is there stays unless it may go
    let again = run(&["extract", sample, "-o", out]);
    assert!(again.code == 2 && again.err.contains("already exists"), "{}", again.err);
    assert_eq!(run(&["extract", sample, "-o", out, "--force"]).code, 0);
    let nothing = run(&["extract", sample, "-o", out, "--kinds", "voice"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, "samples/quake3/dm_bots.dm_71: nothing to extract\n"));
    assert_eq!(run(&["extract", sample]).code, 2);
}

#[test]
fn each_of_several_recordings_gets_a_folder() {
    let root = folder("extract-several");
    let out = root.to_str().unwrap();
    let ran = run(&["extract", "samples/quake2", "-o", out, "--kinds", "layout,configstrings"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(root.join("yq2dm_Alice.dm2/layout_1.txt").is_file() && root.join("synth_fixmulti_lmpc.dm2/configstrings_3.tsv").is_file());
}
