//! Lists for programs that play recordings back for films. What each reads, and which version was looked at, docs/moments.md says.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fragreel::model::Family;

use super::moment::{Found, sentence};

/// A program that a list is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Tool {
    /// recorddemos.txt, for its recorddemolist.py (Quake III, Quake Live)
    Wolfcam,
    /// A list for `demoList`, and with -o a project for each moment (Quake III)
    Q3mme,
    /// A configuration with an alias for each moment (Quake II)
    Q2pro,
    /// A configuration with an alias for each moment (Quake, QuakeWorld)
    Ezquake,
    /// A configuration with an alias for each moment (Half-Life)
    Hlae,
}

/// The files of a list; the first is the list itself.
pub struct Files {
    /// Where each belongs below a folder, and what it holds.
    pub files: Vec<(PathBuf, String)>,
    /// Recordings that the program needs under another name, with that name.
    pub copies: Vec<(PathBuf, String)>,
    /// Why moments are not in the list, and how many.
    pub left_out: BTreeMap<&'static str, usize>,
}

impl Tool {
    fn family(self) -> Family {
        match self {
            Tool::Wolfcam | Tool::Q3mme => Family::Quake3,
            Tool::Q2pro => Family::Quake2,
            Tool::Ezquake => Family::Quake1,
            Tool::Hlae => Family::GoldSrc,
        }
    }

    fn file(self) -> &'static str {
        match self {
            Tool::Wolfcam => "recorddemos.txt",
            Tool::Q3mme => "moments.txt",
            Tool::Q2pro | Tool::Ezquake | Tool::Hlae => "moments.cfg",
        }
    }

    /// Whether times in the list are on [`LevelClock`](super::level_clock::LevelClock).
    pub fn needs_level_clock(self) -> bool {
        self == Tool::Wolfcam
    }

    /// The list of some moments. `copies`: recordings may be copied under names that the program takes.
    pub fn list(self, found: &[Found], copies: bool) -> Files {
        let mut files = Files { files: vec![(self.file().into(), String::new())], copies: Vec::new(), left_out: BTreeMap::new() };
        let taken: HashSet<String> = found.iter().filter_map(|found| Some(Name::of(&found.path).ok()?.file)).collect();
        let taken = copies.then_some(&taken);
        if matches!(self, Tool::Q2pro | Tool::Ezquake | Tool::Hlae) {
            files.files[0].1.push_str("// moments, an alias each: exec this file, then moment_1, moment_2, ...\n");
        }
        for found in found {
            if let Err(reason) = self.add(&mut files, found, taken) {
                *files.left_out.entry(reason).or_default() += 1;
            }
        }
        files
    }

    fn add(self, files: &mut Files, found: &Found, taken: Option<&HashSet<String>>) -> Result<(), &'static str> {
        if found.family != self.family() {
            return Err("from a game that the program does not play");
        }
        let mut name = Name::of(&found.path)?;
        if matches!(self, Tool::Wolfcam | Tool::Q3mme) && !name.is_safe_in_a_shell() {
            name = files.copy(found, &name, taken.ok_or("in a recording whose name is not safe in a shell: -o FOLDER makes a copy under another name")?);
        }
        let Found { number, moment, .. } = found;
        let seconds = (moment.to - moment.from).0.max(0) as u64;
        let what = moment.reasons.first().map(sentence).unwrap_or_default();
        // A line of a configuration ends where a game's text may not go on.
        let what: String = what.chars().filter(|c| !c.is_control() && !";\"".contains(*c)).collect();
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = match self {
            Tool::Wolfcam => {
                let first = moment.reasons.first().ok_or("without a reason")?;
                let clock = found.level_clock.as_ref().and_then(|clock| clock.range(first.time, moment.from, moment.to));
                let (from, to) = clock.ok_or("before the first match, where the program has no clock")?;
                let from = from.0.max(0) / 1000;
                let to = (to.0.max(0) as u64).div_ceil(1000);
                writeln!(text, "{}:{:02} {}:{:02} {}", from / 60, from % 60, to / 60, to % 60, name.file)
            }
            Tool::Q3mme => {
                let project = format!("moment_{number}");
                let range = format!("<capture>\n\t<start>{}</start>\n\t<end>{}</end>\n</capture>\n", moment.from.0.max(1), moment.to.0);
                files.files.push((Path::new("project").join(&name.stem).join(format!("{project}.cfg")), range));
                writeln!(text, "\"{}\" \"{project}\"", name.stem)
            }
            Tool::Q2pro => {
                name.must_be_a_word()?;
                // Frames, ten a second, behind the point.
                let tenths = moment.from.0.max(0) / 100;
                let at = format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10);
                writeln!(text, "// {what}; {:.1} s\nalias moment_{number} \"demo {}; wait; seek {at}\"", seconds as f32 / 1000.0, name.file)
            }
            Tool::Ezquake => {
                name.must_be_a_word()?;
                let from = moment.from.0.max(0) / 1000;
                let length = seconds.div_ceil(1000) + 1;
                writeln!(text, "// {what}; to capture it: demo_capture start {length}").and_then(|()| {
                    writeln!(text, "alias moment_{number} \"alias f_spawn seek_{number}; playdemo {}\"", name.file)?;
                    writeln!(text, "alias seek_{number} \"unalias f_spawn; demo_jump {}:{:02}\"", from / 60, from % 60)
                })
            }
            Tool::Hlae => {
                name.must_be_a_word()?;
                writeln!(text, "// {what}; {} to {}", moment.from, moment.to).and_then(|()| {
                    let stem = &name.stem;
                    writeln!(text, "alias moment_{number} \"mirv_movie_filename {stem}_{number}; mirv_movie_playdemostop 1; playdemo {stem}\"")
                })
            }
        };
        files.files[0].1.push_str(&text);
        Ok(())
    }
}

