//! Recordings as text and back: JSON Lines, a line for each message, without loss. What stands in the lines,
//! `docs/text-form.md` says.
//!
//! [`decompile`] and [`compile`] are for what fits in memory; [`decompiler`] and [`compiler`] go through recordings of any size
//! piece by piece.
//!
//! ```
//! use fragreel::text_form::{compile, decompile};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recording = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let text = decompile(recording, "dm_bots.dm_71")?;
//! assert_eq!(compile(&text)?, recording);
//!
//! let renamed = String::from_utf8(text)?.replace("Gargoyle", "Somebody");
//! let info = fragreel::Recording::open(compile(renamed.as_bytes())?, "renamed.dm_71")?.info();
//! assert!(info.players.iter().any(|player| player.name.clean == "Somebody"));
//!
//! let error = compile(renamed.replacen("\"sequence\":", "\"sequence\":-", 1).replacen("71", "1971", 1).as_bytes()).unwrap_err();
//! assert_eq!(error.line, 1);
//! # Ok(())
//! # }
//! ```

mod end;
mod place;

pub use end::is_end;
pub use fragreel_base::textform::{Compile, Decompile, Error, Line, Patch, Share, compile_in_shares};
use fragreel_base::wire::Limits;
use fragreel_model::Family;
pub use place::{Places, placed};

use crate::family::{TEXT_FORMS, TextForm};

/// How much of a recording's start [`decompiler`] wants to see, when there is so much.
pub const HEAD: usize = 1 << 20;

/// Takes apart the recording that begins with `head` and is called `name`.
///
/// # Errors
/// When no family knows the bytes, or the one that does cannot make anything of them.
pub fn decompiler(head: &[u8], name: &str, limits: Limits) -> Result<Box<dyn Decompile + Send>, fragreel_base::wire::Error> {
    let extension = fragreel_detect::extension(name);
    let extension = extension.as_deref();
    let mut first_error = None;
    for (family, _) in fragreel_detect::candidates(head, extension) {
        let Some(form) = form(family) else { continue };
        match (form.decompiler)(head, extension, limits) {
            Ok(decompiler) => return Ok(Box::new(end::Decompiler::new(decompiler))),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| crate::foreign::unknown(head, extension)))
}

/// Puts together the text that begins with this line, which names its family. The compiler wants that line too.
///
/// # Errors
/// When the line is not the first of any family's text.
pub fn compiler(first: &[u8]) -> Result<Box<dyn Compile + Send>, Error> {
    let head: serde_json::Value = serde_json::from_slice(first).map_err(|error| Error {
        line: 1,
        column: error.column() as u64,
        field: String::new(),
        expected: String::from("the text is not JSON Lines: its first line must be an object `recording`"),
    })?;
    let named = head.pointer("/recording/family").and_then(serde_json::Value::as_str);
    let form = named.and_then(|name| TEXT_FORMS.iter().find(|form| form.family.name() == name));
    let families: Vec<&str> = TEXT_FORMS.iter().map(|form| form.family.name()).collect();
    let wrong = || Error {
        line: 1,
        column: 1,
        field: String::from("recording › family"),
        expected: format!("expected the first line of a recording's text, whose family is one of {}", families.join(", ")),
    };
    form.map(|form| Box::new(end::Compiler((form.compiler)())) as Box<dyn Compile + Send>).ok_or_else(wrong)
}

/// A JSON Schema that every line of the family's texts satisfies; `None` for a family that is not handled.
pub fn schema(family: Family) -> Option<serde_json::Value> {
    form(family).map(|form| end::schema((form.schema)()))
}

/// The families that have a text form.
pub fn families() -> impl Iterator<Item = Family> {
    TEXT_FORMS.iter().map(|form| form.family)
}

fn form(family: Family) -> Option<&'static TextForm> {
    TEXT_FORMS.iter().find(|form| form.family == family)
}

/// A whole recording, not packed, as text.
///
/// # Errors
/// As [`decompiler`].
pub fn decompile(recording: &[u8], name: &str) -> Result<Vec<u8>, fragreel_base::wire::Error> {
    let head = &recording[..recording.len().min(HEAD)];
    Ok(fragreel_base::textform::decompile(decompiler(head, name, Limits::default())?, recording))
}

/// A whole text as the recording that it stands for.
///
/// # Errors
/// The first line that does not stand for anything, and where in it.
pub fn compile(text: &[u8]) -> Result<Vec<u8>, Error> {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    fragreel_base::textform::compile(compiler(first)?, text)
}
