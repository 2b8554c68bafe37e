//! Rewrites the texts in messages (`docs/formats/goldsrc.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::replay::personal::{OwnKeys, in_place};
use fragreel_model::replay::{info_string, personal};
use fragreel_model::{Fate, Role};

use crate::limits::{STRING, USER_INFO, USER_MESSAGE};
use crate::message::{Director, Message, ServerInfoTail, UpdateUserInfo};
use crate::scalars::{Str, before_nul};

/// Gets a text with its role. It may change the text, or drop it.
pub(super) type Hook<'h> = dyn FnMut(Role, &mut Vec<u8>) -> Fate + 'h;

/// Keys of user information that say who the player is.
const PLAYER: OwnKeys<'_> = &[(b"name", Role::Name), (b"model", Role::Look)];
/// The same in commands that somebody typed, where `echo` says what that person wrote.
const TYPED: OwnKeys<'_> = &[(b"name", Role::Name), (b"model", Role::Look), (b"echo", Role::Chat)];

/// Rewrites the texts of an engine message. The message is dropped if it holds a line or a command, and that is dropped.
pub(super) fn engine(message: &mut Message, hook: &mut Hook) -> Result<Fate, Error> {
    other_texts(message, hook);
    Ok(match message {
        Message::Print(print) => line(&mut print.text, Role::Print, hook),
        Message::CenterPrint(print) => line(&mut print.text, Role::Print, hook),
        Message::Finale(print) => emptied(&mut print.text, Role::Print, hook),
        Message::Cutscene(print) => emptied(&mut print.text, Role::Print, hook),
        Message::Disconnect(disconnect) => emptied(&mut disconnect.reason, Role::Print, hook),
        Message::StuffText(stuff) => line(&mut stuff.command, Role::Command, hook),
        Message::UpdateUserInfo(info) => return user_info(info, hook),
        Message::ServerInfo(info) => match &mut info.host_name {
            Some(name) => emptied(name, Role::String, hook),
            None => Fate::Keep,
        },
        Message::ResourceLocation(location) => emptied(&mut location.url, Role::String, hook),
        Message::TempEntity(entity) if !entity.text.0.is_empty() => line(&mut entity.text, Role::Print, hook),
        Message::Director(director) => self::director(director, hook),
        _ => Fate::Keep,
    })
}

/// A text without which its message is dropped.
fn line(text: &mut Str, role: Role, hook: &mut Hook) -> Fate {
    let old = text.0.clone();
    let fate = if role == Role::Command { command(&mut text.0, hook) } else { hook(role, &mut text.0) };
    if fate == Fate::Drop {
        return Fate::Drop;
    }
    fit(&mut text.0, &old, STRING);
    Fate::Keep
}

/// A text whose message is kept in any case.
fn emptied(text: &mut Str, role: Role, hook: &mut Hook) -> Fate {
    if line(text, role, hook) == Fate::Drop {
        text.0.clear();
    }
    Fate::Keep
}

/// Makes a text valid again: no NULs, and not longer than engines accept, unless the old text was.
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
    // the length of the message is one byte
    if director.rest.len() > old {
        director.rest.truncate(old.max(200));
    }
    fate
}

/// Several strings in a row. The message is dropped if the first one is.
fn strings(data: &mut Vec<u8>, role: Role, hook: &mut Hook) -> Fate {
    let mut parts = parts(data);
    for (at, part) in parts.iter_mut().enumerate() {
        let old = part.clone();
        if part.is_empty() {
            continue;
        }
        let fate = if role == Role::Command { command(part, hook) } else { hook(role, part) };
        match fate {
            Fate::Drop if at == 0 => return Fate::Drop,
            Fate::Drop => part.clear(),
            Fate::Keep => fit(part, &old, STRING),
        }
    }
    *data = parts.join(&0);
    Fate::Keep
}

/// Splits at NULs. Joining with NULs gives the same bytes again.
fn parts(data: &[u8]) -> Vec<Vec<u8>> {
    data.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()
}

/// User information. A name that makes it longer than engines keep is refused: they would cut off the keys behind it.
fn user_info(info: &mut UpdateUserInfo, hook: &mut Hook) -> Result<Fate, Error> {
    let old = info.info.0.len();
    if info_string::rewrite(&mut info.info.0, PLAYER, hook) && info.info.0.len() > USER_INFO.max(old) {
        let bytes = info.info.0.len();
        let text = format!("user information of slot {} would have {bytes} bytes, and engines keep {USER_INFO}: choose a shorter name", info.slot);
        return Err(Error::misuse(text));
    }
    if let Some(hash) = &mut info.key_hash {
        self::hash(hash, hook);
    }
    Ok(Fate::Keep)
}

