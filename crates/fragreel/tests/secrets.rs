//! Secrets planted wherever text stands in a recording, and looked for after scrubbing: in the bytes, and in the decoded text.
//! Which strings are personal, only the scrubbing knows; the test knows the secrets.

use fragreel::Demo;
use fragreel::edit::{Rename, Scrub};
use fragreel::text_form::{compile, decompile};

use super::FAMILIES;

/// No recording of ours has these.
const SECRETS: [&str; 5] = ["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930", "deadbeef0123456789abcdef01234567", "me@example.org"];

/// Keys that hold secrets, in the case that nobody expects.
const PAIRS: [(&str, &str); 5] = [
    ("IP", SECRETS[0]),
    ("SteamID", SECRETS[2]),
    ("cl_Guid", SECRETS[3]),
    ("e-Mail", SECRETS[4]),
    // a key that nobody knows
    ("whatever", SECRETS[1]),
];

/// The lines with secrets in every info string, and in every line of print. Returns how many were planted.
fn planted(line: &str, pair: (&str, &str)) -> (String, usize) {
    let (mut out, mut count) = (String::with_capacity(line.len() + 64), 0);
    // In the text form a backslash is two, and a line's end is `\\n`.
    let mut rest = line;
    while let Some(at) = [r"\\name\\", r"\\*version\\", r"\\hostname\\", r"\\sv_hostname\\"].iter().filter_map(|key| rest.find(key)).min() {
        let (front, back) = rest.split_at(at);
        out.push_str(front);
        out.push_str(&format!(r"\\{}\\{}", pair.0, pair.1));
        out.push_str(&back[..2]);
        rest = &back[2..];
        count += 1;
    }
    out.push_str(rest);
    if out.contains("\"print\"") || out.contains("\"stufftext\"") || out.contains("print \\\"") {
        let with = out.replacen(r"\n", &format!(r" {} \n", pair.1), 1);
        count += usize::from(with != out);
        out = with;
    }
    (out, count)
}

/// A sample with as many secrets as its format takes.
fn with_secrets(bytes: &[u8], name: &str, pair: (&str, &str)) -> (Vec<u8>, usize) {
    let text = String::from_utf8(decompile(bytes, name).expect("a recording")).expect("text");
    let original: Vec<&str> = text.lines().collect();
    let mut planted_lines: Vec<(String, usize)> = original.iter().map(|line| planted(line, pair)).collect();
    // Where a string has no room for more, it stays as it is.
    for _ in 0..200 {
        let text: String = planted_lines.iter().map(|(line, _)| format!("{line}\n")).collect();
        match compile(text.as_bytes()) {
            Ok(bytes) => return (bytes, planted_lines.iter().map(|(_, count)| count).sum()),
            Err(error) => {
                let at = error.line as usize - 1;
                planted_lines[at] = (original[at].to_owned(), 0);
            }
        }
    }
    panic!("{name}: too many lines take no secret");
}

fn has(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window.iter().zip(needle).all(|(a, b)| a & 0x7f == b & 0x7f))
}

#[test]
fn no_secret_survives_scrubbing() {
    let mut in_all = std::collections::BTreeMap::new();
    for sample in FAMILIES.iter().flat_map(|family| testkit::samples(family)) {
        let bytes = sample.bytes();
        if bytes.len() > 250_000 {
            continue;
        }
        for pair in PAIRS {
            let (bytes, count) = with_secrets(&bytes, &sample.name, pair);
            *in_all.entry(sample.name.split('/').next().unwrap_or_default().to_owned()).or_insert(0) += count;
            let demo = Demo::new(bytes, &sample.name).expect("within the limits");
            let recording = demo.open().expect("a recording");
            let Ok(mut scrub) = Scrub::of(&recording) else { continue };
            let scrubbed = recording.rewrite(&mut scrub).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let text = decompile(&scrubbed.bytes, &sample.name).expect("a recording");
            assert!(!has(&scrubbed.bytes, pair.1.as_bytes()) && !has(&text, pair.1.as_bytes()), "{}: {pair:?}, one of {count}", sample.name);
        }
    }
    assert!(in_all.len() == FAMILIES.len() && in_all.values().all(|&count| count > 10), "{in_all:?}");
}

#[test]
fn names_that_no_game_takes_are_refused_alike() {
    for sample in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.qwd"] {
        let sample = testkit::samples(sample.split('/').next().unwrap_or_default()).into_iter().find(|known| known.name == sample).expect("a sample");
        let demo = Demo::new(sample.bytes(), &sample.name).expect("within the limits");
        let recording = demo.open().expect("a recording");
        let names = fragreel::edit::Players::of(&recording).expect("it can be rewritten").names;
        let Some(name) = names.iter().map(|name| model::game_text(name)).find(|name| !name.trim().is_empty()) else { continue };
        for wrong in ["x".repeat(1500).as_str(), "a\\b", "a\"b", "a\nb"] {
            let fault = Rename::of(&recording, &[(&name, wrong)]).expect_err("it is refused").fault();
            assert_eq!(fault, fragreel::Fault::Misuse, "{}: {wrong:?}", sample.name);
        }
    }
}
