#![no_main]

use std::io::Cursor;

use fragreel_archive::{Kind, Limits, extract, list};

// Whatever the bytes are: a list of names, and each member or an error, of no more than is allowed.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { member: 1 << 20, base: 1 << 20, ratio: 100, members: 100 };
    let Ok(listed) = list(Kind::Dzip, "x.dz", Cursor::new(bytes), &limits, &mut |_| true) else { return };
    for name in &listed.names {
        if let Ok(member) = extract(Kind::Dzip, "x.dz", Cursor::new(bytes), name, &limits) {
            assert!(member.len() <= 1 << 20);
        }
    }
});
