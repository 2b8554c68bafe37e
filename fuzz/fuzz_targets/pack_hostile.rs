#![no_main]

// Whatever a packed file holds, unpacking ends.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_pack::properties::hostile(bytes));
