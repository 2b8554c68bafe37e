//! How good a moment is: points, by the table in `docs/moments.md`.

use fragreel_model::Milliseconds;

use super::What;

/// The points for one reason, whose begin and end are `length` apart.
pub(super) fn points(what: &What, length: Milliseconds) -> u32 {
    let seconds = |time: Milliseconds| time.0.max(0) as f32 / 1000.0;
    let points = match what {
        // 2: 10, 3: 30, 4: 60, 5: 100; up to 10 more for a second or less between them
        What::Kills { kills, .. } => {
            let between = seconds(length) / kills.saturating_sub(1).max(1) as f32;
            (5 * kills * kills.saturating_sub(1)) as f32 + (10.0 / between.max(1.0)).min(10.0)
        }
        What::MultiRail { victims, .. } => 25.0 * victims.len().saturating_sub(1) as f32,
        What::Chat { .. } => 5.0,
        What::Mark { .. } => 30.0,
        // up to 20 more for who is home in ten seconds or less
        What::Capture { carried, .. } => 20.0 + carried.map_or(0.0, |time| 20.0 * (10.0 / seconds(time).max(10.0))),
        What::Distance { distance, .. } => (distance / 100.0).min(40.0),
        What::MidAir { air, .. } => 10.0 + (10.0 * seconds(*air)).min(20.0),
        What::AirShot { air, .. } => 20.0 + (10.0 * seconds(*air)).min(20.0),
        What::Flick { turn, .. } => (turn / 4.0).min(45.0),
    };
    points.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_in_less_time_is_worth_more() {
        let kills = |kills, seconds: i64| points(&What::Kills { kills, means: Vec::new() }, Milliseconds(seconds * 1000));
        assert_eq!([kills(2, 2), kills(3, 2), kills(3, 10), kills(4, 10), kills(5, 4)], [15, 40, 32, 63, 110]);
        let capture = |carried| points(&What::Capture { team: "red".into(), carried, away: None }, Milliseconds(0));
        assert_eq!([capture(None), capture(Some(Milliseconds(9000))), capture(Some(Milliseconds(40_000)))], [20, 40, 25]);
    }
}
