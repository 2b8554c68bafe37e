//! The families: adding one is one line of `families!`. `fragreel_detect` lists the names of their recordings.

use std::borrow::Cow;

#[cfg(feature = "text")]
use fragreel_base::textform::{Compile, Decompile};
use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{EventSource, Events, Share};
use fragreel_model::{Audit, Certainty, Explained, Extracted, Family, Info, Kinds, Moment, Selection, Statement, Verification, When};
#[cfg(feature = "edit")]
use fragreel_model::{Comparison, Edited, Range, Rewrite, Split, Target};

use crate::foreign;
#[cfg(feature = "edit")]
use crate::same::Same;

/// All `parts` as recordings of one family, or an error when one of them is of another.
#[cfg(feature = "edit")]
macro_rules! same {
    ($parts:expr, $family:ident) => {
        $parts
            .iter()
            .map(|part| match part {
                Inner::$family(recording) => Ok(&**recording),
                #[allow(unreachable_patterns, reason = "where there is only one family")]
                _ => Err(Error::misuse("they are recordings of different families of games")),
            })
            .collect::<Result<Vec<_>, Error>>()
    };
}

#[cfg(feature = "edit")]
pub(crate) use same;

#[cfg(feature = "text")]
type NewDecompiler = fn(&[u8], Option<&str>, Limits) -> Result<Box<dyn Decompile + Send>, Error>;

/// The text form of a family.
#[cfg(feature = "text")]
pub(crate) struct TextForm {
    pub family: Family,
    pub decompiler: NewDecompiler,
    pub compiler: fn() -> Box<dyn Compile + Send>,
    pub schema: fn() -> serde_json::Value,
}

macro_rules! families {
    ($($family:ident = $krate:ident if $feature:literal),* $(,)?) => {
        /// An open recording of any family.
        pub(crate) enum Inner<'a> {
            $(#[cfg(feature = $feature)] $family(Box<$krate::Recording<'a>>)),*
        }

        impl<'a> Inner<'a> {
            pub(crate) fn open(family: Family, bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
                match family {
                    $(#[cfg(feature = $feature)] Family::$family => $krate::Recording::open(bytes, extension, limits).map(|recording| Inner::$family(Box::new(recording))),)*
                    other => Err(Error::unsupported(format!("{other} recordings are not supported"))),
                }
            }

            pub(crate) fn family(&self) -> Family {
                match self { $(#[cfg(feature = $feature)] Inner::$family(_) => Family::$family),* }
            }

            pub(crate) fn info(&self) -> Info {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.info()),* }
            }

            pub(crate) fn verify(&self, share: Share) -> Verification {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.verify_share(share)),* }
            }

            pub(crate) fn extract(&self) -> Vec<Extracted> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.extract()),* }
            }

            pub(crate) fn audit(&self) -> Audit {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.audit()),* }
            }

            pub(crate) fn events(&self, wanted: Kinds) -> Events<Box<dyn EventSource + '_>> {
                Events::new(match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => Box::new(recording.event_source(wanted))),* })
            }

            pub(crate) fn explain(&self, selection: Selection) -> Box<dyn Iterator<Item = Explained> + '_> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => Box::new(recording.explain(selection))),* }
            }

            pub(crate) fn state_at(&self, when: When) -> Result<Moment, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.state_at(when)),* }
            }
        }

        #[cfg(feature = "edit")]
        impl Inner<'_> {
            pub(crate) fn cut(&self, range: Range) -> Result<Edited, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.cut(range)),* }
            }

            pub(crate) fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.cuts(ranges)),* }
            }

            pub(crate) fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.split(by)),* }
            }

            pub(crate) fn join(parts: &[&Self]) -> Result<Edited, Error> {
                match parts.first() {
                    None => Err(Error::misuse("there is nothing to join")),
                    $(#[cfg(feature = $feature)] Some(Inner::$family(_)) => $krate::Recording::join(&same!(parts, $family)?),)*
                }
            }

            pub(crate) fn repair(&self) -> Result<Edited, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.repair()),* }
            }

            pub(crate) fn opened_by(&self, donor: &Inner<'_>) -> Result<Vec<u8>, Error> {
                match (self, donor) {
                    $(#[cfg(feature = $feature)] (Inner::$family(recording), Inner::$family(donor)) => recording.opened_by(donor),)*
                    #[allow(unreachable_patterns, reason = "where there is only one family")]
                    _ => Err(Error::misuse("the donor is of another family of games")),
                }
            }

            pub(crate) fn convert(&self, target: &Target) -> Result<Edited, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.convert(target)),* }
            }

            pub(crate) fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => recording.rewrite(rewrite)),* }
            }
        }

        #[cfg(feature = "edit")]
        impl<'a> Inner<'a> {
            pub(crate) fn comparer(&self) -> Comparer<'a> {
                match self { $(#[cfg(feature = $feature)] Inner::$family(recording) => Comparer::$family(Box::new(recording.comparer()))),* }
            }
        }

        /// What compares recordings with one that they were made from.
        #[cfg(feature = "edit")]
        pub(crate) enum Comparer<'a> {
            $(#[cfg(feature = $feature)] $family(Box<$krate::Comparer<'a>>)),*
        }

        #[cfg(feature = "edit")]
        impl Comparer<'_> {
            pub(crate) fn compare(&mut self, edited: &Inner<'_>, same: Same) -> Result<Comparison, Error> {
                match (self, edited) {
                    #[cfg(feature = "quake3")]
                    (Comparer::Quake3(source), Inner::Quake3(edited)) if same == Same::Strings => Ok(source.compare_with_strings(edited)),
                    #[cfg(feature = "quake1")]
                    (Comparer::Quake1(source), Inner::Quake1(edited)) if same == Same::Strings => Ok(source.compare_with_strings(edited)),
                    $(#[cfg(feature = $feature)] (Comparer::$family(source), Inner::$family(edited)) => Ok(source.compare(edited)),)*
                    #[allow(unreachable_patterns, reason = "where there is only one family")]
                    _ => Err(Error::misuse("recordings of different families cannot be compared")),
                }
            }
        }

        #[cfg(feature = "text")]
        pub(crate) const TEXT_FORMS: &[TextForm] = &[$(#[cfg(feature = $feature)] TextForm {
            family: Family::$family,
            decompiler: |head, extension, limits| Ok(Box::new($krate::text::Decompiler::new(head, extension, limits)?)),
            compiler: || Box::new($krate::text::Compiler::default()),
            schema: $krate::text::schema,
        }),*];
    };
}

