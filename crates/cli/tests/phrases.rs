//! `--phrases`: kills by the phrases of a file.

use super::{folder, run};

/// The means of the suicides in a recording of ours.
fn suicides(options: &[&str]) -> Vec<String> {
    let ran = run(&[&["events", "--kinds", "kill", "--json", "samples/quake1/match_e1m1.mvd"], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let kills = ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
    let own = kills.filter(|kill| kill["attacker"]["name"] == kill["victim"]["name"]);
    own.map(|kill| kill["means"].as_str().expect("a word").to_owned()).collect()
}

#[test]
fn phrases_of_a_file_come_first() {
    let folder = folder("phrases");
    let file = folder.join("fragfile.dat");
    std::fs::write(
        &file,
        "#FRAGFILE VERSION ezquake-1.00\n#DEFINE WEAPON_CLASS BOMB \"Bomb\" \"own bomb\"\n#DEFINE OBITUARY PLAYER_SUICIDE BOMB \" tries to put the pin back in\"\n",
    )
    .unwrap();
    assert_eq!(suicides(&[]), ["gl", "gl"]);
    assert_eq!(suicides(&["--phrases", file.to_str().unwrap()]), ["own bomb", "own bomb"]);
    // the scoreboard counts by the same phrases
    let ran = run(&["scores", "--json", "--phrases", file.to_str().unwrap(), "samples/quake1/match_e1m1.mvd"]);
    assert!(ran.code == 0 && ran.out.contains("\"suicides\":{\"counted\":2}"), "{}", ran.out);
}

#[test]
fn files_without_phrases_are_refused() {
    let folder = folder("no_phrases");
    let file = folder.join("fragfile.dat");
    std::fs::write(&file, "#FRAGFILE VERSION ezquake-1.00\n#DEFINE OBITUARY PLAYER_SUICIDE BOMB \" falls\"\n").unwrap();
    let ran = run(&["scores", "--phrases", file.to_str().unwrap(), "samples/quake1/match_e1m1.mvd"]);
    assert!(ran.code == 2 && ran.said().contains("line 2 of the phrases"), "{}", ran.err);
    let ran = run(&["scores", "--phrases", folder.join("none.dat").to_str().unwrap(), "samples/quake1/match_e1m1.mvd"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
