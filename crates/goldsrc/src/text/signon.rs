//! Messages that a game begins with.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::{Vocabulary, WireError};

use super::message::{MessageContext, MessageForm, checksum};
use super::value::{digits, field, number, padding, terminated};
use crate::dialect::Vac;
use crate::fields::description::{FieldDescription, MAX_FIELDS, TYPES};
use crate::message::munge;
use crate::message::{Proof, ResourceList, SendExtraInfo, ServerInfo, ServerInfoTail, mask_bytes};
use crate::scalars::Str;
use crate::scalars::form::ValueForm;

impl MessageForm for ServerInfo {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        let rules = context.scope.context.rules;
        f.object(|f| {
            field(f, "protocol", &mut self.protocol)?;
            field(f, "spawn_count", &mut self.spawn_count)?;
            let crc = checksum(f, self.munged_crc, self.player_number)?;
            digits(f, "client_dll_md5", &mut self.client_dll_md5)?;
            field(f, "max_clients", &mut self.max_clients)?;
            field(f, "player_number", &mut self.player_number)?;
            self.munged_crc = munge::munge(crc, self.player_number);
            field(f, "deathmatch", &mut self.deathmatch)?;
            field(f, "game", &mut self.game)?;
            if rules.host_name {
                field(f, "host_name", self.host_name.get_or_insert_default())?;
            }
            field(f, "map", &mut self.map)?;
            if rules.map_cycle_optional && f.key("extra_info", matches!(self.tail, ServerInfoTail::ExtraInfo(_)))? {
                let mut info = match &mut self.tail {
                    ServerInfoTail::ExtraInfo(info) => std::mem::take(info),
                    ServerInfoTail::MapCycle { .. } => SendExtraInfo::default(),
                };
                info.value_form(f, None).map_err(|error| error.inside("extra_info", None))?;
                self.tail = ServerInfoTail::ExtraInfo(info);
                return Ok(());
            }
            if F::READING {
                self.tail = ServerInfoTail::default();
            }
            let ServerInfoTail::MapCycle { cycle, vac, block } = &mut self.tail else { return Ok(()) };
            field(f, "map_cycle", cycle)?;
            let taken = rules.map_cycle_optional && cycle.0.first().copied().map(u32::from) == Some(crate::message::SEND_EXTRA_INFO);
            f.insist(!taken, "a map cycle cannot start with the byte 54 here, which says that there is none")?;
            if rules.vac == Vac::Absent {
                return Ok(());
            }
            f.unless("vac", vac, 0)?;
            f.hex_unless_empty("vac_block", block)?;
            let fits = match (*vac, rules.vac) {
                (0, _) | (_, Vac::Absent) => block.is_empty(),
                (_, Vac::Fixed(length)) => block.len() == length,
                (_, Vac::Counted) => block.first().is_some_and(|&count| block.len() == 1 + usize::from(count) + 16),
            };
            f.insist(fits, "the security module's part has another length")
        })
    }
}

/// Types of fields by their bit.
struct Types;

impl Vocabulary for Types {
    fn name(&self, number: u32) -> Option<&str> {
        TYPES.iter().find(|(bit, _)| *bit == number).map(|(_, name)| *name)
    }

    fn number(&self, name: &str) -> Option<u32> {
        TYPES.iter().find(|(_, known)| *known == name).map(|(bit, _)| *bit)
    }
}

/// The sign's bit in a field's type.
const SIGNED: u32 = 1 << 31;
/// What multipliers are sent in.
const MULTIPLIER: f64 = 1.0 / 4000.0;

impl MessageForm for crate::fields::description::DeltaDescription {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "name", &mut self.name)?;
            f.list("fields", &mut self.fields, |f, described| f.object(|f| described.members(f)))?;
            f.expect(self.fields.len() <= MAX_FIELDS, "a delta description has at most 56 fields")?;
            padding(f, &mut self.padding)
        })
    }
}

