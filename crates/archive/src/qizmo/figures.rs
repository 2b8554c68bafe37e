//! The tables that Qizmo decodes by: how often each symbol comes, the texts that one symbol stands for, and the models and sounds that it knows.
//!
//! `figures.zz` holds them, packed with zlib: 65,536 counts of 32 bits as four planes of bytes, the low bytes first; five lists of 512 texts; the models; the sounds. A text
//! is its length in two bytes and its bytes. The figures are those of Qizmo 2.91's `compress.dat` and of its program, as the decoder in Go of
//! <https://github.com/osm/quake> (`demo/qwz`, MIT) publishes them.

use std::io::Read;
use std::sync::LazyLock;

/// Rows of the table of counts. A pair of rows is low and high byte.
pub(super) mod row {
    pub(in super::super) const BACK: usize = 0;
    pub(in super::super) const OWN_ORIGIN_MASK: usize = 1;
    pub(in super::super) const OWN_LOOK_MASK: usize = 2;
    pub(in super::super) const OWN_VELOCITY_MASK: usize = 3;
    pub(in super::super) const MESSAGE: usize = 4;
    pub(in super::super) const PLAYER: usize = 5;
    pub(in super::super) const PLAYER_TIME: usize = 6;
    pub(in super::super) const PLAYER_MASKS: [usize; 4] = [7, 8, 9, 10];
    pub(in super::super) const ORIGIN: [[usize; 2]; 3] = [[11, 12], [13, 14], [15, 16]];
    pub(in super::super) const FRAME: usize = 17;
    pub(in super::super) const TURN: [[usize; 2]; 2] = [[18, 19], [20, 21]];
    pub(in super::super) const FORWARD: [usize; 2] = [22, 23];
    pub(in super::super) const SIDE: [usize; 2] = [24, 25];
    pub(in super::super) const ROLL: [usize; 2] = [26, 27];
    pub(in super::super) const UNUSED: usize = 28;
    pub(in super::super) const IMPULSE: usize = 29;
    pub(in super::super) const COMMAND_TIME: usize = 30;
    pub(in super::super) const VELOCITY: [[usize; 2]; 3] = [[31, 32], [33, 34], [35, 36]];
    pub(in super::super) const MODEL: usize = 37;
    pub(in super::super) const SKIN: usize = 38;
    pub(in super::super) const EFFECTS: usize = 39;
    pub(in super::super) const WEAPON_FRAME: usize = 40;
    pub(in super::super) const ENTITY: usize = 41;
    pub(in super::super) const ENTITY_NUMBER: usize = 42;
    pub(in super::super) const ENTITY_MASK_HIGH: usize = 43;
    pub(in super::super) const ENTITY_MASK_LOW: usize = 44;
    pub(in super::super) const ENTITY_MODEL: usize = 45;
    /// Frame, colormap, skin.
    pub(in super::super) const ENTITY_BYTES: [usize; 3] = [46, 47, 48];
    pub(in super::super) const ENTITY_EFFECTS: usize = 49;
    pub(in super::super) const ENTITY_ORIGIN: [[usize; 2]; 3] = [[50, 51], [53, 54], [56, 57]];
    pub(in super::super) const ENTITY_ANGLES: [usize; 3] = [52, 55, 58];
    pub(in super::super) const STAT: usize = 63;
    pub(in super::super) const STAT_VALUE: usize = 64;
    pub(in super::super) const SOUND_CHANNEL: [usize; 2] = [65, 66];
    pub(in super::super) const SOUND_VOLUME: usize = 67;
    pub(in super::super) const SOUND_ATTENUATION: usize = 68;
    pub(in super::super) const SOUND: usize = 69;
    pub(in super::super) const SOUND_FLAGS: usize = 70;
    pub(in super::super) const PLACE: [[usize; 2]; 3] = [[71, 72], [73, 74], [75, 76]];
    pub(in super::super) const PRINT_LEVEL: usize = 77;
    pub(in super::super) const PRINT: usize = 78;
    pub(in super::super) const CHAT: usize = 80;
    pub(in super::super) const STUFFED: usize = 82;
    /// The low byte of the frags and the high one.
    pub(in super::super) const FRAGS: [usize; 2] = [84, 85];
    /// Armor and blood.
    pub(in super::super) const DAMAGE: [usize; 2] = [86, 87];
    pub(in super::super) const DAMAGE_PLACE: [[usize; 2]; 3] = [[88, 89], [90, 91], [92, 93]];
    pub(in super::super) const EFFECT: usize = 94;
    pub(in super::super) const EFFECT_ENTITY: [usize; 2] = [95, 96];
    pub(in super::super) const BEAM_FLAGS: usize = 97;
    pub(in super::super) const EFFECT_PLACE: [[usize; 2]; 3] = [[98, 99], [100, 101], [102, 103]];
    pub(in super::super) const EFFECT_COUNT: usize = 104;
    pub(in super::super) const CENTER: usize = 105;
    pub(in super::super) const PING: [usize; 2] = [107, 108];
    /// The number and the four bytes of its value.
    pub(in super::super) const LONG_STAT: [usize; 5] = [109, 110, 111, 112, 113];
    pub(in super::super) const USER_ID: usize = 114;
    pub(in super::super) const USER_INFO: usize = 115;
    pub(in super::super) const NAILS: usize = 116;
    pub(in super::super) const NAIL: [usize; 6] = [117, 118, 119, 120, 121, 122];
    pub(in super::super) const CHOKED: usize = 123;
    pub(in super::super) const INFO_KEY: usize = 124;
    pub(in super::super) const INFO_VALUE: usize = 126;
    pub(in super::super) const SERVER_INFO: usize = 127;
    pub(in super::super) const LOSS: usize = 128;
    pub(in super::super) const SLOT: usize = 129;
    pub(in super::super) const NEXT_SLOT: usize = 130;
    pub(in super::super) const BYTE: usize = 131;
    pub(in super::super) const DAMAGE_HAS_PLACE: usize = 132;
    /// The first of 34.
    pub(in super::super) const VOICE: usize = 180;
    pub(in super::super) const COMMAND_MASK: [usize; 2] = [224, 225];
    pub(in super::super) const COMMAND_ANGLES: [[usize; 2]; 3] = [[226, 227], [228, 229], [230, 231]];
    pub(in super::super) const COMMAND_MOVE: [[usize; 2]; 3] = [[232, 233], [234, 235], [236, 237]];
    pub(in super::super) const COMMAND_BUTTONS: usize = 238;
    pub(in super::super) const COMMAND_IMPULSE: usize = 239;
    pub(in super::super) const COMMAND_TIME_OF: usize = 240;
    pub(in super::super) const TIME: usize = 241;
    pub(in super::super) const MODE: usize = 242;
}

