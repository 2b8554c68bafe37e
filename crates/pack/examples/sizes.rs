//! Packs files, unpacks them again, compares, and prints sizes and processor seconds. FRAGREEL_QUICK chooses the quick preset.

use std::sync::LazyLock;
use std::time::Instant;

/// Seconds of the processor where the system says them, else of the clock.
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let used = std::fs::read_to_string("/proc/self/schedstat").ok();
    used.and_then(|used| used.split(' ').next()?.parse::<f64>().ok()).map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    let (mut from, mut to, mut all_packing, mut all_unpacking) = (0, 0, 0.0, 0.0);
    let preset = if std::env::var_os("FRAGREEL_QUICK").is_some() { fragreel_pack::Preset::Quick } else { fragreel_pack::Preset::Small };
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let name = path.rsplit('/').next().unwrap_or_default();
        let start = seconds();
        let packed = fragreel_pack::pack_with(&bytes, name, preset);
        let packing = seconds() - start;
        let start = seconds();
        let unpacked = fragreel_pack::unpack(&packed, &fragreel_pack::Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
        let unpacking = seconds() - start;
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
        all_packing += packing;
        all_unpacking += unpacking;
    }
    println!("{from}\t{to}\t{:.2} %\t{all_packing:.2} s\t{all_unpacking:.2} s", to as f64 * 100.0 / from.max(1) as f64);
}
