//! Directions and lengths in the games' space.

/// The length of a vector.
pub(crate) fn length(vector: [f32; 3]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// How far apart two places are.
pub(crate) fn distance(from: [f32; 3], to: [f32; 3]) -> f32 {
    length(std::array::from_fn(|axis| to[axis] - from[axis]))
}

/// The angle between two views in degrees; a view is pitch, yaw and roll in degrees.
pub(crate) fn turn(from: [f32; 3], to: [f32; 3]) -> f32 {
    let (from, to) = (forward(from), forward(to));
    let cosine: f32 = from.iter().zip(to).map(|(a, b)| a * b).sum();
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

/// The direction of a view.
fn forward([pitch, yaw, _]: [f32; 3]) -> [f32; 3] {
    let ((pitch_sine, pitch_cosine), (yaw_sine, yaw_cosine)) = (pitch.to_radians().sin_cos(), yaw.to_radians().sin_cos());
    [pitch_cosine * yaw_cosine, pitch_cosine * yaw_sine, -pitch_sine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_angles_between_views() {
        for (a, b, expected) in [
            ([0.0, 350.0, 0.0], [0.0, 10.0, 0.0], 20.0),
            ([0.0, 170.0, 0.0], [0.0, -170.0, 0.0], 20.0),
            ([0.0, 0.0, 0.0], [-90.0, 123.0, 0.0], 90.0),
            ([89.0, 0.0, 0.0], [89.0, 180.0, 7.0], 2.0),
        ] {
            let found = turn(a, b);
            assert!((found - expected).abs() < 0.1, "{found} {expected}");
        }
        assert_eq!(distance([1.0, 2.0, 2.0], [0.0; 3]), 3.0);
    }
}
