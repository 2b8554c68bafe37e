//! Names formats that Fragreel does not read, by their first bytes or by the extension, so that a refusal says what a file is.

use fragreel_base::wire::Error;

/// The error for bytes that no family knows.
#[cold]
pub(crate) fn unknown(bytes: &[u8], extension: Option<&str>) -> Error {
    const UNKNOWN: &str = "not a recognized recording format";
    Error::unsupported(describe(bytes, extension).map_or_else(|| UNKNOWN.into(), |what| format!("{UNKNOWN}: {what}")))
}

/// What a file is, with which program reads it where one is known.
pub(crate) fn describe(bytes: &[u8], extension: Option<&str>) -> Option<&'static str> {
    by_content(bytes).or_else(|| by_extension(extension?))
}

fn by_content(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(512)];
    let starts = |magic: &[u8]| head.starts_with(magic);
    let text = head.trim_ascii_start().to_ascii_lowercase();
    Some(match head {
        _ if starts(b"HL2DEMO\0") => {
            "it is a demo of the Source engine (Half-Life 2, Counter-Strike: Source, CS:GO, Team Fortress 2); demofile and tf-demo-parser read it"
        }
        _ if starts(b"PBDEMS2\0") => "it is a demo of Source 2 (Counter-Strike 2, Dota 2); demoparser and clarity read it",
        _ if starts(b"PBUFDEM\0") => "it is a demo of Dota 2 on the Source engine; clarity reads it",
        _ if starts(b"IDEM") => "it is a demo of Xash3D; that engine plays it",
        #[cfg(feature = "quake1")]
        _ if fragreel_quake1::is_hexen2(bytes) => "it is a demo of Hexen II; Hammer of Thyrion plays it",
        _ if starts(b"PACK") => "it is a PAK archive of Quake; the command `fragreel` reads recordings in it",
        _ if starts(b"IWAD") || starts(b"PWAD") => "it is a WAD archive",
        _ if starts(b"version https://git-lfs.github.com/") => "it is a pointer of Git LFS; `git lfs pull` fetches the file itself",
        _ if starts(b"/annex/objects/") => "it is a pointer of git-annex; `git annex get` fetches the file itself",
        _ if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") => "it is a web page: the download gave a page instead of the file",
        _ if text.starts_with(b"<?xml") => "it is XML",
        _ if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) => "every byte of it is zero: an unfinished download or copy",
        _ => return None,
    })
}

fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "qwz" => "it looks like QuakeWorld packed by Qizmo, by its name; the command reads it, and Qizmo unpacks it to .qwd",
        "lmp" => "it looks like a demo of Doom, by its name; Doom's ports play it",
        "dm_1" | "dm_2" | "dm_3" | "dm_4" | "dm_5" | "dm_6" => "it looks like a demo of Call of Duty, by its name; the game plays it",
        "dm_57" | "dm_58" | "dm_59" | "dm_60" => "it looks like a demo of Return to Castle Wolfenstein, by its name; UberDemoTools reads it",
        "dm_82" | "dm_83" | "dm_84" => "it looks like a demo of Wolfenstein: Enemy Territory, by its name; that game plays it",
        "dm_15" | "dm_16" | "dm_25" | "dm_26" => "it looks like a demo of Jedi Outcast or Jedi Academy, by its name; jaMME plays it",
        "wd10" | "wd11" | "wd20" | "wd21" | "wdz10" | "wdz11" | "wdz20" | "wdz21" | "wdz22" => {
            "it looks like a demo of Warsow or Warfork, by its name; the game plays it"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named() {
        for (bytes, extension, word) in [
            (&b"HL2DEMO\0\x03\0\0\0"[..], Some("dem"), "Source engine"),
            (b"PBDEMS2\0", Some("dem"), "Source 2"),
            (b"\r\n<!DOCTYPE html><html>", None, "web page"),
            (b"version https://git-lfs.github.com/spec/v1\noid", Some("dm_68"), "Git LFS"),
            (b"-1\n\x20\0\0\0level\0maps/demo1.bsp\0models/paladin.mdl\0", Some("dem"), "Hexen II"),
            (&[0; 5000], Some("dem"), "zero"),
            (b"\x80\x01\xbf\x3f", Some("qwz"), "Qizmo"),
            (b"\x01\x02", Some("dm_84"), "Enemy Territory"),
        ] {
            assert!(describe(bytes, extension).is_some_and(|what| what.contains(word)), "{word}");
        }
        assert_eq!(describe(b"just some words", Some("txt")), None);
    }
}
