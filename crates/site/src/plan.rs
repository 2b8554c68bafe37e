//! The plan of a map, drawn from the places where players were.

use std::collections::BTreeMap;

use crate::facts::Plan;

/// The picture's size, in its own units.
pub(crate) const WIDTH: u32 = 1024;
/// Its height.
pub(crate) const HEIGHT: u32 = 576;

/// The colors of cells by height: low, middle, high.
pub(crate) const FLOORS: [[u8; 3]; 3] = [[0x5b, 0x60, 0x68], [0x86, 0x8c, 0x96], [0xb9, 0xbe, 0xc7]];
/// The color of cells in which players died.
pub(crate) const HEAT: [u8; 3] = [0xff, 0x9a, 0x2e];
/// How opaque it is: from the first, tenth, thirtieth and hundredth death on.
pub(crate) const OPACITY: [f32; 4] = [0.3, 0.5, 0.7, 0.95];

/// Left and top of a square.
type Square = (f64, f64);

/// A plan as squares.
pub(crate) struct Drawing {
    /// The side of a square.
    pub size: f64,
    /// By height.
    pub floors: [Vec<Square>; 3],
    /// By number of deaths.
    pub heat: [Vec<Square>; 4],
}

/// The plan of these recordings together, in a picture of this width and height. Nothing is drawn without a cell.
pub(crate) fn draw<'p>(plans: impl Iterator<Item = &'p Plan>, (width, height): (f64, f64)) -> Option<Drawing> {
    let mut cells: BTreeMap<(i16, i16), (i64, i64, u64)> = BTreeMap::new();
    for (x, y, z, died) in plans.flat_map(|plan| &plan.cells) {
        let cell = cells.entry((*x, *y)).or_default();
        *cell = (cell.0 + i64::from(*z), cell.1 + 1, cell.2 + u64::from(*died));
    }
    let (left, right) = (cells.keys().map(|(x, _)| i32::from(*x)).min()?, cells.keys().map(|(x, _)| i32::from(*x)).max()?);
    let (bottom, top) = (cells.keys().map(|(_, y)| i32::from(*y)).min()?, cells.keys().map(|(_, y)| i32::from(*y)).max()?);
    let (columns, rows) = (right - left + 1, top - bottom + 1);
    let size = (width / f64::from(columns)).min(height / f64::from(rows)).min(32.0);
    let (margin_x, margin_y) = ((width - size * f64::from(columns)) / 2.0, (height - size * f64::from(rows)) / 2.0);
    // thirds of the cells by height, so that floors differ on flat maps as well
    let mut heights: Vec<i64> = cells.values().map(|(sum, count, _)| sum / (*count).max(1)).collect();
    heights.sort_unstable();
    let third = |number: usize| heights[(heights.len() * number / 3).min(heights.len() - 1)];
    let (low, high) = (third(1), third(2));
    let mut drawing = Drawing { size, floors: Default::default(), heat: Default::default() };
    for ((x, y), (sum, count, died)) in &cells {
        let height = sum / (*count).max(1);
        let floor = if height < low {
            0
        } else if height < high || low == high {
            1
        } else {
            2
        };
        let square = (margin_x + f64::from(i32::from(*x) - left) * size, margin_y + f64::from(top - i32::from(*y)) * size);
        drawing.floors[floor].push(square);
        match died {
            0 => {}
            1..10 => drawing.heat[0].push(square),
            10..30 => drawing.heat[1].push(square),
            30..100 => drawing.heat[2].push(square),
            _ => drawing.heat[3].push(square),
        }
    }
    Some(drawing)
}

/// The same as SVG without script and without text.
pub(crate) fn svg<'p>(plans: impl Iterator<Item = &'p Plan>) -> Option<String> {
    let Drawing { size, floors, heat } = draw(plans, (f64::from(WIDTH), f64::from(HEIGHT)))?;
    let path = |squares: &[Square]| squares.iter().map(|(x, y)| square(*x, *y, size)).collect::<String>();
    let color = |[red, green, blue]: [u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
    let mut picture = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">");
    for (squares, fill) in floors.iter().zip(FLOORS).filter(|(squares, _)| !squares.is_empty()) {
        picture += &format!("<path fill=\"{}\" d=\"{}\"/>", color(fill), path(squares));
    }
    for (squares, opacity) in heat.iter().zip(OPACITY).filter(|(squares, _)| !squares.is_empty()) {
        picture += &format!("<path fill=\"{}\" fill-opacity=\"{opacity}\" d=\"{}\"/>", color(HEAT), path(squares));
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
