//! Keys of info strings and variables whose values are personal.

use crate::Role;

/// Keys whose values are network addresses, in lower case and without the `*` of keys that only the engine sets.
const ADDRESSES: &[&str] = &[
    "addr",
    "address",
    "clientip",
    "host_ip",
    "hostip",
    "ip",
    "ip6",
    "ipaddress",
    "ipv4",
    "ipv6",
    "net_address",
    "net_ip",
    "net_ip6",
    "proxy",
    "prx",
    "qtvaddress",
    "real_ip",
    "realip",
    "remote_ip",
    "remoteip",
    "sv_address",
    "sv_ip",
];

/// Keys whose values identify one person or are secret, in lower case and without a leading `*`.
const IDENTIFIERS: &[&str] = &[
    "_pw",
    "account",
    "accountid",
    "actoken",
    "auth",
    "authc",
    "authid",
    "authl",
    "cl_guid",
    "cl_uid",
    "clienthash",
    "country",
    "e-mail",
    "email",
    "etproguid",
    "fid",
    "flag",
    "gid",
    "guid",
    "hardwareid",
    "hwid",
    "hwp",
    "ja_guid",
    "k_admincode",
    "keyhash",
    "login",
    "mail",
    "match_auto_logupload_token",
    "net_socksusername",
    "pb_guid",
    "pbguid",
    "pid",
    "sid",
    "sil_guid",
    "st",
    "steam",
    "steam_id",
    "steamid",
    "steamid64",
    "sv_guid",
    "token",
    "uid",
    "uuid",
    "xuid",
];

/// Keys whose values are names of files that a server or client makes, in lower case.
const FILE_NAMES: &[&str] = &["demoname", "serverdemo"];

/// Keys whose values are names of clans or teams, in lower case.
const TEAMS: &[&str] = &["clan", "clanname", "clantag", "g_blueteam", "g_redteam"];

/// Keys of settings, in lower case: what the game is and where it is played. A player's name in their values is none.
const SETTINGS: &[&str] = &["fs_game", "game", "gamedate", "gamedir", "gamename", "gamever", "gameversion", "map", "mapname", "protocol", "version"];

/// How the keys of passwords and other secrets end in all engines and mods, in lower case, but for a number behind it:
/// `rcon_password`, `rconPassword2`, `ircadminpwd`, `cdkey1`.
const SECRET_ENDINGS: &[&str] = &["authkey", "cdkey", "cd_key", "passwd", "password", "pwd"];

/// Keys that are identifiers only when the engine set them: without the `*` they are other things.
const ENGINE_IDENTIFIERS: &[&str] = &["id"];

/// What the value of an info string's key is, in any case of letters; `None` for keys that are not personal. A person's name is
/// not found here, because which key has it depends on whose string it is.
///
/// ```
/// use fragreel_model::Role;
/// use fragreel_model::replay::personal::role_of_key;
///
/// assert_eq!(role_of_key(b"IP"), Some(Role::Address));
/// assert_eq!(role_of_key(b"*SteamID"), Some(Role::Identifier));
/// assert_eq!(role_of_key(b"rconPassword2"), Some(Role::Identifier));
/// assert_eq!(role_of_key(b"serverdemo"), Some(Role::FileName));
/// assert_eq!(role_of_key(b"model"), None);
/// ```
pub fn role_of_key(key: &[u8]) -> Option<Role> {
    let bare = key.strip_prefix(b"*").unwrap_or(key);
    let among = |list: &[&str]| list.iter().any(|known| bare.eq_ignore_ascii_case(known.as_bytes()));
    if among(ADDRESSES) {
        return Some(Role::Address);
    }
    if among(FILE_NAMES) {
        return Some(Role::FileName);
    }
    if among(TEAMS) {
        return Some(Role::Team);
    }
    (among(IDENTIFIERS) || is_secret(bare) || (bare.len() < key.len() && among(ENGINE_IDENTIFIERS))).then_some(Role::Identifier)
}

/// Whether a key's value is a setting that names the game, its version or its map, and nobody.
pub fn is_setting(key: &[u8]) -> bool {
    SETTINGS.iter().any(|known| key.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a key is that of a password or another secret.
fn is_secret(key: &[u8]) -> bool {
    let numbered = key.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let key = &key[..numbered];
    SECRET_ENDINGS.iter().any(|end| key.len() >= end.len() && key[key.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_personal_in_any_case_and_for_every_game() {
        for key in ["ip", "IP", "*ip", "Address", "sv_address", "*realip"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Address), "{key}");
        }
        for key in ["cl_guid", "CL_GUID", "*auth", "*sid", "clientHash", "STEAMID", "hwid", "*id", "authl", "*fid"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Identifier), "{key}");
        }
        for key in ["password", "rcon_password", "g_password", "sv_privatePassword", "rconPassword", "spectator_password", "*SV_PASSWORD"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Identifier), "{key}");
        }
        for key in ["rconPassword2", "cdkey1", "_pwd", "rank_pwd", "mm_adminpwd", "ircpasswd", "g_admin_password", "sv_www_authkey"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Identifier), "{key}");
        }
        for key in ["id", "name", "model", "rate", "needpass", "g_needpass", "sv_hashpasswords", "", "*", "7"] {
            assert_eq!(role_of_key(key.as_bytes()), None, "{key}");
        }
        assert!([ADDRESSES, IDENTIFIERS, FILE_NAMES, TEAMS, SETTINGS].iter().all(|list| list.iter().all(|key| key.to_ascii_lowercase() == **key)));
    }
}
