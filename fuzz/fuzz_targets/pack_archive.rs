#![no_main]

// Whatever an archive holds, reading it ends, and what was packed comes back.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_pack::properties::archived(bytes));
