//! `scores --json` has the figures of the library. The page's, SQL's and Python's tests compare theirs with the library, or with this command.

use fragreel_testkit::samples;
use serde_json::Value;

use super::run;

#[test]
fn the_command_has_the_figures_of_the_library() {
    let mut matches = 0;
    for sample in ["quake3", "quake2", "quake1", "goldsrc"].into_iter().flat_map(samples) {
        let name = sample.path.display().to_string();
        let Ok(recording) = fragreel::Recording::open(sample.bytes(), &name) else { continue };
        let ran = run(&["scores", "--json", &name]);
        let answers = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        let shown: Vec<Value> = answers
            .filter(|answer| answer.get("no_match").is_none())
            .map(|mut answer| {
                answer.as_object_mut().expect("an object").remove("path");
                answer
            })
            .collect();
        let known: Vec<Value> = recording.scores().value.iter().map(|one| serde_json::to_value(one).expect("JSON")).collect();
        assert_eq!(shown, known, "{name}");
        matches += known.len();
    }
    assert!(matches > 20, "{matches}");
}
