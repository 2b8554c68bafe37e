//! The page gets the sentences and figures that the library and the command have.

use fragreel::model::{Kind, Kinds};
use fragreel_testkit::samples;
use fragreel_wasm::Recording;
use serde_json::Value;

const FAMILIES: [&str; 4] = ["quake3", "quake2", "quake1", "goldsrc"];

fn each(mut check: impl FnMut(&str, &Recording, &fragreel::Recording)) {
    let mut checked = 0;
    for sample in FAMILIES.into_iter().flat_map(samples) {
        let name = sample.path.display().to_string();
        let bytes = sample.bytes();
        let Ok(opened) = fragreel::Recording::open(bytes.clone(), &name) else { continue };
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
        for event in opened.events(Kinds::ALL).filter(|event| event.kind.kind() != Kind::Statistics) {
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
    assert!(sentences > 500, "{sentences}");
}

#[test]
fn figures_are_those_of_the_library() {
    each(|name, page, opened| {
        let shown = parsed(page.scores());
        let history = serde_json::to_value(&opened.score_history().value).unwrap();
        assert_eq!((&shown["matches"], &shown["parts"]), (&history["matches"], &history["parts"]), "{name}");
    });
}
