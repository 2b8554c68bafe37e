//! Whole sessions of a show and a recorder over networks of all kinds, for tests: many, each from its number.
//!
//! A session begins on a network that loses, doubles, delays and reorders, while strangers send noise and repeat what they overheard, and the show
//! jumps about. Then the network heals. [`Session::run`] says what came of it.

use crate::network::{Dice, Network};
use crate::{PlaybackServer, Stream};

/// Lets a recorder record from a show, a hundred steps a second, until time is up or it ends. Packets of 100 that are lost; half as many
/// arrive twice. `seeds`: of the ways there and back. `each` has the time and the show before each step. Gives what was recorded so far.
pub fn record<W: PlaybackServer<u8>>(
    show: &mut W,
    recorder: &mut impl Stream,
    seeds: [u64; 2],
    loss: u32,
    seconds: f64,
    each: impl FnMut(f64, &mut W),
) -> Vec<u8> {
    record_files(show, recorder, seeds, loss, seconds, each).concat()
}

/// The same, with one recording per level or match where the recorder was asked for that.
pub fn record_files<W: PlaybackServer<u8>>(
    show: &mut W,
    recorder: &mut impl Stream,
    seeds: [u64; 2],
    loss: u32,
    seconds: f64,
    mut each: impl FnMut(f64, &mut W),
) -> Vec<Vec<u8>> {
    let [mut to, mut from] = seeds.map(|seed| {
        let mut network: Network<Vec<u8>> = Network::new(seed);
        (network.loss, network.duplication, network.delay, network.jitter) = (loss, loss / 2, 0.02, f64::from(loss) * 0.002);
        network
    });
    let (mut files, mut file) = (Vec::new(), Vec::new());
    for step in 0..(seconds * 100.0) as u32 {
        let now = f64::from(step) * 0.01;
        each(now, show);
        recorder.tick(now);
        while let Some(datagram) = recorder.next_request() {
            to.send(now, datagram);
        }
        to.arrive(now).iter().for_each(|datagram| show.receive(1, datagram, true));
        show.tick(now);
        while let Some((_, datagram)) = show.next_datagram() {
            from.send(now, datagram);
        }
        from.arrive(now).iter().for_each(|datagram| recorder.receive(datagram));
        while recorder.take_ended(&mut file) {
            files.push(std::mem::take(&mut file));
        }
        recorder.take_recording(&mut file);
        if recorder.ended().is_some() {
            break;
        }
    }
    files.push(file);
    files
}

/// The same from a show that is live: `rest` of its recording comes `rate` bytes a step. The recorder has to be there to the end, and leaves. Gives
/// one recording, or one per level where the recorder was asked for that.
pub fn record_growing<W: PlaybackServer<u8>>(
    show: &mut W,
    recorder: &mut impl Stream,
    seeds: [u64; 2],
    loss: u32,
    seconds: f64,
    rest: &[u8],
    rate: usize,
) -> Vec<Vec<u8>> {
    show.feed(&[]);
    let mut pieces = rest.chunks(rate);
    let mut files = record_files(show, recorder, seeds, loss, seconds, |_, show| show.feed(pieces.next().unwrap_or_default()));
    assert_eq!(recorder.ended(), None, "at {loss} %");
    recorder.leave();
    recorder.take_recording(files.last_mut().expect("a recording"));
    files
}

/// One of a [`crowd`].
#[derive(Debug)]
pub struct Guest<R> {
    /// The recorder.
    pub recorder: R,
    /// What it recorded.
    pub recording: Vec<u8>,
    /// Packets of 100 to it that are lost.
    pub loss: u32,
    /// Bytes of packets that it was sent.
    pub bytes: usize,
}

/// Lets many record from a show for some seconds, fifty steps a second. `each` has the time, the show and the guests before each step.
pub fn crowd<W: PlaybackServer<u8>, R: Stream>(show: &mut W, guests: &mut [Guest<R>], seconds: f64, mut each: impl FnMut(f64, &mut W, &mut [Guest<R>])) {
    let mut dice = Dice::new(17);
    for step in 0..(seconds * 50.0) as u32 {
        let now = f64::from(step) * 0.02;
        each(now, show, guests);
        for (number, guest) in guests.iter_mut().enumerate().filter(|(_, guest)| guest.loss < 100) {
            guest.recorder.tick(now);
            while let Some(datagram) = guest.recorder.next_request() {
                show.receive(number as u8, &datagram, false);
            }
        }
        show.tick(now);
        while let Some((to, datagram)) = show.next_datagram() {
            let Some(guest) = guests.get_mut(usize::from(to)).filter(|guest| !dice.chance(guest.loss)) else { continue };
            guest.bytes += datagram.len();
            guest.recorder.receive(&datagram);
        }
        guests.iter_mut().for_each(|guest| guest.recorder.take_recording(&mut guest.recording));
    }
}

/// How a session goes.
#[derive(Debug, Clone)]
pub struct Session {
    /// Packets of 100 that are lost, doubled.
    pub loss: u32,
    /// Packets of 100 that arrive twice.
    pub duplication: u32,
    /// Seconds that packets take, at least and more at most.
    pub delay: (f64, f64),
    /// Seconds that the network is bad, and those that it is not any more.
    pub seconds: (f64, f64),
    /// Longest packet that the game's engines take, header and all.
    pub longest: usize,
    dice: Dice,
}

