//! The texts in messages, and what each is (`docs/formats/goldsrc.md`, "Editing").

use model::{Fate, Role};

use crate::message::{Director, Message, UpdateUserInfo};
use crate::names::info_value;
use crate::plain::Str;

/// Shown a text; drops it or keeps what it has become.
pub(super) type Hook<'h> = dyn FnMut(Role, &mut Vec<u8>) -> Fate + 'h;

/// The longest user information that engines keep.
const MOST_INFO: usize = 255;
/// The longest user message that engines take.
const MOST_USER_MESSAGE: usize = 192;
/// The longest string that engines read.
const MOST_STRING: usize = 2047;

/// Shows the texts of a message that is the engine's own. The message goes when the line or the command that it is for goes.
pub(super) fn engine(message: &mut Message, hook: &mut Hook) -> Fate {
    match message {
        Message::Print(print) => line(&mut print.text, Role::Print, hook),
        Message::CenterPrint(print) => line(&mut print.text, Role::Print, hook),
        Message::Finale(print) => emptied(&mut print.text, Role::Print, hook),
        Message::Cutscene(print) => emptied(&mut print.text, Role::Print, hook),
        Message::Disconnect(disconnect) => emptied(&mut disconnect.reason, Role::Print, hook),
        Message::StuffText(stuff) => line(&mut stuff.command, Role::Command, hook),
        Message::ServerInfo(info) => match &mut info.host_name {
            Some(name) => emptied(name, Role::String, hook),
            None => Fate::Keep,
        },
        Message::ResourceLocation(location) => emptied(&mut location.url, Role::String, hook),
        Message::TempEntity(entity) if !entity.text.0.is_empty() => line(&mut entity.text, Role::Print, hook),
        Message::UpdateUserInfo(info) => user_info(info, hook),
        Message::Director(director) => self::director(director, hook),
        _ => Fate::Keep,
    }
}

/// A text that is all that its message is for.
fn line(text: &mut Str, role: Role, hook: &mut Hook) -> Fate {
    let old = text.0.clone();
    if hook(role, &mut text.0) == Fate::Drop {
        return Fate::Drop;
    }
    fit(&mut text.0, &old, MOST_STRING);
    Fate::Keep
}

/// A text whose message stays in any case.
fn emptied(text: &mut Str, role: Role, hook: &mut Hook) -> Fate {
    if line(text, role, hook) == Fate::Drop {
        text.0.clear();
    }
    Fate::Keep
}

/// What became of a text as it can be sent: without NULs, and not longer than engines take, unless the old one was.
fn fit(text: &mut Vec<u8>, old: &[u8], most: usize) {
    if text.as_slice() != old {
        text.retain(|&byte| byte != 0);
        text.truncate(most.max(old.len()));
    }
}

fn director(director: &mut Director, hook: &mut Hook) -> Fate {
    let role = match director.name() {
        "message" => Role::Print,
        "banner" => Role::String,
        "stufftext" => Role::Command,
        _ => return Fate::Keep,
    };
    let old = director.rest.len();
    let fate = strings(&mut director.rest, role, hook);
    // one byte says how long all of it is
    if director.rest.len() > old {
        director.rest.truncate(old.max(200));
    }
    fate
}

/// Strings one after another. Nothing is left to show when the first goes.
fn strings(data: &mut Vec<u8>, role: Role, hook: &mut Hook) -> Fate {
    let mut parts = parts(data);
    for (at, part) in parts.iter_mut().enumerate() {
        let old = part.clone();
        if part.is_empty() {
            continue;
        }
        match hook(role, part) {
            Fate::Drop if at == 0 => return Fate::Drop,
            Fate::Drop => part.clear(),
            Fate::Keep => fit(part, &old, MOST_STRING),
        }
    }
    *data = parts.join(&0);
    Fate::Keep
}

/// What stands between NULs; joined with NULs it is the same again.
fn parts(data: &[u8]) -> Vec<Vec<u8>> {
    data.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()
}

/// Keys whose values tell one person from all others.
const IDENTIFIERS: &[&[u8]] = &[b"*sid", b"*pid", b"*fid", b"*uid", b"clientHash", b"hwp"];
/// Keys whose values are network addresses.
const ADDRESSES: &[&[u8]] = &[b"ip", b"*ip", b"addr", b"*addr"];

fn user_info(info: &mut UpdateUserInfo, hook: &mut Hook) -> Fate {
    if info.info.0.is_empty() {
        return Fate::Keep;
    }
    let old = info.info.0.len();
    let mut pairs = parts_of_info(&info.info.0);
    // `\key\value`, so that the first part is empty, keys stand at odd places and values behind them
    for at in (2..pairs.len()).step_by(2) {
        let role = match pairs[at - 1].as_slice() {
            b"name" => Role::Name,
            key if IDENTIFIERS.contains(&key) => Role::Identifier,
            key if ADDRESSES.contains(&key) => Role::Address,
            // what the engine itself set, and settings
            key if key.starts_with(b"*") || pairs[at].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') => continue,
            _ => Role::String,
        };
        let value = &mut pairs[at];
        let before = value.clone();
        if hook(role, value) == Fate::Drop {
            value.clear();
        }
        if *value != before {
            value.retain(|byte| !matches!(byte, 0 | b'\\' | b'"'));
        }
    }
    info.info.0 = pairs.join(&b'\\');
    let too_long = info.info.0.len().saturating_sub(MOST_INFO.max(old));
    if too_long > 0 {
        shorten_name(&mut info.info.0, too_long);
    }
    key_hash(info, hook);
    Fate::Keep
}

