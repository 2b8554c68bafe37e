//! Secrets planted in every place of a recording, and looked for in what is left.

use fragreel_base::wire::{Limits, WriteBytes};
use fragreel_model::{Fate, Place, Rewrite, Role};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, Framing, Stamp, Target, kind, write_block};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::hidden::{Hidden, HiddenBlocks, HiddenBody};
use fragreel_quake1::unstable::message::{Body, Message, MessageKind, Packet, QwPrint, ServerInfoKey, SetInfo, StuffText, Text, UpdateUserInfo};

use super::opened;

/// A secret says of itself what it is: none of these may be left.
const ADDRESS: &str = "10.11.12.13";
const STEAM: &str = "76561197960287930";
const GUID: &str = "0123456789abcdef0123456789ABCDEF";
const MAIL: &str = "ann@example.org";
const PASSWORD: &str = "hunter2-the-secret";
const NAME: &str = "ann the player";

/// Takes out what a scrub takes out.
struct Scrub;

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Address | Role::Identifier => return Fate::Drop,
            Role::Name => *text = b"player 1".to_vec(),
            _ => {
                while let Some(at) = text.windows(NAME.len()).position(|part| part.eq_ignore_ascii_case(NAME.as_bytes())) {
                    text.splice(at..at + NAME.len(), *b"player 1");
                }
                for found in fragreel_model::replay::personal::find(text).into_iter().rev() {
                    text.splice(found.range, *b"***");
                }
            }
        }
        Fate::Keep
    }
}

fn texts() -> Vec<Message> {
    let text = |text: String| Text(text.into_bytes());
    let user = format!("\\name\\{NAME}\\IP\\{ADDRESS}\\steamid\\{STEAM}\\cl_guid\\{GUID}\\note\\{MAIL} or {ADDRESS}\\PassWord\\{PASSWORD}\\team\\red");
    let server = format!("\\hostname\\arena of {NAME}\\ADDRESS\\{ADDRESS}\\rcon_password\\{PASSWORD}\\contact\\{MAIL}");
    vec![
        Message::UpdateUserInfo(UpdateUserInfo { slot: 3, user_id: 7, userinfo: text(user.clone()) }),
        Message::SetInfo(SetInfo { slot: 3, key: text(String::from("*IP")), value: text(String::from(ADDRESS)) }),
        Message::SetInfo(SetInfo { slot: 3, key: text(String::from("Token")), value: text(String::from(PASSWORD)) }),
        Message::SetInfo(SetInfo { slot: 3, key: text(String::from("whatever")), value: text(String::from(STEAM)) }),
        Message::ServerInfoKey(ServerInfoKey { key: text(String::from("sv_IP")), value: text(String::from(ADDRESS)) }),
        Message::QwPrint(QwPrint { level: 2, text: text(format!("{NAME} ({ADDRESS}:27500) connected, {STEAM}, {GUID}, {MAIL}\n")) }),
        Message::StuffText(StuffText { text: text(format!("fullserverinfo \"{server}\"\n")) }),
        Message::StuffText(StuffText {
            text: text(format!("//fui 3 \"{user}\"\n//svi \"{server}\"\nsetinfo PASSWORD \"{PASSWORD}\"\nsetinfo *ip {ADDRESS}\n")),
        }),
        Message::StuffText(StuffText { text: text(format!("echo {NAME} is {ADDRESS} {GUID}\n")) }),
        Message::StuffText(StuffText {
            text: text(format!(
                "rcon_password {PASSWORD}\necho hi; setinfo password \"{PASSWORD}\"\nset cl_guid {PASSWORD}\n//ui 1 \"password\" \"{PASSWORD}\"\n"
            )),
        }),
        Message::StuffText(StuffText {
            text: text(format!("cmd userinfo \"\\password\\{PASSWORD}\\team\\red\"\n//wps 1 \"\\steamid\\{PASSWORD}\"\nsetinfo a b password {PASSWORD}\n")),
        }),
        Message::StuffText(StuffText { text: text(format!("//fui 3 \"\\team\\red\"; password {PASSWORD}\n//svi \"rcon_password\" \"{PASSWORD}\"\n")) }),
    ]
}

/// Statistics in three parts, cut inside the name and the address.
fn hidden(dialect: &Dialect) -> Vec<Vec<u8>> {
    let json = format!("{{\"players\":[{{\"name\":\"{NAME}\",\"login\":\"{PASSWORD}\",\"IP\":\"{ADDRESS}\",\"team\":\"red\"}}],\"map\":\"dm3\"}}");
    let (one, two) = (json.find(NAME).unwrap() + 4, json.find(ADDRESS).unwrap() + 3);
    let part = |number: u16, content: &str| {
        let body = HiddenBody::DemoInfo { block: number, content: content.as_bytes().to_vec() };
        let mut blocks = HiddenBlocks::default();
        blocks.blocks.push(Hidden { length: content.len() as u32 + 2, number: 3, extensions: 0, body });
        let mut w = WriteBytes::default();
        let Ok(()) = blocks.code(&mut w, dialect);
        w.finish()
    };
    vec![part(1, &json[..one]), part(2, &json[one..two]), part(0, &json[two..])]
}

