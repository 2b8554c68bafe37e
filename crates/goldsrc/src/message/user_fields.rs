//! User messages that several answers read (`docs/formats/goldsrc.md`, "User messages"). A message that is too short for its fields gives
//! `None`; mods may append fields.

use crate::game_text::clean;
use crate::message::payload::Payload;

/// `TeamInfo`: the slot, and the name of the team.
pub(crate) fn team_info(data: &[u8]) -> Option<(u8, String)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?.checked_sub(1)?, clean(payload.string()?)))
}

/// The sides of Day of Defeat, by number.
pub(crate) fn side(number: u8) -> Option<&'static str> {
    match number {
        1 => Some("Allies"),
        2 => Some("Axis"),
        3 => Some("Spectators"),
        _ => None,
    }
}

/// `PTeam` of Day of Defeat: the slot, and the side.
pub(crate) fn player_team(data: &[u8]) -> Option<(u8, &'static str)> {
    let (number, team) = pair(data)?;
    Some((number.checked_sub(1)?, side(team)?))
}

/// `ScoreInfo`, `ScoreShort`: the slot, frags, deaths.
pub(crate) fn score(data: &[u8]) -> Option<(u8, i32, i32)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?.checked_sub(1)?, i32::from(payload.short()?), i32::from(payload.short()?)))
}

/// `WeaponList`: name, ammunition types and their limits, menu position, number, flags.
pub(crate) struct ListedWeapon {
    pub id: u8,
    pub name: String,
    /// The type of its first ammunition.
    pub ammo: Option<u8>,
}

pub(crate) fn weapon_list(data: &[u8]) -> Option<ListedWeapon> {
    let mut payload = Payload::new(data);
    let name = clean(payload.string()?);
    let ammo = *payload.rest().first()?;
    Some(ListedWeapon { id: *payload.rest().get(6)?, name, ammo: (ammo != u8::MAX).then_some(ammo) })
}

/// `CurWeapon`: the state (1 means in hand), the number, and the rounds in the magazine if it has one.
pub(crate) fn current_weapon(data: &[u8]) -> Option<(u8, u8, Option<u8>)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?, payload.byte()?, payload.byte().filter(|&clip| clip != u8::MAX)))
}

/// Two bytes: slot and value in `ScoreAttrib` and `Spectator`, ammunition type and amount in `AmmoX`.
pub(crate) fn pair(data: &[u8]) -> Option<(u8, u8)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?, payload.byte()?))
}
