//! Standard output: buffered, and safe to show.

use std::borrow::Cow;
use std::io::{BufWriter, Write};

/// Where answers go: standard output, or the file that a batch goes on in.
pub type Output = BufWriter<Box<dyn Write>>;

/// The exit code when the reader of the output closed it before its end, as shells have it: what was not read was not looked at
/// either.
pub const NOT_READ: u8 = 141;

/// Locks standard output for the rest of the command.
pub fn stdout() -> Output {
    to(Box::new(std::io::stdout().lock()))
}

/// Output to somewhere else.
pub fn to(writer: Box<dyn Write>) -> Output {
    BufWriter::with_capacity(1 << 16, writer)
}

/// Text from a recording, a file's name or an error, as it may be shown: nothing commands the terminal, breaks lines, or changes
/// how the rest of the line reads.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(misleads) {
        return Cow::Borrowed(text);
    }
    let trimmed = text.trim_end_matches(['\n', '\r']);
    Cow::Owned(trimmed.chars().map(|c| if misleads(c) { '·' } else { c }).collect())
}

/// Characters that a terminal obeys (C0, C1), that break lines, that reorder what stands around them, that cannot be seen, and
/// those that stand for bytes of no known meaning.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e000}'..='\u{e0ff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether nobody reads the output any more. A named pipe, which shells of Windows may use, has its own error for that.
pub fn is_closed(error: &std::io::Error) -> bool {
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == std::io::ErrorKind::BrokenPipe || (cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED))
}

/// Ends the program quietly when nobody reads any more; for places that cannot return.
pub fn must_write(result: std::io::Result<()>) {
    if let Err(error) = result {
        if !is_closed(&error) {
            eprintln!("cannot write the output: {error}");
            std::process::exit(2);
        }
        std::process::exit(i32::from(NOT_READ));
    }
}

/// Bytes with two digits each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes as people count them.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// Makes sure that everything is out.
pub fn finish(mut output: Output) -> std::io::Result<()> {
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_recording_commands_the_terminal_or_hides() {
        assert_eq!(printable("plain Größe 日本 🙂"), "plain Größe 日本 🙂");
        assert_eq!(printable("a\x1b[2Jb\nc\n"), "a·[2Jb·c");
        for hidden in ['\u{7}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\u{2028}', '\u{2029}', '\u{200b}', '\u{200d}', '\u{feff}', '\u{e0ff}', '\u{e0041}']
        {
            assert_eq!(printable(&format!("a{hidden}b")), "a·b", "{hidden:?}");
        }
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!([size(999), size(1826), size(1_826_376), size(2_500_000_000)], ["999 B", "1.8 kB", "1.8 MB", "2.50 GB"]);
    }
}
