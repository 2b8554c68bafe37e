//! What stands around messages.

use fragreel_base::textform::{Form, Leaf};

use crate::container::{Container, Framing, Stamp, Target, UserCommand, kind};
use crate::fields::names::TARGETS;
use crate::message::{Float, PacketHeader};
use crate::text::lines::{BLOCK, COMMAND, SEQUENCES};
use crate::text::rules::Rules;
use crate::text::value::{AsText, buttons, field};

/// When a block was written: seconds on a clock, or milliseconds after the one before, which are left out when zero.
fn stamp<F: Form>(f: &mut F, time: &mut Stamp, r: &Rules) -> Result<(), F::Error> {
    match time {
        Stamp::At(seconds) => field(f, "time", seconds, r),
        Stamp::After(delay) => f.unless("after", delay, 0),
    }
}

fn view_angles<F: Form>(f: &mut F, angles: &mut [Float; 3], r: &Rules) -> Result<(), F::Error> {
    if f.key("view_angles", angles.iter().any(|angle| angle.0 != 0))? {
        return angles.form(f, r);
    }
    *angles = [Float(0); 3];
    Ok(())
}

/// The members of a block that stand for its framing.
pub(super) fn framing<F: Form>(f: &mut F, framing: &mut Framing, r: &Rules) -> Result<(), F::Error> {
    match framing {
        Framing::NetQuake { angles } => view_angles(f, angles, r),
        Framing::Packet { time: time @ Stamp::At(_), .. } => stamp(f, time, r),
        Framing::Packet { time, target } => {
            stamp(f, time, r)?;
            addressee(f, target)
        }
        Framing::Command { time, command, angles } => {
            stamp(f, time, r)?;
            user_command(f, command, r)?;
            view_angles(f, angles, r)
        }
        Framing::Sequences { time, outgoing, incoming } => {
            stamp(f, time, r)?;
            f.field("outgoing", outgoing)?;
            f.field("incoming", incoming)
        }
    }
}

/// To whom a block of a multi-view recording was sent.
fn addressee<F: Form>(f: &mut F, target: &mut Target) -> Result<(), F::Error> {
    const MOST_SLOT: u8 = 31;
    f.require("to")?;
    target.kind = f.word(target.kind.into(), kind::ALL.into(), &TARGETS)? as u8;
    f.insist(!matches!(target.kind, kind::COMMAND | kind::SET), "expected whom it is sent to")?;
    f.unless("slot", &mut target.slot, 0)?;
    f.insist(target.slot <= MOST_SLOT, "expected a slot from 0 to 31")?;
    if target.kind != kind::MULTIPLE {
        target.players = 0;
        return Ok(());
    }
    let mut players: Vec<u8> = (0..=MOST_SLOT).filter(|slot| target.players >> slot & 1 != 0).collect();
    f.require("players")?;
    let count = f.items(players.len(), |f, at| {
        if F::READING {
            f.expect(at <= usize::from(MOST_SLOT), "more players than there are slots")?;
            players.truncate(at);
            players.push(0);
        }
        players[at] = f.int(players[at].into(), 0, MOST_SLOT.into())? as u8;
        Ok(())
    })?;
    target.players = players[..count].iter().fold(0, |set, slot| set | 1 << slot);
    Ok(())
}

fn user_command<F: Form>(f: &mut F, c: &mut UserCommand, r: &Rules) -> Result<(), F::Error> {
    f.field("msec", &mut c.msec)?;
    field(f, "angles", &mut c.angles, r)?;
    f.unless("movement", &mut c.movement, [0; 3])?;
    c.buttons = if f.key("buttons", c.buttons != 0)? { buttons(f, c.buttons)? } else { 0 };
    f.unless("impulse", &mut c.impulse, 0)?;
    if f.key("padding", c.padding != [0; 3])? {
        return Leaf::form(&mut c.padding, f);
    }
    c.padding = [0; 3];
    Ok(())
}

/// The members for the two words in front of a packet. `None` when they are not there.
pub(super) fn header<F: Form>(f: &mut F, header: &mut Option<PacketHeader>) -> Result<(), F::Error> {
    const RELIABLE: u32 = 1 << 31;
    let mut connectionless = header.is_some_and(|header| header.is_connectionless());
    f.unless("connectionless", &mut connectionless, false)?;
    if connectionless {
        *header = Some(PacketHeader { sequence: PacketHeader::CONNECTIONLESS, acknowledged: 0 });
        return Ok(());
    }
    if !f.key("sequence", header.is_some())? {
        *header = None;
        return Ok(());
    }
    let words = header.get_or_insert_default();
    words.sequence = f.int((words.sequence & !RELIABLE).into(), 0, i64::from(!RELIABLE))? as u32 | words.sequence & RELIABLE;
    flag(f, "reliable", RELIABLE, &mut words.sequence)?;
    f.require("acknowledged")?;
    words.acknowledged = f.int((words.acknowledged & !RELIABLE).into(), 0, i64::from(!RELIABLE))? as u32 | words.acknowledged & RELIABLE;
    flag(f, "reliable_acknowledged", RELIABLE, &mut words.acknowledged)?;
    let words = *words;
    f.insist(!words.is_connectionless(), "this sequence means that there is no connection: say `connectionless` instead")
}

/// A bit of a word that is a member of its own.
fn flag<F: Form>(f: &mut F, name: &'static str, bit: u32, word: &mut u32) -> Result<(), F::Error> {
    let mut on = *word & bit != 0;
    f.unless(name, &mut on, false)?;
    *word = *word & !bit | if on { bit } else { 0 };
    Ok(())
}

/// Blank framing for a kind of line, and that line's place among [`LINES`](crate::text::lines::LINES).
pub(super) fn blank(container: Container, line: usize) -> Option<Framing> {
    let (time, target) = match container {
        Container::MultiView => (Stamp::After(0), Target::default()),
        _ => (Stamp::At(Float(0)), Target { kind: kind::READ, ..Target::default() }),
    };
    match (container, line) {
        (Container::NetQuake, BLOCK) => Some(Framing::NetQuake { angles: [Float(0); 3] }),
        (Container::NetQuake, _) => None,
        (_, BLOCK) => Some(Framing::Packet { time, target }),
        (_, COMMAND) => Some(Framing::Command { time, command: UserCommand::default(), angles: [Float(0); 3] }),
        (_, SEQUENCES) => Some(Framing::Sequences { time, outgoing: 0, incoming: 0 }),
        _ => None,
    }
}