/// A hash is shown as 32 hexadecimal digits. If the result is not 32 digits, the hash becomes zeros.
fn hash(hash: &mut [u8; 16], hook: &mut Hook) {
    if hash.iter().all(|&byte| byte == 0) {
        return;
    }
    let mut text: Vec<u8> = hash.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
    let fate = hook(Role::Identifier, &mut text);
    let digit = |at: usize| text.get(at).and_then(|&digit| char::from(digit).to_digit(16));
    let byte = |at: usize| Some((digit(2 * at)? << 4 | digit(2 * at + 1)?) as u8);
    let new: Option<Vec<u8>> = (0..16).map(byte).collect();
    *hash = new.filter(|_| fate == Fate::Keep && text.len() == 32).and_then(|new| new.try_into().ok()).unwrap_or_default();
}

/// A command: the values of personal keys in it (`setinfo ip 10.0.0.1`, `rcon_password x`), info strings, and the rest.
fn command(text: &mut Vec<u8>, hook: &mut Hook) -> Fate {
    personal::rewrite_commands(text, PLAYER, hook);
    hook(Role::Command, text)
}

/// A command that the recording player typed or a key executed. Dropped if nothing is left of it.
pub(super) fn typed(text: &mut Vec<u8>, hook: &mut Hook) -> Fate {
    let says_something = |text: &[u8]| text.iter().any(|byte| !matches!(byte, b' ' | b';' | b'\n'));
    let before = says_something(text);
    personal::rewrite_commands(text, TYPED, hook);
    if before && !says_something(text) { Fate::Drop } else { hook(Role::Command, text) }
}

/// Texts that should hold no personal data, but may. Their length is kept.
fn other_texts(message: &mut Message, hook: &mut Hook) {
    let tail = |name: &mut Str, hook: &mut Hook| {
        // a player's spray file is named after its hash
        let prefix = if name.0.starts_with(b"!MD5") { 4 } else { 0 };
        in_place(&mut name.0[prefix..], hook);
    };
    match message {
        Message::ServerInfo(info) => {
            [&mut info.game, &mut info.map].into_iter().for_each(|text| in_place(&mut text.0, hook));
            if let ServerInfoTail::MapCycle { cycle, .. } = &mut info.tail {
                in_place(&mut cycle.0, hook);
            }
        }
        Message::ResourceList(list) => {
            for resource in &mut list.resources {
                tail(&mut resource.name, hook);
                if let Some(md5) = resource.md5.as_mut().filter(|_| resource.name.0.starts_with(b"!MD5")) {
                    hash(md5, hook);
                }
            }
        }
        Message::Customization(custom) => {
            tail(&mut custom.name, hook);
            if let Some(md5) = &mut custom.md5 {
                hash(md5, hook);
            }
        }
        Message::SendExtraInfo(extra) => in_place(&mut extra.fallback_dir.0, hook),
        Message::LightStyle(light) => in_place(&mut light.pattern.0, hook),
        Message::DecalName(decal) => in_place(&mut decal.decal.0, hook),
        Message::NewMoveVars(vars) => in_place(&mut vars.sky_name.0, hook),
        Message::FileTxferFailed(failed) => in_place(&mut failed.file.0, hook),
        Message::SendCvarValue(value) => in_place(&mut value.cvar.0, hook),
        Message::SendCvarValue2(value) => in_place(&mut value.cvar.0, hook),
        Message::VoiceInit(voice) => in_place(&mut voice.codec.0, hook),
        Message::Restore(restore) => {
            in_place(&mut restore.save.0, hook);
            restore.maps.iter_mut().for_each(|map| in_place(&mut map.0, hook));
        }
        Message::ClientData(data) => {
            if let Some(body) = &mut data.body {
                in_place(&mut body.values.text, hook);
            }
        }
        Message::PacketEntities(update) => in_place(&mut update.values.text, hook),
        Message::DeltaPacketEntities(update) => in_place(&mut update.values.text, hook),
        Message::SpawnBaseline(baseline) => in_place(&mut baseline.values.text, hook),
        _ => {}
    }
}

