//! The live protocol: how many bytes a frame takes, against full updates and against QuakeWorld's own deltas, and how many
//! frames a server makes per second for 32 clients that see 512 entities each.
//!
//! The sizes are printed before the timings: `cargo xtask bench protocol`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fragreel_quake1::unstable::dialect::{Dialect, Stream};
use fragreel_quake1::unstable::fields::quakeworld::{bits, slot};
use fragreel_quake1::unstable::message::{self, DeltaPacketEntities, EntityDelta, Message};
use fragreel_quake1::unstable::replacement::{self, Baselines, Delta, EntityState, Flags, Update};
use fragreel_quake1_live::{Acknowledge, Audience, DeltaReceiver, DeltaSender, Frame};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) % end
    }
}

/// Entities; a fifth of them moves in each frame, as in a busy match.
fn world(count: u32) -> Vec<(u32, EntityState)> {
    (1..=count).map(|number| (number, EntityState { model: number % 200 + 1, origin: [number * 8, number * 16, 64], ..EntityState::default() })).collect()
}

fn stir(dice: &mut Dice, world: &mut [(u32, EntityState)]) {
    for (_, state) in world {
        if dice.roll(5) == 0 {
            state.origin[0] = (state.origin[0] + dice.roll(64) as u32) & 0x3fff;
            state.origin[1] = (state.origin[1] + dice.roll(64) as u32) & 0x3fff;
            if dice.roll(3) == 0 {
                state.origin[2] = (state.origin[2] + 8) & 0x3fff;
                state.angles[1] = (dice.roll(256) as u32) << 8;
            }
            state.frame = (state.frame + 1) % 100;
        }
    }
}

fn row(state: &EntityState) -> [u32; slot::COUNT] {
    let mut row = [0; slot::COUNT];
    row[slot::MODEL] = state.model;
    row[slot::FRAME] = state.frame;
    for axis in 0..3 {
        row[slot::ORIGIN + axis] = state.origin[axis];
        row[slot::ANGLES + axis] = state.angles[axis] >> 8;
    }
    row
}

/// Bytes of QuakeWorld's own delta between two frames.
fn classic(dialect: &Dialect, from: &[(u32, EntityState)], to: &[(u32, EntityState)]) -> usize {
    let mut entities = Vec::new();
    for ((number, from), (_, to)) in from.iter().zip(to) {
        let (from, to) = (row(from), row(to));
        let mut mask = dialect.entity.canonical(&from, &to).expect("everything fits");
        if mask == 0 {
            continue;
        }
        if mask & 0xff != 0 {
            mask |= bits::MOREBITS;
        }
        entities.push(EntityDelta { low_number: *number as u16, mask: mask as u32, row: to });
    }
    let mut writer = fragreel_base::wire::WriteBytes::default();
    let Ok(()) = message::code(&mut writer, dialect, &mut Message::DeltaPacketEntities(DeltaPacketEntities { from: 0, entities }));
    writer.written().len()
}

/// Mean bytes per frame of each kind, acknowledged four frames later, with loss both ways.
fn sizes(loss: u64) -> [f64; 3] {
    const FRAMES: u32 = 600;
    const LATE: usize = 4;
    let (flags, baselines, dialect) = (Flags::default(), Baselines::new(), Dialect::new(Stream::QuakeWorld));
    let (mut dice, mut world) = (Dice(0x9e37_79b9_7f4a_7c15), world(500));
    let mut sender = DeltaSender::new(flags, Audience::default());
    let mut history: Vec<Vec<(u32, EntityState)>> = vec![world.clone()];
    let (mut totals, mut bytes, mut delivered) = ([0usize; 3], Vec::new(), Vec::new());
    let mut known = 0;
    for sequence in 1..=FRAMES {
        stir(&mut dice, &mut world);
        history.push(world.clone());
        bytes.clear();
        let frame = Frame { sequence, budget: usize::MAX >> 1, ..Frame::default() };
        let visible = || world.iter().map(|(number, state)| (*number, state));
        sender.send(frame, visible(), &baselines, &mut bytes).expect("a rising sequence");
        let mut full = Vec::new();
        DeltaSender::new(flags, Audience::default()).send(frame, visible(), &baselines, &mut full).expect("a first frame");
        // The first frame is a full one for all.
        if sequence > 1 {
            totals[0] += bytes.len();
            totals[1] += full.len();
            totals[2] += classic(&dialect, &history[known], &world);
        }
        if dice.roll(100) >= loss {
            delivered.push(sequence);
        }
        let arrived = delivered.iter().rev().find(|&&frame| frame as usize + LATE <= sequence as usize);
        if let Some(&frame) = arrived
            && dice.roll(100) >= loss
        {
            sender.acknowledge(Acknowledge::Frame(frame));
            known = frame as usize;
        }
    }
    totals.map(|total| total as f64 / f64::from(FRAMES - 1))
}

