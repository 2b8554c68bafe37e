//! What identifies people, planted in every place that the format has, and looked for in every byte of the result.

use fragreel_goldsrc::message::*;
use fragreel_goldsrc::properties::assemble::{Assembler, Plan, assembled};
use fragreel_goldsrc::{Padded, Str};
use fragreel_model::{Fate, Place, Rewrite, Role};

use super::{assert_sound, open};

const SECRETS: [&str; 5] = ["10.1.2.3", "STEAM_0:1:2345678", "ann@example.org", "0123456789abcdef0123456789abcdef", "76561197960287930"];

/// Takes out addresses and identifiers, and lines and texts that hold one.
struct Scrub;

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if matches!(role, Role::Address | Role::Identifier) {
            return Fate::Drop;
        }
        for secret in SECRETS {
            while let Some(at) = text.windows(secret.len()).position(|part| part == secret.as_bytes()) {
                text.splice(at..at + secret.len(), *b"***");
            }
        }
        Fate::Keep
    }
}

fn text(secret: &str) -> Str {
    Str(secret.as_bytes().to_vec())
}

fn announced(number: u8, size: i8, name: &str) -> Message {
    let mut field = Padded::<16>::default();
    field.0[..name.len()].copy_from_slice(name.as_bytes());
    Message::NewUserMessage(NewUserMessage { number, size, name: field })
}

/// Every message that has a text, with the secret in it, bare and among other words.
fn messages(secret: &str) -> Vec<Message> {
    let line = |front: &str| text(&format!("{front} {secret} and so on"));
    let named = [("IP", 1), ("*ip", 2), ("ADDRESS", 3), ("steamid", 4), ("STEAMID", 5), ("cl_guid", 6), ("CL_GUID", 7), ("clientHash", 8), ("whatever", 9)];
    let mut all: Vec<Message> = named
        .iter()
        .map(|&(key, slot)| {
            let info = text(&format!("\\name\\ann\\{key}\\{secret}\\model\\gordon"));
            Message::UpdateUserInfo(UpdateUserInfo { slot, user_id: 100 + i32::from(slot), info, key_hash: Some(*b"0123456789abcdef") })
        })
        .collect();
    let user = |id, parts: &[&[u8]]| Message::User(UserMessage { id, data: parts.concat() });
    all.extend([
        Message::Print(Print { text: line("client connected from") }),
        Message::CenterPrint(CenterPrint { text: line("welcome") }),
        Message::StuffText(StuffText { command: text(&format!("connect {secret}\nsetinfo ip {secret};rcon_password \"{secret}\"\n")) }),
        Message::StuffText(StuffText { command: text(&format!("fullserverinfo \"\\IP\\{secret}\\steamid\\{secret}\\a\\1\"\n")) }),
        Message::LightStyle(LightStyle { style: 63, pattern: text(secret) }),
        Message::DecalName(DecalName { index: 3, decal: text(secret) }),
        Message::FileTxferFailed(FileTxferFailed { file: line("!MD5") }),
        Message::ResourceLocation(ResourceLocation { url: line("http://") }),
        Message::SendCvarValue(SendCvarValue { cvar: text(secret) }),
        Message::SendCvarValue2(SendCvarValue2 { request: 1, cvar: text(secret) }),
        Message::Customization(Customization { name: text(secret), flags: 4, md5: Some(*b"0123456789abcdef"), ..Customization::default() }),
        Message::ResourceList(ResourceList {
            resources: vec![
                Resource { kind: 4, name: text(&format!("media/{secret}")), index: 2, ..Resource::default() },
                Resource {
                    kind: 3,
                    name: text("!MD50123456789abcdef0123456789abcdef"),
                    index: 9,
                    flags: 4,
                    md5: Some(*b"0123456789abcdef"),
                    ..Resource::default()
                },
            ],
            ..ResourceList::default()
        }),
        Message::VoiceInit(VoiceInit { codec: text(secret), quality: Some(5) }),
        announced(100, -1, "NobodyKnows"),
        announced(101, 40, "OfOneSize"),
        announced(102, -1, "TextMsg"),
        announced(103, -1, "MOTD"),
        user(100, &[&[1, 2], secret.as_bytes(), b"\0\x07"]),
        user(101, &[&format!("{secret:<40}").into_bytes()[..40]]),
        user(102, &[&[1], b"#Key\0", secret.as_bytes(), b"\0"]),
        user(103, &[&[1], secret.as_bytes(), b"\0"]),
        user(65, &[&[1, 2], b"ann: my address is ", secret.as_bytes(), b"\0"]),
    ]);
    all
}

