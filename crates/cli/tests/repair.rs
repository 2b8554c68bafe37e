//! `fragreel repair`: another file, or nothing.

use super::{folder, run, sample};

const BROKEN: &str = "samples/goldsrc/no-directory.dem";

#[test]
fn the_result_is_whole_and_the_damaged_file_untouched() {
    let target = folder("repair").join("whole.dem");
    let before = sample("goldsrc/no-directory.dem");
    assert_eq!(run(&["verify", BROKEN]).code, 1);
    let ran = run(&["repair", BROKEN, "-o", target.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("directory") && ran.out.contains("the result is whole"), "{}", ran.out);
    assert_eq!(run(&["verify", target.to_str().unwrap()]).code, 0);
    assert_eq!(sample("goldsrc/no-directory.dem"), before);
    let left: Vec<_> = std::fs::read_dir(target.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["whole.dem"], "no draft is left behind");
}

#[test]
fn nothing_is_overwritten_unless_asked_and_the_input_never() {
    let folder = folder("repair-overwrite");
    let (input, other) = (folder.join("broken.dem"), folder.join("other.dem"));
    std::fs::write(&input, sample("goldsrc/no-directory.dem")).unwrap();
    std::fs::write(&other, "precious").unwrap();
    let input_text = input.to_str().unwrap();
    let same = folder.join("../repair-overwrite/broken.dem");
    for (target, force, code) in [(&other, false, 2), (&input, true, 2), (&same, true, 2), (&other, true, 0)] {
        let mut arguments = vec!["repair", input_text, "-o", target.to_str().unwrap()];
        arguments.extend(force.then_some("--force"));
        assert_eq!(run(&arguments).code, code, "{target:?}, force: {force}");
        let untouched = std::fs::read(&other).unwrap() == b"precious";
        assert_eq!(untouched, code == 2);
    }
    assert_eq!(std::fs::read(&input).unwrap(), sample("goldsrc/no-directory.dem"));
}

#[test]
fn what_is_whole_is_copied_and_what_cannot_be_repaired_refused() {
    let target = folder("repair-whole").join("copy.dem");
    assert_eq!(run(&["repair", "samples/goldsrc/net-48.dem", "-o", target.to_str().unwrap()]).code, 0);
    assert_eq!(std::fs::read(&target).unwrap(), sample("goldsrc/net-48.dem"));
    // A header and nothing behind it.
    let (hollow, other) = (target.with_file_name("hollow.dem"), target.with_file_name("other.dem"));
    std::fs::write(&hollow, &sample("goldsrc/net-48.dem")[..544]).unwrap();
    let refused = run(&["repair", hollow.to_str().unwrap(), "-o", other.to_str().unwrap()]);
    assert_eq!((refused.code, other.exists()), (2, false));
    assert!(refused.err.contains("help:"), "{}", refused.err);
}
