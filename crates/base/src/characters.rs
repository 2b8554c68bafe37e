//! Bytes of games as text, without loss.

const PRIVATE: u32 = 0xe000;

/// Bytes as text, without loss: UTF-8 stays, any other byte *b* becomes the private-use character U+E000 + *b*
/// (as Quake's own character set is mapped by engines). [`game_bytes`] is the inverse.
pub fn game_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_private(c) {
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().map(private));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(private));
    }
    text
}

/// The bytes that [`game_text`] was made from.
pub fn game_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        if is_private(c) {
            bytes.push((c as u32 - PRIVATE) as u8);
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    bytes
}

fn private(byte: u8) -> char {
    char::from_u32(PRIVATE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_private(c: char) -> bool {
    (PRIVATE..PRIVATE + 256).contains(&(c as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&all[..], "Größe".as_bytes(), "\u{e041}".as_bytes(), b"\xc3", b""] {
            assert_eq!(game_bytes(&game_text(bytes)), bytes);
        }
        assert_eq!(game_text("Größe".as_bytes()), "Größe");
        assert_eq!(game_text(b"\xff!"), "\u{e0ff}!");
    }
}
