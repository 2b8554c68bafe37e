//! Messages: an object with one member, whose key is the message's name.

use fragreel_base::match_message;
use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use super::entity::Place;
use super::known::Known;
use super::rerelease::damage;
use super::values::{short_hex, text};
use super::{entity, player};
use crate::dialect::FrameHeader;
use crate::message::{Body, EntityDelta, Frame, GameState, Inventory, Message, MessageKind, Setting, messages};

/// The messages of a block or of what stands for one. `from`: the list, which grows from nothing on reading.
pub(super) fn list<F: Form>(f: &mut F, messages: &mut Vec<Message>, known: &mut Known) -> Result<(), F::Error> {
    let count = f.items(messages.len(), |f, at| Message::element(f, messages, at, known))?;
    messages.truncate(count);
    Ok(())
}

impl Message {
    /// The `at`th of a list of messages; those behind it are leftovers when it is read.
    fn element<F: Form>(f: &mut F, messages: &mut Vec<Message>, at: usize, known: &mut Known) -> Result<(), F::Error> {
        let numbering = known.dialect().numbering;
        let number = messages.get(at).and_then(|message| message.body.kind().number(numbering)).unwrap_or(0);
        let operations = known.operations;
        f.variant(operations, number.into(), |f, number| {
            if F::READING {
                let op = MessageKind::of(numbering, number as u8).unwrap_or(MessageKind::Nop);
                let fresh = messages.get(at).is_none_or(|message| message.body.kind() != op) || op == MessageKind::ServerData;
                if at >= messages.len() {
                    messages.push(Message::new(op.empty()));
                } else if fresh {
                    messages[at] = Message::new(op.empty());
                }
            }
            let name = messages[at].body.kind().name();
            messages[at].form(f, known).map_err(|error| error.inside(name, None))
        })
    }

    fn form<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        let before = F::READING.then(|| known.clone());
        let mut again = false;
        f.object(|f| {
            if let Some(before) = before.as_ref().filter(|_| again) {
                known.clone_from(before);
            }
            again = true;
            if known.dialect().unicasts() {
                let sent = f.key("client", self.unicast.is_some())?;
                let mut client = self.unicast.unwrap_or(0);
                if sent {
                    client = f.int(client.into(), 0, 255)? as u8;
                }
                self.unicast = sent.then_some(client);
            } else if F::READING {
                self.unicast = None;
            }
            self.body.members(f, known)?;
            known.learn(&self.body);
            Ok(())
        })
    }
}

impl Body {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        messages! { match_message { self as Body, form(f, known) else Ok(()) } }
    }
}

impl Setting {
    fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("index", &mut self.index)?;
        f.field("value", &mut self.value)
    }
}

impl EntityDelta {
    fn baseline_members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        self.baseline(f, known)?;
        self.announce_baseline(&mut known.context);
        Ok(())
    }
}

impl GameState {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        self.strings.members(f, known.dialect())?;
        self.baseline_members(f, known)
    }

    fn baseline_members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        entity::list(f, &mut self.baselines, known, Place::Kept)?;
        entity::end_mask(f, &mut self.end_mask, known)
    }
}

impl Inventory {
    fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.part("items", |f| {
            let present: Vec<usize> = if F::READING { Vec::new() } else { (0..256).filter(|&item| self.0[item] != 0).collect() };
            if F::READING {
                self.0 = [0; 256];
            }
            f.numbered(256, present.into_iter(), |f, item| {
                let count = &mut self.0[item & 255];
                *count = f.int((*count).into(), i16::MIN.into(), i16::MAX.into())? as i16;
                Ok(())
            })
        })
    }
}

impl Frame {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        let header = known.dialect().frame;
        if F::READING {
            let packed = self.packed.take();
            *self = Frame { packed, ..Frame::default() };
        }
        if header == FrameHeader::Packed {
            return self.packed_members(f, known);
        }
        self.packed = None;
        f.field("number", &mut self.number)?;
        if header == FrameHeader::Server {
            self.delta = -1;
            return Ok(());
        }
        f.unless("delta", &mut self.delta, -1)?;
        if header != FrameHeader::NoSuppress {
            f.unless("suppress", &mut self.suppress, 0)?;
        }
        short_hex(f, "areas", &mut self.areas)?;
        if header == FrameHeader::Relay {
            short_hex(f, "connected", &mut self.connected)?;
        }
        Ok(())
    }

    fn packed_members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        const NUMBERS: i64 = 1 << 27;
        f.require("number")?;
        self.number = f.int(self.number.into(), 0, NUMBERS - 1)? as i32;
        f.unless("delta", &mut self.delta, -1)?;
        let reachable = self.delta >= 0 && (0..=30).contains(&(i64::from(self.number) - i64::from(self.delta)));
        f.insist(self.delta == -1 || reachable, "the base of a frame lies at most 30 frames before it; -1 for none")?;
        f.unless("suppress", &mut self.suppress, 0)?;
        f.insist(self.suppress < 16, "the suppress count has four flags")?;
        short_hex(f, "areas", &mut self.areas)?;
        let (player, entities) = &mut **self.packed.get_or_insert_default();
        f.part("player", |f| player.members(f, known, player::Place::Packed))?;
        self.extra = (player.mask >> crate::fields::player::EXTRA) as u8;
        entities.members(f, known, Place::Frame)
    }
}