fn padded(width: usize, front: &[u8], secret: &str) -> Vec<u8> {
    let mut field = [front, b"\0", secret.as_bytes()].concat();
    field.resize(width, 0);
    field
}

/// A recording with the secret in its messages and in all that is no message.
fn planted(secret: &str) -> Vec<u8> {
    let mut file: Assembler = assembled(Plan::default());
    let rules = fragreel_goldsrc::Dialect::new(5, 48).unwrap().messages.unwrap();
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    let mut context = fragreel_goldsrc::Context::new(rules);
    // the announcement that the recording's own beginning makes
    fragreel_goldsrc::encode(&mut [announced(65, -1, "SayText")], &mut context);
    file.data(1, 0.25, 20, &fragreel_goldsrc::encode(&mut messages(secret), &mut context));
    file.macro_with(3, 0.3, 21, &padded(64, b"connect", secret));
    file.macro_with(3, 0.3, 21, &padded(64, format!("setinfo IP {secret}").as_bytes(), ""));
    let buffer = [&(secret.len() as u32 + 4).to_le_bytes()[..], &[9, 9, 9, 9], secret.as_bytes()].concat();
    file.macro_with(9, 0.4, 22, &buffer);
    // what cannot be read
    file.data(1, 0.5, 23, &[&[7, 0, 0, 0x80, 0x3f, 0][..], secret.as_bytes()].concat());
    file.macro_with(5, 0.5, 23, &[]);
    let mut bytes = file.finish();
    let at = i32::from_le_bytes(bytes[540..544].try_into().unwrap()) as usize;
    // garbage behind the NULs of the header, of a directory entry, of a sky's name; behind everything
    bytes[16..276].copy_from_slice(&padded(260, b"hand_made", secret));
    bytes[276..536].copy_from_slice(&padded(260, b"cstrike", secret));
    bytes[at + 8..at + 72].copy_from_slice(&padded(64, b"LOADING", secret));
    let sky =
        open(&bytes).container().macros().filter_map(fragreel_goldsrc::container::Step::found).find(|window| window.id.0 == 1).unwrap().body_offset() + 356;
    if secret.len() < 28 {
        bytes[sky..sky + 32].copy_from_slice(&padded(32, b"des", secret));
    }
    bytes.extend_from_slice(secret.as_bytes());
    bytes
}

/// How often the secret stands in the bytes, at any bit.
fn count(bytes: &[u8], secret: &str) -> usize {
    let shifted = |shift: u32| bytes.windows(2).map(move |pair| (u16::from_le_bytes([pair[0], pair[1]]) >> shift) as u8).collect::<Vec<u8>>();
    (0..8).map(|shift| shifted(shift).windows(secret.len()).filter(|part| part.eq_ignore_ascii_case(secret.as_bytes())).count()).sum::<usize>()
        + usize::from(bytes.ends_with(secret.as_bytes()))
}

#[test]
fn no_secret_is_left_anywhere() {
    for secret in SECRETS {
        let bytes = planted(secret);
        // nothing asked, nothing changed, whatever stands there
        struct Nothing;
        impl Rewrite for Nothing {}
        assert!(open(&bytes).rewrite(&mut Nothing).unwrap().bytes == bytes, "{secret}");
        assert!(count(&bytes, secret) > 30, "{secret}: {}", count(&bytes, secret));
        let edited = open(&bytes).rewrite(&mut Scrub).unwrap();
        assert_eq!(count(&edited.bytes, secret), 0, "{secret}");
        assert_eq!(count(&edited.bytes, "0123456789abcdef0123456789abcdef"), 0, "{secret}: the hash of a spray or a key");
        assert_eq!(count(&edited.bytes, "0123456789abcdef"), 0, "{secret}: the hash of a spray or a key");
        let whole = open(&edited.bytes).repair().unwrap();
        assert_sound(secret, &whole);
        // the rest is still there
        let info = open(&edited.bytes).info();
        assert_eq!((info.maps, info.snapshots), (vec![String::from("hand_made")], 2), "{secret}");
    }
}

