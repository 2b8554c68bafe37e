//! The fields of user messages that several questions need (`docs/formats/goldsrc.md`, "User messages"). A message that is too short
//! for its fields means nothing; mods append fields.

use crate::game_text::clean;
use crate::message::payload::Payload;

/// `TeamInfo`: the slot, and what the team is called.
pub(crate) fn team_info(data: &[u8]) -> Option<(u8, String)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?.checked_sub(1)?, clean(payload.string()?)))
}

/// `ScoreInfo`, `ScoreShort`: the slot, frags, deaths.
pub(crate) fn score(data: &[u8]) -> Option<(u8, i32, i32)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?.checked_sub(1)?, i32::from(payload.short()?), i32::from(payload.short()?)))
}

/// `WeaponList`: name, ammunition types and most of each, place in the menu, number, flags.
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

/// `CurWeapon`: the state (1 is in hand), the number, and what its magazine holds, if it has one.
pub(crate) fn current_weapon(data: &[u8]) -> Option<(u8, u8, Option<u8>)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?, payload.byte()?, payload.byte().filter(|&clip| clip != u8::MAX)))
}

/// A slot and one number behind it: `ScoreAttrib`, `Spectator`, and, where the number is of a type and not of a slot, `AmmoX`.
pub(crate) fn pair(data: &[u8]) -> Option<(u8, u8)> {
    let mut payload = Payload::new(data);
    Some((payload.byte()?, payload.byte()?))
}