/// What came of a session.
#[derive(Debug, Clone)]
pub struct Ending {
    /// What was recorded.
    pub recording: Vec<u8>,
    /// Bytes of it that came in the last two seconds.
    pub fresh: usize,
    /// Why it ended before it should have.
    pub broken: Option<String>,
}

const STEP: f64 = 0.02;
/// The one who records; other addresses are strangers.
const RECORDER: u32 = 0;
/// Overheard packets that strangers repeat.
const OVERHEARD: usize = 16;
/// Datagrams that one step of either side may cost.
const MOST_AT_ONCE: usize = 600;

impl Session {
    /// The session of this number: the same each time.
    pub fn new(number: u64) -> Self {
        let mut dice = Dice::new(number ^ 0x5e55_1015);
        let loss = if dice.chance(20) { 0 } else { dice.below(61) };
        let duplication = dice.below(31);
        let part = |dice: &mut Dice, most: f64| f64::from(dice.below(1000)) / 1000.0 * most;
        let delay = (part(&mut dice, 0.15), part(&mut dice, 0.08));
        let seconds = (2.0 + part(&mut dice, 5.0), 6.0);
        Session { loss, duplication, delay, seconds, longest: 1400, dice }
    }

    /// Runs it. Panics where either side sends too much or too long packets.
    pub fn run(mut self, show: &mut impl PlaybackServer<u32>, recorder: &mut impl Stream) -> Ending {
        let network = |seed: u64| {
            let mut network = Network::new(seed);
            (network.loss, network.duplication, network.delay, network.jitter) = (self.loss, self.duplication, self.delay.0, self.delay.1);
            network
        };
        let (mut to, mut from): (Network<Vec<u8>>, Network<Vec<u8>>) = (network(self.dice.roll()), network(self.dice.roll()));
        let (mut now, mut overheard, mut ending) = (0.0, Vec::new(), Ending { recording: Vec::new(), fresh: 0, broken: None });
        let (bad, good) = self.seconds;
        while now < bad + good && ending.broken.is_none() {
            now += STEP;
            if now >= bad {
                for network in [&mut to, &mut from] {
                    (network.loss, network.duplication, network.jitter) = (0, 0, 0.0);
                }
            } else {
                self.molest(show, &overheard, now);
            }
            recorder.tick(now);
            for _ in 0..MOST_AT_ONCE {
                let Some(datagram) = recorder.next_request() else { break };
                if overheard.len() < OVERHEARD {
                    overheard.push(datagram.clone());
                }
                to.send(now, datagram);
            }
            to.arrive(now).iter().for_each(|datagram| show.receive(RECORDER, datagram, true));
            show.tick(now);
            let mut sent = 0;
            while let Some((address, datagram)) = show.next_datagram() {
                sent += 1;
                assert!(datagram.len() <= self.longest, "a datagram of {} bytes", datagram.len());
                assert!(sent <= MOST_AT_ONCE, "{sent} datagrams at once");
                if address == RECORDER {
                    from.send(now, datagram);
                }
            }
            from.arrive(now).iter().for_each(|datagram| recorder.receive(datagram));
            let before = ending.recording.len();
            recorder.take_recording(&mut ending.recording);
            if now > bad + good - 2.0 {
                ending.fresh += ending.recording.len() - before;
            }
            ending.broken = recorder.ended().map(str::to_owned);
        }
        recorder.leave();
        recorder.take_recording(&mut ending.recording);
        ending
    }

    /// Strangers, and a show that jumps.
    fn molest(&mut self, show: &mut impl PlaybackServer<u32>, overheard: &[Vec<u8>], now: f64) {
        for _ in 0..self.dice.below(3) {
            let stranger = 1 + self.dice.below(200);
            let noise: Vec<u8> = (0..self.dice.below(60)).map(|_| self.dice.roll() as u8).collect();
            show.receive(stranger, &noise, self.dice.chance(50));
            if let Some(datagram) = overheard.get(self.dice.below(OVERHEARD as u32) as usize) {
                show.receive(stranger, datagram, false);
                // the same again from where it came from
                show.receive(RECORDER, datagram, false);
            }
        }
        if now > 1.0 && self.dice.chance(1) {
            let length = show.length().clamp(1, i64::from(u32::MAX));
            show.seek(i64::from(self.dice.below(length as u32)));
        }
    }
}

/// Nothing reaches a recorder from a time on, although it asks. Returns whether it had ended by the other time, and not before the last second.
pub fn hears_nothing(recorder: &mut impl Stream, from: f64, to: f64) -> bool {
    let mut was_over = false;
    for step in 0..=((to - from) * 10.0) as u32 {
        was_over |= f64::from(step) * 0.1 < to - from - 1.0 && recorder.ended().is_some();
        recorder.tick(from + f64::from(step) * 0.1);
        while recorder.next_request().is_some() {}
    }
    recorder.ended().is_some() && !was_over
}
