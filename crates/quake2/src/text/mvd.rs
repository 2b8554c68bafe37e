//! The messages of MVD2 recordings.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::entity::Place;
use super::known::Known;
use super::message;
use super::player;
use super::values::{short_hex, text};
use crate::dialect::Dialect;
use crate::message::{Destination, Message, MvdBody, MvdFrame, MvdMessage, MvdPlayer, MvdServerData, Parcel};

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    Names::new((0..MvdBody::NAMES.len()).map(|number| match MvdBody::empty(number as u8) {
        Some(_) => MvdBody::NAMES[number],
        None => "",
    }))
});

/// A message, and what a parcel in it holds.
#[derive(Debug)]
pub(super) struct LineMessage {
    pub message: MvdMessage,
    /// The messages of a parcel.
    pub inner: Vec<Message>,
    /// The bytes of a parcel from the first message on that cannot be read.
    pub rest: Vec<u8>,
}

impl Default for LineMessage {
    fn default() -> Self {
        LineMessage { message: MvdMessage { extra: 0, body: MvdBody::Bare(1) }, inner: Vec::new(), rest: Vec::new() }
    }
}

/// The messages of a record.
pub(super) fn list<F: Form>(f: &mut F, list: &mut Vec<LineMessage>, known: &mut Known) -> Result<(), F::Error> {
    let count = f.items(list.len(), |f, at| {
        let number = list.get(at).map_or(1, |told| told.message.body.number());
        f.variant(&NAMES, number.into(), |f, number| {
            if F::READING {
                if at >= list.len() {
                    list.push(LineMessage::default());
                }
                let told = &mut list[at];
                let same = told.message.body.number() == number as u8;
                if !same && let Some(body) = MvdBody::empty(number as u8) {
                    told.message.body = body;
                }
            }
            let name = list[at].message.body.name();
            list[at].form(f, known).map_err(|error| error.inside(name, None))
        })
    })?;
    list.truncate(count);
    Ok(())
}

impl LineMessage {
    fn form<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        let before = F::READING.then(|| known.clone());
        let mut again = false;
        let LineMessage { message, inner, rest } = self;
        f.object(|f| {
            if let Some(before) = before.as_ref().filter(|_| again) {
                known.clone_from(before);
            }
            again = true;
            match &mut message.body {
                MvdBody::Bare(_) => Ok(()),
                MvdBody::ServerData(data) => data.members(f, known),
                MvdBody::ConfigString(string) => string.members(f),
                MvdBody::Frame(frame) => frame.members(f, known),
                MvdBody::Parcel(parcel) => parcel.members(f, known, inner, rest),
                MvdBody::Sound(sound) => sound.mvd_members(f, known.dialect()),
                MvdBody::Print(print) => print.members(f),
                MvdBody::StuffText(value) => text(f, "text", value),
            }?;
            let implied = match &message.body {
                MvdBody::Parcel(_) => true,
                MvdBody::ServerData(data) => !Dialect::mvd_flags_word(data.minor.into()),
                _ => false,
            };
            if implied {
                return Ok(());
            }
            f.unless("extra", &mut message.extra, 0)?;
            f.insist(message.extra < 8, "there are three extra bits")
        })
    }
}

impl MvdServerData {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        f.field("protocol", &mut self.protocol)?;
        f.field("minor", &mut self.minor)?;
        f.field("flags", &mut self.flags)?;
        f.insist(Dialect::mvd_flags_word(self.minor.into()) || self.flags < 8, "there are three flags in this version")?;
        f.field("servercount", &mut self.servercount)?;
        text(f, "gamedir", &mut self.gamedir)?;
        f.field("clientnum", &mut self.clientnum)?;
        let dialect = self.dialect().filter(|_| self.is_known());
        f.insist(dialect.is_some(), "no engine knows this version")?;
        if let Some(dialect) = dialect {
            *known = Known { learned: true, ..Known::new(dialect) };
        }
        self.strings.members(f, known.dialect())?;
        f.part("frame", |f| self.frame.members(f, known))
    }
}

impl MvdFrame {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        short_hex(f, "portals", &mut self.portals)?;
        players(f, &mut self.players, known)?;
        self.entities.members(f, known, Place::Kept)
    }
}

/// Players by their numbers, in whose order they are sent; or in another order.
fn players<F: Form>(f: &mut F, players: &mut Vec<MvdPlayer>, known: &Known) -> Result<(), F::Error> {
    /// The number that ends the list.
    const END: u8 = 255;
    let rising = players.windows(2).all(|pair| pair[0].number < pair[1].number);
    let present: Vec<usize> = if F::READING { Vec::new() } else { players.iter().map(|player| player.number.into()).collect() };
    let numbered = f.key("players", rising && !players.is_empty())?;
    if numbered {
        let read = f.object(|f| {
            if F::READING {
                players.clear();
            }
            let mut next = 0;
            f.numbered(END.into(), present.iter().copied(), |f, number| {
                if F::READING {
                    players.push(MvdPlayer { number: number as u8, ..MvdPlayer::default() });
                }
                let player = &mut players[next];
                next += 1;
                f.object(|f| player.delta.members(f, known, player::Place::Mvd)).map_err(|error| error.inside("player", Some(number as u32)))
            })
        });
        read.map_err(|error| error.inside("players", None))?;
        players.sort_by_key(|player| player.number);
        f.insist(players.windows(2).all(|pair| pair[0].number < pair[1].number), "a player stands here twice")?;
    }
    if f.key("players_in_order", !rising)? {
        f.insist(!numbered, "the players stand here twice")?;
        let count = f.items(players.len(), |f, at| {
            if F::READING {
                players.truncate(at);
                players.push(MvdPlayer::default());
            }
            let player = &mut players[at];
            f.object(|f| {
                f.field("number", &mut player.number)?;
                f.insist(player.number != END, "the player 255 ends the list")?;
                player.delta.members(f, known, player::Place::Mvd)
            })
        });
        players.truncate(count.map_err(|error| error.inside("players_in_order", None))?);
        return Ok(());
    }
    if F::READING && !numbered {
        players.clear();
    }
    Ok(())
}

impl Parcel {
    fn members<F: Form>(&mut self, f: &mut F, known: &mut Known, inner: &mut Vec<Message>, rest: &mut Vec<u8>) -> Result<(), F::Error> {
        match &mut self.destination {
            Destination::Client(client) => f.field("client", client)?,
            Destination::All => {}
            Destination::Hearing(leaf) | Destination::Seeing(leaf) => f.field("leaf", leaf)?,
        }
        if f.key("messages", !inner.is_empty())? {
            let mut inside = Known::new(*known.dialect());
            message::list(f, inner, &mut inside).map_err(|error| error.inside("messages", None))?;
        } else {
            inner.clear();
        }
        f.hex_unless_empty("undecoded", rest)
    }
}