/// Takes out what the format says is somebody's, by where it stands: the words are nobody's by themselves.
struct ByPlace;

impl Rewrite for ByPlace {
    fn text(&mut self, _: Place, role: Role, _: &mut Vec<u8>) -> Fate {
        if matches!(role, Role::Address | Role::Identifier) { Fate::Drop } else { Fate::Keep }
    }
}

/// A value in quotation marks may be several words, with what ends a command among them: all of it goes, and what stands behind it stays.
#[test]
fn values_of_several_words_go_out_of_commands() {
    let lines = [
        ("setinfo password \"open sesame\"\n", "setinfo password \"***\"\n"),
        ("rcon_password \"open sesame\"; say hi\n", "rcon_password \"***\"; say hi\n"),
        ("say hi;\"rcon_password\" \"open; sesame\"\nwait\n", "say hi;\"rcon_password\" \"***\"\nwait\n"),
        ("bind x \"wait; sv_password sesame\"\n", "bind x \"wait; sv_password ***\"\n"),
        // the line ends it
        ("password \"open sesame\nsay hi\n", "password \"***\nsay hi\n"),
        ("setinfo _pw \"\";setinfo topcolor \"open sesame\"\n", "setinfo _pw \"\";setinfo topcolor \"open sesame\"\n"),
    ];
    let mut file = assembled(Plan::default());
    let mut context = fragreel_goldsrc::Context::new(fragreel_goldsrc::Dialect::new(5, 48).unwrap().messages.unwrap());
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    let mut stuffed = lines.map(|(line, _)| Message::StuffText(StuffText { command: text(line) }));
    file.data(1, 0.25, 20, &fragreel_goldsrc::encode(&mut stuffed, &mut context));
    for (line, _) in lines {
        file.macro_with(3, 0.3, 21, &padded(64, line.trim_end().as_bytes(), ""));
    }
    file.macro_with(5, 0.5, 23, &[]);
    let bytes = file.finish();
    let edited = open(&bytes).rewrite(&mut ByPlace).unwrap();
    assert_sound("of several words", &edited);
    let scrubbed = open(&edited.bytes);
    let mut stuffed = Vec::new();
    scrubbed
        .map_messages(&mut |_, message| {
            if let Message::StuffText(stuff) = message {
                stuffed.push(String::from_utf8(stuff.command.0.clone()).unwrap());
            }
            Fate::Keep
        })
        .unwrap();
    let (there, mut typed) = (lines.map(|(_, line)| line), Vec::new());
    assert_eq!(stuffed[stuffed.len() - lines.len()..], there);
    scrubbed.events(fragreel_model::Kinds::ALL).for_each(|event| {
        if let fragreel_model::EventKind::Command { text } = event.kind {
            typed.push(text.raw);
        }
    });
    for line in there {
        assert!(typed.iter().any(|typed| *typed == line.trim_end()), "{line}: {typed:?}");
    }
}

/// In a buffer, from a message on that cannot be read, and behind everything.
#[test]
fn passwords_go_out_of_bytes_that_nobody_reads() {
    let words = b"set rcon_password sesame\n";
    let mut file = assembled(Plan::default());
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    file.macro_with(9, 0.4, 22, &[&(words.len() as u32).to_le_bytes()[..], words].concat());
    file.data(1, 0.5, 23, &[&[7, 0, 0, 0x80, 0x3f, 0][..], words].concat());
    file.macro_with(5, 0.5, 23, &[]);
    let bytes = [&file.finish()[..], words].concat();
    let edited = open(&bytes).rewrite(&mut ByPlace).unwrap();
    assert_eq!((count(&bytes, "sesame"), count(&edited.bytes, "sesame"), count(&edited.bytes, "rcon_password")), (3, 0, 3));
    assert_eq!(edited.bytes.len(), bytes.len());
}

