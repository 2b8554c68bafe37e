//! What is taken out of recordings, against what their text form says.

use fragreel::Recording;
use fragreel::model::{ExtractKind, Extracted};
use fragreel::text_form::{compile, decompile};
use serde_json::{Value, json};

fn extract(bytes: &[u8], name: &str) -> Vec<Extracted> {
    Recording::open(bytes.to_vec(), name).expect("a recording").extract()
}

fn of(found: &[Extracted], kind: ExtractKind) -> Vec<&Extracted> {
    found.iter().filter(|found| found.kind == kind).collect()
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).expect("JSON")).collect()
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).expect("the sample is there")
}

#[test]
fn a_level_has_its_configstrings() {
    let found = extract(&sample("quake3/dm_bots.dm_71"), "dm_bots.dm_71");
    let strings = of(&found, ExtractKind::Configstrings);
    assert_eq!(strings.len(), 1);
    let text = String::from_utf8_lossy(strings[0].bytes.as_ref().expect("bytes")).into_owned();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert!(
        rows.iter().all(|row| row.len() == 3) && rows[0][..2] == ["0", "CS_SERVERINFO"] && rows[0][2].contains("\\\\mapname\\\\oa_minia\\\\"),
        "{:?}",
        rows[0]
    );
    // three levels, each with its own map
    let found = extract(&sample("quake2/synth_fixmulti_lmpc.dm2"), "synth_fixmulti_lmpc.dm2");
    let strings = of(&found, ExtractKind::Configstrings);
    let maps = strings.iter().map(|strings| {
        let text = String::from_utf8_lossy(strings.bytes.as_ref().expect("bytes")).into_owned();
        text.lines().find_map(|line| line.strip_prefix("33\t")?.split('\t').nth(1).map(str::to_owned)).unwrap_or_default()
    });
    let maps: Vec<String> = maps.collect();
    assert!(maps.len() == 3 && maps.iter().all(|map| map.starts_with("maps/") && map.ends_with(".bsp")), "{maps:?}");
}

#[test]
fn layouts_are_written_once() {
    let found = extract(&sample("quake2/yq2dm_Alice.dm2"), "yq2dm_Alice.dm2");
    let layouts = of(&found, ExtractKind::Layout);
    let mut texts: Vec<&[u8]> = layouts.iter().filter_map(|layout| layout.bytes.as_deref()).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| text.windows(4).any(|word| word == b"xv 3" || word == b"clie")));
    texts.sort_unstable();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
}

/// A file in two pieces whose first piece is sent twice, and a file that lacks its second piece.
#[test]
fn a_download_is_put_together() {
    let mut all = lines(&decompile(&sample("quake3/warmup_restart.dm_68"), "a.dm_68").expect("text"));
    let pieces = [
        json!({"block": 0, "fileSize": 6, "data": "00112233"}),
        json!({"block": 0, "fileSize": 6, "data": "00112233"}),
        json!({"block": 1, "data": "4455"}),
        json!({"block": 2, "data": ""}),
        json!({"block": 0, "fileSize": 9, "data": "ff"}),
    ];
    for (piece, line) in pieces.into_iter().zip(all.iter_mut().skip(20)) {
        line["message"]["operations"].as_array_mut().expect("operations").insert(0, json!({ "download": piece }));
    }
    let text: Vec<u8> = all.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    let bytes = compile(&text).unwrap_or_else(|error| panic!("{error}"));
    let found = extract(&bytes, "a.dm_68");
    let files = of(&found, ExtractKind::Download);
    let shown: Vec<_> = files.iter().map(|file| (file.bytes.as_deref().unwrap_or_default(), file.stated_bytes, file.complete)).collect();
    assert_eq!(shown, [(&[0, 0x11, 0x22, 0x33, 0x44, 0x55][..], Some(6), Some(true)), (&[0xff][..], Some(9), Some(false))]);
}

/// Every packet of the text form, in order.
#[test]
fn voice_is_what_the_text_form_says() {
    let mut files = 0;
    for sample in fragreel_testkit::corpus("quake3").into_iter().filter(|sample| sample.name.contains("voip_")) {
        let bytes = sample.bytes();
        let text = String::from_utf8(decompile(&bytes, &sample.name).expect("text")).expect("text");
        let said: Vec<&str> = text.split("\"data\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let found = extract(&bytes, &sample.name);
        let voices = of(&found, ExtractKind::Voice);
        assert_eq!(voices.len(), 1, "{}", sample.name);
        let codec = if sample.name.contains("opus") { "opus" } else { "speex" };
        assert_eq!((voices[0].detail.as_deref(), &*voices[0].made_name), (Some(codec), &*format!("voice_0.{codec}.jsonl")));
        let packets = lines(voices[0].bytes.as_ref().expect("bytes"));
        assert_eq!(packets.iter().map(|packet| packet["data"].as_str().expect("digits")).collect::<Vec<_>>(), said, "{}", sample.name);
        files += 1;
    }
    if files == 0 {
        fragreel_testkit::skipped("voice of Quake III: the corpus has it");
    }
}

#[test]
fn statistics_of_ktx_are_json() {
    let with = fragreel_testkit::corpus("quake1").into_iter().filter(|sample| sample.name.contains("duel_equ_vs_kaboom"));
    for sample in with {
        let found = extract(&sample.bytes(), &sample.name);
        let statistics = of(&found, ExtractKind::Statistics);
        let json: Value = serde_json::from_slice(statistics[0].bytes.as_ref().expect("bytes").trim_ascii_end()).expect("JSON");
        assert_eq!((statistics.len(), json["players"].as_array().map(Vec::len)), (1, Some(2)));
    }
}
