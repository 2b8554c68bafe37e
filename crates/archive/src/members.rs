//! The members of an archive of any kind.

use std::io::{BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;

use crate::bound::all;
use crate::kind::Kind;
use crate::visit::Visit;
use crate::{Error, Limits, dzip, packed, pak, seven, single, tarball, zipped};

/// What is in an archive.
#[derive(Debug, Default)]
pub struct Listed {
    /// The names of the members that were wanted, in their order; of several with one name, the first.
    pub names: Vec<String>,
    /// How many other files there are.
    pub passed_over: usize,
    /// Those of the others that are archives themselves, by their names.
    pub archives: Vec<String>,
    /// What hides the rest, where there may be more.
    pub damage: Option<Error>,
}

/// Takes a member's name and what came out of it.
pub type Take<'t> = dyn FnMut(&str, Result<Vec<u8>, Error>) -> ControlFlow<()> + 't;

/// Names the members that `wanted` says are, by their names. `name` is that of the archive's file: what is packed alone is called by it.
///
/// # Errors
/// When nothing of the archive can be read.
pub fn list(kind: Kind, name: &str, source: impl Read + Seek, limits: &Limits, wanted: &mut dyn FnMut(&str) -> bool) -> Result<Listed, Error> {
    let mut listed = Listed::default();
    let mut seen = std::collections::HashSet::new();
    let walked = walk(kind, name, source, limits, true, &mut |member, _| {
        if wanted(member) {
            if seen.insert(member.to_owned()) {
                listed.names.push(member.to_owned());
            }
        } else {
            listed.passed_over += 1;
            if is_archive_name(member) {
                listed.archives.push(member.to_owned());
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    match walked {
        Err(error) if listed.names.is_empty() && listed.passed_over == 0 => Err(error),
        walked => Ok(Listed { damage: walked.err(), ..listed }),
    }
}

/// One member by its name.
///
/// # Errors
/// When there is none, it is too large, or the archive cannot be read.
pub fn extract(kind: Kind, name: &str, source: impl Read + Seek, member: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    if kind == Kind::Zip {
        return zipped::Zip::open(source, limits)?.extract(member, limits);
    }
    if kind == Kind::Packed {
        return packed::extract(source, member, limits);
    }
    #[cfg(feature = "rar")]
    if kind == Kind::Rar {
        return crate::rar::extract(source, member, limits);
    }
    let mut found = None;
    walk(kind, name, source, limits, false, &mut |one, reader| {
        if one != member {
            return Ok(ControlFlow::Continue(()));
        }
        found = Some(all(reader, limits.member)?);
        Ok(ControlFlow::Break(()))
    })?;
    found.ok_or_else(|| Error::Missing(member.to_owned()))
}

/// Hands on all members that `wanted` says are, one after the other, until `take` has had enough. One that is too large is an error of its own.
///
/// # Errors
/// When the archive cannot be read, or no further.
pub fn extract_all(
    kind: Kind,
    name: &str,
    source: impl Read + Seek,
    limits: &Limits,
    wanted: &mut dyn FnMut(&str) -> bool,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    walk(kind, name, source, limits, false, &mut |one, reader| {
        if !wanted(one) {
            return Ok(ControlFlow::Continue(()));
        }
        match all(reader, limits.member).map_err(Error::from) {
            // of our own, the next group does not need what is damaged
            Err(error) if kind != Kind::Packed && !matches!(error, Error::Bomb(_)) => Err(error),
            member => Ok(take(one, member)),
        }
    })
}

/// Goes through the members of an archive. `names`: only their names are asked for.
fn walk(kind: Kind, name: &str, mut source: impl Read + Seek, limits: &Limits, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let length = source.seek(std::io::SeekFrom::End(0))?;
    source.rewind()?;
    let most = limits.base.saturating_add(length.saturating_mul(limits.ratio));
    match kind {
        Kind::Zip => zipped::walk(source, limits, names, visit),
        Kind::SevenZ => seven::walk(source, limits, most, names, visit),
        Kind::Tar => tarball::walk(BufReader::new(source), limits, visit),
        Kind::TarGz => tarball::walk(single::bounded(Kind::TarGz, source, most)?, limits, visit),
        Kind::Xz | Kind::Bzip2 | Kind::Zstd => {
            let mut inner = BufReader::with_capacity(1 << 16, single::bounded(kind, source, most)?);
            if crate::kind::is_tar(inner.fill_buf()?) {
                return tarball::walk(inner, limits, visit);
            }
            visit(&single::inner_name(name), &mut inner).map(drop)
        }
        #[cfg(feature = "rar")]
        Kind::Rar => crate::rar::walk(source, limits, most, names, visit),
        #[cfg(not(feature = "rar"))]
        Kind::Rar => Err(Error::Unsupported(String::from("RAR archives are not read by this build; unpack it first, or build with `--features rar`"))),
        Kind::Dzip => dzip::walk(source, length, limits, most, names, visit),
        Kind::Pak => pak::walk(source, length, limits, most, names, visit),
        Kind::Qizmo => {
            let member = single::recording_name(name);
            if names {
                return visit(&member, &mut std::io::empty()).map(drop);
            }
            unpack_qizmo(source, most).and_then(|bytes| visit(&member, &mut &bytes[..])).map(drop)
        }
        Kind::Packed => packed::walk(source, limits, names, visit),
    }
}

#[cfg(feature = "qwz")]
fn unpack_qizmo(source: impl Read, most: u64) -> Result<Vec<u8>, Error> {
    crate::qizmo::decode(source, most)
}

#[cfg(not(feature = "qwz"))]
fn unpack_qizmo(_: impl Read, _: u64) -> Result<Vec<u8>, Error> {
    Err(Error::Unsupported(String::from("recordings of Qizmo are not read by this build; unpack it with Qizmo, or build with `--features qwz`")))
}

/// Whether a member looks like an archive in the archive.
pub fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".zip", ".pk3", ".pak", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".xz", ".bz2", ".zst", ".dz", ".qwz", ".frpa"].iter().any(|end| name.ends_with(end))
}
