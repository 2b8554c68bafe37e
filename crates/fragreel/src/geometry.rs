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

/// The angle between a view's ray and a box in degrees: 0 if the ray hits it, or begins in it.
pub(crate) fn angle_to_box(eye: [f32; 3], view: [f32; 3], [low, high]: [[f32; 3]; 2]) -> f32 {
    let ray = forward(view).map(f64::from);
    let [low, high] = [low, high].map(|corner| [0, 1, 2].map(|axis| f64::from(corner[axis]) - f64::from(eye[axis])));
    if hits(ray, low, high) {
        return 0.0;
    }
    // A ray that misses is nearest to an edge.
    let corner = |number: usize| [0, 1, 2].map(|axis: usize| if number >> axis & 1 == 0 { low[axis] } else { high[axis] });
    let edges = (0..8).flat_map(|number| (0..3).filter(move |axis| number >> axis & 1 == 0).map(move |axis| (number, number | 1 << axis)));
    let cosine = edges.map(|(from, to)| cosine_to_edge(ray, corner(from), corner(to))).fold(-1.0, f64::max);
    cosine.clamp(-1.0, 1.0).acos().to_degrees() as f32
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

/// Whether a ray from 0 hits a box.
fn hits(ray: [f64; 3], low: [f64; 3], high: [f64; 3]) -> bool {
    let (mut near, mut far) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        if ray[axis] == 0.0 {
            if low[axis] > 0.0 || high[axis] < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low[axis] / ray[axis], high[axis] / ray[axis]);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    near <= far
}

/// The greatest cosine between a ray and the direction to a point of an edge.
fn cosine_to_edge(ray: [f64; 3], from: [f64; 3], to: [f64; 3]) -> f64 {
    let edge: [f64; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
    let (along, across) = (dot(ray, edge), dot(from, edge));
    // where the derivative of the cosine is 0
    let part = (dot(ray, from) * across - along * dot(from, from)) / (along * across - dot(ray, from) * dot(edge, edge));
    let parts = [0.0, 1.0, if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }];
    let cosine = |part: f64| {
        let point: [f64; 3] = std::array::from_fn(|axis| from[axis] + edge[axis] * part);
        let length = dot(point, point).sqrt();
        if length > 0.0 { dot(ray, point) / length } else { 1.0 }
    };
    parts.into_iter().map(cosine).fold(-1.0, f64::max)
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

    /// The nearest of many points of the box is as near as the exact answer, and no point is nearer.
    #[test]
    fn angles_to_boxes_are_those_of_their_nearest_points() {
        let body = [[100.0, -16.0, -24.0], [132.0, 16.0, 32.0]];
        let views = [[0.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 12.0, 0.0], [-30.0, 20.0, 0.0], [50.0, -70.0, 0.0], [0.0, 180.0, 0.0], [-89.0, 3.0, 0.0]];
        for view in views {
            let ray = forward(view);
            let steps = |axis: usize| (0..=60).map(move |at| body[0][axis] + (body[1][axis] - body[0][axis]) * at as f32 / 60.0);
            let points = steps(0).flat_map(|x| steps(1).flat_map(move |y| steps(2).map(move |z| [x, y, z])));
            let angle = |point: [f32; 3]| ((0..3).map(|axis| point[axis] * ray[axis]).sum::<f32>() / length(point)).clamp(-1.0, 1.0).acos().to_degrees();
            let nearest = points.map(angle).fold(180.0, f32::min);
            let found = angle_to_box([0.0; 3], view, body);
            assert!(found <= nearest + 0.05 && nearest - found < 0.7, "{view:?}: {found} {nearest}");
        }
        assert_eq!(angle_to_box([0.0; 3], [0.0, 9.0, 0.0], body), 0.0);
        assert!((angle_to_box([0.0; 3], [0.0, 12.0, 0.0], body) - (12.0 - (16.0_f32 / 100.0).atan().to_degrees())).abs() < 1e-3);
        assert_eq!(angle_to_box([110.0, 0.0, 0.0], [0.0, 77.0, 0.0], body), 0.0, "who stands in it hits it");
        assert!(angle_to_box([0.0; 3], [0.0, 45.0, 0.0], [[0.0; 3]; 2]).is_finite());
    }
}
