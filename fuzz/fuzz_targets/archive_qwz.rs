#![no_main]

use std::io::Cursor;

use fragreel_archive::{Kind, Limits, extract};

// Whatever the bytes are: a recording or an error, of no more than is allowed.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { member: 1 << 20, base: 1 << 20, ratio: 100, members: 1 };
    if let Ok(member) = extract(Kind::Qizmo, "x.qwz", Cursor::new(bytes), "x.qwd", &limits) {
        assert!(member.len() <= 1 << 20);
    }
});
