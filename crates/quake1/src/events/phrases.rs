//! Lines about flags, and KTX's death types (`docs/formats/quake1.md`, "Events").

use std::borrow::Cow;

use fragreel_model::FlagAction;

use crate::characters;
use crate::state::Game;

/// What a line says of a flag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FlagLine<'l> {
    /// The player's name.
    pub name: Option<&'l [u8]>,
    pub action: FlagAction,
    /// The flag's team.
    pub team: Cow<'static, str>,
}

/// The flag event of a line.
pub(super) fn flag<'l>(game: &Game, line: &'l [u8]) -> Option<FlagLine<'l>> {
    let named = game.roster.iter().filter(|(_, person)| line.starts_with(&person.name)).max_by_key(|(_, person)| person.name.len());
    let Some((_, person)) = named else {
        let text = characters::clean(line).to_ascii_lowercase();
        let team = text.strip_prefix("the ")?.strip_suffix(" flag has been returned")?;
        return Some(FlagLine { name: None, action: FlagAction::Returned, team: Cow::Owned(color(team)?.to_owned()) });
    };
    let (name, rest) = line.split_at(person.name.len());
    let (action, team) = of_player(&characters::clean(rest).to_ascii_lowercase(), &characters::clean(&person.team).to_ascii_lowercase())?;
    Some(FlagLine { name: Some(name), action, team: Cow::Owned(team) })
}

/// What the line says behind a player's name, in lower case, and the flag's team. `own` is the player's team.
fn of_player(rest: &str, own: &str) -> Option<(FlagAction, String)> {
    const ACTIONS: &[(&str, FlagAction)] = &[
        (" got the ", FlagAction::Taken),
        (" took the ", FlagAction::Taken),
        (" has the ", FlagAction::Taken),
        (" has taken the ", FlagAction::Taken),
        (" stole the ", FlagAction::Taken),
        (" dropped the ", FlagAction::Dropped),
        (" lost the ", FlagAction::Dropped),
        (" returned the ", FlagAction::Returned),
        (" captured the ", FlagAction::Captured),
        (" capped the ", FlagAction::Captured),
    ];
    let other = |team: &str| Some(if color(team)? == "red" { "blue" } else { "red" }.to_owned());
    if let Some(winner) = rest.strip_prefix(" cap's the flag for the ").and_then(|rest| rest.strip_suffix(" team.")) {
        return Some((FlagAction::Captured, other(winner)?));
    }
    for (verb, action) in [(" got ", FlagAction::Taken), (" dropped ", FlagAction::Dropped)] {
        if let Some(team) = rest.strip_prefix(verb).and_then(|rest| rest.strip_suffix("'s flag")).and_then(color) {
            return Some((action, team.to_owned()));
        }
    }
    let (action, of) = ACTIONS.iter().find_map(|(phrase, action)| Some((*action, rest.strip_prefix(phrase)?)))?;
    // KTX answers so who asks where the flags are
    if rest.starts_with(" has the ") && of.trim_end().ends_with("flag.") {
        return None;
    }
    let team = of.split(" flag").next().filter(|team| of.contains(" flag") && !team.is_empty() && !team.contains(' '))?;
    // "enemy" is no team
    Some((action, if team == "enemy" { other(own)? } else { team.to_owned() }))
}

/// A team of Capture the Flag.
fn color(team: &str) -> Option<&str> {
    matches!(team, "red" | "blue").then_some(team)
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
pub(super) fn death_type(number: u16) -> Option<&'static str> {
    DEATH_TYPES.get(usize::from(number)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_the_line() {
        let of = of_player;
        let is = |action, team: &str| Some((action, team.to_owned()));
        assert_eq!(of(" got the blue flag!", "red"), is(FlagAction::Taken, "blue"));
        assert_eq!(of(" stole the red flag!", "blue"), is(FlagAction::Taken, "red"));
        assert_eq!(of(" got red's flag", ""), is(FlagAction::Taken, "red"));
        assert_eq!(of(" dropped blue's flag", ""), is(FlagAction::Dropped, "blue"));
        assert_eq!(of(" cap's the flag for the blue team.", ""), is(FlagAction::Captured, "red"));
        assert_eq!(of(" has taken the enemy flag!", "red"), is(FlagAction::Taken, "blue"));
        assert_eq!(of(" has taken the enemy flag!", "dragons"), None, "which flag is not known");
        assert_eq!(of(" has the red flag.", "blue"), None, "an answer about where it is");
        assert_eq!(of(" was incinerated by the flag's heat", "blue"), None);
    }
}
