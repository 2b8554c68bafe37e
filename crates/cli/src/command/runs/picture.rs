//! The picture of a comparison: the difference and both speeds over the first route.

use std::fmt::Write;

use fragreel::model::Milliseconds;

use super::pair::{Pair, signed};

const WIDTH: f64 = 960.0;
/// The height of each of the two plots.
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
/// Between both plots.
const BETWEEN: f64 = 48.0;
const BOTTOM: f64 = 40.0;
/// About as many lines across a plot.
const LINES: f64 = 5.0;
/// A plot shows at least this: a state is some hundredths of a second, and less is no difference.
const FINEST: f64 = 0.05;

/// Colors are written out: programs other than browsers do not know custom properties, and draw everything black.
const STYLE: &str = "\
rect{fill:#fcfcfa}text{fill:#575a61;font:12px system-ui,sans-serif}text.title{fill:#17181b}
path{fill:none;stroke-width:1.5;stroke-linejoin:round}path.grid{stroke:#d8d8d1;stroke-width:1}path.zero{stroke:#575a61;stroke-width:1}
path.difference{stroke:#b3261e}path.a{stroke:#1a5dae}path.b{stroke:#8f4700}text.a{fill:#1a5dae}text.b{fill:#8f4700}
@media (prefers-color-scheme:dark){
rect{fill:#131417}text{fill:#a5a9b1}text.title{fill:#ececea}path.grid{stroke:#34373e}path.zero{stroke:#a5a9b1}
path.difference{stroke:#ff8278}path.a{stroke:#82b5ff}path.b{stroke:#f2b25c}text.a{fill:#82b5ff}text.b{fill:#f2b25c}
}
";

/// A line of a plot: pieces without gaps, of places on the route and values.
type Line = Vec<Vec<(f64, f64)>>;

/// What is drawn, of all segments one after the other.
#[derive(Default)]
struct Drawn {
    difference: Line,
    speed_a: Line,
    speed_b: Line,
    /// Where segments begin, with their names.
    begins: Vec<(f64, String)>,
    length: f64,
}

impl Drawn {
    fn of(pairs: &[Pair<'_>]) -> Self {
        let mut drawn = Drawn::default();
        let mut before = Some(0.0);
        for pair in pairs {
            let start = drawn.length;
            drawn.begins.push((start, pair.a.run.map.clone()));
            let line = &pair.compared.line;
            add(
                &mut drawn.difference,
                line.iter().map(|passed| (start + passed.along, passed.difference().zip(before).map(|(now, before)| (now + before) / 1000.0))),
            );
            add(&mut drawn.speed_a, line.iter().map(|passed| (start + passed.along, Some(f64::from(passed.speeds.0)))));
            add(&mut drawn.speed_b, line.iter().map(|passed| (start + passed.along, passed.speeds.1.map(f64::from))));
            drawn.length += line.last().map_or(0.0, |passed| passed.along);
            let whole = pair.compared.marks.last().and_then(|mark| mark.difference).map(|Milliseconds(time)| time as f64);
            before = before.zip(whole).map(|(before, whole)| before + whole);
        }
        drawn
    }
}

/// Adds points to a line. A gap, and the end, break it.
fn add(line: &mut Line, points: impl Iterator<Item = (f64, Option<f64>)>) {
    line.push(Vec::new());
    for (along, value) in points {
        match (value.filter(|value| value.is_finite()), line.last_mut()) {
            (Some(value), Some(piece)) => piece.push((along, value)),
            _ => line.push(Vec::new()),
        }
    }
    line.retain(|piece| !piece.is_empty());
}

/// The picture.
pub fn svg(pairs: &[Pair<'_>]) -> String {
    let drawn = Drawn::of(pairs);
    let whole = TOP + HEIGHT + BETWEEN + HEIGHT + BOTTOM;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {whole}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\"/>\n",
        title(pairs)
    );
    let _ = writeln!(text, "<text class=\"title\" x=\"{LEFT}\" y=\"{}\">A less B in seconds: above 0, A is behind</text>", TOP - 14.0);
    Plot::of(TOP, drawn.length, &[("difference", &drawn.difference)], true).draw(&mut text, |value| signed(Milliseconds((value * 1000.0).round() as i64)));
    let second = TOP + HEIGHT + BETWEEN;
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{LEFT}\" y=\"{y}\">Speed in units/s</text><text class=\"a\" x=\"{}\" y=\"{y}\">A</text><text class=\"b\" x=\"{}\" y=\"{y}\">B</text>",
        LEFT + 110.0,
        LEFT + 130.0,
        y = second - 14.0
    );
    Plot::of(second, drawn.length, &[("a", &drawn.speed_a), ("b", &drawn.speed_b)], false).draw(&mut text, |value| format!("{value:.0}"));
    let x = |along: f64| place(along, drawn.length);
    for (at, (begin, map)) in drawn.begins.iter().enumerate() {
        if at > 0 {
            let _ = writeln!(text, "<path class=\"zero\" d=\"M{0:.1} {TOP}V{1}\"/>", x(*begin), second + HEIGHT);
        }
        let _ = writeln!(text, "<text x=\"{:.1}\" y=\"{}\">{}</text>", x(*begin), second + HEIGHT + 18.0, escaped(map));
    }
    let bottom = second + HEIGHT + 18.0;
    let _ = match drawn.length {
        0.0 => writeln!(text, "<text x=\"{}\" y=\"{bottom}\" text-anchor=\"end\">The recording of A does not show the route</text>", WIDTH - RIGHT),
        length => writeln!(text, "<text x=\"{}\" y=\"{bottom}\" text-anchor=\"end\">{length:.0} units</text>", WIDTH - RIGHT),
    };
    text.push_str("</svg>\n");
    text
}

fn title(pairs: &[Pair<'_>]) -> String {
    pairs.first().map_or_else(String::new, |pair| format!("{} and {}", escaped(&pair.a.name), escaped(&pair.b.name)))
}

fn place(along: f64, length: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * if length > 0.0 { along / length } else { 0.0 }
}

/// A plot: lines between the least and the greatest value.
struct Plot<'l> {
    top: f64,
    length: f64,
    lines: Vec<(&'l str, &'l Line)>,
    least: f64,
    most: f64,
    step: f64,
}

impl<'l> Plot<'l> {
    fn of(top: f64, length: f64, lines: &[(&'l str, &'l Line)], zero: bool) -> Self {
        let values = || lines.iter().flat_map(|(_, line)| line.iter().flatten().map(|(_, value)| *value));
        let (least, most) = values().fold((0.0_f64, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        let least = if zero { least } else { 0.0 };
        let step = step((most - least).max(FINEST) / LINES);
        Plot { top, length, lines: lines.to_vec(), least: (least / step).floor() * step, most: ((most / step).ceil() * step).max(least + step), step }
    }

    fn y(&self, value: f64) -> f64 {
        self.top + HEIGHT * (self.most - value) / (self.most - self.least)
    }

    fn draw(&self, text: &mut String, label: impl Fn(f64) -> String) {
        let lines = ((self.most - self.least) / self.step).round() as usize;
        for at in 0..=lines {
            let value = self.least + self.step * at as f64;
            let (y, class) = (self.y(value), if value.abs() < self.step / 2.0 { "zero" } else { "grid" });
            let _ = writeln!(text, "<path class=\"{class}\" d=\"M{LEFT} {y:.1}H{}\"/>", WIDTH - RIGHT);
            let _ = writeln!(text, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", LEFT - 6.0, y + 4.0, label(value));
        }
        for (class, line) in &self.lines {
            let mut path = String::new();
            for piece in *line {
                for (at, (along, value)) in piece.iter().enumerate() {
                    let _ = write!(path, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, place(*along, self.length), self.y(*value));
                }
            }
            if !path.is_empty() {
                let _ = writeln!(text, "<path class=\"{class}\" d=\"{path}\"/>");
            }
        }
    }
}

/// 1, 2 or 5 with zeros: the next that is no less.
fn step(least: f64) -> f64 {
    let ten = 10.0_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|one| one * ten).find(|step| *step >= least).unwrap_or(10.0 * ten)
}

/// Text between tags. Characters that XML has not are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}')) {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_texts_are_safe() {
        assert_eq!([0.03, 0.2, 0.21, 70.0, 501.0].map(step), [0.05, 0.2, 0.5, 100.0, 1000.0]);
        assert_eq!(escaped("<a\u{1}&b>"), "&lt;a&amp;b&gt;");
    }

    #[test]
    fn a_gap_breaks_a_line() {
        let mut line = Line::new();
        add(&mut line, [(0.0, Some(1.0)), (1.0, None), (2.0, None), (3.0, Some(2.0))].into_iter());
        add(&mut line, [(4.0, Some(f64::NAN)), (5.0, Some(3.0))].into_iter());
        assert_eq!(line, [vec![(0.0, 1.0)], vec![(3.0, 2.0)], vec![(5.0, 3.0)]]);
    }
}
