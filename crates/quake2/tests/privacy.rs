//! Secrets planted in every place that a recording has, and looked for in what is left of it, byte by byte.

use fragreel_model::{Fate, Place, Rewrite, Role};

use super::made::*;

/// Does what a scrub does.
struct Scrub;

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Address | Role::Identifier | Role::Chat => return Fate::Drop,
            Role::Name => *text = b"player 1".to_vec(),
            Role::Print | Role::Command => {
                for found in fragreel_model::replay::personal::find(text).into_iter().rev() {
                    text.splice(found.range, *b"***");
                }
            }
            _ => {}
        }
        Fate::Keep
    }
}

/// Shows everything, changes nothing.
pub(super) struct Idle;

impl Rewrite for Idle {}

const SECRETS: [&str; 4] = ["10.98.76.54", "STEAM_0:1:987654", "0123456789abcdef0123456789abcdef", "7656119800"];

fn messages(secret: &str) -> Vec<Vec<u8>> {
    let text = |number: u8, text: String| [&[number], text.as_bytes(), b"\0"].concat();
    vec![
        print(&format!("Bob ({secret}) connected\n")),
        [&[10, 3], format!("Bob: I am {secret}\n").as_bytes(), b"\0"].concat(),
        text(15, format!("welcome {secret}")),
        text(4, format!("xv 0 yv 0 string \"{secret}\"")),
        text(11, format!("fullserverinfo \"\\STEAMID\\{secret}\\hostname\\x\"\n")),
        text(11, format!("set note {secret}\n")),
        text(11, format!("cmd userinfo \"\\name\\Bob\\IP\\{secret}\\cl_GUID\\{secret}\"\n")),
        string(1600, &format!("\\sv_GUID\\{secret}\\hostname\\of {secret}")),
        string(1601, &format!("motd by {secret}")),
        string(1313, &format!("Bob\\male/{secret}")),
        string(0, &format!("level of {secret}")),
        string(33 + 5, &format!("players/{secret}/tris.md2")),
    ]
}

#[test]
fn nothing_personal_is_left_anywhere() {
    for secret in SECRETS {
        // A bare number is only personal under a key that says so.
        let plain = secret.bytes().all(|byte| byte.is_ascii_digit());
        let mut planted = messages(secret);
        if plain {
            planted.retain(|message| {
                let text = String::from_utf8_lossy(message).to_ascii_lowercase();
                text.contains("\\steamid\\") || text.contains("\\cl_guid\\")
            });
        }
        let bytes = client(&[
            frame(1, -1, &[(3, 1)]),
            planted.iter().map(|message| block(std::slice::from_ref(message))).collect::<Vec<_>>().concat(),
            frame(2, 1, &[]),
        ]);
        let recording = open(&bytes, "dm2");
        let edited = recording.rewrite(&mut Scrub).unwrap();
        let left = edited.bytes.windows(secret.len()).filter(|window| window.eq_ignore_ascii_case(secret.as_bytes())).count();
        assert_eq!(left, 0, "{secret}: {}", String::from_utf8_lossy(&edited.bytes));
        let again = open(&edited.bytes, "dm2");
        assert!(again.verify().is_whole());
        assert_eq!((recording.compare(&again).frames, recording.compare(&again).differing), (2, 0));
        // and nothing else went: the hostname stays
        assert!(edited.bytes.windows(9).any(|window| window == b"hostname\\"), "{secret}");
    }
}

/// What only a key says to be secret, in commands.
#[test]
fn words_behind_personal_keys_go() {
    for (command, left) in [
        ("setinfo password hUsh7\n", "setinfo password ***\n"),
        ("set cl_guid hUsh7 u\n", "set cl_guid *** u\n"),
        ("rcon_password hUsh7\n", "rcon_password ***\n"),
        ("cmd userinfo \"\\password\\hUsh7\\rate\\1\"\n", "cmd userinfo \"\\rate\\1\"\n"),
        ("echo hi; setinfo password \"hUsh7 hUsh7\"\n", "echo hi; setinfo password \"***\"\n"),
        ("precache 1; set rconPassword hUsh7\n", "precache 1; set rconPassword ***\n"),
        ("echo \"the password is hUsh\"\n", "echo \"the password *** hUsh\"\n"),
        ("set gender none\nbind x \"+attack; wait\"\n", "set gender none\nbind x \"+attack; wait\"\n"),
    ] {
        let message = [&[11], command.as_bytes(), b"\0"].concat();
        let bytes = client(&[block(&[message]), frame(1, -1, &[(3, 1)])]);
        let edited = open(&bytes, "dm2").rewrite(&mut Scrub).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(text(&edited.bytes).contains(left) && !text(&edited.bytes).contains("hUsh7"), "{command}: {}", text(&edited.bytes));
    }
}