/// Rows that go on in the next.
const PAIRS: [usize; 5] = [row::PRINT, row::CHAT, row::STUFFED, row::CENTER, row::INFO_KEY];

const ROW: usize = 256;
const COUNTS: usize = ROW * ROW;

/// The lists of texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Texts {
    Center,
    Print,
    Chat,
    Stuffed,
    InfoKey,
}

/// All tables.
pub(super) struct Figures {
    cumulated: Vec<u32>,
    texts: [Vec<Vec<u8>>; 5],
    /// In the order of their names, from number 1.
    pub(super) models: Vec<Vec<u8>>,
    pub(super) sounds: Vec<Vec<u8>>,
}

static FIGURES: LazyLock<Figures> = LazyLock::new(Figures::read);

impl Figures {
    pub(super) fn get() -> &'static Figures {
        &FIGURES
    }

    /// What is cumulated of a row.
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.cumulated[row * ROW..][..ROW]
    }

    /// The same of a row and the next.
    pub(super) fn pair(&self, row: usize) -> &[u32] {
        &self.cumulated[row * ROW..][..2 * ROW]
    }

    /// What a symbol stands for.
    pub(super) fn text(&self, of: Texts, symbol: usize) -> &[u8] {
        self.texts[of as usize].get(symbol).map_or(&[], Vec::as_slice)
    }

    fn read() -> Self {
        let mut all = Vec::new();
        // Our own file is whole: a test reads it.
        let _ = flate2::read::ZlibDecoder::new(&include_bytes!("figures.zz")[..]).read_to_end(&mut all);
        let byte = |plane: usize, at: usize| u64::from(all.get(plane * COUNTS + at).copied().unwrap_or_default()) << (8 * plane);
        let mut counts: Vec<u64> = (0..COUNTS).map(|at| (0..4).map(|plane| byte(plane, at)).sum()).collect();
        counts[row::BACK * ROW + 1] += 256;
        let mut cumulated = vec![0; COUNTS];
        let mut row = 0;
        while row < ROW {
            let rows = if PAIRS.contains(&row) { 2 } else { 1 };
            let symbols = if row == row::DAMAGE_HAS_PLACE { 2 } else { rows * ROW };
            let range = row * ROW..row * ROW + symbols;
            cumulate(&counts[range.clone()], &mut cumulated[range]);
            row += rows;
        }
        let mut rest = all.get(4 * COUNTS..).unwrap_or_default();
        let mut list = |count: usize| (0..count).map(|_| text(&mut rest)).collect::<Vec<_>>();
        let texts = std::array::from_fn(|_| list(2 * ROW));
        let mut named = || {
            let count = list(1).concat();
            list(usize::from(count.first().copied().unwrap_or_default()))
        };
        let (models, sounds) = (named(), named());
        Figures { cumulated, texts, models, sounds }
    }
}

/// The share of all counts up to each, of 2^32.
fn cumulate(counts: &[u64], into: &mut [u32]) {
    let total: u64 = counts.iter().sum();
    let mut sum = 0;
    for (count, share) in counts.iter().zip(into) {
        sum += count;
        *share = (sum * u64::from(u32::MAX)).checked_div(total).unwrap_or(u64::from(u32::MAX)) as u32;
    }
}

fn text(rest: &mut &[u8]) -> Vec<u8> {
    let Some((length, after)) = rest.split_first_chunk() else { return Vec::new() };
    let (text, after) = after.split_at(usize::from(u16::from_le_bytes(*length)).min(after.len()));
    *rest = after;
    text.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        let figures = Figures::get();
        for row in (0..=row::DAMAGE_HAS_PLACE).chain(row::VOICE..ROW) {
            let is_last_of_pair = row.checked_sub(1).is_some_and(|before| PAIRS.contains(&before));
            let part = if row == row::DAMAGE_HAS_PLACE { &figures.row(row)[..2] } else { figures.row(row) };
            assert!(part.is_sorted(), "{row}");
            assert!(is_last_of_pair || PAIRS.contains(&row) || part.last() == Some(&u32::MAX), "{row}");
        }
        assert!(PAIRS.iter().all(|&row| figures.pair(row).is_sorted() && figures.pair(row)[511] == u32::MAX));
        assert_eq!((figures.models.len(), figures.sounds.len()), (62, 190));
        assert!(figures.models[1..].is_sorted() && figures.sounds[1..].is_sorted());
        assert!(figures.text(Texts::Print, 500) != figures.text(Texts::Chat, 500) || figures.text(Texts::Stuffed, 300) != figures.text(Texts::Center, 300));
    }
}
