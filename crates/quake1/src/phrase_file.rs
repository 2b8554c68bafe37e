//! Phrases about deaths, and the files in which ezQuake keeps them: `fragfile.dat` (`docs/formats/quake1.md`, "Phrase files").

use std::borrow::Cow;
use std::collections::BTreeMap;

use fragreel_base::wire::Error;

/// The roles of the names in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `VICTIM phrase`: killed by the world.
    Death,
    /// `VICTIM phrase`: suicide.
    Suicide,
    /// `VICTIM phrase KILLER tail`.
    ByKiller,
    /// `KILLER phrase VICTIM tail`.
    OfVictim,
    /// `KILLER phrase VICTIM tail`, on the same team.
    OfTeamMate,
    /// `VICTIM phrase KILLER tail`, on the same team.
    ByTeamMate,
    /// `KILLER phrase`: killed an unnamed team mate.
    SomeTeamMate,
    /// `VICTIM phrase`: killed by an unnamed team mate.
    BySomeTeamMate,
    /// `VICTIM phrase`: killed by an unnamed player.
    BySomebody,
    /// `KILLER phrase`: killed an unnamed player.
    OfSomebody,
}

/// A phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phrase<'p> {
    /// The roles of the names.
    pub shape: Shape,
    /// The means of death.
    pub means: &'p str,
    /// The text between the names, or after the only one.
    pub text: &'p [u8],
    /// The text after the second name.
    pub tail: &'p [u8],
}

/// The most phrases that a file may have.
const MOST: usize = 4096;

/// The phrases of a file. They come before those that Fragreel knows.
///
/// ```
/// use fragreel_quake1::PhraseFile;
///
/// let file = br#"
/// #FRAGFILE VERSION ezquake-1.00
/// #DEFINE WEAPON_CLASS HAMMER "Thor's Hammer" "hammer"
/// #DEFINE OBITUARY X_FRAGGED_BY_Y HAMMER " was slammed by " "'s hammer" // a mission pack's
/// "#;
/// assert_eq!(PhraseFile::parse(file).unwrap().len(), 1);
/// assert!(PhraseFile::parse(b"#DEFINE OBITUARY PLAYER_DEATH LAVA \" melted\"").is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhraseFile {
    phrases: Vec<Owned>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Owned {
    shape: Shape,
    means: String,
    text: Vec<u8>,
    tail: Vec<u8>,
}

impl PhraseFile {
    /// Reads a file. Lines about flags, titles and authors are passed over.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`](fragreel_base::wire::ErrorKind::Malformed) with the line that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let mut file = PhraseFile::default();
        let mut classes: BTreeMap<String, String> = BTreeMap::new();
        let mut has_version = false;
        for (number, line) in (1u32..).zip(bytes.split(|&byte| byte == b'\n')) {
            let words = words(line);
            let Some(first) = words.first() else { continue };
            let wrong = |what: &str| Error::malformed(format!("line {number} of the phrases: {what}"));
            let word = |at: usize| words.get(at).map(|word| String::from_utf8_lossy(word).to_ascii_uppercase()).unwrap_or_default();
            match (&*String::from_utf8_lossy(first).to_ascii_uppercase(), &*word(1)) {
                ("#FRAGFILE", "VERSION") => {
                    has_version = true;
                    if !matches!(&*word(2), "EZQUAKE-1.00" | "1.00") {
                        return Err(wrong("the version is not 1.00"));
                    }
                }
                _ if !has_version => return Err(wrong("it does not begin with #FRAGFILE VERSION")),
                ("#DEFINE", "WEAPON_CLASS" | "WC") => {
                    let name = words.get(4).or(words.get(3)).ok_or_else(|| wrong("a weapon needs a key and a name"))?;
                    classes.insert(word(2), String::from_utf8_lossy(name).to_ascii_lowercase());
                }
                ("#DEFINE", "OBITUARY" | "OBIT") => {
                    let (shape, names_two) = shape(&word(2)).ok_or_else(|| wrong("that type of phrase is unknown"))?;
                    let means = match &*word(3) {
                        "NOWEAPON" | "NONE" | "NULL" => String::from("none"),
                        class => classes.get(class).cloned().ok_or_else(|| wrong("the weapon is not defined before"))?,
                    };
                    let text = words.get(4).filter(|text| !text.is_empty()).ok_or_else(|| wrong("a phrase has no text"))?;
                    let tail = words.get(5).filter(|_| names_two).map(|tail| tail.to_vec()).unwrap_or_default();
                    if file.phrases.len() == MOST {
                        return Err(wrong("there are too many phrases"));
                    }
                    file.phrases.push(Owned { shape, means, text: text.to_vec(), tail });
                }
                ("#DEFINE", "FLAG_ALERT" | "FLAG_MSG") | ("#META" | "#FRAGFILE", _) => {}
                _ => return Err(wrong("that statement is unknown")),
            }
        }
        Ok(file)
    }

    /// How many phrases it has.
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// True if it has no phrase.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// Its phrases.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = Phrase<'_>> + Clone {
        self.phrases.iter().map(|Owned { shape, means, text, tail }| Phrase { shape: *shape, means, text, tail })
    }
}

