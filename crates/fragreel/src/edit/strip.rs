//! A recording without whole kinds of messages.

use std::collections::{BTreeMap, BTreeSet};

use fragreel_base::wire::Error;
use fragreel_model::{Fate, Place, Rewrite};

use super::closest;
use crate::Recording;

/// The kinds of messages in a recording, by their stable names, and how many there are of each.
///
/// ```
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let kinds = fragreel::edit::kinds(&demo.open()?)?;
/// assert_eq!(kinds["snapshot"], 1119);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the recording cannot be rewritten.
pub fn kinds(recording: &Recording<'_>) -> Result<BTreeMap<String, u64>, Error> {
    #[derive(Default)]
    struct Count(BTreeMap<String, u64>);
    impl Rewrite for Count {
        fn message(&mut self, _: Place, kind: &str) -> Fate {
            match self.0.get_mut(kind) {
                Some(count) => *count += 1,
                None => drop(self.0.insert(kind.to_owned(), 1)),
            }
            Fate::Keep
        }
    }
    let mut count = Count::default();
    recording.rewrite(&mut count)?;
    Ok(count.0)
}

/// A [`Rewrite`] that drops all messages of some kinds. What the game cannot do without stays all the same.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::{Strip, kinds};
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake2/yq2dm_Alice.dm2").unwrap();
/// let demo = Demo::new(&bytes[..], "yq2dm_Alice.dm2")?;
/// let recording = demo.open()?;
/// let edited = recording.rewrite(&mut Strip::of(&recording, &["svc_sound"])?)?;
/// let demo = Demo::new(edited.bytes, &edited.extension)?;
/// assert!(!kinds(&demo.open()?)?.contains_key("svc_sound"));
/// // Nothing is stripped by a misspelled name.
/// assert!(Strip::of(&recording, &["svc_sounds"]).unwrap_err().to_string().contains("svc_sound"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Strip {
    kinds: BTreeSet<String>,
}

impl Strip {
    /// The messages of these kinds go.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a kind that no message in the recording has.
    pub fn of(recording: &Recording<'_>, names: &[impl AsRef<str>]) -> Result<Self, Error> {
        let kinds = kinds(recording)?;
        let known: Vec<&str> = kinds.keys().map(String::as_str).collect();
        for name in names.iter().map(AsRef::as_ref) {
            if !known.contains(&name) {
                return Err(unknown(name, &known));
            }
        }
        Ok(Strip { kinds: names.iter().map(|name| name.as_ref().to_owned()).collect() })
    }
}

#[cold]
fn unknown(name: &str, known: &[&str]) -> Error {
    let hint = closest(name, known).map_or_else(|| format!(": there are {}", known.join(", ")), |close| format!("; did you mean `{close}`?"));
    Error::misuse(format!("there are no messages `{name}` in it{hint}"))
}

impl Rewrite for Strip {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if self.kinds.contains(kind) { Fate::Drop } else { Fate::Keep }
    }
}
