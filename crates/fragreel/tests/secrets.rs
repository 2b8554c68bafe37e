//! Secrets planted wherever text stands in a recording, and looked for after scrubbing: in the bytes, and in the decoded text.
//! Which strings are personal, only the scrubbing knows; the test knows the secrets.

use fragreel::Recording;
use fragreel::edit::{Action, Chat, Edited, Scrub};
use fragreel::text_form::{compile, decompile};

use fragreel_testkit::Sample;

use super::{FAMILIES, of_each_dialect};

/// No recording of ours has these.
const SECRETS: [&str; 5] = ["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930", "deadbeef0123456789abcdef01234567", "me@example.org"];

/// Keys that hold secrets, in the case that nobody expects.
const PAIRS: [(&str, &str); 7] = [
    ("IP", SECRETS[0]),
    ("SteamID", SECRETS[2]),
    ("cl_Guid", SECRETS[3]),
    ("e-Mail", SECRETS[4]),
    // a key that nobody knows
    ("whatever", SECRETS[1]),
    // behind color codes, whose digits look like theirs
    ("whatever", "^310.98.76.54 ^7STEAM_0:1:4242424"),
    ("whatever", "^776561197960287930 steam76561197960287930"),
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
    scrubbed_have_no_secret(100_000);
}

#[test]
#[ignore = "nightly"]
fn no_secret_survives_scrubbing_in_larger_samples() {
    scrubbed_have_no_secret(usize::MAX);
}

fn scrubbed_have_no_secret(most: usize) {
    let mut in_all = std::collections::BTreeMap::new();
    let samples = FAMILIES.iter().flat_map(|family| fragreel_testkit::samples(family)).map(|sample| (sample.bytes(), sample));
    for (bytes, sample) in samples.filter(|(bytes, _)| bytes.len() <= most) {
        for pair in PAIRS {
            let (bytes, count) = with_secrets(&bytes, &sample.name, pair);
            *in_all.entry(sample.name.split('/').next().unwrap_or_default().to_owned()).or_insert(0) += count;
            let recording = Recording::open(bytes, &sample.name).expect("a recording");
            let Ok(scrubbed) = recording.scrub(&Scrub::default()) else { continue };
            let text = decompile(&scrubbed.bytes, &sample.name).expect("a recording");
            for secret in SECRETS.into_iter().filter(|secret| pair.1.contains(secret)) {
                let left = has(&scrubbed.bytes, secret.as_bytes()) || has(&text, secret.as_bytes());
                assert!(!left, "{}: {pair:?}, one of {count}: {}", sample.name, around(&text, secret));
            }
        }
    }
    assert!(in_all.len() == FAMILIES.len() && in_all.values().all(|&count| count > 10), "{in_all:?}");
}

/// A string of a text line: where it stands, in words that are the same in all lines, and where its last character ends.
fn strings(line: &str) -> Vec<(String, usize)> {
    let bytes = line.as_bytes();
    // What each open bracket is in: the name of its member, or nothing in a list.
    let (mut open, mut name, mut found, mut at) = (Vec::<String>::new(), String::new(), Vec::new(), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => open.push(std::mem::take(&mut name)),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let from = at + 1;
                at = from;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if bytes.get(at + 1) == Some(&b':') {
                    // Slots and numbers of entities are all alike.
                    name = if line[from..at].bytes().all(|byte| byte.is_ascii_digit()) { String::from("n") } else { line[from..at].to_owned() };
                } else {
                    let words: Vec<&str> = open.iter().chain([&name]).map(String::as_str).filter(|word| !word.is_empty()).collect();
                    found.push((words.join("."), at));
                    name.clear();
                }
            }
            b',' => name.clear(),
            _ => {}
        }
        at += 1;
    }
    found
}

/// What follows the number in every mark.
const HOST: &str = "@example.org";

/// An address of mail that stands for the `n`th kind of string.
fn mark(n: usize) -> String {
    format!("me{n}{HOST}")
}

