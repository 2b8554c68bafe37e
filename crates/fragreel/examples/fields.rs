//! Which fields take up a recording, by bits: `cargo run --release --example fields -- samples/quake3/dm_bots.dm_71`

use std::collections::BTreeMap;

use fragreel::Recording;
use fragreel::model::Selection;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a recording")?;
    let recording = Recording::open(std::fs::read(&path)?, &path)?;
    let (mut fields, mut all) = (BTreeMap::<String, u64>::new(), 0);
    for message in recording.explain(Selection::All) {
        for part in message.parts {
            let bits = part.to_bit - part.from_bit;
            all += bits;
            // `snapshot › entity 43` and `snapshot › entity 44` are the same place here.
            let place: String = part.path.chars().filter(|c| !c.is_ascii_digit()).collect();
            *fields.entry(format!("{} {}", place.trim(), part.field)).or_default() += bits;
        }
    }
    let mut table: Vec<_> = fields.into_iter().collect();
    table.sort_by_key(|(_, bits)| std::cmp::Reverse(*bits));
    for (field, bits) in table.iter().take(30) {
        println!("{:>6.2} %  {field}", 100.0 * *bits as f64 / all as f64);
    }
    Ok(())
}
