//! Two runs compared: on runs of the corpus, as our own samples have none.

use std::fs;

use serde_json::Value;

use super::schemas::checked;
use super::{folder, run};

/// A recording of the corpus by a part of its name.
fn recording(part: &str) -> Option<String> {
    let found = fragreel_testkit::corpus("quake3").into_iter().find(|sample| sample.name.contains(part))?;
    Some(found.path.to_str().expect("it is text").to_owned())
}

/// The recording has two players' runs, the first from its middle on.
#[test]
fn two_runs_of_one_recording_are_compared() {
    let Some(path) = recording("mega_wood") else { return };
    let picture = folder("compare").join("lost.svg");
    let svg = picture.to_str().unwrap();
    let compared = run(&["runs", "--compare", "--run", "1,2", "--svg", svg, &path, &path]);
    assert_eq!(compared.code, 0, "{}", compared.err);
    assert!(compared.out.starts_with("defrag on mega_wood\n") && compared.out.contains("dS-linear") && compared.out.contains("kreator"), "{}", compared.out);
    let finish = compared.out.lines().find(|line| line.starts_with("finish")).unwrap_or_default();
    assert!(finish.contains("0:14.576") && finish.contains("0:14.752") && finish.contains("-0.176"), "{}", compared.out);
    let drawn = fs::read_to_string(&picture).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n") && drawn.contains("prefers-color-scheme:dark"), "{drawn}");
    assert!(drawn.contains(">The recording of A does not show the route<"), "{drawn}");
    let again = run(&["runs", "--compare", "--svg", svg, &path, &path]);
    assert!(again.code == 2 && again.err.contains("--force"), "{}", again.err);
    assert_eq!(run(&["runs", "--compare", "--svg", svg, "--force", &path, &path]).code, 0);

    let lines = checked("runs", &["runs", "--compare", "--run", "2", "--parts", "4", "--json", &path, &path]);
    let [answer] = &lines[..] else { panic!("{lines:?}") };
    let segment = &answer["segments"][0];
    assert_eq!((&segment["a"], &answer["total"]["difference"]), (&segment["b"], &Value::from(0)));
    assert_eq!((segment["a"]["step"].as_f64(), segment["a"]["run_time"]["stated"].as_i64()), (Some(16.0), Some(14_752)));
    let places: Vec<&str> = segment["marks"].as_array().unwrap().iter().map(|mark| mark["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["checkpoint", "finish"]);
}

#[test]
fn segments_add_up_in_order_of_names() {
    let (Some(first), Some(second)) = (recording("puremotion"), recording("un-dead029")) else { return };
    let folder = folder("compare_segments");
    let files = [(&first, "a/1.dm_68"), (&second, "a/2.dm_68"), (&first, "b/x.dm_68"), (&second, "b/y.dm_68"), (&second, "c/1.dm_68"), (&first, "c/2.dm_68")];
    for (from, to) in files {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let compared = run(&["runs", "--compare", &path("a"), &path("b")]);
    assert!(compared.code == 0 && compared.out.ends_with("total: 0:27.512 and 0:27.512, difference +0.000\n"), "{}{}", compared.out, compared.err);
    let crossed = run(&["runs", "--compare", &path("a"), &path("c")]);
    assert!(crossed.code == 2 && crossed.err.contains("not on one course: defrag on puremotion, and defrag on un-dead029"), "{}", crossed.err);
    let one = run(&["runs", "--compare", &path("a"), &first]);
    assert!(one.code == 2 && one.err.contains("2 and 1 segments"), "{}", one.err);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let sample = "samples/quake3/dm_bots.dm_71";
    let none = run(&["runs", "--compare", sample, sample]);
    assert!(none.code == 2 && none.err.contains("no run found in `samples/quake3/dm_bots.dm_71`"), "{}", none.err);
    let alone = run(&["runs", "--compare", sample]);
    assert!(alone.code == 2 && alone.err.contains("--compare takes two paths"), "{}", alone.err);
    let number = run(&["runs", "--compare", "--run", "3", sample, sample]);
    assert!(number.code == 2 && number.err.contains("there is no run 3"), "{}", number.err);
}