fn protocol(c: &mut Criterion) {
    println!("bytes per frame, 500 entities of which a fifth moves, acknowledged four frames later:");
    for loss in [0, 5, 20] {
        let [deltas, full, classic] = sizes(loss);
        println!("  {loss:2} % loss: replacement deltas {deltas:6.0}, full updates {full:6.0}, QuakeWorld's deltas {classic:6.0}");
    }

    let (flags, baselines) = (Flags::default(), Baselines::new());
    let mut group = c.benchmark_group("protocol");
    group.throughput(Throughput::Elements(32));
    group.bench_function("server frame: 32 clients, 512 entities each", |bencher| {
        let (mut dice, mut world) = (Dice(7), world(512));
        let mut clients: Vec<DeltaSender> = (0..32).map(|_| DeltaSender::new(flags, Audience { players: 32, ..Audience::default() })).collect();
        let (mut sequence, mut bytes) = (0u32, Vec::new());
        bencher.iter(|| {
            sequence += 1;
            stir(&mut dice, &mut world);
            let mut total = 0;
            for client in &mut clients {
                client.acknowledge(Acknowledge::Frame(sequence.saturating_sub(4)));
                bytes.clear();
                let frame = Frame { sequence, budget: 1400, ..Frame::default() };
                client.send(frame, world.iter().map(|(number, state)| (*number, state)), &baselines, &mut bytes).expect("a rising sequence");
                total += bytes.len();
            }
            total
        });
    });

    let (mut dice, mut world) = (Dice(9), world(512));
    let mut sender = DeltaSender::new(flags, Audience::default());
    let messages: Vec<Vec<u8>> = (1..200)
        .map(|sequence| {
            stir(&mut dice, &mut world);
            let mut bytes = Vec::new();
            let frame = Frame { sequence, budget: 1 << 20, ..Frame::default() };
            sender.send(frame, world.iter().map(|(number, state)| (*number, state)), &baselines, &mut bytes).expect("a rising sequence");
            sender.acknowledge(Acknowledge::Frame(sequence));
            bytes
        })
        .collect();
    group.throughput(Throughput::Bytes(messages.iter().map(|message| message.len() as u64).sum()));
    group.bench_function("receiver: read and apply", |bencher| {
        let mut update = Update::default();
        bencher.iter(|| {
            let mut receiver = DeltaReceiver::new(flags);
            for (sequence, message) in messages.iter().enumerate() {
                replacement::code(&mut fragreel_base::wire::ReadBytes::new(&message[1..]), &flags, &mut update).expect("a message of ours");
                receiver.receive(sequence as u32, &update);
            }
            receiver.entities().len()
        });
    });
    group.bench_function("read alone", |bencher| {
        let mut update = Update::default();
        bencher.iter(|| {
            for message in &messages {
                replacement::code(&mut fragreel_base::wire::ReadBytes::new(&message[1..]), &flags, &mut update).expect("a message of ours");
            }
            update.entities.len()
        });
    });
    group.throughput(Throughput::Elements(512));
    group.bench_function("compose 512 resets", |bencher| {
        let (mut delta, null) = (Delta::default(), EntityState::default());
        bencher.iter(|| {
            let mut bits = 0;
            for (_, state) in &world {
                flags.compose(flags.difference(&null, state, false), state, false, &mut delta);
                bits |= delta.bits;
            }
            bits
        });
    });
    group.finish();
}

criterion_group!(benches, protocol);
criterion_main!(benches);
