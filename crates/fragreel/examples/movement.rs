//! Prints how many steps in the air the physics explains, and the jumps: `cargo run --example movement -- FILE...`

use std::ops::ControlFlow;

use fragreel::Recording;
use fragreel::movement::{Moved, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let recording = match Recording::open(std::fs::read(&path)?, &path) {
            Ok(recording) => recording,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let (mut steps, mut single, mut air, mut explained, mut touch, mut jumps) = (0, 0, 0, 0, 0, 0);
        let walked = recording.movement(&mut |moved| {
            match moved {
                Moved::Step(step) => {
                    steps += 1;
                    single += u32::from(step.state.source == Source::Command);
                    air += u32::from(step.explained.is_some());
                    explained += u32::from(step.explained == Some(true));
                    touch += u32::from(step.is_touch);
                    if std::env::var("STEPS").is_ok() {
                        println!(
                            "{} {} {:.3} v {:?} o {:?} ground {:?} duck {:?} {} st {:?}",
                            step.state.message,
                            step.state.time,
                            step.speed,
                            step.state.velocity,
                            step.state.origin,
                            step.state.on_ground,
                            step.state.ducked,
                            step.state.input.map_or(String::new(), |i| i.keys.letters()),
                            step.state.stamina
                        );
                    }
                    if std::env::var("MISSES").is_ok() && step.explained == Some(false) && !step.is_touch {
                        println!(
                            "{} {:?} -> {:?} miss {:?} {:?} {:?}",
                            step.state.message, step.speed_before, step.state.velocity, step.miss, step.state.input, step.state.physics
                        );
                    }
                }
                Moved::Jump(jump) => {
                    jumps += 1;
                    if std::env::var("JUMPS").is_ok() {
                        println!("{jump:#?}");
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = walked {
            println!("{path}: {error}");
        }
        let share = (explained + touch) as f32 * 100.0 / (air.max(1)) as f32;
        println!(
            "{steps:7} steps {single:7} single {air:6} air {explained:6} explained {touch:4} touch {share:6.2} % {jumps:5} jumps {}",
            path.rsplit('/').next().unwrap_or_default()
        );
    }
    Ok(())
}
