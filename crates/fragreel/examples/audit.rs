//! What speaks against recordings being unbroken: `cargo run --example audit -- samples/quake3/*.dm_71`

use fragreel::Recording;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let audit = Recording::open(std::fs::read(&path)?, &path)?.audit();
        println!("{:<10}  {path}: {} frames in {} messages", audit.grade.name(), audit.frames, audit.messages);
        for finding in &audit.findings {
            println!("            {} {} at message {}: {}", finding.grade.name(), finding.kind.name(), finding.message, finding.evidence);
        }
        for seal in &audit.seals {
            println!("            {}: {} hold, {} broken", seal.name, seal.holds, seal.broken);
        }
    }
    Ok(())
}
