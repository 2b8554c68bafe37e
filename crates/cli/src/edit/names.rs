//! What results are called: patterns, what is put into them, and names that are still free.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use fragreel::Recording;
use fragreel::edit::Edited;
use fragreel::model::Milliseconds;

use super::played::Played;
use crate::failure::Failure;
use crate::input::STDIN;
use crate::inside;

/// What stands for what in patterns.
const PLACEHOLDERS: [&str; 19] = [
    "stem", "n", "ext", "map", "player", "weapon", "reason", "from", "date", "server", "game", "mod", "mode", "points", "time", "team1", "team2", "winner",
    "score",
];

/// Those that an edit or the file's name says.
const OF_RESULT: [&str; 7] = ["n", "stem", "ext", "from", "points", "reason", "weapon"];

/// Those that only the match says.
const OF_MATCH: [&str; 4] = ["team1", "team2", "winner", "score"];

/// What is written where nothing is known.
const UNKNOWN: &str = "unknown";

/// The longest text that is put into a name.
const LONGEST: usize = 60;

/// What no name has on Windows. A colon would even write into a hidden stream of another file.
const FORBIDDEN: [char; 9] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*'];

/// What an edit knows of a result, for its name.
#[derive(Debug, Default, Clone)]
pub struct Label {
    /// Who did what it shows; by default who recorded it.
    pub player: Option<String>,
    /// With what.
    pub weapon: Option<String>,
    /// Why it was cut out.
    pub reason: Option<String>,
    /// Where in the source it begins.
    pub from: Option<Milliseconds>,
    /// How good it is.
    pub points: Option<u32>,
    /// Its number, where that is not its place among the results of one source, and how many results there are of all sources.
    pub number: Option<(usize, usize)>,
}

/// A result and what its name may say.
pub struct Made {
    /// The result.
    pub edited: Edited,
    /// For its name.
    pub label: Label,
}

impl From<Edited> for Made {
    fn from(edited: Edited) -> Self {
        Made { edited, label: Label::default() }
    }
}

/// A path with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Whether a path is meant as one.
    pub fn is(path: &Path) -> bool {
        path.to_string_lossy().contains('{')
    }

    /// A path whose placeholders are known.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let text = path.to_str().ok_or_else(|| no_pattern(&path.to_string_lossy()))?;
        let rest = PLACEHOLDERS.iter().fold(text.to_owned(), |text, known| text.replace(&format!("{{{known}}}"), ""));
        if rest.contains(['{', '}']) || rest.ends_with(std::path::is_separator) { Err(no_pattern(text)) } else { Ok(Pattern(text.to_owned())) }
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(&format!("{{{name}}}"))
    }

    /// What it says of a recording.
    pub fn played(&self, recording: &Recording) -> Played {
        let lacks = |name: &str, value: &Option<String>| self.has(name) && value.is_none();
        Played::of(recording, |known| {
            OF_MATCH.iter().any(|name| self.has(name))
                || lacks("date", &known.date)
                || lacks("time", &known.time)
                || lacks("mode", &known.mode)
                || lacks("map", &known.map)
        })
    }

    /// The name of one result.
    fn fill(&self, names: &Names, number: &str, made: &Made) -> PathBuf {
        // What the result says of itself: a part has its own map, and what was scrubbed is in no name.
        let played = || {
            let recording = Recording::open(made.edited.bytes.clone(), &format!("x.{}", made.edited.extension)).ok()?;
            Some(self.played(&recording))
        };
        self.name(&names.stem, &made.edited.extension, number, &made.label, || played().unwrap_or_default())
    }

    /// The name of something. `played` is asked for what its recording says, if the pattern has any of that.
    pub fn name(&self, stem: &str, extension: &str, number: &str, label: &Label, played: impl FnOnce() -> Played) -> PathBuf {
        let mut text = self.0.clone();
        let mut put = |name: &str, value: &dyn Fn() -> String| {
            let placeholder = format!("{{{name}}}");
            if text.contains(&placeholder) {
                text = text.replace(&placeholder, &safe(&value()));
            }
        };
        put("n", &|| number.to_owned());
        put("stem", &|| stem.to_owned());
        put("ext", &|| extension.to_owned());
        put("from", &|| label.from.map(|from| from.to_string().replace(':', "-")).unwrap_or_default());
        put("points", &|| label.points.map(|points| points.to_string()).unwrap_or_default());
        put("reason", &|| label.reason.clone().unwrap_or_default());
        put("weapon", &|| label.weapon.clone().unwrap_or_default());
        if PLACEHOLDERS.iter().any(|name| !OF_RESULT.contains(name) && self.has(name)) {
            let Played { player, map, date, time, server, game, game_mod, mode, sides: [first, second], winner, score } = played();
            let player = label.player.clone().or(player);
            let values = [
                ("player", player),
                ("map", map),
                ("date", date),
                ("time", time),
                ("server", server),
                ("game", game),
                ("mod", game_mod),
                ("mode", mode),
                ("team1", first),
                ("team2", second),
                ("winner", winner),
                ("score", score),
            ];
            for (name, value) in values {
                put(name, &|| value.clone().unwrap_or_default());
            }
        }
        unreserved(Path::new(&text), Path::new(&self.0))
    }
}

