//! Directions that Quake II and Quake III send as one byte.

/// The lengths that their parts have.
const LENGTHS: [f32; 21] = [
    0.0, 0.147_621, 0.162_46, 0.238_856, 0.262_866, 0.295_242, 0.309_017, 0.425_325, 0.442_863, 0.5, 0.525_731, 0.587_785, 0.681_718, 0.688_191, 0.716_567,
    0.809_017, 0.850_651, 0.864_188, 0.951_056, 0.955_423, 1.0,
];

/// The corners of a regular body with 20 sides whose edges are halved twice, in the order of the games: three letters a direction, each a part's length,
/// and a capital letter a negative part.
const CORNERS: &[u8; 486] = b"\
    KaqIdrFatGjpCesaauaqkBombomakqgjpkaqfatidrcesMboPgjLhnQkaRidOmbNlhJpgDriHnlOmBJpG\
    KqaaqKDrIatFEsCauaatfEscdriescjpgdrIesCjpGqkaombomBkqahnlridnlhpgjmbolhntfauaasce\
    qKatFarIdsCepGjmBoqakriDpgJscEkaQmbOmBOqaKpGJrIDsCEboMgjPhnLidRlhNnlHBoMGjPakQKaQ\
    IdRFaTCeSaaUfaTceSIDRGJPCESaQKBOMbOMaKQgJPiDRcESdRIjPGhNLoMBnLHlHNaTFaUaeSCaQkaTf\
    dRieScjPgoMbkQaDRIJPGESCQKaOMBOMbKQaJPgDRiEScRIdPGjNLhMBoIDrLHnGJpBOmHNlCEsiDrcEs\
    gJpbOmaKqhNllHnnLhTfaSceUaaQakTFaSCeRiDScEPgJRIDSCEPGJMbOMBOQaKNlHLhNHnLHNLLHNNLH";

/// The direction that a byte stands for: one of 162.
pub fn direction_of_byte(byte: u8) -> Option<[f32; 3]> {
    let letters = CORNERS.as_chunks::<3>().0.get(usize::from(byte))?;
    Some(letters.map(|letter| {
        let length = LENGTHS[usize::from(letter.to_ascii_lowercase() - b'a')];
        if letter.is_ascii_uppercase() { -length } else { length }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_even_on_a_sphere() {
        let all: Vec<_> = (0..=255).map_while(direction_of_byte).collect();
        assert_eq!(all.len(), 162);
        assert_eq!(
            [5, 84, 52, 143, 32, 104].map(|at| all[at]),
            [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
        );
        let dot = |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        for (at, one) in all.iter().enumerate() {
            assert!((dot(one, one) - 1.0).abs() < 1e-5, "{at}");
            // the opposite is there, too, and the nearest is between 15 and 20 degrees away
            assert!(all.contains(&one.map(|part| 0.0 - part)), "{at}");
            let nearest = all.iter().filter(|other| *other != one).map(|other| dot(one, other)).fold(-1.0, f32::max);
            assert!((0.94..0.97).contains(&nearest), "{at}: {nearest}");
        }
    }
}
