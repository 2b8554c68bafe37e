//! Lines about flags, and KTX's death types (`docs/formats/quake1.md`, "Events").

use std::borrow::Cow;

use fragreel_model::FlagAction;

use crate::characters;
use crate::state::Game;

/// The flag event of a line: the player's name, the action, and the flag's team.
pub fn flag<'l>(game: &Game, line: &'l [u8]) -> Option<(&'l [u8], FlagAction, Cow<'static, str>)> {
    const ACTIONS: &[(&str, FlagAction)] = &[
        (" got the ", FlagAction::Taken),
        (" took the ", FlagAction::Taken),
        (" has the ", FlagAction::Taken),
        (" has taken the ", FlagAction::Taken),
        (" dropped the ", FlagAction::Dropped),
        (" lost the ", FlagAction::Dropped),
        (" returned the ", FlagAction::Returned),
        (" captured the ", FlagAction::Captured),
        (" capped the ", FlagAction::Captured),
    ];
    let end = game.roster.iter().filter(|(_, person)| line.starts_with(&person.name)).map(|(_, person)| person.name.len()).max()?;
    let (name, rest) = line.split_at(end);
    let rest = characters::clean(rest).to_ascii_lowercase();
    let (action, of) = ACTIONS.iter().find_map(|(phrase, action)| Some((*action, rest.strip_prefix(phrase)?)))?;
    let team = of.split(" flag").next().filter(|team| of.contains(" flag") && !team.is_empty() && !team.contains(' '))?;
    Some((name, action, Cow::Owned(team.to_owned())))
}

/// KTX's death types in its own order.
const DEATH_TYPES: [&str; 29] = [
    "none",
    "axe",
    "sg",
    "ssg",
    "ng",
    "sng",
    "gl",
    "rl",
    "lg",
    "discharge",
    "discharge",
    "hook",
    "changelevel",
    "lava",
    "slime",
    "drown",
    "fall",
    "stomp",
    "tele",
    "tele",
    "tele",
    "tele",
    "explobox",
    "laser",
    "fireball",
    "squish",
    "trigger",
    "suicide",
    "unknown",
];

/// The name of a death type.
pub fn death_type(number: u16) -> Option<&'static str> {
    DEATH_TYPES.get(usize::from(number)).copied()
}
