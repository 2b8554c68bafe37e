//! Packs samples of each family by each preset, unpacks them, and compares with the sums that the tests know. It reads no file and prints nothing,
//! so that WebAssembly without a system runs it. The exit code names the first difference: 10 and the number of the sum.

use std::process::ExitCode;

use fragreel_pack::{Limits, Preset, pack_with, unpack};
use sha2::{Digest, Sha256};

include!("../tests/known.rs");

macro_rules! samples {
    ($($name:literal)*) => { [$(include_bytes!(concat!("../../../samples/", $name))),*] };
}

const SAMPLES: [&[u8]; KNOWN.len()] = samples!(
    "quake3/dm_bots.dm_71"
    "quake2/q2pmulti_Alice.dm2"
    "quake2/mvd_base_ext2013.mvd2"
    "quake2/aq2_match.mvd2"
    "quake2/synth_relay_lmpc.rla"
    "quake1/match_e1m1.mvd"
    "quake1/netquake15_deltas_dm3.dem"
    "quake1/rerelease_e1m1.dem"
    "quake1/quakeworld_deltas_e1m1.qwd"
    "goldsrc/net-45.dem"
    "goldsrc/protocol-4-net-40.dem"
);

fn main() -> ExitCode {
    let mut number = 10;
    for ((_, name, sums), sample) in KNOWN.into_iter().zip(SAMPLES) {
        for (preset, sum) in PRESETS.into_iter().zip(sums) {
            let packed = pack_with(sample, name, preset);
            let comes_back = unpack(&packed, &Limits::default()).is_ok_and(|unpacked| unpacked.bytes == sample);
            if Sha256::digest(&packed)[..4] != sum || !comes_back {
                return ExitCode::from(number);
            }
            number += 1;
        }
    }
    for (preset, sum) in PRESETS.into_iter().zip(KNOWN_ARCHIVES) {
        if Sha256::digest(archive_of(&SAMPLES, preset))[..4] != sum {
            return ExitCode::from(number);
        }
        number += 1;
    }
    ExitCode::SUCCESS
}
