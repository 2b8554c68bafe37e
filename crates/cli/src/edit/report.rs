//! What was done, lost and found, for people and for machines.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fragreel::edit::{Checked, Edited, packed};
use fragreel::model::{Action, Damage, Loss};
use serde::Serialize;

use super::doing::{Against, Doing};
use crate::damage::describe;
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
    /// How many frames of a repaired recording it lacks.
    pub lacking: u64,
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
        Outcome::damaged(!(self.whole && self.alike && self.lacking == 0))
    }

    /// The bytes as gzip where the target's name says so.
    pub fn packed_for(&self, target: Option<&Path>) -> Option<Vec<u8>> {
        let name = target?.to_string_lossy().to_ascii_lowercase();
        name.ends_with(".gz").then(|| packed(&self.edited.bytes))
    }
}

/// Reports results: on standard output, or on standard error where the result itself goes there.
pub struct Report<'a> {
    shell: &'a Shell,
    json: bool,
    name: &'static str,
}

/// Which of how many results of one edit it is, from 1.
#[derive(Debug, Clone, Copy)]
pub struct Which {
    /// Its number.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// A result as docs/json.md describes it.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    edit: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
    output: Option<String>,
    format: &'a str,
    bytes: usize,
    actions: &'a [Action],
    action_kinds: Vec<&'static str>,
    losses: &'a [Loss],
    loss_kinds: Vec<&'static str>,
    frames_compared: u64,
    frames_differing: u64,
    differences: &'a [String],
    whole: bool,
    damage: &'a [Damage],
}

impl<'a> Report<'a> {
    pub fn new(shell: &'a Shell, json: bool, doing: &Doing) -> Self {
        Report { shell, json, name: doing.name }
    }

    /// Reports one result of an edit of `paths`, which was written to `target` with `bytes` bytes, or nowhere.
    pub fn add(&self, output: &mut dyn Write, paths: &[PathBuf], which: Which, finding: &Finding, target: Option<&Path>, bytes: usize) -> io::Result<()> {
        if self.json {
            return line(output, self.name, paths, finding, target, bytes);
        }
        let Finding { edited, checked, .. } = finding;
        if which.of > 1 {
            let heading = format!("{} of {}", which.number, which.of);
            writeln!(output, "{}{}", if which.number > 1 { "\n" } else { "" }, self.shell.paint(Ink::Strong, heading))?;
        }
        if finding.unchanged {
            writeln!(output, "{}: no changes needed", printable(&paths[0].to_string_lossy()))?;
        }
        for action in &edited.actions {
            writeln!(output, "{}", printable(&action.to_string()))?;
        }
        for loss in &edited.losses {
            writeln!(output, "lost: {}", printable(&loss.to_string()))?;
        }
        writeln!(output, "{}", compared(finding))?;
        if !finding.alike {
            for difference in &checked.comparison.differences {
                writeln!(output, "  {}", printable(difference))?;
            }
        }
        if let Some(target) = target.filter(|target| *target != Path::new(STDIN)) {
            writeln!(output, "wrote {}, {bytes} bytes", printable(&target.to_string_lossy()))?;
            if let Some(remark) = misnamed(target, &edited.extension) {
                writeln!(output, "{remark}")?;
            }
        }
        self.verdict(output, finding)
    }

    fn verdict(&self, output: &mut dyn Write, finding: &Finding) -> io::Result<()> {
        let verdict = match (finding.whole, finding.alike) {
            (true, _) if finding.lacking > 0 => {
                let frames = if finding.lacking == 1 { "1 frame that can be read" } else { &format!("{} frames that can be read", finding.lacking) };
                self.shell.paint(Ink::Bad, format!("the result is not whole: it lacks {frames}"))
            }
            (false, _) if !finding.checked.has_frames() => self.shell.paint(Ink::Bad, "the result is not whole: it has no frames"),
            (true, true) => self.shell.paint(Ink::Good, "the result is whole"),
            (true, false) => self.shell.paint(Ink::Bad, "the result is whole, but its frames differ from the source"),
            (false, _) if finding.checked.of_text_mode => {
                let verdict = "the result is not whole: a transfer in text mode changed the recording; copy it again in binary mode";
                self.shell.paint(Ink::Bad, verdict)
            }
            (false, _) if finding.checked.is_whole() => self.shell.paint(Ink::Bad, "the result is not whole: something that was to go is left"),
            (false, _) => {
                let first = finding.checked.verification.damage.first().map(|damage| format!(": {}", printable(&describe(damage)))).unwrap_or_default();
                self.shell.paint(Ink::Bad, format!("the result is not whole{first}"))
            }
        };
        writeln!(output, "{verdict}")?;
        if !finding.may_stand && finding.checked.is_whole() && !finding.whole {
            writeln!(output, "nothing was written (--unsound writes the result anyway)")?;
        } else if !finding.may_stand {
            writeln!(output, "nothing was written: this is a bug in Fragreel, please report it (--unsound writes the result anyway)")?;
        }
        Ok(())
    }
}

fn line(mut output: &mut dyn Write, edit: &str, paths: &[PathBuf], finding: &Finding, target: Option<&Path>, bytes: usize) -> io::Result<()> {
    let Finding { edited, checked, whole, .. } = finding;
    let text = |path: &Path| input::name(path);
    let line = Line {
        path: text(&paths[0]),
        edit,
        with: paths[1..].iter().map(|path| text(path)).collect(),
        output: target.map(text),
        format: &edited.extension,
        bytes,
        actions: &edited.actions,
        action_kinds: edited.actions.iter().map(Action::kind).collect(),
        losses: &edited.losses,
        loss_kinds: edited.losses.iter().map(Loss::kind).collect(),
        frames_compared: checked.comparison.frames,
        frames_differing: checked.comparison.differing,
        differences: &checked.comparison.differences,
        whole: *whole && finding.lacking == 0,
        damage: &checked.verification.damage,
    };
    json::line(&mut output, &line)
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
    (!fits).then(|| format!("remark: games expect the extension .{extension} for this recording"))
}