fn parts_of_info(info: &[u8]) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = info.split(|&byte| byte == b'\\').map(<[u8]>::to_vec).collect();
    if !info.starts_with(b"\\") {
        // a first key without its backslash is never written; leave such a thing alone
        parts.truncate(1);
        parts[0] = info.to_vec();
    }
    parts
}

/// Takes bytes off the name's end: engines would cut off the keys behind it instead.
fn shorten_name(info: &mut Vec<u8>, bytes: usize) {
    let Some(name) = info_value(info, b"name") else { return };
    let (at, length) = (name.as_ptr() as usize - info.as_ptr() as usize, name.len());
    info.drain(at + length.saturating_sub(bytes)..at + length);
}

/// The hash is shown as 32 hexadecimal digits; anything else that becomes of it is a hash of zeroes.
fn key_hash(info: &mut UpdateUserInfo, hook: &mut Hook) {
    let Some(hash) = info.key_hash.as_mut().filter(|hash| hash.iter().any(|&byte| byte != 0)) else { return };
    let mut text: Vec<u8> = hash.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
    let fate = hook(Role::Identifier, &mut text);
    let digit = |at: usize| text.get(at).and_then(|&digit| char::from(digit).to_digit(16));
    let byte = |at: usize| Some((digit(2 * at)? << 4 | digit(2 * at + 1)?) as u8);
    let new: Option<Vec<u8>> = (0..16).map(byte).collect();
    *hash = new.filter(|_| fate == Fate::Keep && text.len() == 32).and_then(|new| new.try_into().ok()).unwrap_or_default();
}

/// How the texts of a user message lie in it, behind so many bytes.
const LAYOUTS: &[(&str, usize, Role)] = &[
    ("HudText", 0, Role::Print),
    ("HudTextPro", 0, Role::Print),
    ("HudTextArgs", 0, Role::Print),
    ("TextMsg", 1, Role::Print),
    ("StatusText", 1, Role::Print),
    ("MOTD", 1, Role::Print),
    ("ShowMenu", 4, Role::Print),
    ("ServerName", 0, Role::String),
    ("Location", 1, Role::String),
];

/// Shows the texts of a user message. `names` are those of players who are there, `sender` gives the name for a slot's number.
pub(super) fn user(name: &[u8], data: &mut Vec<u8>, names: &dyn Fn(&[u8]) -> bool, sender: &dyn Fn(u8) -> Vec<u8>, hook: &mut Hook) -> Fate {
    let old = data.len();
    let fate = if name == b"SayText" {
        say_text(data, sender, hook)
    } else if let Some(&(_, skip, role)) = LAYOUTS.iter().find(|(known, ..)| known.as_bytes() == name)
        && data.len() > skip
    {
        let mut texts = data.split_off(skip);
        // a parameter that is nothing but somebody's name is that name
        let fate = strings(&mut texts, role, &mut |role, text| {
            let role = if role == Role::Print && names(text) { Role::Name } else { role };
            hook(role, text)
        });
        data.append(&mut texts);
        fate
    } else {
        Fate::Keep
    };
    let most = MOST_USER_MESSAGE.max(old);
    if data.len() > most {
        let closed = data.last() == Some(&0);
        data.truncate(most - usize::from(closed));
        if closed {
            data.push(0);
        }
    }
    fate
}

/// The sender's number, then a finished line, or a key and its parameters: the name (often empty, for the number names
/// him) and the words. Those are shown as the line that the game makes of them.
fn say_text(data: &mut Vec<u8>, sender: &dyn Fn(u8) -> Vec<u8>, hook: &mut Hook) -> Fate {
    let Some(&number) = data.first() else { return Fate::Keep };
    let mut parts = parts(&data[1..]);
    let keyed = parts.first().is_some_and(|key| key.starts_with(b"#"));
    if !keyed {
        let mut rest = data.split_off(1);
        let fate = strings(&mut rest, Role::Chat, hook);
        data.append(&mut rest);
        return fate;
    }
    let last = parts.len() - usize::from(parts.last().is_some_and(Vec::is_empty)) - 1;
    let Some(words) = (1..=last).rev().find(|&at| !parts[at].is_empty()) else { return Fate::Keep };
    let named = words > 1 && !parts[1].is_empty();
    let name = if named { parts[1].clone() } else { number.checked_sub(1).map(sender).unwrap_or_default() };
    let mut line = [&name[..], b": ", &parts[words]].concat();
    let old = line.clone();
    if hook(Role::Chat, &mut line) == Fate::Drop {
        return Fate::Drop;
    }
    if line == old {
        return Fate::Keep;
    }
    line.retain(|&byte| byte != 0);
    let colon = if line.starts_with(&old[..name.len() + 2]) { Some(name.len()) } else { line.windows(2).position(|pair| pair == b": ") };
    let (front, said) = colon.map_or((&[][..], &line[..]), |at| (&line[..at], &line[at + 2..]));
    if named {
        parts[1] = front.to_vec();
    }
    parts[words] = said.to_vec();
    data.truncate(1);
    data.extend_from_slice(&parts.join(&0));
    Fate::Keep
}