/// A recording with a mark of its own at the end of some strings of every kind that takes one, and the kinds by their marks.
fn marked(bytes: &[u8], name: &str) -> Option<(Vec<u8>, Vec<String>)> {
    const OF_EACH: usize = 3;
    let text = String::from_utf8(decompile(bytes, name).ok()?).expect("text");
    let mut kinds: Vec<String> = Vec::new();
    let mut planted = std::collections::HashMap::<usize, usize>::new();
    // By line: where each mark goes, and which.
    let mut plans: Vec<(&str, Vec<(usize, usize)>)> = Vec::new();
    for line in text.lines() {
        let mut plan = Vec::new();
        // What structures are called, later lines refer to.
        for (kind, end) in strings(line).into_iter().filter(|(kind, _)| !kind.contains("deltadescription")) {
            let n = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            let count = planted.entry(n).or_default();
            if *count < OF_EACH {
                *count += 1;
                let value = &line[..end];
                let end = value.strip_suffix(r"\n").unwrap_or(value);
                let end = end.strip_suffix(r#"\""#).unwrap_or(end).len();
                plan.push((end, n));
            }
        }
        plans.push((line, plan));
    }
    let written = |(line, plan): &(&str, Vec<(usize, usize)>)| {
        let (mut out, mut from, mut ends) = (String::new(), 0, Vec::new());
        for (end, n) in plan {
            out.push_str(&line[from..*end]);
            out.push_str(&format!(" {}", mark(*n)));
            from = *end;
            ends.push(out.len());
        }
        out.push_str(&line[from..]);
        (out, ends)
    };
    loop {
        let text: String = plans.iter().map(|plan| written(plan).0 + "\n").collect();
        match compile(text.as_bytes()) {
            Ok(bytes) => {
                let kept: std::collections::BTreeSet<usize> = plans.iter().flat_map(|(_, plan)| plan.iter().map(|(_, n)| *n)).collect();
                let kinds = kinds.into_iter().enumerate().map(|(n, kind)| if kept.contains(&n) { kind } else { String::new() }).collect();
                return Some((bytes, kinds));
            }
            Err(error) => {
                // A word that is none any more, or a string without room.
                let plan = &mut plans[error.line as usize - 1];
                let ends = written(plan).1;
                assert!(!ends.is_empty(), "{name}: {error:?}");
                plan.1.remove(ends.iter().position(|&end| end as u64 >= error.column).unwrap_or(ends.len() - 1));
            }
        }
    }
}

/// Samples, and real recordings of each dialect.
fn everywhere() -> impl Iterator<Item = Sample> {
    FAMILIES.iter().flat_map(|family| fragreel_testkit::samples(family)).chain(of_each_dialect(250_000))
}

#[test]
fn no_player_keeps_his_name() {
    let mut named = 0;
    for sample in everywhere().filter(|sample| sample.bytes().len() < 250_000) {
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let Ok(names) = recording.stated_names() else { continue };
        let names: Vec<String> = names.iter().map(|name| fragreel_model::game_text(name)).collect();
        let news: Vec<String> = (0..names.len()).map(|n| format!("Zqxwvk{n}v")).collect();
        // names that cannot be said twice alike are passed over
        let pairs: Vec<(&str, &str)> = names.iter().zip(&news).map(|(name, new)| (name.as_str(), new.as_str())).collect();
        let pairs: Vec<_> = pairs.into_iter().filter(|pair| recording.rename(&[*pair]).is_ok()).collect();
        let Ok(renamed) = recording.rename(&pairs) else { continue };
        let recording = Recording::open(renamed.bytes, &sample.name).expect("a recording");
        let text = decompile(recording.bytes(), &sample.name).expect("a recording");
        named += usize::from(has(&text, b"Zqxwvk"));
        let scrubbed = recording.scrub(&Scrub::default().chat(Chat::Keep)).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let text = decompile(&scrubbed.bytes, &sample.name).expect("a recording");
        assert!(!has(&scrubbed.bytes, b"Zqxwvk") && !has(&text, b"Zqxwvk"), "{}: {}", sample.name, around(&text, "Zqxwvk"));
    }
    assert!(named > 30, "{named}");
}

/// The text before a word and a little behind it.
fn around(text: &[u8], word: &str) -> String {
    String::from_utf8_lossy(text).lines().find(|line| line.contains(word)).map_or(String::new(), |line| {
        let at = line[..line.find(word).unwrap_or_default()].chars().count();
        line.chars().skip(at.saturating_sub(200)).take(260).collect()
    })
}

#[test]
fn a_secret_in_any_string_of_any_message_goes() {
    let (mut left, mut looked_for) = (std::collections::BTreeSet::new(), 0);
    for (bytes, sample) in everywhere().map(|sample| (sample.bytes(), sample)).filter(|(bytes, _)| bytes.len() < 250_000) {
        let Some((bytes, kinds)) = marked(&bytes, &sample.name) else { continue };
        let recording = Recording::open(bytes, &sample.name).expect("a recording");
        let Ok(scrubbed) = recording.scrub(&Scrub::default().chat(Chat::Keep)) else { continue };
        let text = decompile(&scrubbed.bytes, &sample.name).expect("a recording");
        looked_for += kinds.len();
        // one search for what all marks have in common
        if ![&scrubbed.bytes, &text].into_iter().any(|bytes| has(bytes, HOST.as_bytes())) {
            continue;
        }
        for (n, kind) in kinds.iter().enumerate() {
            let mark = mark(n);
            if has(&scrubbed.bytes, mark.as_bytes()) || has(&text, mark.as_bytes()) {
                left.insert(format!("{}: {kind}: {}", sample.name, around(&text, &mark)));
            }
        }
    }
    assert!(left.is_empty(), "{left:#?}");
    assert!(looked_for > 500, "{looked_for} strings marked");
}

#[test]
fn names_that_no_game_takes_are_refused_alike() {
    for sample in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.qwd"] {
        let sample = fragreel_testkit::samples(sample.split('/').next().unwrap_or_default()).into_iter().find(|known| known.name == sample).expect("a sample");
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let names = recording.stated_names().expect("it can be rewritten");
        let Some(name) = names.iter().map(|name| fragreel_model::game_text(name)).find(|name| !name.trim().is_empty()) else {
            panic!("{}: nobody has a name", sample.name)
        };
        for wrong in ["x".repeat(1500).as_str(), "a\\b", "a\"b", "a\nb"] {
            let fault = recording.rename(&[(&name, wrong)]).expect_err("it is refused").kind();
            assert_eq!(fault, fragreel::ErrorKind::Misuse, "{}: {wrong:?}", sample.name);
        }
    }
}