/// A name that does not fit is refused, so that no key behind it is lost.
#[test]
fn names_that_do_not_fit_are_refused() {
    struct Long(usize);
    impl Rewrite for Long {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            if role == Role::Name {
                *text = vec![b'n'; self.0];
            }
            Fate::Keep
        }
    }
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let source = open(&bytes);
    let fits = 255 - b"\\name\\\\model\\gordon".len();
    assert_sound("it fits", &source.rewrite(&mut Long(fits)).unwrap());
    for long in [fits + 1, 1500] {
        let error = source.rewrite(&mut Long(long)).unwrap_err();
        assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse);
        assert!(error.detail().contains("choose a shorter name"), "{error}");
    }
}

/// Commands as BunnymodXT writes them: a tag and enciphered bytes, several in a row.
fn with_tool_data() -> Vec<u8> {
    let mut file = assembled(Plan::default());
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    for at in 0..3u8 {
        let blob: Vec<u8> = (0..56).map(|byte: u8| byte.wrapping_mul(37).wrapping_add(at) | 1).collect();
        file.macro_with(3, 0.0, 0, &padded(64, &[b"//BXTD0", &blob[..]].concat(), ""));
    }
    file.macro_with(3, 0.1, 1, &padded(64, b"// a note", ""));
    file.macro_with(3, 0.1, 1, &padded(64, b"+jump", ""));
    file.macro_with(5, 0.5, 23, &[]);
    [&file.finish()[..], b"\x03\0//BXTD0sesame\0"].concat()
}

fn commands(recording: &fragreel_goldsrc::Recording) -> Vec<String> {
    let mut typed = Vec::new();
    recording.events(fragreel_model::Kinds::from_iter([fragreel_model::Kind::Command])).for_each(|event| {
        if let fragreel_model::EventKind::Command { text } = event.kind {
            typed.push(text.raw);
        }
    });
    typed
}

/// Nobody reads such data here, so it may hold anything: it goes with the first of names, chat, addresses and identifiers.
#[test]
fn data_of_tools_is_left_out_and_named() {
    struct Only(Role);
    impl Rewrite for Only {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            match role {
                _ if role != self.0 => return Fate::Keep,
                Role::Name => *text = b"nobody".to_vec(),
                _ => return Fate::Drop,
            }
            Fate::Keep
        }
    }
    let bytes = with_tool_data();
    let typed = ["say hi", "// a note", "+jump"];
    assert_eq!(commands(&open(&bytes)), typed);
    let notes = open(&bytes).verify().notes;
    assert!(notes.iter().any(|note| note.detail.starts_with("3 command macros have data of BunnymodXT")), "{notes:?}");
    let opened = open(&bytes);
    assert_eq!(opened.explain(fragreel_model::Selection::All).filter(|explained| explained.heading.contains("BunnymodXT")).count(), 3);
    for role in [Role::Name, Role::Chat, Role::Address, Role::Identifier] {
        let edited = open(&bytes).rewrite(&mut Only(role)).unwrap();
        let named = fragreel_model::Action::ToolDataLeftOut { commands: 3, tool: String::from("BunnymodXT") };
        assert!(edited.actions.contains(&named), "{role:?}: {:?}", edited.actions);
        assert_eq!((count(&edited.bytes, "//BXTD0"), count(&edited.bytes, "sesame")), (0, 0), "{role:?}");
        // what was said goes with chat
        assert_eq!(commands(&open(&edited.bytes)), typed[usize::from(role == Role::Chat)..], "{role:?}");
    }
    let kept = open(&bytes).rewrite(&mut Only(Role::Print)).unwrap();
    assert_eq!(count(&kept.bytes, "//BXTD0"), count(&bytes, "//BXTD0"));
}
