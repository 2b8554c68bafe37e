//! Standard output: buffered, and safe to show.

use std::borrow::Cow;
use std::io::{BufWriter, StdoutLock, Write};

/// Standard output, buffered.
pub type Output = BufWriter<StdoutLock<'static>>;

/// Locks standard output for the rest of the command.
pub fn stdout() -> Output {
    BufWriter::with_capacity(1 << 16, std::io::stdout().lock())
}

/// Text from a file as it may be shown: a recording's strings must not command the terminal or break lines.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let trimmed = text.trim_end_matches(['\n', '\r']);
    Cow::Owned(trimmed.chars().map(|c| if c.is_control() { '·' } else { c }).collect())
}

/// Ends the program quietly when nobody reads any more; for places that cannot return.
pub fn must_write(result: std::io::Result<()>) {
    if let Err(error) = result {
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            eprintln!("cannot write the output: {error}");
            std::process::exit(2);
        }
        std::process::exit(0);
    }
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
    fn nothing_from_a_recording_commands_the_terminal() {
        assert_eq!(printable("plain"), "plain");
        assert_eq!(printable("a\x1b[2Jb\nc\n"), "a·[2Jb·c");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!([size(999), size(1826), size(1_826_376), size(2_500_000_000)], ["999 B", "1.8 kB", "1.8 MB", "2.50 GB"]);
    }
}