fn no_pattern(text: &str) -> Failure {
    let known: Vec<String> = PLACEHOLDERS.iter().map(|name| format!("{{{name}}}")).collect();
    Failure::new(format!("`{text}` is not a pattern for names")).help(format!("There are {}.", known.join(", ")))
}

/// A text as a part of a file's name on any system.
fn safe(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_alphanumeric() || "-_+.".contains(c) { c } else { '_' }).take(LONGEST).collect();
    let plain = plain.trim_matches(['_', '.']);
    if plain.is_empty() { UNKNOWN.to_owned() } else { plain.to_owned() }
}

/// The same path without names that mean devices: in its last part, and in those that the pattern does not have as they are.
fn unreserved(path: &Path, pattern: &Path) -> PathBuf {
    let last = path.components().count().saturating_sub(1);
    let parts = path.components().zip(pattern.components()).enumerate();
    parts
        .map(|(at, (part, typed))| match part {
            Component::Normal(name) if at == last || part != typed => no_device(name),
            other => other.as_os_str().to_owned(),
        })
        .collect()
}

fn no_device(part: &OsStr) -> OsString {
    let name = part.to_string_lossy();
    if fragreel::extract::is_device(&name) { format!("_{name}").into() } else { part.to_owned() }
}

/// A relative path that the system takes. Archives from other systems have names that Windows forbids.
pub fn permitted(path: &Path, windows: bool) -> PathBuf {
    if !windows {
        return path.to_owned();
    }
    let harmless = |part: &str| {
        let name: String = part.chars().map(|c| if c < ' ' || FORBIDDEN.contains(&c) { '_' } else { c }).collect();
        let kept = name.trim_end_matches(['.', ' ']);
        no_device(OsStr::new(if kept.is_empty() { UNKNOWN } else { kept }))
    };
    // not by the path's own parts: Windows takes what stands before a colon for a drive
    path.to_string_lossy().split(['/', '\\']).filter(|part| !part.is_empty()).map(harmless).collect()
}

/// What names of results are made of.
pub struct Names {
    stem: String,
    /// Folders between the one that was named and the source.
    below: PathBuf,
    packed: bool,
}

impl Names {
    /// From the name of the source.
    pub fn of(path: &Path) -> Self {
        let member = inside::split(path).map(|(_, member)| PathBuf::from(member));
        let name = member.as_deref().unwrap_or(path).file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned();
        let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".frp")).unwrap_or(&name);
        let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
        let packed = name.ends_with(".gz");
        Names { below: PathBuf::new(), packed, stem: if stem.is_empty() || name == STDIN { String::from("recording") } else { stem.to_owned() } }
    }

    /// The name of the source without what says the format.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The same in a tree.
    pub fn below(self, below: PathBuf) -> Self {
        Names { below, ..self }
    }

    /// Names by a pattern.
    pub fn by(&self, pattern: &Pattern, made: &[Made]) -> Vec<PathBuf> {
        let highest = made.iter().filter_map(|made| made.label.number).map(|(_, of)| of).max().unwrap_or_default().max(made.len());
        let digits = highest.to_string().len();
        let name = |(at, made): (usize, &Made)| pattern.fill(self, &format!("{:0digits$}", made.label.number.map_or(at + 1, |(number, _)| number)), made);
        made.iter().enumerate().map(name).collect()
    }

    /// Names in a folder with the sources' tree: the source's own, or numbered ones.
    pub fn within(&self, folder: &Path, made: &[Made], numbered: bool) -> Vec<PathBuf> {
        let folder = folder.join(permitted(&self.below, cfg!(windows)));
        let permitted = |name: String| permitted(Path::new(&name), cfg!(windows));
        if numbered {
            let pattern = Pattern("{n}.{ext}".to_owned());
            return self.by(&pattern, made).into_iter().map(|name| folder.join(permitted(format!("{}_{}", self.stem, name.display())))).collect();
        }
        let packed = if self.packed { ".gz" } else { "" };
        made.iter().map(|made| folder.join(permitted(format!("{}.{}{packed}", self.stem, made.edited.extension)))).collect()
    }
}

