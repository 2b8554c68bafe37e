//! A moment, where it is, and its reasons in words.

use std::path::PathBuf;
use std::sync::Arc;

use fragreel::edit::{Highlight, Reason, What};
use fragreel::model::{Family, common};

use super::level_clock::LevelClock;

/// A moment and where it is.
pub struct Found {
    /// The recording, as it is called in answers.
    pub name: String,
    /// The recording.
    pub path: PathBuf,
    /// Its family.
    pub family: Family,
    /// Its number: in the recording by time, or among the best.
    pub number: usize,
    /// The moment.
    pub moment: Highlight,
    /// The recording's level clock, where it was asked for.
    pub level_clock: Option<Arc<LevelClock>>,
}

/// A reason in a sentence.
pub fn sentence(reason: &Reason) -> String {
    let how = common::words_of_means;
    let who = reason.player.as_ref().map_or("somebody", |player| &player.name.clean);
    match &reason.what {
        What::Kills { kills: 1, .. } => format!("{who}: 1 kill"),
        What::Kills { kills, .. } => format!("{who}: {kills} kills in {:.1} s", (reason.until - reason.time).seconds()),
        What::MultiRail { victims, means } => {
            let victims: Vec<&str> = victims.iter().map(|victim| &*victim.name.clean).collect();
            format!("{who} killed {} by one shot: {}", victims.join(" and "), how(means))
        }
        What::Chat { text } => format!("{who}: \"{text}\""),
        What::Mark { text } if text.clean.is_empty() => String::from("mark"),
        What::Mark { text } => format!("mark: {text}"),
        What::Capture { team, carried: Some(carried), .. } => format!("{who} captured the {team} flag after {:.1} s", carried.seconds()),
        What::Capture { team, .. } => format!("{who} captured the {team} flag"),
        What::Distance { distance, victim, means } => format!("{who} killed {} from {distance:.0} units: {}", victim.name, how(means)),
        What::MidAir { victim, means, air } => format!("{who} killed {} after {:.1} s in the air: {}", victim.name, air.seconds(), how(means)),
        What::AirShot { victim, means, air } => format!("{who} hit {} after {:.1} s in the air: {}", victim.name, air.seconds(), how(means)),
        What::Flick { victim, means, turn } => format!("{who} killed {} after a turn of {turn:.0} degrees: {}", victim.name, how(means)),
        _ => who.to_owned(),
    }
}
