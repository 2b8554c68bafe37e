//! Text and back.

use fragreel_base::textform::{compile, decompile, decompile_in_windows};
use fragreel_base::wire::Limits;

use crate::text::{Compiler, Decompiler};

/// A recording of any bytes comes back from its text, however it was handed over; any text is compiled or refused.
pub fn text_form(data: &[u8]) {
    let _ = compile(Compiler::default(), data);
    let Ok(decompiler) = Decompiler::new(data, None, Limits::default()) else { return };
    let text = decompile(decompiler, data);
    let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&text)));
    assert!(back == data, "differs from byte {:?} on", back.iter().zip(data).position(|(one, other)| one != other));
    assert!(in_windows(data, 1 << 19) == text, "the text depends on how the recording was handed over");
    changed(data, &text);
}

/// A recording as text, handed over in windows of this number of bytes.
pub fn in_windows(data: &[u8], size: usize) -> Vec<u8> {
    Decompiler::new(data, None, Limits::default()).map_or_else(|_| Vec::new(), |decompiler| decompile_in_windows(decompiler, data, std::iter::repeat(size)))
}

/// The text with characters changed: what is taken gives bytes that can be taken apart again.
fn changed(data: &[u8], text: &[u8]) {
    const WRONG: &[u8] = b"0179-.\"[]{}:,xn\\# ";
    let mut seed = data.iter().fold(0x9e37_79b9_7f4a_7c15u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)) | 1;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    for _ in 0..4 {
        let mut text = text.to_vec();
        for _ in 0..=random(3) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = WRONG[random(WRONG.len())],
                1 => drop(text.remove(at)),
                _ => text[at] = text[at].wrapping_add(1),
            }
        }
        let Ok(bytes) = compile(Compiler::default(), &text) else { continue };
        let Ok(decompiler) = Decompiler::new(&bytes, None, Limits::default()) else { continue };
        let again = compile(Compiler::default(), &decompile(decompiler, &bytes));
        assert!(again.is_ok_and(|again| again == bytes), "what was compiled does not come back");
    }
}
