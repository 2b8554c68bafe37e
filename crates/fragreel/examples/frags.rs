//! Who killed how many in a recording: `cargo run --example frags -- samples/quake3/dm_bots.dm_71`

use std::collections::BTreeMap;

use fragreel::Recording;
use fragreel::model::{EventKind, Kind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a recording")?;
    let recording = Recording::open(std::fs::read(&path)?, &path)?;
    let mut frags: BTreeMap<String, (i32, i32)> = BTreeMap::new();
    let mut events = recording.events(Kind::Kill);
    for event in events.by_ref() {
        let EventKind::Kill(kill) = event.kind else { continue };
        frags.entry(kill.victim.name.clean.clone()).or_default().1 += 1;
        if let Some(attacker) = kill.attacker.as_ref().filter(|_| !kill.is_suicide()) {
            frags.entry(attacker.name.clean.clone()).or_default().0 += 1;
        }
    }
    let mut table: Vec<_> = frags.into_iter().collect();
    table.sort_by_key(|(_, (kills, deaths))| (-kills, *deaths));
    println!("{:>5} {:>6}  name", "kills", "deaths");
    for (name, (kills, deaths)) in table {
        println!("{kills:>5} {deaths:>6}  {name}");
    }
    for damage in events.damage() {
        eprintln!("damaged at offset {}: {}", damage.offset, damage.detail);
    }
    Ok(())
}
