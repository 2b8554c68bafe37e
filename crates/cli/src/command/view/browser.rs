//! The system's browser.

use std::process::{Command, Stdio};

/// Asks the system to show an address. Where it cannot, the printed address is there to be copied.
pub fn open(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "windows") {
        ("rundll32", &["url.dll,FileProtocolHandler", address])
    } else if cfg!(target_os = "macos") {
        ("open", &[address])
    } else {
        ("xdg-open", &[address])
    };
    let _ = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