/// Behind the end mark, behind a message that cannot be read, and in a block that cannot be.
#[test]
fn nothing_personal_is_left_where_nobody_reads() {
    let secret = b"10.98.76.54 STEAM_0:1:4242424";
    let whole = client(&[frame(1, -1, &[(3, 1)]), frame(2, 1, &[])]);
    let unread = client(&[frame(1, -1, &[(3, 1)]), block(&[[&[0x7f][..], secret].concat()]), frame(2, 1, &[])]);
    for bytes in [[&whole[..], secret].concat(), unread] {
        let recording = open(&bytes, "dm2");
        let edited = recording.rewrite(&mut Scrub).unwrap();
        let text = String::from_utf8_lossy(&edited.bytes).into_owned();
        assert!(!text.contains("10.98.76.54") && !text.contains("STEAM_0:1:4242424"), "{text}");
        assert_eq!((edited.bytes.len() > whole.len(), edited.actions.is_empty()), (true, false));
        assert!(recording.rewrite(&mut Idle).unwrap().bytes == bytes);
    }
    let mut data = vec![4, 37, 0, 0, 0, 0xda, 7, 1, 0, 0, 0, 0, 0xff, 0xff, 0x20, 0x08, 0, 255, 0, 0];
    let record = |data: &[u8]| [&(data.len() as u16).to_le_bytes()[..], data].concat();
    let unread = [&data[..], &[0x1f], secret].concat();
    // the parcel's message cannot be read
    data.extend([8, secret.len() as u8 + 1, 0, 0x7f]);
    data.extend(secret);
    for bytes in [
        [&b"MVD2"[..], &record(&data), &[0, 0]].concat(),
        [&b"MVD2"[..], &record(&unread), &[0, 0]].concat(),
        [&b"MVD2"[..], &record(&data[..20]), &[0, 0], secret].concat(),
    ] {
        let edited = open(&bytes, "mvd2").rewrite(&mut Scrub).unwrap();
        let text = String::from_utf8_lossy(&edited.bytes).into_owned();
        assert!(!text.contains("10.98.76.54") && !text.contains("STEAM_0:1:4242424"), "{text}");
    }
}

/// In an MVD2: in its strings, its lines, its parcels.
#[test]
fn nothing_personal_is_left_in_a_multi_view_recording() {
    let secret = SECRETS[0];
    let mut data = vec![4, 37, 0, 0, 0, 0xda, 7, 1, 0, 0, 0, 0, 0xff, 0xff];
    for (index, text) in [(33u16, "maps/q2dm1.bsp".to_owned()), (1600, format!("\\IP\\{secret}\\a\\b")), (1601, format!("at {secret}"))] {
        data.extend(index.to_le_bytes());
        data.extend(text.as_bytes());
        data.push(0);
    }
    data.extend([0x20, 0x08, 0, 255, 0, 0]);
    data.extend([&[17, 1], format!("{secret} connected\n").as_bytes(), b"\0"].concat());
    for parcel in messages(secret) {
        data.extend([8 | ((parcel.len() >> 8) as u8) << 5, parcel.len() as u8, 0]);
        data.extend(parcel);
    }
    let mut bytes = b"MVD2".to_vec();
    bytes.extend((data.len() as u16).to_le_bytes());
    bytes.extend(data);
    bytes.extend([0, 0]);
    let recording = open(&bytes, "mvd2");
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    let edited = recording.rewrite(&mut Scrub).unwrap();
    assert!(!edited.bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{}", String::from_utf8_lossy(&edited.bytes));
    assert!(open(&edited.bytes, "mvd2").verify().is_whole());
}
