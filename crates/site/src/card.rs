//! The card of a recording: the picture that chat programs show beside a link, with the result and the plan of the map.
//!
//! Text is drawn from outlines of a font in the crate, and with a rasterizer that computes alike everywhere, so that a card has the same bytes on every
//! machine.

use std::collections::HashMap;

use png::{BitDepth, ColorType, Encoder};
use tiny_skia::{BlendMode, Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};
use ttf_parser::{Face, OutlineBuilder};

use crate::facts::Facts;
use crate::pages::{class, main_match, sides};
use crate::plan::{self, Drawing, FLOORS, HEAT, OPACITY};
use crate::{summary, text};

/// The size of a card. Discord shows pictures from 400 on in full width.
pub(crate) const WIDTH: u32 = 600;
/// Its height.
pub(crate) const HEIGHT: u32 = 315;

/// Latin, Greek and Cyrillic of DejaVu Sans Bold; its license is beside it.
const FONT: &[u8] = include_bytes!("../assets/DejaVuSans-Bold-subset.ttf");

type Rgb = [u8; 3];
const PAPER: Rgb = [0x13, 0x14, 0x17];
const INK: Rgb = [0xec, 0xee, 0xf2];
const SOFT: Rgb = [0xa4, 0xaa, 0xb5];
const RED: Rgb = [0xff, 0x7d, 0x74];
const BLUE: Rgb = [0x7f, 0xb2, 0xff];
const YELLOW: Rgb = [0xf2, 0xd0, 0x5c];
const GREEN: Rgb = [0x7c, 0xd9, 0x92];

/// Left edge of text.
const LEFT: f32 = 32.0;
/// Right edge of scores, before the plan.
const SCORES: f32 = 308.0;
/// Left, top, width and height of the plan.
const PLAN: (f32, f32, f32, f32) = (330.0, 84.0, 246.0, 176.0);

/// The card of a recording on a site with this title, as PNG.
pub(crate) fn card(facts: &Facts, site: &str) -> Option<Vec<u8>> {
    let face = Face::parse(FONT, 0).ok()?;
    let mut picture = Picture { pixels: Pixmap::new(WIDTH, HEIGHT)?, face };
    picture.pixels.fill(color(PAPER, 1.0));
    let main = main_match(facts);
    let map = main.map(|board| board.map.as_str()).or(facts.maps.first().map(String::as_str)).unwrap_or("unknown map");
    if let Some(drawing) = plan::draw(facts.plans.iter().filter(|plan| plan.map == map), (f64::from(PLAN.2), f64::from(PLAN.3))) {
        picture.plan(&drawing);
    }
    let head = [Some(text::name(map)), main.map(summary::mode)].into_iter().flatten().collect::<Vec<_>>().join(", ");
    picture.text(&text::line(&head, 60), LEFT, 52.0, 22.0, SOFT, WIDTH as f32 - 2.0 * LEFT);
    let date = main.and_then(|board| board.date.as_deref()).or(facts.date.as_deref()).and_then(summary::day);
    let below = [date.map(str::to_owned), Some(text::line(site, 40))].into_iter().flatten().collect::<Vec<_>>().join(", ");
    picture.text(&below, LEFT, 288.0, 17.0, SOFT, WIDTH as f32 - 2.0 * LEFT);
    match main.map(|board| summary::row(board, None)) {
        Some(row) => {
            let (a, first, b, second) = sides(&row);
            let is_two = second.is_some();
            for (line, (name, score)) in [(a, Some(first)), (b, second)].into_iter().enumerate() {
                let (y, ink) = (if line == 0 { 146.0 } else { 210.0 }, side(row.in_teams, &name));
                let width = score.as_ref().map_or(0.0, |score| picture.width(score, 44.0) + 16.0);
                if let Some(score) = &score {
                    picture.text(score, SCORES - (width - 16.0), y + 6.0, 44.0, ink, width);
                }
                let (size, ink) = if line == 1 && !is_two { (20.0, SOFT) } else { (28.0, ink) };
                picture.text(&name, LEFT, y, size, ink, SCORES - LEFT - width);
            }
        }
        None => {
            let run = facts.runs.first();
            let title = run.and_then(|run| run.time).map_or_else(|| text::name(&facts.file), text::run_time);
            picture.text(&title, LEFT, 150.0, 40.0, INK, SCORES - LEFT);
            if let Some(player) = run.and_then(|run| run.player.as_deref()) {
                picture.text(&text::name(player), LEFT, 204.0, 26.0, INK, SCORES - LEFT);
            }
        }
    }
    picture.png()
}

fn side(in_teams: bool, name: &str) -> Rgb {
    match class(name) {
        "red" if in_teams => RED,
        "blue" if in_teams => BLUE,
        "yellow" if in_teams => YELLOW,
        "green" if in_teams => GREEN,
        _ => INK,
    }
}

fn color([red, green, blue]: Rgb, opacity: f32) -> Color {
    let mut color = Color::from_rgba8(red, green, blue, 255);
    color.set_alpha(opacity);
    color
}

fn paint(ink: Rgb, opacity: f32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, blend_mode: BlendMode::SourceOver, ..Paint::default() };
    paint.set_color(color(ink, opacity));
    paint
}

struct Picture {
    pixels: Pixmap,
    face: Face<'static>,
}

