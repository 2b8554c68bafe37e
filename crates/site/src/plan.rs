//! The plan of a map, drawn from the places where players were.

use std::collections::BTreeMap;

use crate::facts::Plan;

/// The picture's size, in its own units.
pub(crate) const WIDTH: u32 = 1024;
/// Its height.
pub(crate) const HEIGHT: u32 = 576;

/// The plan of these recordings together, as SVG without script and without text. Nothing is drawn without a cell.
pub(crate) fn svg<'p>(plans: impl Iterator<Item = &'p Plan>) -> Option<String> {
    let mut cells: BTreeMap<(i16, i16), (i64, i64, u64)> = BTreeMap::new();
    for (x, y, z, died) in plans.flat_map(|plan| &plan.cells) {
        let cell = cells.entry((*x, *y)).or_default();
        *cell = (cell.0 + i64::from(*z), cell.1 + 1, cell.2 + u64::from(*died));
    }
    let (left, right) = (cells.keys().map(|(x, _)| i32::from(*x)).min()?, cells.keys().map(|(x, _)| i32::from(*x)).max()?);
    let (bottom, top) = (cells.keys().map(|(_, y)| i32::from(*y)).min()?, cells.keys().map(|(_, y)| i32::from(*y)).max()?);
    let (columns, rows) = (right - left + 1, top - bottom + 1);
    let size = (f64::from(WIDTH) / f64::from(columns)).min(f64::from(HEIGHT) / f64::from(rows)).min(32.0);
    let (margin_x, margin_y) = ((f64::from(WIDTH) - size * f64::from(columns)) / 2.0, (f64::from(HEIGHT) - size * f64::from(rows)) / 2.0);
    // thirds of the cells by height, so that floors differ on flat maps as well
    let mut heights: Vec<i64> = cells.values().map(|(sum, count, _)| sum / (*count).max(1)).collect();
    heights.sort_unstable();
    let third = |number: usize| heights[(heights.len() * number / 3).min(heights.len() - 1)];
    let (low, high) = (third(1), third(2));
    let mut floors = [const { String::new() }; 3];
    let mut heat = [const { String::new() }; 4];
    for ((x, y), (sum, count, died)) in &cells {
        let height = sum / (*count).max(1);
        let floor = if height < low {
            0
        } else if height < high || low == high {
            1
        } else {
            2
        };
        let square = square(margin_x + f64::from(i32::from(*x) - left) * size, margin_y + f64::from(top - i32::from(*y)) * size, size);
        floors[floor] += &square;
        match died {
            0 => {}
            1..10 => heat[0] += &square,
            10..30 => heat[1] += &square,
            30..100 => heat[2] += &square,
            _ => heat[3] += &square,
        }
    }
    let mut picture = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">");
    for (path, color) in floors.iter().zip(["#5b6068", "#868c96", "#b9bec7"]) {
        if !path.is_empty() {
            picture += &format!("<path fill=\"{color}\" d=\"{path}\"/>");
        }
    }
    for (path, opacity) in heat.iter().zip(["0.3", "0.5", "0.7", "0.95"]) {
        if !path.is_empty() {
            picture += &format!("<path fill=\"#ff9a2e\" fill-opacity=\"{opacity}\" d=\"{path}\"/>");
        }
    }
    picture += "</svg>\n";
    Some(picture)
}

/// A square as a path, to a tenth of a unit. Neighbors overlap by a tenth, so that no seam is seen.
fn square(x: f64, y: f64, size: f64) -> String {
    format!("M{x:.1} {y:.1}h{side:.1}v{side:.1}h-{side:.1}z", side = size + 0.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_fits_into_the_picture() {
        for cells in [vec![(0, 0, 0, 0)], vec![(i16::MIN, i16::MIN, -5, 1), (i16::MAX, i16::MAX, 5, 200)], vec![(0, 0, 0, 9), (1, 0, 100, 10), (2, 0, 200, 30)]]
        {
            let plan = Plan { map: String::from("x"), cells };
            let picture = svg(std::iter::once(&plan)).unwrap();
            assert!(picture.starts_with("<svg") && !picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        }
        assert_eq!(svg(std::iter::empty()), None);
    }
}
