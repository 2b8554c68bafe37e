//! What the page shows is what the library and the command say.

use fragreel::OwnedRecording;
use fragreel::model::{Kind, Kinds, Stat};
use fragreel_testkit::samples;
use fragreel_wasm::Recording;
use serde_json::Value;

const FAMILIES: [&str; 4] = ["quake3", "quake2", "quake1", "goldsrc"];

fn each(mut check: impl FnMut(&str, &Recording, &OwnedRecording)) {
    let mut checked = 0;
    for sample in FAMILIES.into_iter().flat_map(samples) {
        let name = sample.path.display().to_string();
        let bytes = sample.bytes();
        let opened = OwnedRecording::open(bytes.clone(), &name).unwrap();
        let page = Recording::new(bytes, &name).unwrap_or_else(|_| panic!("{name}"));
        check(&name, &page, &opened);
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

fn parsed(answer: Result<String, wasm_bindgen::JsError>) -> Value {
    serde_json::from_str(&answer.unwrap_or_else(|_| panic!("no answer"))).unwrap()
}

#[test]
fn events_have_the_sentences_of_the_library() {
    let mut sentences = 0;
    each(|name, page, opened| {
        let shown = parsed(page.events());
        let mut shown = shown.as_array().unwrap().iter();
        for event in opened.recording().iter_events(Kinds::ALL).filter(|event| event.kind.kind() != Kind::Statistics) {
            let shown = shown.next().unwrap();
            assert_eq!(shown["sentence"], event.kind.to_string(), "{name}");
            if let Some(pieces) = shown["pieces"].as_array() {
                let joined: String = pieces.iter().map(|piece| piece.as_str().unwrap_or_else(|| piece["clean"].as_str().unwrap())).collect();
                assert_eq!(joined, event.kind.to_string(), "{name}");
            }
            sentences += 1;
        }
        assert!(shown.next().is_none(), "{name}");
    });
    assert!(sentences > 1000, "{sentences}");
}

#[test]
fn figures_at_the_end_of_a_match_are_those_of_its_scoreboard() {
    let mut lines = 0;
    each(|name, page, opened| {
        let (matches, _) = opened.recording().scores();
        let shown = parsed(page.scores());
        assert_eq!(shown["matches"], serde_json::to_value(&matches).unwrap(), "{name}");
        for one in &matches {
            let part = shown["parts"].as_array().unwrap().iter().find(|part| part["number"] == one.number).unwrap();
            assert_eq!(part["players"].as_array().unwrap().len(), one.players.iter().filter(|line| known(line).iter().any(Option::is_some)).count(), "{name}");
            for line in &one.players {
                let expected = known(line);
                let found = part["players"].as_array().unwrap().iter().find(|found| found["player"] == serde_json::to_value(&line.player).unwrap());
                let last = found.map(|found| found["changes"].as_array().unwrap().last().unwrap()[2].clone());
                assert_eq!(last.unwrap_or_else(|| serde_json::json!([null, null, null])), serde_json::to_value(expected).unwrap(), "{name} {:?}", line.player);
                lines += 1;
            }
        }
    });
    assert!(lines > 50, "{lines}");
}

fn known(line: &fragreel::model::PlayerStats) -> [Option<i64>; 3] {
    [Stat::Kills, Stat::Deaths, Stat::Score].map(|stat| line.stats.get(stat).value())
}
