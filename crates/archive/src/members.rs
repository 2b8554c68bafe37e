//! The members of an archive of any kind.

use std::io::{BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;

use crate::bound::all;
use crate::kind::Kind;
use crate::{Error, Limits, dzip, seven, single, tape, zipped};

/// Members, with their names.
pub type Members = Vec<(String, Vec<u8>)>;

/// What is in an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// The names of the members that were wanted, in their order; of several with one name, the first.
    pub names: Vec<String>,
    /// How many other files there are.
    pub passed_over: usize,
    /// How many of the others are archives themselves.
    pub archives: usize,
}

/// Takes a member: its name, and its content, which may be left unread.
pub type Visit<'v> = dyn FnMut(&str, &mut dyn Read) -> Result<ControlFlow<()>, Error> + 'v;

/// Names the members that `wanted` says are, by their names. `name` is that of the archive's file: what is packed alone is called by it.
///
/// # Errors
/// When the archive cannot be read.
pub fn list(kind: Kind, name: &str, source: impl Read + Seek, limits: &Limits, wanted: &mut dyn FnMut(&str) -> bool) -> Result<Listed, Error> {
    let mut listed = Listed::default();
    let mut seen = std::collections::HashSet::new();
    walk(kind, name, source, limits, true, &mut |member, _| {
        if wanted(member) {
            if seen.insert(member.to_owned()) {
                listed.names.push(member.to_owned());
            }
        } else {
            listed.passed_over += 1;
            listed.archives += usize::from(is_archive_name(member));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(listed)
}

/// One member by its name.
///
/// # Errors
/// When there is none, it is too large, or the archive cannot be read.
pub fn extract(kind: Kind, name: &str, mut source: impl Read + Seek, member: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    if kind == Kind::Zip {
        return zipped::extract(&mut source, member, limits);
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

/// All members that are wanted, as long as they are no more than `most` bytes together; `None` where they are.
///
/// # Errors
/// When the archive cannot be read.
pub fn extract_all(
    kind: Kind,
    name: &str,
    source: impl Read + Seek,
    limits: &Limits,
    most: u64,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Result<Option<Members>, Error> {
    let (mut members, mut sum, mut fits) = (Vec::new(), 0, true);
    walk(kind, name, source, limits, false, &mut |one, reader| {
        if !wanted(one) {
            return Ok(ControlFlow::Continue(()));
        }
        let mut bytes = Vec::new();
        crate::bound::Bounded::new(reader.take(most - sum + 1), limits.member).read_to_end(&mut bytes)?;
        sum += bytes.len() as u64;
        fits = sum <= most;
        members.push((one.to_owned(), bytes));
        Ok(if fits { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(fits.then_some(members))
}

/// Goes through the members of an archive. `names`: only their names are asked for.
fn walk(kind: Kind, name: &str, mut source: impl Read + Seek, limits: &Limits, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let length = source.seek(std::io::SeekFrom::End(0))?;
    source.rewind()?;
    let most = limits.base.saturating_add(length.saturating_mul(limits.ratio));
    match kind {
        Kind::Zip => zipped::walk(&mut source, limits, visit),
        Kind::SevenZ => seven::walk(source, limits, most, names, visit),
        Kind::Tar => tape::walk(BufReader::new(source), limits, visit),
        Kind::TarGz => tape::walk(single::bounded(Kind::TarGz, source, most)?, limits, visit),
        Kind::Xz | Kind::Bzip2 | Kind::Zstd => {
            let mut inner = BufReader::with_capacity(1 << 16, single::bounded(kind, source, most)?);
            if crate::kind::is_tar(inner.fill_buf()?) {
                return tape::walk(inner, limits, visit);
            }
            visit(&single::inner_name(name), &mut inner).map(drop)
        }
        #[cfg(feature = "rar")]
        Kind::Rar => crate::rar::walk(source, limits, most, names, visit),
        #[cfg(not(feature = "rar"))]
        Kind::Rar => Err(Error::Unsupported(String::from("RAR archives are not read by this build; unpack it first, or build with `--features rar`"))),
        Kind::Dzip => dzip::walk(source, length, limits, most, names, visit),
    }
}

/// Whether a member looks like an archive in the archive.
fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".zip", ".pk3", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".xz", ".bz2", ".zst", ".dz"].iter().any(|end| name.ends_with(end))
}