impl Files {
    /// The name of a copy that the program takes; no other recording has it.
    fn copy(&mut self, found: &Found, name: &Name, taken: &HashSet<String>) -> Name {
        if let Some((_, known)) = self.copies.iter().find(|(path, _)| *path == found.path) {
            return Name::new(known);
        }
        let safe = |text: &str| text.chars().map(|c| if is_safe(c) { c } else { '_' }).collect::<String>();
        let (stem, extension) = (safe(&name.stem), safe(&name.file[name.stem.len()..]));
        let stem = Some(stem.trim_start_matches(['-', '.'])).filter(|stem| !stem.is_empty()).unwrap_or("recording");
        let numbered = (2..).map(|number: u32| format!("{stem}_{number}{extension}"));
        let is_free = |name: &String| !taken.contains(name) && self.copies.iter().all(|(_, copy)| copy != name);
        let free = std::iter::once(format!("{stem}{extension}")).chain(numbered).find(is_free).unwrap_or_default();
        self.copies.push((found.path.clone(), free.clone()));
        Name::new(&free)
    }
}

fn is_safe(c: char) -> bool {
    c.is_alphanumeric() || "-_+.@".contains(c)
}

/// What a recording is called where programs look for it.
struct Name {
    file: String,
    stem: String,
}

impl Name {
    fn of(path: &Path) -> Result<Self, &'static str> {
        let file = path.file_name().and_then(|name| name.to_str()).ok_or("in a recording whose name is not UTF-8")?;
        let file = file.strip_suffix(".gz").unwrap_or(file);
        if file.contains(|c: char| c.is_control() || c == '"') {
            return Err("in a recording whose name the program cannot read");
        }
        Ok(Name::new(file))
    }

    fn new(file: &str) -> Self {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        Name { file: file.to_owned(), stem: stem.to_owned() }
    }

    /// Whether no shell acts on it: scripts that read these lists pass names to one without quotes. A leading `-` would be
    /// an option, and a leading `.` may leave the folder that the name is put behind.
    fn is_safe_in_a_shell(&self) -> bool {
        self.file.chars().all(is_safe) && !self.file.starts_with(['-', '.'])
    }

    /// Refuses what a console takes apart.
    fn must_be_a_word(&self) -> Result<(), &'static str> {
        let is_word = !self.file.contains(|c: char| c.is_whitespace() || ";$%'\\".contains(c)) && !self.file.contains("//");
        if is_word { Ok(()) } else { Err("in a recording whose name the program cannot read") }
    }
}