/// What a type of phrase means, and whether it names two players.
fn shape(name: &str) -> Option<(Shape, bool)> {
    Some(match name {
        "PLAYER_DEATH" => (Shape::Death, false),
        "PLAYER_SUICIDE" => (Shape::Suicide, false),
        "X_FRAGS_UNKNOWN" => (Shape::OfSomebody, false),
        "X_TEAMKILLS_UNKNOWN" => (Shape::SomeTeamMate, false),
        "X_TEAMKILLED_UNKNOWN" => (Shape::BySomeTeamMate, false),
        "X_FRAGS_Y" => (Shape::OfVictim, true),
        "X_FRAGGED_BY_Y" => (Shape::ByKiller, true),
        "X_TEAMKILLS_Y" => (Shape::OfTeamMate, true),
        "X_TEAMKILLED_BY_Y" => (Shape::ByTeamMate, true),
        _ => return None,
    })
}

/// The words of a line, some of them in quotes, up to a comment.
fn words(line: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut words = Vec::new();
    let mut rest = line.trim_ascii();
    while let Some((&first, after)) = rest.split_first() {
        if rest.starts_with(b"//") {
            break;
        }
        let (word, end) = if first == b'"' {
            let length = after.iter().position(|&byte| byte == b'"').unwrap_or(after.len());
            (&after[..length], (length + 2).min(rest.len()))
        } else {
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            (&rest[..length], length)
        };
        words.push(Cow::Borrowed(word));
        rest = rest[end..].trim_ascii_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_ezquake_are_read() {
        let file = b"// comment\r\n#FRAGFILE\tVERSION\tezquake-1.00\r\n#FRAGFILE GAMEDIR ANY\n#META TITLE \"x\"\n#DEFINE WC\tRL \"Rocket Launcher\" \"rl\"\n\
            #DEFINE OBIT X_FRAGGED_BY_Y RL \" rides \" \"'s rocket\"\n#DEFINE OBITUARY PLAYER_DEATH NOWEAPON \" fell // far\" \"\"\n\
            #DEFINE FLAG_ALERT X_GETS_FLAG \" got the\"\n";
        let phrases = PhraseFile::parse(file).unwrap();
        let all: Vec<Phrase<'_>> = phrases.phrases().collect();
        let is = |shape, means, text, tail| Phrase { shape, means, text, tail };
        assert_eq!(all, [is(Shape::ByKiller, "rl", b" rides ", b"'s rocket"), is(Shape::Death, "none", b" fell // far", b"")]);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let wrong = |text: &str| PhraseFile::parse(format!("#FRAGFILE VERSION 1.00\n{text}").as_bytes()).unwrap_err().to_string();
        assert!(wrong("#DEFINE OBIT X_FRAGS_Z RL \" x \"").contains("line 2"));
        assert!(wrong("#DEFINE OBIT X_FRAGS_Y RL \" x \"").contains("not defined"));
        assert!(wrong("#DEFINE OBIT PLAYER_DEATH NONE").contains("no text"));
        assert!(wrong("hello").contains("unknown"));
        assert!(PhraseFile::parse(b"").is_ok_and(|file| file.is_empty()));
    }
}
