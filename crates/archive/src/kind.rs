//! What kind of archive something is.

/// Kinds of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// zip, also as pk3.
    Zip,
    /// 7-Zip.
    SevenZ,
    /// tar.
    Tar,
    /// tar in gzip. gzip alone is no archive here: recordings are read in it as they are.
    TarGz,
    /// xz, around one file or a tar.
    Xz,
    /// bzip2, likewise.
    Bzip2,
    /// Zstandard, likewise.
    Zstd,
    /// RAR. It is read with the feature `rar`, otherwise only known: `docs/formats/dzip.md` says why.
    Rar,
    /// Dzip.
    Dzip,
    /// PAK of Quake.
    Pak,
    /// A recording that Qizmo packed. It is read with the feature `qwz`.
    Qizmo,
    /// Recordings that `fragreel pack` packed together. All of its members are recordings.
    Packed,
}

impl Kind {
    /// Whether it can be read.
    pub fn is_read(self) -> bool {
        (self != Kind::Rar || cfg!(feature = "rar")) && (self != Kind::Qizmo || cfg!(feature = "qwz"))
    }
}

/// Knows an archive by its first bytes (some hundreds); the name is only asked for tar in gzip, Dzip, and
/// Qizmo's files, which begin like nothing else does and like everything.
pub fn kind(name: &str, head: &[u8]) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    Some(match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Kind::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Kind::SevenZ,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Kind::Xz,
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Kind::Bzip2,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Kind::Zstd,
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Kind::Rar,
        [b'D', b'Z', 1..=3, ..] if name.ends_with(".dz") => Kind::Dzip,
        [b'P', b'A', b'C', b'K', ..] => Kind::Pak,
        _ if fragreel_pack::archive::is_archive(head) => Kind::Packed,
        [0x1f, 0x8b, 8, ..] if name.ends_with(".tar.gz") || name.ends_with(".tgz") => Kind::TarGz,
        _ if is_tar(head) => Kind::Tar,
        [_, ..] if name.ends_with(".qwz") => Kind::Qizmo,
        _ => return None,
    })
}

/// `ustar` stands in the first header; tar without it is too old for recordings.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}