families! {
    Quake3 = fragreel_quake3 if "quake3",
    Quake2 = fragreel_quake2 if "quake2",
    GoldSrc = fragreel_goldsrc if "goldsrc",
    Quake1 = fragreel_quake1 if "quake1",
}

impl<'a> Inner<'a> {
    /// Finds out what a recording is, from its content first, and opens it.
    pub(crate) fn detect(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        let mut first_error = None;
        for (family, _) in fragreel_detect::candidates(bytes, extension) {
            match Inner::open(family, bytes, extension, limits) {
                Ok(inner) => return Ok(inner),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        // Another format under a recording's name is named, rather than what a family stumbled over.
        let is_foreign = foreign::describe(bytes, extension).is_some();
        match first_error {
            Some(error) if !is_foreign => Err(error),
            _ if bytes.is_empty() => Err(Error::malformed("not a recognized recording format: the file is empty")),
            _ => Err(foreign::unknown(bytes, extension)),
        }
    }

    /// What a server states of the last match as it ends, if that stands in one place that can be read without a walk.
    pub(crate) fn stated_at_end(&self) -> Option<Statement> {
        match self {
            #[cfg(feature = "quake1")]
            Inner::Quake1(recording) => recording.stated_at_end(),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            _ => None,
        }
    }

    /// The events of the wanted kinds, as far as servers state them in words. Where the words can be read alone, nothing else is.
    pub(crate) fn statements(&self, wanted: Kinds) -> Events<Box<dyn EventSource + '_>> {
        match self {
            #[cfg(feature = "quake3")]
            Inner::Quake3(recording) => Events::new(Box::new(recording.statement_source(wanted))),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            _ => self.events(wanted),
        }
    }

    /// The same recording, whose lines about deaths are read by these phrases first.
    #[cfg(feature = "quake1")]
    pub(crate) fn with_phrases(self, phrases: &std::sync::Arc<fragreel_quake1::PhraseFile>) -> Self {
        match self {
            Inner::Quake1(recording) => Inner::Quake1(Box::new(recording.with_phrases(phrases.clone()))),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            other => other,
        }
    }
}

/// Whether recordings have names like this one, compressed or not. What a file is, its content says; this is for choosing
/// what to look at in a folder.
///
/// ```
/// assert!(fragreel::is_recording_name("Final.DM_68.gz"));
/// assert!(!fragreel::is_recording_name("readme.txt"));
/// ```
pub fn is_recording_name(name: &str) -> bool {
    fragreel_detect::is_recording_name(name)
}

/// Which family a recording belongs to, from its first bytes (some thousands are plenty) and its file's name, and how
/// sure that is. Of two that fit equally well, it is the one whose extension the file has. Compressed input is looked into.
///
/// ```
/// assert_eq!(fragreel::detect(b"nothing that a game would write", "notes.txt"), None);
/// ```
pub fn detect(head: &[u8], name: &str) -> Option<(Family, Certainty)> {
    let extension = fragreel_detect::extension(name);
    let head = unpacked(head);
    fragreel_detect::candidates(&head, extension.as_deref()).first().copied()
}

fn unpacked(head: &[u8]) -> Cow<'_, [u8]> {
    #[cfg(feature = "gzip")]
    if crate::gzip::is_gzip(head) {
        return Cow::Owned(crate::gzip::head(head));
    }
    #[cfg(feature = "pack")]
    if crate::packing::is_packed(head) {
        return Cow::Owned(crate::packing::beginning(head));
    }
    Cow::Borrowed(head)
}
