//! What games say of cheats and of their speed, in lines and info strings.

use crate::replay::info_string;

/// Lines with which games of all families answer a player who cheats.
const ANSWERS: [&[u8]; 3] = [b"godmode ON", b"noclip ON", b"notarget ON"];
/// Settings of the server that Half-Life announces to everybody when they change.
const ANNOUNCED: [&[u8]; 2] = [b"sv_cheats", b"host_timescale"];
/// Keys of a server's info string that say it.
const KEYS: [&[u8]; 4] = [b"cheats", b"*cheats", b"sv_cheats", b"timescale"];

/// What a line on the console says of cheats.
///
/// ```
/// use fragreel_model::replay::cheats::in_line;
///
/// assert_eq!(in_line(b"godmode ON\n").as_deref(), Some("godmode ON"));
/// assert_eq!(in_line(b"\"sv_cheats\" changed to \"1\"\n").as_deref(), Some("sv_cheats 1"));
/// assert_eq!(in_line(b"\"sv_cheats\" changed to \"0\"\n"), None);
/// assert_eq!(in_line(b"player: godmode ON\n"), None);
/// ```
pub fn in_line(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    if ANSWERS.contains(&line) {
        return Some(String::from_utf8_lossy(line).into_owned());
    }
    let (name, rest) = split(line.strip_prefix(b"\"")?, b"\" changed to \"")?;
    let value = rest.strip_suffix(b"\"")?;
    ANNOUNCED.contains(&name).then(|| said(name, value)).flatten()
}

/// What a server's info string says of cheats and speed.
///
/// ```
/// use fragreel_model::replay::cheats::in_info;
///
/// assert_eq!(in_info(br"\map\q2dm1\cheats\1").as_deref(), Some("cheats 1"));
/// assert_eq!(in_info(br"\map\q2dm1\cheats\0\timescale\1"), None);
/// ```
pub fn in_info(info: &[u8]) -> Option<String> {
    let said: Vec<String> = KEYS.iter().filter_map(|key| said(key, info_string::get(info, key)?)).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// A setting and its value, where it is not the usual one.
fn said(name: &[u8], value: &[u8]) -> Option<String> {
    let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
    let usual = if name.ends_with("timescale") { 1.0 } else { 0.0 };
    let is_usual = value.trim().parse::<f64>().map_or_else(|_| matches!(value.trim(), "" | "OFF" | "off"), |value| value == usual);
    (!is_usual).then(|| format!("{name} {}", value.chars().filter(|c| !c.is_control()).collect::<String>()))
}

fn split<'b>(bytes: &'b [u8], by: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes.windows(by.len()).position(|window| window == by)?;
    Some((&bytes[..at], &bytes[at + by.len()..]))
}