impl FieldDescription {
    /// A field that is not there is not sent, and zero.
    fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let before = if F::READING { 0 } else { self.mask };
        let mut sent = before;
        if F::READING {
            *self = FieldDescription::default();
        }
        let mut key = |f: &mut F, bit: u32, name| {
            let there = f.key(name, before >> bit & 1 != 0)?;
            sent |= u64::from(there) << bit;
            Ok::<bool, F::Error>(there)
        };
        if key(f, 1, "name")? {
            f.text(&mut self.field_name.0)?;
            terminated(f, &self.field_name.0)?;
        }
        if key(f, 0, "type")? {
            let mut signed = self.field_type & SIGNED != 0;
            let bare = f.word(self.field_type & !SIGNED, !SIGNED, &Types)?;
            f.unless("signed", &mut signed, false)?;
            self.field_type = bare | if signed { SIGNED } else { 0 };
        }
        if key(f, 2, "offset")? {
            self.field_offset = f.int(self.field_offset.into(), 0, u16::MAX.into())? as u32;
        }
        if key(f, 3, "size")? {
            self.field_size = f.int(self.field_size.into(), 0, u8::MAX.into())? as u32;
        }
        if key(f, 4, "bits")? {
            self.significant_bits = f.int(self.significant_bits.into(), 0, u8::MAX.into())? as u32;
        }
        if key(f, 5, "premultiply")? {
            self.premultiply = f.scaled(self.premultiply.into(), MULTIPLIER, 0, u32::MAX.into())? as u32;
        }
        if key(f, 6, "postmultiply")? {
            self.postmultiply = f.scaled(self.postmultiply.into(), MULTIPLIER, 0, u32::MAX.into())? as u32;
        }
        if F::READING {
            (self.mask, self.mask_bytes) = (sent, mask_bytes(sent));
        }
        let needed = mask_bytes(sent);
        f.unless("mask_bytes", &mut self.mask_bytes, needed)?;
        f.insist((needed..8).contains(&self.mask_bytes), "a mask has at least the bytes that its fields need, and at most 7")
    }
}

static PROOFS: LazyLock<Names> = LazyLock::new(|| Names::new(["after", "at"]));

impl MessageForm for ResourceList {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            f.list("resources", &mut self.resources, |f, resource| f.object(|f| resource.members(f)))?;
            f.expect(self.resources.len() < 1 << 12, "there are at most 4095 resources")?;
            if f.key("consistency", self.consistency.is_some())? {
                let proofs = self.consistency.get_or_insert_default();
                let count = f.items(proofs.len(), |f, at| {
                    if F::READING {
                        proofs.truncate(at);
                        proofs.push(Proof::At(0));
                    }
                    proofs[at].form(f)
                })?;
                proofs.truncate(count);
            } else {
                self.consistency = None;
            }
            padding(f, &mut self.padding)
        })
    }
}

impl Proof {
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let (which, places) = match *self {
            Proof::After(places) => (0, places.into()),
            Proof::At(place) => (1, place),
        };
        f.variant(&PROOFS, which, |f, which| {
            *self = match which {
                0 => Proof::After(f.int(places.into(), 0, 31)? as u8),
                _ => Proof::At(f.int(places.into(), 0, 1023)? as u16),
            };
            Ok(())
        })
    }
}

impl MessageForm for crate::message::Pings {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            f.list("pings", &mut self.pings, |f, ping| {
                f.object(|f| {
                    ping.slot = number(f, "slot", ping.slot.into(), 5)? as u8;
                    ping.ping = number(f, "ping", ping.ping.into(), 12)? as u16;
                    ping.loss = number(f, "loss", ping.loss.into(), 7)? as u8;
                    Ok(())
                })
            })?;
            padding(f, &mut self.padding)
        })
    }
}

/// Text of a command, where it is one string; else the bytes.
pub(super) fn string_or_bytes<F: Form>(f: &mut F, text: &'static str, bytes: &'static str, data: &mut Vec<u8>) -> Result<(), F::Error> {
    let string = data.split_last().filter(|(last, rest)| **last == 0 && !rest.contains(&0));
    if f.key(text, string.is_some())? {
        let mut string = Str(string.map_or_else(Vec::new, |(_, rest)| rest.to_vec()));
        string.value_form(f, None).map_err(|error| error.inside(text, None))?;
        *data = string.0;
        data.push(0);
        return Ok(());
    }
    f.hex_unless_empty(bytes, data)
}