impl Picture {
    fn plan(&mut self, drawing: &Drawing) {
        let layers = drawing.floors.iter().zip(FLOORS.map(|ink| (ink, 1.0)));
        let layers = layers.chain(drawing.heat.iter().zip(OPACITY.map(|opacity| (HEAT, opacity))));
        for (squares, (ink, opacity)) in layers {
            let mut path = PathBuilder::new();
            for (x, y) in squares {
                let (x, y, side) = (PLAN.0 + *x as f32, PLAN.1 + *y as f32, drawing.size as f32);
                // whole pixels, so that no seam is seen
                let (left, top, right, bottom) = (x.round(), y.round(), (x + side).round(), (y + side).round());
                if let Some(square) = Rect::from_ltrb(left, top, right.max(left + 1.0), bottom.max(top + 1.0)) {
                    path.push_rect(square);
                }
            }
            if let Some(path) = path.finish() {
                self.pixels.fill_path(&path, &paint(ink, opacity), FillRule::Winding, Transform::identity(), None);
            }
        }
    }

    fn advance(&self, character: char) -> f32 {
        let glyph = self.face.glyph_index(character).unwrap_or_default();
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or_default())
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|character| self.advance(character)).sum::<f32>() * self.scale(size)
    }

    /// Draws text on a base line, cut to a width.
    fn text(&mut self, text: &str, x: f32, y: f32, size: f32, ink: Rgb, width: f32) {
        let (mut kept, mut shown) = (text.to_owned(), text.to_owned());
        while self.width(&shown, size) > width && kept.pop().is_some() {
            shown = format!("{kept}…");
        }
        let scale = self.scale(size);
        let mut outline = Outline { path: PathBuilder::new(), x, y, scale };
        for character in shown.chars() {
            let glyph = self.face.glyph_index(character).unwrap_or_default();
            self.face.outline_glyph(glyph, &mut outline);
            outline.x += self.advance(character) * scale;
        }
        if let Some(path) = outline.path.finish() {
            self.pixels.fill_path(&path, &paint(ink, 1.0), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// The picture in the colors that it is made of: a third of the bytes of one in all colors.
    fn png(&self) -> Option<Vec<u8>> {
        let palette = palette();
        // a card has some hundred colors
        let mut known: HashMap<Rgb, u8> = HashMap::new();
        let mut index = |pixel: Rgb| *known.entry(pixel).or_insert_with(|| nearest(&palette, pixel) as u8);
        let indexes: Vec<u8> = self.pixels.pixels().iter().map(|pixel| index([pixel.red(), pixel.green(), pixel.blue()])).collect();
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, WIDTH, HEIGHT);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(palette.concat());
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(&indexes).ok()?;
        writer.finish().ok()?;
        Some(bytes)
    }
}

/// A color between two, in sixths.
fn between(from: Rgb, to: Rgb, sixths: u16) -> Rgb {
    std::array::from_fn(|at| ((u16::from(from[at]) * (6 - sixths) + u16::from(to[at]) * sixths) / 6) as u8)
}

fn palette() -> Vec<Rgb> {
    let mut palette = vec![PAPER];
    palette.extend([INK, SOFT, RED, BLUE, YELLOW, GREEN].into_iter().flat_map(|ink| (1..=6).map(move |sixths| between(PAPER, ink, sixths))));
    palette.extend(FLOORS);
    palette.extend(OPACITY.into_iter().flat_map(|opacity| {
        let mix = move |floor: Rgb| std::array::from_fn(|at| (f32::from(floor[at]) + (f32::from(HEAT[at]) - f32::from(floor[at])) * opacity) as u8);
        FLOORS.map(mix)
    }));
    palette
}

fn nearest(palette: &[Rgb], pixel: Rgb) -> usize {
    let distance = |color: &Rgb| color.iter().zip(pixel).map(|(one, other)| (i32::from(*one) - i32::from(other)).pow(2)).sum::<i32>();
    (0..palette.len()).min_by_key(|at| distance(&palette[*at])).unwrap_or(0)
}

/// A glyph on its way into a path.
struct Outline {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Facts {
        let bytes = std::fs::read(format!("../../samples/quake3/{name}")).unwrap();
        crate::facts::of(&fragreel::Recording::open(bytes.clone(), name).unwrap(), &bytes, name)
    }

    #[test]
    fn cards_are_small_pictures_of_the_same_bytes() {
        for name in ["dm_bots.dm_71", "ctf_bots.dm_71"] {
            let facts = sample(name);
            let card = card(&facts, "A site").unwrap();
            assert!(card.starts_with(b"\x89PNG") && card.len() < 20_000, "{}", card.len());
            assert_eq!(card, self::card(&facts, "A site").unwrap());
            assert_ne!(card, self::card(&facts, "Another site").unwrap());
            if let Some(folder) = std::env::var_os("FRAGREEL_CARDS") {
                std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), &card).unwrap();
            }
        }
    }

    #[test]
    fn any_name_fits() {
        let mut facts = sample("dm_bots.dm_71");
        for name in ["", "W".repeat(200).as_str(), "\u{1f600}\u{202e}", "ДМИТРИЙ Ωmega"] {
            facts.matches[0].players[0].player.name.clean = name.to_owned();
            assert!(card(&facts, &"M".repeat(300)).is_some(), "{name}");
        }
        facts.matches.clear();
        facts.plans.clear();
        assert!(card(&facts, "").is_some());
    }
}
