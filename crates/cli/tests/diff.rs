//! What differs, and the exit code that says whether anything does.

use super::{folder, run};

const A: &str = "samples/quake3/dm_bots.dm_71";

#[test]
fn an_edit_differs_where_it_changed_something() {
    let folder = folder("diff");
    let (part, renamed) = (folder.join("part.dm_71"), folder.join("renamed.dm_71"));
    let (part, renamed) = (part.to_str().unwrap(), renamed.to_str().unwrap());
    assert_eq!(run(&["cut", A, "--from", "10", "--to", "20", "-o", part]).code, 0);
    assert_eq!(run(&["scrub", A, "--rename", "Gargoyle=Anna", "-o", renamed]).code, 0);

    let same = run(&["diff", A, A]);
    assert_eq!((same.code, same.out.as_str()), (0, "1119 frames at the same times, none differs\n"));
    let cut = run(&["diff", A, part]);
    assert!(cut.code == 1 && cut.out.contains("201 frames at the same times, none differs; 918 frames are only in A"), "{}", cut.out);
    // What happened is said in a sentence, with the message that says it.
    let events = run(&["diff", A, part, "--limit", "1"]);
    assert!(events.out.contains("MESSAGE") && !events.out.contains("{\""), "{}", events.out);
    let kill = run(&["diff", A, part, "--limit", "9999"]);
    let line = kill.out.lines().find(|line| line.contains(" kill ")).unwrap_or_default();
    assert!(line.contains(" 73 ") && line.contains("Gargoyle killed Kyonshi: rocket"), "{line}");
    let names = run(&["diff", A, renamed, "--limit", "3"]);
    assert!(same.err.is_empty() && names.err.is_empty(), "one map: {}{}", same.err, names.err);
    let maps = run(&["diff", A, "samples/quake3/ctf_bots.dm_71", "--limit", "1"]);
    assert!(maps.code == 1 && maps.err.starts_with("their maps differ, oa_minia and am_lavactf"), "{}", maps.err);
    assert!(names.code == 1 && names.out.contains("\"Gargoyle\"") | names.out.contains("Gargoyle  Anna") && names.out.contains("and "), "{}", names.out);
}

#[test]
fn moments_and_messages_differ_by_field() {
    let same = run(&["diff", A, A, "--at", "0:20"]);
    assert_eq!((same.code, same.out.as_str()), (0, "nothing differs\n"));
    let later = run(&["diff", A, "--at", "10", "--at", "10.5"]);
    assert!(later.code == 1 && later.out.contains("commandTime") && later.out.contains("origin"), "{}", later.out);
    let messages = run(&["diff", A, "--message", "100", "--message", "101"]);
    assert!(messages.code == 1 && messages.out.contains("serverTime"), "{}", messages.out);
    assert_eq!(run(&["diff", A, A, "--message", "100"]).code, 0);
    for wrong in [
        &[A][..],
        &[A, "--at", "1"],
        &[A, A, A],
        &[A, A, "--at", "1", "--at", "2", "--at", "3"],
        &[A, "--message", "1", "--message", "99999"],
        &[A, A, "--clock", "server"],
    ] {
        assert_eq!(run(&[&["diff"], wrong].concat()).code, 2, "{wrong:?}");
    }
}
