//! The checksum of files that engines of all games compare: MD4, whose words are joined.

/// The checksum of a block of data: the four words of its MD4, joined by exclusive or.
///
/// ```
/// assert_eq!(fragreel_live::block_checksum(b""), 0x31d6_cfe0_u32.swap_bytes() ^ 0xd16a_e931_u32.swap_bytes() ^ 0xb73c_59d7_u32.swap_bytes() ^ 0xe0c0_89c0_u32.swap_bytes());
/// ```
pub fn block_checksum(data: &[u8]) -> u32 {
    let [a, b, c, d] = md4(data);
    a ^ b ^ c ^ d
}

/// MD4 (RFC 1320), as its four words.
fn md4(data: &[u8]) -> [u32; 4] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut blocks = data.chunks_exact(64);
    for block in &mut blocks {
        md4_block(&mut state, block);
    }
    let mut tail = blocks.remainder().to_vec();
    tail.push(0x80);
    while tail.len() % 64 != 56 {
        tail.push(0);
    }
    tail.extend_from_slice(&(data.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in tail.chunks_exact(64) {
        md4_block(&mut state, block);
    }
    state
}

fn md4_block(state: &mut [u32; 4], block: &[u8]) {
    let word = |at: usize| u32::from_le_bytes([block[4 * at], block[4 * at + 1], block[4 * at + 2], block[4 * at + 3]]);
    let [mut a, mut b, mut c, mut d] = *state;
    let mut step = |mix: u32, at: usize, constant: u32, turn: u32| {
        let next = a.wrapping_add(mix).wrapping_add(word(at)).wrapping_add(constant).rotate_left(turn);
        (a, b, c, d) = (d, next, b, c);
        (b, c, d)
    };
    let (mut x, mut y, mut z) = (state[1], state[2], state[3]);
    for at in 0..16 {
        (x, y, z) = step(x & y | !x & z, at, 0, [3, 7, 11, 19][at % 4]);
    }
    for at in 0..16 {
        (x, y, z) = step(x & y | x & z | y & z, at % 4 * 4 + at / 4, 0x5a82_7999, [3, 5, 9, 13][at % 4]);
    }
    // Bits of the step's number reversed.
    for at in 0..16usize {
        let reversed = (at & 1) << 3 | (at & 2) << 1 | (at & 4) >> 1 | (at & 8) >> 3;
        (x, y, z) = step(x ^ y ^ z, reversed, 0x6ed9_eba1, [3, 9, 11, 15][at % 4]);
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 1320.
    #[test]
    fn md4_of_the_standard() {
        for (text, digest) in [
            ("", "31d6cfe0d16ae931b73c59d7e0c089c0"),
            ("a", "bde52cb31de33e46245e05fbdbd6fb24"),
            ("abc", "a448017aaf21d8525fc10ae87aa6729d"),
            ("12345678901234567890123456789012345678901234567890123456789012345678901234567890", "e33b4ddc9c38f2199c3e7b164fcc0536"),
        ] {
            let bytes: Vec<String> = md4(text.as_bytes()).iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(bytes.concat(), digest);
        }
    }
}
