//! Random worlds over a random network: loss, delay, reordering, duplication and small packets. Once the network behaves
//! and the world rests, the receiver must see exactly what the sender shows, within a bounded number of frames.

use std::collections::BTreeMap;

use fragreel_base::wire::ReadBytes;

use crate::{Acknowledge, Audience, DeltaReceiver, DeltaSender, Frame, Received, Views};
use fragreel_quake1::unstable::replacement::{self, Angles, Baselines, Coordinates, Delta, EntityState, Flags, LAST_ENTITY, Update};

/// A xorshift generator: a world is its seed.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    fn between(&mut self, from: u32, to: u32) -> u32 {
        from + self.below(to - from + 1)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// What surrounds the two ends.
struct Setting {
    flags: Flags,
    audience: Audience,
    loss: u32,
    duplication: u32,
    delay: u32,
    budget: usize,
    /// NetQuake's client acknowledges every frame. QuakeWorld's acknowledges the last one, and its server only speaks when
    /// spoken to.
    every_frame: bool,
    /// Ticks between two packets of the client.
    pace: u32,
    most: u32,
    range: u32,
    restless: u32,
}

impl Setting {
    fn roll(dice: &mut Dice) -> Self {
        let (scale, detail) = (dice.below(1000), dice.next());
        let most = match scale {
            0..850 => dice.between(0, 40),
            850..980 => dice.between(40, 250),
            980..998 => dice.between(250, 1000),
            _ => dice.between(1000, 4000),
        };
        let has = |bit: u32| detail >> bit & 1 != 0;
        let flags = Flags {
            origin: [Coordinates::Eighths, Coordinates::Fraction, Coordinates::Sixteenths, Coordinates::Float][(detail >> 8 & 3) as usize],
            angles: [Angles::Byte, Angles::Short, Angles::Byte, Angles::Float][(detail >> 10 & 3) as usize],
            predinfo: has(0),
            new_size_encoding: has(1),
            lerp_time: has(2),
            input_ack: has(3),
        };
        let players = dice.below(33);
        let views = match dice.below(3) {
            0 => Views::None,
            1 => Views::Of(dice.below(33)),
            _ => Views::All,
        };
        Self {
            flags,
            audience: Audience { players, views },
            loss: if has(4) { dice.below(61) } else { 0 },
            duplication: if has(5) { dice.below(30) } else { 0 },
            delay: if has(6) { dice.below(9) } else { 0 },
            budget: if has(7) { 200 } else { dice.between(200, 1400) as usize },
            every_frame: has(12),
            pace: if has(13) { 1 } else { dice.between(1, 4) },
            most,
            range: if dice.chance(20) { LAST_ENTITY } else { most * 2 + 40 },
            restless: dice.below(60),
        }
    }
}

type World = BTreeMap<u32, EntityState>;

fn fresh(dice: &mut Dice) -> EntityState {
    let mut state = EntityState { model: dice.between(1, 400), origin: [dice.below(4000), dice.below(4000), dice.below(1000)], ..EntityState::default() };
    for _ in 0..dice.below(6) {
        change(dice, &mut state);
    }
    state
}

/// Changes one thing.
fn change(dice: &mut Dice, state: &mut EntityState) {
    let value = dice.next() as u32;
    let small = value & 0xff;
    match dice.below(32) {
        0..8 => {
            state.origin[0] = state.origin[0].wrapping_add(small);
            state.origin[1] = state.origin[1].wrapping_sub(small >> 3);
        }
        8..11 => state.frame = if value & 0x100 != 0 { value >> 16 } else { small },
        11 => state.angles = [value, value >> 3, value >> 7],
        12 => state.velocity = [value as i16, small as i16, 0],
        13 => (state.velocity, state.movement, state.msec) = ([0; 3], [0; 3], 0),
        14 => state.movetype = small as u8,
        15 => (state.movement, state.msec) = ([value as i16, 0, small as i16], small as u8),
        16 => state.weapon_frame = value as u16,
        17 => state.view_angles = [value as i16, small as i16, 3],
        18 => state.model = value & 0x3ff,
        19 => state.skin = i32::from(value as i8),
        20 => state.effects = if value & 0x100 != 0 { value } else { small },
        21 => state.solid = [0, 31, replacement::solid::SOLID_HULL1, replacement::solid::SOLID_HULL2, value & 0x8fff_ffff][(value >> 9) as usize % 5],
        22 => (state.alpha, state.scale) = (small as u8, (value >> 8) as u8),
        23 => (state.draw_flags, state.abs_light) = (small as u8, (value >> 8) as u8),
        24 => (state.tag_entity, state.tag_index) = (value & LAST_ENTITY, i32::from((value >> 24) as i8)),
        25 => (state.light, state.light_style) = ([value as i16, 1, 2, 3], small),
        26 => (state.trail_effect, state.emit_effect) = (value & 0x1ff, value >> 20),
        27 => (state.color_mod, state.glow_size) = ([small as u8, 2, 3], (value >> 8) as u8),
        28 => (state.fatness, state.gravity_dir) = (value as i8, [small as u8, 1]),
        29 => state.bones = (0..value & 3).map(|at| [(value >> 8) as i16, at as i16, 0, 0, 0, 0, 1]).collect(),
        30 => (state.base_bone, state.base_frame) = (small, value >> 16),
        _ => (state.lerp_end, state.colormap, state.flags, state.model2) = (small, value >> 8 & 0xfff, value >> 20 & 0xff, value >> 24),
    }
}

