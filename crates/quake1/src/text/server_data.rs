//! What a server states at the start of a level, and its lists of files.

use fragreel_base::textform::{Form, Leaf};
use fragreel_base::wire::WireError;

use crate::dialect::{Dialect, pext1, pext2};
use crate::fields::names::GAME_TYPES;
use crate::message::{Extension, FileList, ServerData, ServerInfo, Version, WideFileList};
use crate::text::rules::Rules;
use crate::text::value::{AsText, elements, field, field_if, named};

/// A key of four letters or digits, and what follows it.
fn extension<F: Form>(f: &mut F, pair: &mut Extension) -> Result<(), F::Error> {
    f.object(|f| {
        let mut key = pair.key.to_le_bytes().to_vec();
        f.require("key")?;
        f.text(&mut key)?;
        let four = key.first_chunk().filter(|four| key.len() == 4 && four.iter().all(u8::is_ascii_alphanumeric));
        f.insist(four.is_some(), "expected four letters or digits")?;
        pair.key = four.map_or(0, |four| u32::from_le_bytes(*four));
        f.field("value", &mut pair.value)?;
        f.hex_unless_empty("data", &mut pair.data)?;
        f.insist(pair.data.is_empty() || pair.key == Extension::VARIABLE, "only `vlen` has data")
    })
}

fn version<F: Form>(f: &mut F, pairs: &mut Vec<Extension>, protocol: &mut u32) -> Result<(), F::Error> {
    f.field("protocol", protocol)?;
    f.insist(!Extension::is_key(*protocol), "this number is an extension's key")?;
    if !f.key("extensions", !pairs.is_empty())? {
        pairs.clear();
        return Ok(());
    }
    elements(f, pairs, 64, "a server states more than 64 extensions", extension).map_err(|error| error.inside("extensions", None))
}

impl AsText for ServerData {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            version(f, &mut self.extensions, &mut self.protocol)?;
            f.insist(Dialect::is_quakeworld_protocol(self.protocol), "no protocol of QuakeWorld")?;
            field(f, "server_count", &mut self.server_count, r)?;
            field(f, "gamedir", &mut self.gamedir, r)?;
            self.who(f, r)?;
            field(f, "level", &mut self.level, r)?;
            if Dialect::states_move_vars(self.protocol) {
                f.require("move_vars")?;
                f.object(|f| {
                    for (name, value) in self.move_vars.fields() {
                        field(f, name, value, r)?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    }
}

impl ServerData {
    /// Who the client is.
    fn who<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let [has1, has2, _] = Dialect::masks(&self.extensions);
        let max_players = has2 & pext2::MAXPLAYERS != 0;
        let slots = field_if(f, "slots", max_players, &mut self.slots, r)?;
        f.insist(slots == max_players, "`slots` belongs to an extension that says so")?;
        if r.d.is_multi_view() {
            self.players.clear();
            return field(f, "time", &mut self.time, r);
        }
        f.require("players")?;
        elements(f, &mut self.players, 255, "too many seats", |f, player| Leaf::form(player, f))?;
        let count = self.players.len();
        if slots {
            // how many there are may come with the mark of a spectator
            let counted = if has2 & pext2::VRINPUTS != 0 { 255 } else { 127 };
            let mut flags = self.seats & !counted;
            f.unless("seat_flags", &mut flags, 0)?;
            f.insist(count <= usize::from(counted) && flags & counted == 0, "too many seats")?;
            self.seats = flags | count as u8;
            return Ok(());
        }
        f.insist(count > 0, "there must be a player")?;
        let split = has1 & pext1::SPLITSCREEN != 0;
        f.insist(count == 1 || (split && count <= 8 && !self.players.iter().skip(1).any(|player| *player == Self::END_OF_SEATS)), "too many seats")
    }
}

impl AsText for Version {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| self.members(f, r))
    }
}

impl Version {
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        version(f, &mut self.extensions, &mut self.protocol)?;
        let has = Dialect::has_flag_word(self.protocol);
        let flags = field_if(f, "flags", has, &mut self.flags, r)?;
        if !flags {
            self.flags = 0;
        }
        f.insist(flags == has, "`flags` belongs to a protocol that has them")
    }
}

impl AsText for ServerInfo {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            self.version.members(f, r)?;
            f.insist(Dialect::is_netquake_protocol(self.version.protocol), "no protocol of NetQuake")?;
            let has = Dialect::masks(&self.version.extensions)[1] & pext2::PREDINFO != 0;
            let gamedir = field_if(f, "gamedir", has, &mut self.gamedir, r)?;
            if !gamedir {
                self.gamedir.0.clear();
            }
            f.insist(gamedir == has, "`gamedir` belongs to an extension that says so")?;
            field(f, "max_clients", &mut self.max_clients, r)?;
            named(f, "game_type", &mut self.game_type, &GAME_TYPES)?;
            field(f, "level", &mut self.level, r)?;
            field(f, "models", &mut self.models, r)?;
            field(f, "sounds", &mut self.sounds, r)
        })
    }
}

impl AsText for FileList {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            if !r.d.lists_have_index() {
                return field(f, "names", &mut self.names, r);
            }
            field(f, "first", &mut self.first, r)?;
            field(f, "names", &mut self.names, r)?;
            field(f, "next", &mut self.next, r)
        })
    }
}

impl AsText for WideFileList {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "first", &mut self.first, r)?;
            field(f, "names", &mut self.names, r)?;
            field(f, "next", &mut self.next, r)
        })
    }
}