/// Names that are given away.
#[derive(Default)]
pub struct TakenNames(HashSet<String>);

impl TakenNames {
    /// Those that an earlier run gave away.
    pub fn of(outputs: HashSet<String>) -> Self {
        TakenNames(outputs.into_iter().map(|output| output.to_lowercase()).collect())
    }

    /// The path, with a number where another result has it.
    pub fn free(&mut self, path: PathBuf) -> PathBuf {
        // Not every file system knows capital letters from small ones.
        let mut claim = |path: &Path| self.0.insert(path.to_string_lossy().to_lowercase());
        if claim(&path) {
            return path;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
        let rest = &name[stem.len()..];
        let numbered = (2..).map(|number: u32| path.with_file_name(format!("{stem}_{number}{rest}")));
        let mut numbered = numbered.skip_while(|path| !claim(path));
        numbered.next().unwrap_or(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_names_without_what_says_the_format() {
        for (path, stem) in
            [("a/Final.dm_68", "Final"), ("x.y.dm2.gz", "x.y"), ("x.qwd.frp", "x"), ("-", "recording"), (".dm2", "recording"), ("plain", "plain")]
        {
            assert_eq!(Names::of(Path::new(path)).stem, stem, "{path}");
        }
    }

    #[test]
    fn what_is_put_in_is_safe_and_unknown_placeholders_are_refused() {
        for (text, expected) in
            [("^1[ab]/Sarge", "1_ab__Sarge"), ("../../etc", "etc"), ("", UNKNOWN), ("***", UNKNOWN), ("Ünï-1", "Ünï-1"), ("a\u{7}b\\c:d", "a_b_c_d")]
        {
            assert_eq!(safe(text), expected, "{text}");
        }
        assert_eq!(safe(&"x".repeat(500)).len(), LONGEST);
        let unreserved = |path: &str, pattern: &str| unreserved(Path::new(path), Path::new(pattern));
        assert_eq!((unreserved("a/con.dm2", "a/{map}.dm2"), unreserved("com1", "{player}")), ("a/_con.dm2".into(), "_com1".into()));
        assert_eq!((unreserved("aux/nul/conrad.dm2", "{player}/nul/{map}.dm2")), PathBuf::from("_aux/nul/conrad.dm2"));
        let permitted = |path: &str| permitted(Path::new(path), true);
        assert_eq!((permitted("a:b/con /x?.dm2"), permitted("... /nul.dm_68")), ("a_b/_con/x_.dm2".into(), PathBuf::from("unknown/_nul.dm_68")));
        assert_eq!((permitted("a:b.dm2"), permitted(r"c:\up\..\x.dm2"), permitted("")), ("a_b.dm2".into(), "c_/up/unknown/x.dm2".into(), PathBuf::new()));
        for wrong in ["x/{plyer}", "{n", "n}", "{n}/"] {
            assert!(Pattern::new(Path::new(wrong)).is_err(), "{wrong}");
        }
        let label =
            Label { player: Some("A/B".into()), weapon: Some("railgun".into()), from: Some(Milliseconds(83_500)), number: Some((7, 12)), ..Label::default() };
        let made = Made { edited: Edited { extension: "dm_68".into(), ..Edited::default() }, label };
        let names = Names::of(Path::new("x/final.dm_68.gz"));
        let pattern = Pattern::new(Path::new("o/{n}-{player}_{weapon}-{map}/{stem}-{from}.{ext}.gz")).unwrap();
        assert_eq!(names.by(&pattern, &[made]), [PathBuf::from("o/07-A_B_railgun-unknown/final-1-23.500.dm_68.gz")]);
    }

    #[test]
    fn a_name_is_given_away_once() {
        let mut taken = TakenNames::default();
        let mut free = |path: &str| taken.free(path.into()).to_string_lossy().replace('\\', "/");
        assert_eq!([free("a/x.dm_68"), free("a/X.dm_68"), free("a/x.dm_68"), free("b/x.dm_68")], ["a/x.dm_68", "a/X_2.dm_68", "a/x_3.dm_68", "b/x.dm_68"]);
        assert_eq!([free("y.dm2.gz"), free("y.dm2.gz"), free("z"), free("z")], ["y.dm2.gz", "y_2.dm2.gz", "z", "z_2"]);
    }
}
