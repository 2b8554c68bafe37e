//! `fragreel highlights`

use std::io;
use std::path::Path;

use fragreel::Recording;
use fragreel::edit::{Highlight, Highlights, Pattern, Reason, Wanted, What, highlights};
use fragreel::model::Milliseconds;
use serde::Serialize;

use super::{OnePath, describe};
use crate::edit::{self, Against, Doing, ManyOptions};
use crate::failure::{Failure, Stop};
use crate::output::{self, printable};
use crate::progress::Progress;
use crate::shell::{Outcome, Shell};
use crate::{input, json, table};

/// Find moments worth watching, and cut them out
///
/// Shows a list; with -o the moments are cut out, each into a recording of its own. Without wishes it looks for three kills by
/// one player within five seconds, and for flags brought home.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel highlights final.dm_68                               the list
  fragreel highlights final.dm_68 --kills 2 --within 3
      two kills within three seconds
  fragreel highlights final.dm_68 --chat lol,wtf --player Sarge
  fragreel highlights final.dm_68 --distance 1500 --mid-air
  fragreel highlights final.dm_68 -o moments
      cut out: moments/final_1.dm_68 and so on

Positions are known of whom the recording shows at that time. Who is in the
air, Quake III says of everybody, Quake II only of the player whose eyes it
shows, and other games not.

Exit codes: 0 all is well, 1 damage was found, 2 it could not be done.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    #[command(flatten)]
    wishes: Wishes,

    #[command(flatten)]
    options: ManyOptions,
}

/// What is looked for.
#[derive(clap::Args)]
struct Wishes {
    /// At least so many kills by one player
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    kills: Option<u16>,

    /// The time that they must fit in [default: 5 seconds]
    #[arg(long, value_name = "TIME")]
    within: Option<Milliseconds>,

    /// Chat that holds one of these words, separated by commas
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    chat: Vec<String>,

    /// Flags brought home
    #[arg(long)]
    captures: bool,

    /// Kills over so many of the game's units (a player is 56 high)
    #[arg(long, value_name = "UNITS")]
    distance: Option<f32>,

    /// Kills of somebody who has been in the air for half a second, or for so long
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "0.5")]
    mid_air: Option<Milliseconds>,

    /// Only what this player does: the name without colours, in any case, with
    /// `*` and `?` as wildcards; may be given several times
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Make one moment of those that overlap
    #[arg(long)]
    merge: bool,

    /// How much before a moment belongs to it
    #[arg(long, value_name = "TIME", default_value = "5")]
    before: Milliseconds,

    /// How much after it
    #[arg(long, value_name = "TIME", default_value = "3")]
    after: Milliseconds,
}

const DOING: Doing = Doing {
    now: "cutting the moments out",
    done: "cut like that",
    help: "Without -o the moments are only listed.",
    of_damaged: false,
    result: Against::Source,
};

/// What is looked for where nothing is said.
const KILLS: usize = 3;
const WITHIN: Milliseconds = Milliseconds(5000);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = self.file.path;
        let wanted = self.wishes.settle();
        if !self.options.write() {
            return list(shell, &path, &wanted, self.options.json());
        }
        edit::run(shell, std::slice::from_ref(&path), &self.options.settle()?, &DOING, |sources| {
            let found = highlights(sources[0], &wanted);
            if found.moments.is_empty() {
                return Err(Failure::new("there is nothing of that kind in it").help("Look for something else, or for less of it."));
            }
            let cut = |moment: &Highlight| sources[0].cut(moment.range()).map_err(|error| edit::failed(&DOING, &path, error));
            found.moments.iter().map(cut).collect()
        })
    }
}

impl Wishes {
    fn settle(self) -> Wanted {
        let mut wanted = Wanted::default();
        let nothing_said = self.kills.is_none() && self.chat.is_empty() && !self.captures && self.distance.is_none() && self.mid_air.is_none();
        let kills = self.kills.map(usize::from).or(nothing_said.then_some(KILLS));
        wanted.kills = kills.map(|kills| (kills, self.within.unwrap_or(WITHIN)));
        wanted.words = self.chat;
        wanted.captures = self.captures || nothing_said;
        wanted.distance = self.distance;
        wanted.mid_air = self.mid_air;
        wanted.players = self.player.iter().map(|name| Pattern::new(name)).collect();
        wanted.merge = self.merge;
        (wanted.before, wanted.after) = (self.before, self.after);
        wanted
    }
}

fn list(shell: &Shell, path: &Path, wanted: &Wanted, json: bool) -> Result<Outcome, Stop> {
    let demo = input::load(shell, path, false)?;
    let recording: Recording<'_> = demo.open().map_err(|error| input::not_opened(path, error))?.lenient(shell.lenient);
    let progress = Progress::new(shell, "looking for moments");
    let found = highlights(&recording, wanted);
    drop(progress);
    let mut output = output::stdout();
    if json {
        for (at, moment) in found.moments.iter().enumerate() {
            json::line(&mut output, &json::About { path: &input::name(path), answer: &Numbered { number: at + 1, moment } })?;
        }
    } else {
        show(shell, &mut output, &found)?;
    }
    output::finish(output)?;
    if let Some(first) = found.damage.first() {
        eprintln!("{}: {}", printable(&input::name(path)), printable(&describe(first)));
    }
    Ok(Outcome::damaged(!found.damage.is_empty()))
}

#[derive(Serialize)]
struct Numbered<'a> {
    number: usize,
    #[serde(flatten)]
    moment: &'a Highlight,
}

fn show(shell: &Shell, output: &mut impl io::Write, found: &Highlights) -> io::Result<()> {
    if found.moments.is_empty() {
        writeln!(output, "nothing of that kind is in it")?;
    }
    let mut rows = table::Rows::new(&["N", "FROM", "TO", "WHAT"]);
    for (at, moment) in found.moments.iter().enumerate() {
        let mut head = [(at + 1).to_string(), moment.from.to_string(), moment.to.to_string()];
        for reason in &moment.reasons {
            let [number, from, to] = std::mem::take(&mut head);
            rows.hold(vec![number, from, to, sentence(reason)]);
        }
    }
    rows.flush(shell, output)?;
    if found.unplaced > 0 {
        writeln!(output, "{} kills could not be judged: the recording does not say where they happened", found.unplaced)?;
    }
    Ok(())
}

fn sentence(reason: &Reason) -> String {
    let who = reason.player.as_ref().map_or("somebody", |player| &player.name.clean);
    match &reason.what {
        What::Kills { kills } => format!("{who}: {kills} kills in {:.1} s", (reason.until - reason.time).seconds()),
        What::Chat { text } => format!("{who}: \"{text}\""),
        What::Capture { team } => format!("{who} captured the {team} flag"),
        What::Distance { distance, victim, means } => format!("{who} killed {} from {distance:.0} units: {means}", victim.name),
        What::MidAir { victim, means } => format!("{who} killed {} in mid-air: {means}", victim.name),
        _ => who.to_owned(),
    }
}