/// A file that a review found, where it is there.
fn case(name: &str) -> Option<Vec<u8>> {
    let read = std::fs::read(fragreel_testkit::checkout().join("../shared/review/cases/2026-11").join(name)).ok();
    if read.is_none() {
        fragreel_testkit::skipped(&format!("the test on {name}: ../shared/review/cases/2026-11 is not there"));
    }
    read
}

/// A scrubbed recording and what is left in it.
fn scrubbed(bytes: &[u8], name: &str) -> Option<(Edited, Vec<Action>)> {
    let recording = Recording::open(bytes.to_vec(), name).expect("a recording");
    let edited = recording.scrub(&Scrub::default()).ok()?;
    let remains = edited.actions.iter().filter(|action| matches!(action, Action::TextRemains { .. })).cloned().collect();
    Some((edited, remains))
}

#[test]
fn names_files_and_typed_words_go() {
    for (name, secrets) in [
        ("scrub-leaves-own-console-commands.dem", &["secretword", "RealNick", "home128", "john131"][..]),
        ("scrub-names-in-screenshot-commands.dm_71", &["Gargoyle", "Grism", "oa_minia-2011"]),
        ("scrub-names-in-serverdemo.mvd", &["tester_vs_other", "duel_"]),
    ] {
        let Some(bytes) = case(name) else { return };
        let (edited, remains) = scrubbed(&bytes, name).expect("it can be rewritten");
        assert_eq!(remains, [], "{name}");
        let text = String::from_utf8(decompile(&edited.bytes, name).expect("a recording")).expect("text");
        for secret in secrets {
            // a model that is called like a bot is a file of the game
            let left = text.match_indices(secret).find(|(at, _)| !text[..*at].ends_with("players/") && !text[..*at].ends_with("heads/"));
            assert_eq!(left.map(|_| around(text.as_bytes(), secret)), None, "{name}: {secret}");
        }
    }
}

/// Quake Live's strings of players have the short and the long name of a clan, and a country.
#[test]
fn clans_and_countries_go() {
    let name = "quake3/dm_bots.dm_71";
    let whole = std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).unwrap();
    let text = String::from_utf8(decompile(&whole, name).unwrap()).unwrap();
    let with = text.replacen("n\\\\Gargoyle\\\\", "n\\\\Gargoyle\\\\cn\\\\KLQX\\\\xcn\\\\Klanquax\\\\c\\\\XY\\\\", 1);
    assert_ne!(with, text, "the player's string is found");
    let bytes = compile(with.as_bytes()).unwrap();
    let (edited, remains) = scrubbed(&bytes, name).expect("it can be rewritten");
    assert_eq!(remains, []);
    let text = String::from_utf8(decompile(&edited.bytes, name).unwrap()).unwrap();
    for secret in ["KLQX", "Klanquax", "c\\\\XY\\\\"] {
        assert!(!text.contains(secret), "{secret}: {}", around(text.as_bytes(), secret));
    }
}

#[test]
fn nothing_that_was_removed_is_left() {
    leaves_nothing(60_000);
}

#[test]
#[ignore = "nightly"]
fn nothing_that_was_removed_is_left_in_larger_recordings() {
    leaves_nothing(3_000_000);
}

fn leaves_nothing(most: u64) {
    let all: Vec<Sample> =
        FAMILIES.iter().flat_map(|family| super::recordings(family)).filter(|sample| !sample.damaged && super::size(sample) < most).collect();
    let found = std::sync::Mutex::new((0, Vec::new()));
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let name = sample.name.strip_suffix(".gz").unwrap_or(&sample.name);
        let Some((_, remains)) = scrubbed(bytes, name) else { return };
        let mut found = found.lock().expect("no panic");
        found.0 += 1;
        if !remains.is_empty() {
            found.1.push(format!("{name}: {remains:?}"));
        }
    });
    let (tried, left) = found.into_inner().expect("no panic");
    println!("{tried} recordings scrubbed, something is left in {}", left.len());
    assert!(tried > 20 && left.is_empty(), "{} of {tried}:\n{}", left.len(), left.join("\n"));
}
