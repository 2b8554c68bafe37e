//! A recording without whole kinds of messages.

use std::collections::{BTreeMap, BTreeSet};

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Fate, Place, Rewrite};

use super::closest;
use crate::Recording;

impl Recording {
    /// The kinds of messages in the recording, by their stable names, and how many there are of each.
    ///
    /// ```
    /// use fragreel::Recording;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// assert_eq!(recording.message_kinds()?["snapshot"], 1119);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the recording cannot be rewritten.
    pub fn message_kinds(&self) -> Result<BTreeMap<String, u64>, Error> {
        let mut count = Count::default();
        self.rewrite(&mut count)?;
        Ok(count.0)
    }

    /// The recording without all messages of some kinds. What the game cannot do without stays all the same.
    ///
    /// ```
    /// use fragreel::Recording;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake2/yq2dm_Alice.dm2")?, "yq2dm_Alice.dm2")?;
    /// let edited = recording.strip(&["svc_sound"])?;
    /// assert!(!Recording::open(edited.bytes, &edited.extension)?.message_kinds()?.contains_key("svc_sound"));
    /// // Nothing is stripped by a misspelled name.
    /// assert!(recording.strip(&["svc_sounds"]).unwrap_err().to_string().contains("svc_sound"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](crate::ErrorKind::Misuse) for a kind that no message in the recording has.
    pub fn strip(&self, kinds: &[impl AsRef<str>]) -> Result<Edited, Error> {
        let found = self.message_kinds()?;
        let known: Vec<&str> = found.keys().map(String::as_str).collect();
        match kinds.iter().map(AsRef::as_ref).find(|kind| !known.contains(kind)) {
            Some(kind) => Err(unknown(kind, &known)),
            None => self.rewrite(&mut Strip { kinds: kinds.iter().map(AsRef::as_ref).collect() }),
        }
    }
}

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

/// Drops all messages of some kinds.
struct Strip<'k> {
    kinds: BTreeSet<&'k str>,
}

#[cold]
fn unknown(name: &str, known: &[&str]) -> Error {
    let hint = closest(name, known).map_or_else(|| format!(": there are {}", known.join(", ")), |close| format!("; did you mean `{close}`?"));
    Error::misuse(format!("it has no messages `{name}`{hint}"))
}

impl Rewrite for Strip<'_> {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if self.kinds.contains(kind) { Fate::Drop } else { Fate::Keep }
    }
}