#[test]
fn no_secret_stays_anywhere() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("match_e1m1.mvd")).unwrap().bytes();
    let source = Recording::open(&sample, Some("mvd"), Limits::default()).unwrap();
    let mut bytes = Vec::new();
    let mut planted = false;
    for block in source.blocks().map(Result::unwrap) {
        let mut data = block.data.to_vec();
        if block.number == 0 {
            // the server says that it writes hidden messages
            let at = data.windows(4).position(|word| word == b"1DVM" || word == b"MVD1");
            assert!(at.is_none(), "the sample has an extension word already");
            let server = data.windows(5).position(|word| word == [11, b'F', b'T', b'E', b'X']).expect("server data");
            data.splice(server + 1..server + 1, [b'M', b'V', b'D', b'1', 0x20, 0, 0, 0]);
        }
        write_block(&mut bytes, Container::MultiView, &block.framing, &data);
        if block.number == 100 {
            planted = true;
            let mut dialect = source.dialect().clone();
            let all = Target { kind: kind::ALL, ..Target::default() };
            let mut packet = Packet { messages: texts(), ..Packet::default() };
            let data = packet.write(&mut dialect);
            write_block(&mut bytes, Container::MultiView, &Framing::Packet { time: Stamp::After(0), target: all }, &data);
            for data in hidden(&dialect) {
                let nobody = Target { kind: kind::MULTIPLE, ..Target::default() };
                write_block(&mut bytes, Container::MultiView, &Framing::Packet { time: Stamp::After(0), target: nobody }, &data);
            }
        }
    }
    assert!(planted);
    let source = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage.first());
    let is_in = |bytes: &[u8], secret: &str| bytes.windows(secret.len()).any(|part| part.eq_ignore_ascii_case(secret.as_bytes()));
    for secret in [ADDRESS, STEAM, GUID, MAIL, PASSWORD, NAME] {
        assert!(is_in(&bytes, secret), "{secret} was planted");
    }
    let edited = source.rewrite(&mut Scrub).unwrap();
    let scrubbed = opened(&edited, "scrubbed");
    // the parts of the statistics, put together
    let mut statistics = Vec::new();
    struct Look<'l>(&'l mut Vec<u8>);
    impl Rewrite for Look<'_> {
        fn text(&mut self, _: Place, _: Role, text: &mut Vec<u8>) -> Fate {
            self.0.extend_from_slice(text);
            self.0.push(b'\n');
            Fate::Keep
        }
    }
    scrubbed.rewrite(&mut Look(&mut statistics)).unwrap();
    let decoded = format!("{:?}", scrubbed.info().server_settings).into_bytes();
    for secret in [ADDRESS, STEAM, GUID, MAIL, PASSWORD, NAME] {
        assert!(!is_in(&edited.bytes, secret), "{secret} is left in the bytes");
        assert!(!is_in(&statistics, secret) && !is_in(&decoded, secret), "{secret} is left in the texts");
    }
    assert!(is_in(&statistics, "red") && is_in(&statistics, "dm3"), "what is not personal stays");
    assert_eq!(source.compare(&scrubbed).differing, 0);
    // frames that do differ are found, whatever was scrubbed
    let spoilt = scrubbed.map_messages(&mut |_, message| {
        if let Message::StatByte(stat) = message {
            stat.value ^= 1;
        }
        Fate::Keep
    });
    assert!(source.compare(&opened(&spoilt, "spoilt")).differing > 0);
    assert!(MessageKind::ALL.len() > 50);
}

/// What no hook changes keeps every byte, however it is spelled; and what became too long is refused.
#[test]
fn odd_spellings_stay() {
    struct Names(usize);
    impl Rewrite for Names {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            if role == Role::Name {
                *text = vec![b'x'; self.0];
            }
            Fate::Keep
        }
    }
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let source = Recording::open(&sample, Some("qwd"), Limits::default()).unwrap();
    let odd: &[u8] = b"fullserverinfo \"\\*version\\FTE \"uild Nov 21\\odd\"\n";
    let edited = source.map_messages(&mut |_, message| {
        if let Message::StuffText(m) = message {
            m.text = Text(odd.to_vec());
        }
        Fate::Keep
    });
    let source = opened(&edited, "odd");
    let named = source.rewrite(&mut Names(4)).unwrap();
    assert!(named.bytes.windows(odd.len()).any(|part| part == odd), "a hook that does not touch it leaves it");
    let refused = source.rewrite(&mut Names(1500)).unwrap_err();
    assert_eq!(refused.kind(), fragreel_base::wire::ErrorKind::Misuse, "{refused}");
}
