#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| fragreel_model::replay::properties::personal(text));
