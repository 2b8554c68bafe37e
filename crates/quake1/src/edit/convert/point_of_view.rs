//! Finds the player of a point of view.

use fragreel_base::wire::Error;

use crate::characters;

use crate::encode::usage::Usage;

/// The slot of a point of view: a slot number, or a name with or without colors. Where one player alone plays, it is his by default.
pub(super) fn point_of_view(usage: &Usage, pov: Option<&str>) -> Result<u8, Error> {
    let players = || {
        let list = usage.people.iter().filter(|(_, (_, plays))| *plays);
        let name = |names: &[Vec<u8>]| names.last().map_or_else(String::new, |name| characters::clean(name));
        list.map(|(slot, (names, _))| format!("{slot} ({})", name(names))).collect::<Vec<_>>().join(", ")
    };
    let Some(pov) = pov else {
        let mut playing = usage.people.iter().filter(|(_, (_, plays))| *plays).map(|(slot, _)| *slot);
        if let (Some(slot), None) = (playing.next(), playing.next()) {
            return Ok(slot);
        }
        return Err(Error::misuse(format!("a client's recording needs a point of view: name one of the players {}", players())));
    };
    if let Some(slot) = pov.parse().ok().filter(|slot| usage.people.get(slot).is_some_and(|(_, plays)| *plays)) {
        return Ok(slot);
    }
    let wanted = characters::clean(pov.as_bytes()).to_lowercase();
    let is_he = |name: &Vec<u8>| characters::text(name).raw == pov || characters::clean(name).to_lowercase() == wanted;
    let found = usage.people.iter().find(|(_, (names, plays))| *plays && names.iter().any(is_he));
    found.map(|(slot, _)| *slot).ok_or_else(|| Error::misuse(format!("no player is `{pov}`; there are {}", players())))
}
