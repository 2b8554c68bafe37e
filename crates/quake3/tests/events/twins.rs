//! Recordings that show the same match.

use fragreel_model::{EventKind, Kinds};
use fragreel_quake3::game::strings::{SERVERINFO, SYSTEMINFO};
use fragreel_quake3::state::State;
use fragreel_quake3::strings::info;
use fragreel_quake3::walk::{Visitor, visit};
use fragreel_testkit::Sample;

use super::events;

/// A kill: when, by whom, who, how.
type Kill = (i64, Option<u16>, u16, String);

/// A level of a recording, and what happened in it.
struct Part {
    name: String,
    /// What identifies a server's level.
    level: (Vec<u8>, Vec<u8>, Vec<u8>),
    from: i64,
    to: i64,
    kills: Vec<Kill>,
}

#[derive(Default)]
struct Span {
    level: Option<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    gamestates: u32,
    times: Option<(i64, i64)>,
}

impl Visitor for Span {
    fn gamestate(&mut self, state: &State, _: &fragreel_quake3::message::Gamestate) {
        let of = |string: usize, key: &str| info(state.string(string), key).to_vec();
        self.level = Some((of(SERVERINFO, "sv_hostname"), of(SERVERINFO, "mapname"), of(SYSTEMINFO, "sv_serverid")));
        self.gamestates += 1;
    }

    fn snapshot(&mut self, state: &State, _: &fragreel_quake3::message::Snapshot) {
        let now = i64::from(state.snapshot().unwrap().server_time);
        let from = self.times.map_or(now, |(from, _)| from);
        self.times = Some((from, now));
    }
}

/// What identifies the level of a recording of one level.
pub(crate) fn level_of(sample: &Sample) -> Option<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let bytes = sample.bytes();
    let dialect = fragreel_quake3::detect::dialect(&bytes, Some(&sample.extension())).ok()?;
    let mut span = Span::default();
    visit(&bytes, dialect, &mut span);
    span.level.filter(|_| span.gamestates == 1)
}

fn part(sample: &Sample) -> Option<Part> {
    let bytes = sample.bytes();
    let dialect = fragreel_quake3::detect::dialect(&bytes, Some(&sample.extension())).ok()?;
    let mut span = Span::default();
    visit(&bytes, dialect, &mut span);
    let ((from, to), level) = (span.times?, span.level.filter(|_| span.gamestates == 1)?);
    let kills = events(sample, Kinds::ALL).into_iter().filter_map(|event| match event.kind {
        EventKind::Kill(kill) => Some((event.server_time.0, kill.attacker.and_then(|attacker| attacker.slot), kill.victim.slot?, kill.means.into_owned())),
        _ => None,
    });
    Some(Part { name: sample.name.clone(), level, from, to, kills: kills.collect() })
}

/// Two recordings of one level of one server agree on every kill of the time that both have.
#[test]
fn recordings_of_the_same_match_agree() {
    let parts: Vec<Part> = fragreel_testkit::corpus("quake3").iter().filter(|sample| !sample.damaged).filter_map(part).collect();
    let (mut pairs, mut kills) = (0, 0);
    for (at, a) in parts.iter().enumerate() {
        for b in &parts[at + 1..] {
            // what a first snapshot shows may have been up to 300 ms old
            let (from, to) = (a.from.max(b.from) + 300, a.to.min(b.to));
            if a.level != b.level || from >= to {
                continue;
            }
            let within = |part: &Part| part.kills.iter().filter(|kill| (from..=to).contains(&kill.0)).cloned().collect::<Vec<_>>();
            assert_eq!(within(a), within(b), "{} and {}", a.name, b.name);
            pairs += 1;
            kills += within(a).len();
        }
    }
    println!("{pairs} pairs agree on {kills} kills");
    assert!(parts.is_empty() || kills > 0, "the corpus has recordings of the same match");
}
