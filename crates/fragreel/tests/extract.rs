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

/// Bit by bit, so that it shares nothing with the library.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }))
}

/// Real voice of Half-Life: each packet is in the file as `svc_voicedata` has it, once for each line. Steam's has its checksum.
#[test]
fn real_voice_of_half_life_is_what_the_file_has() {
    const VOICE_DATA: u8 = 53;
    let (mut packets, mut steam) = (0, 0);
    for sample in fragreel_testkit::corpus("goldsrc") {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
        for voice in recording.extract().iter().filter(|found| found.kind == ExtractKind::Voice) {
            let mut from = 0;
            for line in lines(voice.bytes.as_ref().expect("bytes")) {
                let digits = line["data"].as_str().expect("data");
                let data: Vec<u8> = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect();
                let length = u16::try_from(data.len()).expect("a packet").to_le_bytes();
                let sent = [&[VOICE_DATA, line["speaker"].as_u64().expect("a speaker") as u8][..], &length, &data].concat();
                let ahead = bytes[from..].windows(sent.len()).position(|window| window == sent);
                from += ahead.unwrap_or_else(|| panic!("{}: message {}", sample.name, line["message"])) + sent.len();
                packets += 1;
                if voice.detail.as_deref() == Some("steam") {
                    let (all, sum) = data.split_last_chunk::<4>().expect("a checksum");
                    assert_eq!(crc(all), u32::from_le_bytes(*sum));
                    steam += 1;
                }
            }
        }
    }
    assert!(packets == 0 && fragreel_testkit::corpus("goldsrc").is_empty() || packets > 100 && steam > 100, "{packets} packets, {steam} of Steam");
}

/// Real downloads of FTE: the code of a mod, in the pieces that the file has one after another.
#[test]
fn real_downloads_of_fte_are_whole() {
    const VERSIONS: [u32; 2] = [6, 7];
    let mut files = 0;
    for sample in fragreel_testkit::corpus("quake1") {
        let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
        for file in recording.extract().iter().filter(|found| found.kind == ExtractKind::Download && found.complete == Some(true)) {
            let data = file.bytes.as_ref().expect("bytes");
            assert_eq!(file.stated_bytes.unwrap_or(data.len() as u64), data.len() as u64, "{}", sample.name);
            if file.stated_name.as_deref().unwrap_or(&file.made_name).ends_with("progs.dat") {
                // version, checksum, then offset and count of six tables, all within the file
                let word = |at: usize| u32::from_le_bytes(data[4 * at..4 * at + 4].try_into().expect("four bytes"));
                assert!(VERSIONS.contains(&word(0)), "{}", sample.name);
                assert!((0..6).all(|table| word(2 + 2 * table) as usize <= data.len()), "{}", sample.name);
                files += 1;
            }
        }
    }
    assert!(files > 0 || fragreel_testkit::corpus("quake1").is_empty());
}
