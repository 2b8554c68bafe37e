//! Recordings in which very many people come and go: no question may look through all who came before for each of them. Where one does,
//! these tests take minutes instead of seconds.

use fragreel::edit::{Chat, Scrub};
use fragreel::model::{Clock, EventKind, Kinds, Milliseconds, Range};
use fragreel::{Recording, text_form};

/// How many come and go.
const MANY: usize = 10_000;

/// A sample with more lines of the text form behind its last message.
fn grown(sample: &str, last: &str, line: impl Fn(usize) -> String) -> Recording {
    let path = fragreel_testkit::checkout().join("samples").join(sample);
    let text = text_form::decompile(&std::fs::read(path).expect("a sample"), sample).expect("text");
    let text = String::from_utf8(text).expect("UTF-8");
    let end = text.rfind(&format!("\n{{\"{last}\"")).and_then(|from| Some(from + 1 + text[from + 1..].find('\n')? + 1)).expect("a message");
    let lines: String = (0..MANY).map(|number| line(number) + "\n").collect();
    let grown = text_form::compile([&text[..end], &lines, &text[end..]].concat().as_bytes()).expect("a recording");
    Recording::open(grown, sample).expect("a recording")
}

/// One recording a family in which everybody comes into one slot, is killed or says something, and goes.
fn crowds() -> [Recording; 5] {
    let quakeworld = |number| {
        format!(
            r#"{{"block":{{"to":"all","messages":[{{"updateuserinfo":{{"slot":5,"user_id":{id},"userinfo":"\\name\\visitor{number}"}}}},{{"print":{{"level":"medium","text":"visitor{number} tries to put the pin back in\n"}}}},{{"updateuserinfo":{{"slot":5,"user_id":{id},"userinfo":""}}}}]}}}}"#,
            id = 100 + number
        )
    };
    let netquake = |number| {
        format!(
            r#"{{"block":{{"view_angles":[0,0,0],"messages":[{{"updatename":{{"slot":0,"name":"visitor{number}"}}}},{{"print":{{"text":"visitor{number} tries to put the pin back in\n"}}}},{{"updatename":{{"slot":0,"name":""}}}}]}}}}"#
        )
    };
    let quake2 = |number| {
        format!(
            r#"{{"block":{{"messages":[{{"configstring":{{"index":1317,"text":"visitor{number}\\male/grunt"}}}},{{"print":{{"level":"medium","text":"visitor{number} tries to put the pin back in.\n"}}}},{{"print":{{"level":"high","text":"visitor{number} disconnected\n"}}}},{{"configstring":{{"index":1317,"text":""}}}}]}}}}"#
        )
    };
    let goldsrc = |number| {
        let nobody = format!(r#""slot":5,"user_id":{},"key_hash":"{}""#, 100 + number, "07".repeat(16));
        let user = |info: &str| format!(r#"{{"updateuserinfo":{{{nobody},"info":"{info}"}}}}"#);
        let messages = [user(&format!(r"\\name\\visitor{number}")), user("")].join(",");
        format!(r#"{{"data":{{"time":0.125,"frame":13,"sequence":[13,12,0,0,14,0,0],"messages":[{messages}]}}}}"#)
    };
    let quake3 = |number: usize| {
        let command = |at: usize, text: &str| format!(r#"{{"serverCommand":{{"sequence":{},"command":"{text}"}}}}"#, 200 + 3 * number + at);
        let come = format!(r#"cs 549 \"n\\visitor{number}\\t\\0\""#);
        let commands = [command(0, &come), command(1, &format!(r#"print \"visitor{number} entered the game\n\""#)), command(2, r#"cs 549 \"\""#)];
        format!(r#"{{"message":{{"sequence":{},"reliableAcknowledge":13,"operations":[{}]}}}}"#, 1202 + number, commands.join(","))
    };
    [
        grown("quake1/match_e1m1.mvd", "block", quakeworld),
        grown("quake1/rerelease_e1m1.dem", "block", netquake),
        grown("quake2/srv_city.dm2", "block", quake2),
        grown("goldsrc/net-48.dem", "data", goldsrc),
        grown("quake3/dm_bots.dm_71", "message", quake3),
    ]
}

#[test]
fn a_crowd_is_told_apart_in_time_that_grows_with_it() {
    for recording in crowds() {
        let family = recording.family();
        let info = recording.info();
        let visitors = info.players.iter().filter(|player| player.name.clean.starts_with("visitor")).count();
        assert_eq!(visitors, MANY, "{family}");
        let mut came = 0;
        for event in recording.events(Kinds::ALL) {
            came +=
                usize::from(matches!(event.kind, EventKind::Join { player } | EventKind::Rename { player, .. } if player.name.clean.starts_with("visitor")));
        }
        assert_eq!(came, MANY, "{family}");
        recording.score_history();
        let scrubbed = recording.scrub(&Scrub::default().chat(Chat::Keep)).expect("a recording");
        assert!(!scrubbed.bytes.windows(7).any(|word| word == b"visitor"), "{family}");
    }
}

#[test]
fn what_holds_at_a_cut_is_kept_in_time_that_grows_with_it() {
    let key = |number| format!(r#"{{"block":{{"to":"all","messages":[{{"setinfo":{{"slot":0,"key":"key{number}","value":"1"}}}}]}}}}"#);
    let list = |number: usize| format!(r#"{{"block":{{"to":"all","messages":[{{"soundlist":{{"first":{},"names":["a.wav"],"next":0}}}}]}}}}"#, number % 256);
    for recording in [grown("quake1/match_e1m1.mvd", "block", key), grown("quake1/match_e1m1.mvd", "block", list)] {
        let cut = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(1000), to: Milliseconds(2000) }).expect("a part");
        assert!(cut.bytes.len() < recording.bytes().len());
    }
}