/// Rewrites the bytes behind the NUL of a fixed-length field, which are remains of other texts.
pub(super) fn behind_nul(field: &mut [u8], role: Role, hook: &mut Hook) {
    let text = before_nul(field).len();
    in_place(&mut field[..text], hook);
    for part in field[text..].split_mut(|&byte| byte == 0).filter(|part| !part.is_empty()) {
        let mut new = part.to_vec();
        // remains of what somebody typed may begin in the middle of what was said
        let fate = if role == Role::Command { hook(Role::Chat, &mut new) } else { Fate::Keep };
        if fate == Fate::Drop || hook(role, &mut new) == Fate::Drop {
            new.clear();
        }
        if new != part {
            new.resize(part.len(), 0);
            part.copy_from_slice(&new);
        }
    }
}

/// User messages with texts: the name, the bytes before the texts, the role of the texts.
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

/// Rewrites the texts of a user message. `names` is true for names of players in the game; `sender` is the name of the player in a slot.
pub(super) fn user(name: &[u8], data: &mut Vec<u8>, names: &dyn Fn(&[u8]) -> bool, sender: &dyn Fn(u8) -> Vec<u8>, hook: &mut Hook) -> Fate {
    let old = data.len();
    let fate = if name == b"SayText" {
        say_text(data, sender, hook)
    } else if name == b"TextMsg" && is_spoken(data) {
        let mut texts = data.split_off(1);
        let fate = strings(&mut texts, Role::Chat, hook);
        data.append(&mut texts);
        fate
    } else if let Some(&(_, skip, role)) = LAYOUTS.iter().find(|(known, ..)| known.as_bytes() == name)
        && data.len() > skip
    {
        let mut texts = data.split_off(skip);
        // a parameter that equals a player's name is a name
        let fate = strings(&mut texts, role, &mut |role, text| {
            let role = if role == Role::Print && names(text) { Role::Name } else { role };
            hook(role, text)
        });
        data.append(&mut texts);
        fate
    } else {
        unknown(data, names, hook);
        Fate::Keep
    };
    let most = USER_MESSAGE.max(old);
    if data.len() > most {
        let closed = data.last() == Some(&0);
        data.truncate(most - usize::from(closed));
        if closed {
            data.push(0);
        }
    }
    fate
}

/// Whether a `TextMsg` is chat: a line at the place of chat, or Counter-Strike's radio.
fn is_spoken(data: &[u8]) -> bool {
    const CHAT: u8 = 3;
    const RADIO: u8 = 5;
    match data {
        [CHAT, ..] => true,
        [RADIO, rest @ ..] => rest.split(|&byte| byte == 0).any(|part| part.starts_with(b"#Game_radio")),
        _ => false,
    }
}

/// Rewrites a message with unknown fields: separate player names, addresses and identifiers.
fn unknown(data: &mut Vec<u8>, names: &dyn Fn(&[u8]) -> bool, hook: &mut Hook) {
    let mut parts = parts(data);
    let (mut changed, last) = (false, parts.len() - 1);
    // a string ends with a NUL, so the bytes behind the last NUL are no string
    for part in &mut parts[..last] {
        let at = part.iter().rposition(|&byte| byte < b' ').map_or(0, |at| at + 1);
        // numbers before the name may look like letters
        let name = (at..part.len()).find(|&from| names(&part[from..]));
        if let Some(from) = name {
            let (mut name, old) = (part.split_off(from), part.clone());
            let before = name.clone();
            if hook(Role::Name, &mut name) == Fate::Drop {
                name.clear();
            }
            fit(&mut name, &before, USER_MESSAGE);
            changed |= name != before;
            *part = [old, name].concat();
        }
    }
    if changed {
        *data = parts.join(&0);
    }
    in_place(data, hook);
}

/// `SayText`: the sender's number, then a finished line, or a key with parameters: the name (often empty, because the number identifies the
/// sender) and the words. The parameters are shown as the line that the game builds from them.
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
    // a key with a location has it behind the words
    let words = if words > 2 && !parts[2].is_empty() { 2 } else { words };
    let named = words > 1 && !parts[1].is_empty();
    let name = if named { parts[1].clone() } else { number.checked_sub(1).map(sender).unwrap_or_default() };
    let mut line = [&name[..], b": ", &parts[words]].concat();
    let old = line.clone();
    if hook(Role::Chat, &mut line) == Fate::Drop {
        return Fate::Drop;
    }
    for (at, part) in parts.iter_mut().enumerate().filter(|(at, part)| *at != words && !(named && *at == 1) && !part.is_empty()) {
        let before = part.clone();
        if at == 0 {
            in_place(part, hook);
        } else if hook(Role::Print, part) == Fate::Drop {
            part.clear();
        }
        fit(part, &before, USER_MESSAGE);
    }
    if line == old {
        data.truncate(1);
        data.extend_from_slice(&parts.join(&0));
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
