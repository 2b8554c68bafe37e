//! Keeps from stock clients what they stop at: numbers beyond the lists that they have (`docs/formats/quake1.md`, "What engines stop at").

use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::fields::netquake::slot;
use fragreel_quake1::unstable::limits::{LIGHT_STYLES, Limits};
use fragreel_quake1::unstable::message::{Appearance, Message};
use fragreel_quake1::unstable::playable;

/// Stats that clients have room for.
const STATS: u8 = 32;
/// The last kind of temporary entity that id's engine and its descendants know.
const LAST_EFFECT: u8 = 13;

/// A message as stock clients accept it; `None` if they do not. `max_clients` is the number of player slots of the level.
pub(super) fn fit(d: &Dialect, max_clients: u8, mut message: Message) -> Option<Message> {
    let limits = Limits::of(d);
    let fits = match &mut message {
        Message::FastUpdate(m) => {
            fit_number(&mut m.row[slot::COLORMAP], max_clients.into());
            if m.row[slot::MODEL] | m.row[slot::MODEL2] << 8 >= limits.models {
                (m.row[slot::MODEL], m.row[slot::MODEL2]) = (0, 0);
            }
            m.entity.number < limits.entities
        }
        Message::Baseline(m) => {
            fit_looks(&mut m.looks, max_clients, &limits);
            m.entity.number < limits.entities
        }
        Message::FitzBaseline(m) => {
            fit_looks(&mut m.looks.looks, max_clients, &limits);
            m.entity.number < limits.entities
        }
        Message::Static(m) => {
            fit_looks(&mut m.looks, max_clients, &limits);
            true
        }
        Message::FitzStatic(m) => {
            fit_looks(&mut m.looks, max_clients, &limits);
            true
        }
        Message::NqSound(m) => m.entity.number < limits.entities && u32::from(m.sound) < limits.sounds,
        Message::StaticSound(m) => u32::from(m.sound) < limits.sounds,
        Message::FitzStaticSound(m) => u32::from(m.sound) < limits.sounds,
        Message::SetView(m) => m.entity.number < limits.entities,
        Message::LightStyle(m) => m.style < LIGHT_STYLES,
        Message::StatByte(m) => m.stat < STATS,
        Message::StatLong(m) => m.stat < STATS,
        Message::TempEntity(m) => m.kind <= LAST_EFFECT,
        _ => true,
    };
    // Numbers that have a value that says nothing have it by now.
    let stops = max_clients > 0 && playable::stop_at_message(d, &message, max_clients).is_some();
    (fits && !stops).then_some(message)
}

fn fit_looks(looks: &mut Appearance, max_clients: u8, limits: &Limits) {
    // QuakeSpasm: "i >= cl.maxclients"
    if looks.colormap > max_clients {
        looks.colormap = 0;
    }
    if u32::from(looks.model) >= limits.models {
        looks.model = 0;
    }
}

fn fit_number(number: &mut u32, most: u32) {
    if *number > most {
        *number = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_quake1::unstable::dialect::Stream;
    use fragreel_quake1::unstable::message::{Baseline, FastUpdate, LightStyle, StatLong, UpdateFrags};

    #[test]
    fn stock_clients_survive_every_number() {
        for protocol in [15, 666] {
            let d = Dialect::plain(Stream::NetQuake, protocol, &Dialect::new(Stream::NetQuake));
            let fitted = |message: Message| fit(&d, 4, message);
            for (colormap, expected) in [(0, 0), (4, 4), (5, 0), (255, 0)] {
                let mut update = FastUpdate::default();
                update.row[slot::COLORMAP] = colormap;
                let Some(Message::FastUpdate(update)) = fitted(Message::FastUpdate(update)) else { panic!("an update is missing") };
                assert_eq!(update.row[slot::COLORMAP], expected);
                let looks = Appearance { colormap: colormap as u8, ..Appearance::default() };
                let Some(Message::Baseline(baseline)) = fitted(Message::Baseline(Baseline { looks, ..Baseline::default() })) else {
                    panic!("a baseline is missing")
                };
                assert_eq!(u32::from(baseline.looks.colormap), expected);
            }
            let kept = |message: Message| fitted(message).is_some();
            assert_eq!([3, 4].map(|slot| kept(Message::UpdateFrags(UpdateFrags { slot, ..UpdateFrags::default() }))), [true, false]);
            assert_eq!([63, 64].map(|style| kept(Message::LightStyle(LightStyle { style, ..LightStyle::default() }))), [true, false]);
            assert_eq!([31, 32].map(|stat| kept(Message::StatLong(StatLong { stat, ..StatLong::default() }))), [true, false]);
        }
    }
}
