//! What a demo said before.

/// Entities are numbered below this.
pub(super) const ENTITIES: usize = 32768;

/// Entities that are addressed by the difference of their numbers.
pub(super) const NEAR: u16 = 1024;

/// The protocol of the original game; later ones are FitzQuake's.
pub(super) const NETQUAKE: u32 = 15;

/// A block of a demo has no more bytes than this.
pub(super) const BLOCK: usize = 1 << 17;

/// An entity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Entity {
    pub model: u16,
    pub frame: u16,
    pub colormap: u8,
    pub skin: u8,
    pub effects: u8,
    pub angles: [u8; 3],
    pub no_lerp: bool,
    /// The last update had something of it.
    pub active: bool,
    /// It is in the frame (version 1).
    pub present: bool,
    /// Of Nehahra.
    pub fullbright: u8,
    pub origin: [i32; 3],
    /// By how much it moved.
    pub moved: [i32; 3],
    /// What the game sent though it was as before.
    pub force: u32,
    /// Bits of a float, of Nehahra.
    pub nehahra_alpha: u32,
    pub alpha: u8,
    pub scale: u8,
    pub lerp_finish: u8,
}

/// Of one number: where it starts on a level, what the demo said last, and what it says now.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub baseline: Entity,
    pub before: Entity,
    pub now: Entity,
}

/// A set of entities' numbers.
#[derive(Debug, Clone)]
pub(super) struct Numbers(Vec<u64>);

impl Default for Numbers {
    fn default() -> Self {
        Numbers(vec![0; ENTITIES / 64])
    }
}

impl Numbers {
    pub(super) fn insert(&mut self, number: u16) {
        self.0[usize::from(number) / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: u16) {
        self.0[usize::from(number) / 64] &= !(1 << (number % 64));
    }

    /// The first that is not below `from`.
    pub(super) fn next(&self, from: usize) -> Option<u16> {
        let mut word = from / 64;
        let mut bits = self.0.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        u16::try_from(word * 64 + bits.trailing_zeros() as usize).ok()
    }
}

/// The entities up to the highest that was named, and which of them are no longer as on the level's start.
#[derive(Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    touched: Numbers,
}

impl Slots {
    /// One that may be changed; `None` where the number is too high.
    pub(super) fn touch(&mut self, number: u16) -> Option<&mut Slot> {
        let at = usize::from(number);
        if at >= ENTITIES {
            return None;
        }
        if at >= self.slots.len() {
            self.slots.resize(at + 1, Slot::default());
        }
        self.touched.insert(number);
        self.slots.get_mut(at)
    }

    /// One as it is; `None` where it was never named.
    pub(super) fn find(&self, number: u16) -> Option<&Slot> {
        self.slots.get(usize::from(number))
    }

    /// Puts everything back to the level's start: only what was touched, for a damaged file may ask for it with every few bytes.
    pub(super) fn restart(&mut self) {
        let mut from = 0;
        while let Some(number) = self.touched.next(from) {
            from = usize::from(number) + 1;
            let slot = &mut self.slots[usize::from(number)];
            (slot.before, slot.now) = (slot.baseline, slot.baseline);
        }
        self.touched = Numbers::default();
    }
}

/// The state of the client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Client {
    pub view_height: u8,
    pub ideal_pitch: u8,
    pub punch: [u8; 3],
    pub velocity: [u8; 3],
    pub items: u32,
    pub on_ground: bool,
    pub in_water: bool,
    pub without_items: bool,
    pub weapon_frame: u16,
    pub armor: u16,
    pub weapon_model: u16,
    pub health: u16,
    pub ammo: u16,
    pub shells: u16,
    pub nails: u16,
    pub rockets: u16,
    pub cells: u16,
    pub weapon: u8,
    pub weapon_alpha: u8,
    pub force: u32,
}

impl Default for Client {
    fn default() -> Self {
        Client {
            view_height: 22,
            items: 0x4001,
            ideal_pitch: 0,
            punch: [0; 3],
            velocity: [0; 3],
            on_ground: false,
            in_water: false,
            without_items: false,
            weapon_frame: 0,
            armor: 0,
            weapon_model: 0,
            health: 0,
            ammo: 0,
            shells: 0,
            nails: 0,
            rockets: 0,
            cells: 0,
            weapon: 0,
            weapon_alpha: 0,
            force: 0,
        }
    }
}
