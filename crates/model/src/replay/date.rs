//! When a recording was made, out of what servers say of themselves (`docs/statistics.md`, "Dates").

/// The date that a server's settings state; `setting` gives one by its key.
pub fn of<S: AsRef<str>>(setting: impl Fn(&str) -> Option<S>) -> Option<String> {
    // mvdsv's and Quake Live's are seconds since 1970, ioquake3's is the server's own time
    let seconds = ["epoch", "g_levelStartTime"].iter().find_map(|key| setting(key)?.as_ref().trim().parse::<i64>().ok());
    seconds.and_then(from_unix).or_else(|| setting("g_timestamp").and_then(|text| normal(text.as_ref())))
}

/// `2015-07-25T20:52:45Z` for seconds since 1970; nothing for times before games had this.
fn from_unix(seconds: i64) -> Option<String> {
    const YEAR_1996: i64 = 820_454_400;
    const YEAR_2100: i64 = 4_102_444_800;
    if !(YEAR_1996..YEAR_2100).contains(&seconds) {
        return None;
    }
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // years begin in March, so that a leap day is the last
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60))
}

/// `2026-03-27 13:00:59 +0000` in the one form, with or without seconds and zone; `None` for what has another.
pub fn normal(text: &str) -> Option<String> {
    let mut parts = text.split_whitespace();
    let (day, time, zone) = (parts.next()?, parts.next()?, parts.next());
    let shaped = |text: &str, shape: &str| {
        text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
    };
    if !shaped(day, "0000-00-00") || !(shaped(time, "00:00:00") || shaped(time, "00:00")) {
        return None;
    }
    let zone = match zone {
        None => String::new(),
        Some("+0000") => String::from("Z"),
        Some(zone) if zone.len() == 5 && zone[1..].bytes().all(|byte| byte.is_ascii_digit()) => format!("{}:{}", &zone[..3], &zone[3..]),
        Some(_) => return None,
    };
    Some(format!("{day}T{time}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_one_form() {
        assert_eq!(from_unix(1_437_856_765).as_deref(), Some("2015-07-25T20:39:25Z"));
        assert_eq!(from_unix(951_782_400).as_deref(), Some("2000-02-29T00:00:00Z"));
        assert_eq!(from_unix(1_774_616_364).as_deref(), Some("2026-03-27T12:59:24Z"));
        assert_eq!(from_unix(0), None);
        assert_eq!(normal("2026-03-27 13:00:59 +0000").as_deref(), Some("2026-03-27T13:00:59Z"));
        assert_eq!(normal("2026-03-27 13:00:59 -0330").as_deref(), Some("2026-03-27T13:00:59-03:30"));
        assert_eq!(normal("2026-11-21 11:06:59").as_deref(), Some("2026-11-21T11:06:59"));
        assert_eq!(normal("2018-10-25 23:29").as_deref(), Some("2018-10-25T23:29"), "OpenTDM's boards have no seconds");
        assert_eq!(normal("yesterday at noon"), None);
    }
}
