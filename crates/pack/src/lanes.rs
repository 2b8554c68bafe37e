//! Sums of weights times logits, and how weights learn: loops over lanes that compilers turn into vector instructions, also the baseline ones
//! of x86-64 and those of WebAssembly (`docs/formats/pack.md`, "Bits of the small model").
//!
//! The functions are not inlined: only behind pointers to arrays does the compiler see loads of vectors. Inlined, the model took 1.1 times
//! the instructions.

/// Weights of one set: 2^25 is 1.
pub(crate) type Weights = [i32; 16];

/// The sum of eight products. A weight is cut to 16 bits: 2048 is 1, and the limits are -16 and 16. The products of ten logits of at most 4731 and one of 256
/// fit 32 bits.
#[inline(always)]
fn eight(logits: &[i16; 8], weights: &[i32; 8]) -> i32 {
    let mut sum = 0;
    for at in 0..8 {
        let weight = (weights[at] >> 14).clamp(-32768, 32767) as i16;
        sum += i32::from(logits[at]) * i32::from(weight);
    }
    sum
}

/// The sums of two sets for the same logits, with 2^20 for 1.
#[inline(never)]
pub(crate) fn sums<const L: usize>(logits: &[i16; L], broad: &[i32; L], fine: &[i32; L]) -> [i32; 2] {
    let (logits, _) = logits.as_chunks::<8>();
    let (broad, _) = broad.as_chunks::<8>();
    let (fine, _) = fine.as_chunks::<8>();
    let mut sums = [0; 2];
    for at in 0..L / 8 {
        sums[0] += eight(&logits[at], &broad[at]);
        sums[1] += eight(&logits[at], &fine[at]);
    }
    sums
}

/// Moves weights against the error, of 32768.
#[inline(never)]
pub(crate) fn learn<const L: usize>(logits: &[i16; L], weights: &mut [i32; L], error: i16) {
    for at in 0..L {
        weights[at] = weights[at].wrapping_add((i32::from(logits[at]) * i32::from(error)) >> 5);
    }
}