/// A moment of the world: things appear, move and vanish.
fn stir(dice: &mut Dice, setting: &Setting, world: &mut World) {
    let moves = 1 + setting.most * setting.restless / 100;
    for _ in 0..moves {
        let number = 1 + dice.below(setting.range.max(2) - 1);
        let known = world.range(number..).next().map(|(&number, _)| number);
        match (dice.below(10), known) {
            (0, Some(number)) => {
                world.remove(&number);
            }
            (1..3, _) if (world.len() as u32) < setting.most => {
                let state = fresh(dice);
                world.insert(number, state);
            }
            (_, Some(number)) => change(dice, world.get_mut(&number).expect("a key of the map")),
            _ => {}
        }
    }
    if dice.chance(1) {
        world.clear();
    }
}

/// A wire with a mind of its own.
struct Network<T> {
    underway: Vec<(u32, T)>,
}

impl<T: Clone> Network<T> {
    fn send(&mut self, dice: &mut Dice, setting: &Setting, calm: bool, now: u32, packet: T) {
        if calm {
            self.underway.push((now + setting.delay, packet));
            return;
        }
        let copies = 1 + u32::from(dice.chance(setting.duplication));
        for _ in 0..copies {
            if !dice.chance(setting.loss) {
                self.underway.push((now + dice.below(setting.delay * 2 + 1), packet.clone()));
            }
        }
    }

    fn arrive(&mut self, now: u32) -> Vec<T> {
        let (here, underway) = std::mem::take(&mut self.underway).into_iter().partition(|(at, _)| *at <= now);
        self.underway = underway;
        here.into_iter().map(|(_, packet): (u32, T)| packet).collect()
    }
}

struct Outcome {
    /// Frames from the end of the losses until both agreed.
    settled_after: u32,
    allowed: u32,
    lost_thread: bool,
}

fn run(seed: u64) -> Outcome {
    let mut dice = Dice::new(seed);
    let setting = Setting::roll(&mut dice);
    weather(seed, dice, &setting, None)
}

