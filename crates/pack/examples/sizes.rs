//! Packs files, unpacks them again, compares, and prints sizes and times. FRAGREEL_QUICK chooses the quick preset.

use std::time::Instant;

fn main() {
    let (mut from, mut to) = (0, 0);
    let preset = if std::env::var_os("FRAGREEL_QUICK").is_some() { fragreel_pack::Preset::Quick } else { fragreel_pack::Preset::Small };
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let name = path.rsplit('/').next().unwrap_or_default();
        let start = Instant::now();
        let packed = fragreel_pack::pack_with(&bytes, name, preset);
        let packing = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let unpacked = fragreel_pack::unpack(&packed, &fragreel_pack::Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
        let unpacking = start.elapsed().as_secs_f64();
        assert!(unpacked.bytes == bytes, "{path} did not come back");
        println!(
            "{}\t{}\t{:.2} %\t{packing:.2} s\t{unpacking:.2} s\t{:?}\t{name}",
            bytes.len(),
            packed.len(),
            packed.len() as f64 * 100.0 / bytes.len().max(1) as f64,
            unpacked.head.method
        );
        from += bytes.len();
        to += packed.len();
    }
    println!("{from}\t{to}\t{:.2} %", to as f64 * 100.0 / from.max(1) as f64);
}
