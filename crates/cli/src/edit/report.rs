//! What was done, lost and found, for people and for machines.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fragreel::Demo;
use fragreel::edit::{Checked, Edited, packed};
use fragreel::model::Damage;
use serde::Serialize;

use super::Against;
use super::destination::Options;
use crate::command::describe;
use crate::input::{self, STDIN};
use crate::json;
use crate::output::printable;
use crate::shell::{Ink, Outcome, Shell};

/// A result and what its check found.
pub struct Finding {
    /// The result.
    pub edited: Edited,
    /// The check.
    pub checked: Checked,
    /// Whether it is whole.
    pub whole: bool,
    /// Whether its frames are as they should be.
    pub alike: bool,
    /// Whether it may be put in place.
    pub may_stand: bool,
    /// What it was compared with.
    pub against: Against,
    /// Whether it is the source, byte for byte.
    pub unchanged: bool,
}

impl Finding {
    /// What it says of the exit code.
    pub fn outcome(&self) -> Outcome {
        Outcome::damaged(!(self.whole && self.alike))
    }

    /// The bytes as gzip where the target's name says so.
    pub fn packed_for(&self, target: Option<&Path>) -> Option<Vec<u8>> {
        let name = target?.to_string_lossy().to_ascii_lowercase();
        name.ends_with(".gz").then(|| packed(&self.edited.bytes))
    }

    /// The first map in it.
    pub fn map(&self) -> String {
        let demo = Demo::new(&self.edited.bytes[..], &format!("x.{}", self.edited.extension)).ok();
        let maps = demo.as_ref().and_then(|demo| demo.open().ok()).map(|recording| recording.info().maps).unwrap_or_default();
        let map = maps.into_iter().next().unwrap_or_default();
        map.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '+') { c } else { '_' }).collect()
    }
}

/// Reports results: on standard output, or on standard error where the result itself goes there.
pub struct Report<'a> {
    shell: &'a Shell,
    paths: &'a [PathBuf],
    json: bool,
    results: usize,
    shown: usize,
    output: Box<dyn Write>,
}

/// A result as docs/json.md describes it.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
    output: Option<String>,
    format: &'a str,
    bytes: usize,
    actions: &'a [String],
    losses: &'a [String],
    frames_compared: u64,
    frames_differing: u64,
    differences: &'a [String],
    whole: bool,
    damage: &'a [Damage],
}

impl<'a> Report<'a> {
    pub fn new(shell: &'a Shell, paths: &'a [PathBuf], options: &Options, results: usize) -> Self {
        let to_stdout = options.destination.is_stdout();
        let output: Box<dyn Write> = if to_stdout { Box::new(io::stderr()) } else { Box::new(crate::output::stdout()) };
        Report { shell, paths, json: options.json, results, shown: 0, output }
    }

    /// Reports one result, which was written to `target` with `bytes` bytes, or nowhere.
    pub fn add(&mut self, finding: &Finding, target: Option<&Path>, bytes: usize) -> io::Result<()> {
        if self.json {
            return self.line(finding, target, bytes);
        }
        let Finding { edited, checked, .. } = finding;
        if self.results > 1 {
            self.shown += 1;
            let heading = format!("{} of {}", self.shown, self.results);
            writeln!(self.output, "{}{}", if self.shown > 1 { "\n" } else { "" }, self.shell.paint(Ink::Strong, heading))?;
        }
        if finding.unchanged {
            writeln!(self.output, "nothing had to be done to {}", printable(&self.paths[0].to_string_lossy()))?;
        }
        for action in &edited.actions {
            writeln!(self.output, "{}", printable(action))?;
        }
        for loss in &edited.losses {
            writeln!(self.output, "lost: {}", printable(loss))?;
        }
        writeln!(self.output, "{}", compared(finding))?;
        if !finding.alike {
            for difference in &checked.comparison.differences {
                writeln!(self.output, "  {}", printable(difference))?;
            }
        }
        if let Some(target) = target.filter(|target| *target != Path::new(STDIN)) {
            writeln!(self.output, "wrote {}, {bytes} bytes", printable(&target.to_string_lossy()))?;
            if let Some(remark) = misnamed(target, &edited.extension) {
                writeln!(self.output, "{remark}")?;
            }
        }
        self.verdict(finding)
    }

    fn verdict(&mut self, finding: &Finding) -> io::Result<()> {
        let verdict = match (finding.whole, finding.alike) {
            (true, true) => self.shell.paint(Ink::Good, "the result is whole"),
            (true, false) => self.shell.paint(Ink::Bad, "the result is whole, but not what it should be"),
            (false, _) => {
                let first = finding.checked.verification.damage.first().map(|damage| format!(": {}", printable(&describe(damage)))).unwrap_or_default();
                self.shell.paint(Ink::Bad, format!("the result is not whole{first}"))
            }
        };
        writeln!(self.output, "{verdict}")?;
        if !finding.may_stand {
            writeln!(self.output, "nothing was written; that is a fault of Fragreel's, please report it (--unsound writes it all the same)")?;
        }
        Ok(())
    }

    fn line(&mut self, finding: &Finding, target: Option<&Path>, bytes: usize) -> io::Result<()> {
        let Finding { edited, checked, whole, .. } = finding;
        let text = |path: &Path| input::name(path);
        let line = Line {
            path: text(&self.paths[0]),
            with: self.paths[1..].iter().map(|path| text(path)).collect(),
            output: target.map(text),
            format: &edited.extension,
            bytes,
            actions: &edited.actions,
            losses: &edited.losses,
            frames_compared: checked.comparison.frames,
            frames_differing: checked.comparison.differing,
            differences: &checked.comparison.differences,
            whole: *whole,
            damage: &checked.verification.damage,
        };
        json::line(&mut self.output, &line)
    }

    /// Makes sure that everything is out.
    pub fn finish(mut self) -> io::Result<()> {
        self.output.flush()
    }
}

fn compared(finding: &Finding) -> String {
    let (frames, differing) = (finding.checked.comparison.frames, finding.checked.comparison.differing);
    let what = if frames == 1 { "frame" } else { "frames" };
    let with = if finding.against == Against::Parts { "the parts" } else { "the source" };
    match differing {
        _ if frames == 0 => format!("no frames to compare with {with}"),
        0 => format!("{frames} {what} compared with {with}, none differs"),
        _ if finding.alike => format!("{frames} {what} compared with {with}, {differing} differ on purpose"),
        _ => format!("{frames} {what} compared with {with}, {differing} differ"),
    }
}

/// Games choose how to read a recording by its name.
fn misnamed(target: &Path, extension: &str) -> Option<String> {
    let name = target.to_string_lossy().to_ascii_lowercase();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let fits = plain.rsplit_once('.').is_some_and(|(_, given)| given == extension);
    (!fits).then(|| format!("remark: games look for such a recording under a name that ends in .{extension}"))
}