/// Frames of a storm, as many as are said or as it happens, and the calm behind it.
fn weather(seed: u64, mut dice: Dice, setting: &Setting, storm: Option<u32>) -> Outcome {
    let flags = setting.flags;
    let (mut sender, mut receiver) = (DeltaSender::new(flags, setting.audience), DeltaReceiver::new(flags));
    let mut world = World::new();
    let mut baselines = Baselines::new();
    for _ in 0..setting.most * 3 / 2 {
        let (number, state) = (1 + dice.below(setting.range.max(2) - 1), fresh(&mut dice));
        let mut delta = Delta::default();
        if dice.chance(40) {
            baselines.set(&flags, number, &state, &mut delta);
            receiver.entities_mut().set_baseline(&flags, number, &delta);
        }
        if (world.len() as u32) < setting.most {
            world.insert(number, state);
        }
    }
    let (mut down, mut up) = (Network::<(u32, Vec<u8>)> { underway: Vec::new() }, Network { underway: Vec::new() });
    let (mut heard, mut read_up_to) = (0, 0);
    let mut answers: Vec<Acknowledge> = Vec::new();
    let mut update = Update::default();
    let mut outcome = Outcome { settled_after: 0, allowed: 0, lost_thread: false };

    let storm = storm.unwrap_or_else(|| dice.between(5, 90));
    let mut quiet_from = None;
    for now in 1.. {
        let calm = now > storm;
        if !calm {
            stir(&mut dice, setting, &mut world);
        } else if quiet_from.is_none() {
            quiet_from = Some(now);
            outcome.allowed = patience(setting, &sender, world.len());
        }
        // The server: what the client acknowledged, then a frame.
        let mut spoken_to = false;
        for (sequence, acknowledged) in up.arrive(now) {
            if sequence > heard {
                (heard, spoken_to) = (sequence, true);
                for one in acknowledged {
                    sender.acknowledge(one);
                }
            }
        }
        if setting.every_frame || spoken_to {
            let mut bytes = Vec::new();
            let frame = Frame { sequence: now, time: now as f32, input_sequence: now as u16, budget: setting.budget };
            sender.send(frame, world.iter().map(|(&number, state)| (number, state)), &baselines, &mut bytes).expect("a rising sequence");
            assert!(bytes.len() <= setting.budget, "seed {seed}: {} bytes", bytes.len());
            down.send(&mut dice, setting, calm, now, (now, bytes));
        }

        // The client: a netchan that drops what is not newer, then the message, then an answer.
        for (sequence, bytes) in down.arrive(now) {
            if sequence <= read_up_to {
                continue;
            }
            read_up_to = sequence;
            let mut reader = ReadBytes::new(&bytes[1..]);
            replacement::code(&mut reader, &flags, &mut update).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert_eq!(reader.rest(), [0u8; 0], "seed {seed}");
            outcome.lost_thread |= receiver.receive(sequence, &update) == Received::Lost;
            if setting.every_frame || answers.is_empty() {
                answers.push(receiver.acknowledgement());
            } else {
                answers[0] = receiver.acknowledgement();
            }
        }
        if now % setting.pace == 0 {
            if answers.is_empty() {
                answers.push(receiver.acknowledgement());
            }
            up.send(&mut dice, setting, calm, now, (now, std::mem::take(&mut answers)));
        }
        let Some(quiet_from) = quiet_from else { continue };
        if agree(setting, &world, &receiver).is_ok() {
            outcome.settled_after = now - quiet_from;
            break;
        }
        if now - quiet_from > outcome.allowed {
            let why = agree(setting, &world, &receiver).unwrap_err();
            panic!("seed {seed}: not settled after {} frames: {why}", now - quiet_from);
        }
    }
    outcome
}

/// How many frames the two may need: what was lost is known after a round trip or 64 frames at worst, then all that is
/// visible and removed may have to be sent again, in packets that are not quite full.
fn patience(setting: &Setting, sender: &DeltaSender, visible: usize) -> u32 {
    let bytes = visible * 170 + sender.held() * 3;
    let packets = bytes / (setting.budget - 130);
    setting.pace * (64 + 4 * setting.delay + packets as u32)
}

fn agree(setting: &Setting, world: &World, receiver: &DeltaReceiver) -> Result<(), String> {
    let entities = receiver.entities();
    if entities.len() != world.len() {
        return Err(format!("{} entities instead of {}", entities.len(), world.len()));
    }
    let flags = setting.flags;
    for ((&number, state), (got, known)) in world.iter().zip(entities.iter()) {
        let mut wanted = state.clone();
        flags.quantize(&mut wanted);
        let sees = number <= setting.audience.players
            && match setting.audience.views {
                Views::None => false,
                Views::Of(player) => player == number,
                Views::All => true,
            };
        let differs = flags.difference(&wanted, &known.state, sees);
        if number != got || differs != 0 || !known.complete {
            return Err(format!("entity {number} ({got}), complete {}: {}", known.complete, replacement::bits::describe(differs)));
        }
    }
    Ok(())
}

#[test]
fn both_ends_agree_once_losses_stop() {
    let worlds = fragreel_testkit::sessions(2000);
    let (mut slowest, mut lost_threads) = (0, 0);
    for seed in 1..=worlds {
        let outcome = run(seed);
        slowest = slowest.max(outcome.settled_after * 100 / outcome.allowed.max(1));
        lost_threads += u32::from(outcome.lost_thread);
    }
    eprintln!("{worlds} worlds settled, the slowest after {slowest} % of the frames allowed; {lost_threads} lost the thread on the way");
    assert!(lost_threads > 0, "the network was never bad enough to lose the thread");
}

/// A minute of 60 % loss at 72 frames a second and 28 ms each way, with half a hundred entities that move: within 0.2 s of its end both agree.
#[test]
fn a_minute_of_heavy_loss_is_over_when_it_ends() {
    const RATE: u32 = 72;
    let mut slowest = 0;
    for seed in 1..=20 {
        let mut dice = Dice::new(seed);
        let rolled = Setting::roll(&mut dice);
        let network = Setting { loss: 60, duplication: 10, delay: 2, budget: 1400, every_frame: seed % 2 == 0, pace: 1, ..rolled };
        let setting = Setting { most: 50, range: 600, restless: 20, ..network };
        let outcome = weather(seed, dice, &setting, Some(60 * RATE));
        assert!(outcome.settled_after * 1000 <= 200 * RATE, "seed {seed}: {} frames", outcome.settled_after);
        slowest = slowest.max(outcome.settled_after);
    }
    eprintln!("the slowest took {} ms", slowest * 1000 / RATE);
}

#[test]
fn what_is_complete_agrees_at_once_without_loss() {
    for seed in 0..100 {
        let mut dice = Dice::new(seed);
        let setting = Setting { budget: 20_000, delay: 0, loss: 0, duplication: 0, most: 60, range: 200, ..Setting::roll(&mut dice) };
        let (mut sender, mut receiver) = (DeltaSender::new(setting.flags, setting.audience), DeltaReceiver::new(setting.flags));
        let (mut world, baselines, mut update) = (World::new(), Baselines::new(), Update::default());
        for sequence in 1..60 {
            stir(&mut dice, &setting, &mut world);
            let mut bytes = Vec::new();
            let frame = Frame { sequence, budget: setting.budget, ..Frame::default() };
            let sent = sender.send(frame, world.iter().map(|(&number, state)| (number, state)), &baselines, &mut bytes).unwrap();
            assert!(sent.complete);
            replacement::code(&mut ReadBytes::new(&bytes[1..]), &setting.flags, &mut update).unwrap();
            assert_eq!(receiver.receive(sequence, &update), Received::Applied);
            agree(&setting, &world, &receiver).unwrap_or_else(|why| panic!("seed {seed}, frame {sequence}: {why}"));
            sender.acknowledge(receiver.acknowledgement());
        }
    }
}

#[test]
fn four_million_entity_numbers_cost_no_more_than_what_is_visible() {
    let flags = Flags::default();
    let mut sender = DeltaSender::new(flags, Audience::default());
    let mut receiver = DeltaReceiver::new(flags);
    let (state, baselines, mut update, mut bytes) = (EntityState { model: 1, ..EntityState::default() }, Baselines::new(), Update::default(), Vec::new());
    let step = LAST_ENTITY / 500;
    // Every number is visible once; never more than 500 at a time.
    for sequence in 1..=step {
        let visible = (0..500).map(|at| (1 + (at * step + sequence * 7) % (LAST_ENTITY - 1), &state));
        let mut visible: Vec<_> = visible.collect();
        visible.sort_by_key(|entity| entity.0);
        bytes.clear();
        sender.send(Frame { sequence, budget: 8000, ..Frame::default() }, visible, &baselines, &mut bytes).unwrap();
        if sequence % 3 != 0 {
            replacement::code(&mut ReadBytes::new(&bytes[1..]), &flags, &mut update).unwrap();
            receiver.receive(sequence, &update);
            sender.acknowledge(receiver.acknowledgement());
        }
        assert!(sender.held() < 10_000, "{}", sender.held());
        assert!(receiver.entities().len() <= 3_000, "{}", receiver.entities().len());
    }
}

#[test]
fn acknowledgements_come_in_any_order() {
    let (flags, baselines) = (Flags::default(), Baselines::new());
    let mut sender = DeltaSender::new(flags, Audience::default());
    let mut state = EntityState { model: 1, ..EntityState::default() };
    let mut send = |sender: &mut DeltaSender, sequence, frame| {
        state.frame = frame;
        let mut bytes = Vec::new();
        sender.send(Frame { sequence, budget: 1000, ..Frame::default() }, [(1, &state)], &baselines, &mut bytes).map(|sent| (sent, bytes.len()))
    };
    assert!(send(&mut sender, 10, 0).unwrap().0.restarted);
    assert_eq!(send(&mut sender, 11, 1).unwrap().0.updates, 1);
    assert_eq!(send(&mut sender, 12, 1).unwrap().0.updates, 0);
    // 12 says that 10 and 11 are lost: all comes again, and 11 cannot take it back. 99 was never sent.
    sender.acknowledge(Acknowledge::Frame(12));
    sender.acknowledge(Acknowledge::Frame(11));
    sender.acknowledge(Acknowledge::Frame(99));
    assert!(send(&mut sender, 13, 1).unwrap().0.restarted);
    sender.acknowledge(Acknowledge::Frame(13));
    assert_eq!(send(&mut sender, 14, 1).unwrap().0.updates, 0);
    assert_eq!(send(&mut sender, 15, 2).unwrap().0.updates, 1);
    sender.acknowledge(Acknowledge::Frame(14));
    // Not heard of for 64 frames: given up.
    assert_eq!(send(&mut sender, 79, 2).unwrap().0.updates, 1);
    sender.acknowledge(Acknowledge::Restart);
    assert!(send(&mut sender, 80, 2).unwrap().0.restarted);
    assert!(send(&mut sender, 80, 2).is_err());
}
