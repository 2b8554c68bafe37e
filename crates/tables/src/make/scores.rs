//! Rows of scoreboards.

use fragreel::model::{Figures, MatchStats, Milliseconds, PlayerStats, Stat};

use super::{Sink, Work, put_player};
use crate::batch::Rows;
use crate::declared::{item_stats, matches, pairs, scores, weapon_stats};
use crate::source::Source;

/// Where a level begins, on both clocks.
pub(super) struct Entered {
    pub(super) level: u32,
    pub(super) time: Milliseconds,
    pub(super) server_time: Milliseconds,
}

/// The rows of these matches. `levels`: where the levels begin.
pub(super) fn make(source: &Source<'_>, found: &[MatchStats], levels: &[Entered], work: &mut Work, sink: &mut Sink<'_>) {
    // Figures that only frames show need a second walk.
    let of_frames = work.wants_frames("scores", &FROM_FRAMES.map(place));
    let with_frames = if of_frames { source.recording().scores_with_frames().value } else { Vec::new() };
    for one in found {
        let entered = levels[..levels.partition_point(|entered| entered.time <= one.from)].last();
        for (table, rows) in work.tables() {
            match table {
                "matches" => {
                    put_match(rows, one);
                    end(rows, one, entered, if !one.outcome.is_final() { "inferred" } else { "stated" });
                }
                "scores" => {
                    for (place, line) in one.players.iter().enumerate() {
                        rows.count(scores::match_number, u64::from(one.number));
                        rows.count(scores::rank, place as u64 + 1);
                        put_player(rows, [scores::slot, scores::name, scores::team], Some(scores::name_raw), Some(&line.player));
                        let stated = figures(rows, scores::DECLARED, scores::stated, &line.stats, Stat::ALL);
                        put_from_frames(rows, &line.stats, framed(&with_frames, one, line));
                        end(rows, one, entered, stated);
                    }
                }
                "item_stats" => one.players.iter().for_each(|line| put_items(rows, one, entered, line)),
                "pairs" => one.players.iter().for_each(|line| put_pairs(rows, one, entered, line)),
                _ => one.players.iter().for_each(|line| put_weapons(rows, one, entered, line)),
            }
        }
        let _ = work.hand_on(sink);
    }
}

/// The figures that only frames show.
const FROM_FRAMES: [Stat; 6] = [Stat::TimeOnTeam, Stat::TimeAlive, Stat::Distance, Stat::Lost, Stat::TopSpeed, Stat::AverageSpeed];

/// The column of a figure.
fn place(stat: Stat) -> usize {
    scores::DECLARED + Stat::ALL.iter().position(|one| *one == stat).unwrap_or_default()
}

/// The same player's line of the same match, with what frames show.
fn framed<'f>(with_frames: &'f [MatchStats], one: &MatchStats, line: &PlayerStats) -> Option<&'f PlayerStats> {
    let same = with_frames.iter().find(|framed| framed.number == one.number)?;
    same.players.iter().find(|framed| framed.player.slot == line.player.slot && framed.player.name == line.player.name)
}

/// Figures that only frames show, where nothing else has them.
fn put_from_frames(rows: &mut Rows, plain: &Figures<Stat>, framed: Option<&PlayerStats>) {
    for stat in FROM_FRAMES.into_iter().filter(|stat| plain.get(*stat).value().is_none()) {
        rows.int(place(stat), framed.and_then(|framed| framed.stats.get(stat).value()));
    }
}

fn put_weapons(rows: &mut Rows, one: &MatchStats, entered: Option<&Entered>, line: &PlayerStats) {
    for (weapon, stats) in &line.weapons {
        rows.count(weapon_stats::match_number, u64::from(one.number));
        put_player(rows, [weapon_stats::slot, weapon_stats::name, weapon_stats::team], None, Some(&line.player));
        rows.text(weapon_stats::weapon, Some(weapon));
        let stated = figures(rows, weapon_stats::DECLARED, weapon_stats::stated, stats, fragreel::model::WeaponStat::ALL);
        end(rows, one, entered, stated);
    }
}

fn put_items(rows: &mut Rows, one: &MatchStats, entered: Option<&Entered>, line: &PlayerStats) {
    for (item, stats) in &line.items {
        rows.count(item_stats::match_number, u64::from(one.number));
        put_player(rows, [item_stats::slot, item_stats::name, item_stats::team], None, Some(&line.player));
        rows.text(item_stats::item, Some(item));
        let stated = figures(rows, item_stats::DECLARED, item_stats::stated, stats, fragreel::model::ItemStat::ALL);
        end(rows, one, entered, stated);
    }
}

fn put_pairs(rows: &mut Rows, one: &MatchStats, entered: Option<&Entered>, line: &PlayerStats) {
    for other in &line.against {
        rows.count(pairs::match_number, u64::from(one.number));
        put_player(rows, [pairs::attacker_slot, pairs::attacker, pairs::attacker_team], None, Some(&line.player));
        put_player(rows, [pairs::victim_slot, pairs::victim, pairs::victim_team], None, Some(&other.player));
        rows.int(pairs::kills, Some(other.kills));
        rows.int(pairs::damage, other.damage);
        // Pairs are counted from deaths and hits.
        end(rows, one, entered, "inferred");
    }
}

fn end(rows: &mut Rows, one: &MatchStats, entered: Option<&Entered>, evidence: &str) {
    rows.flag(scores::uncertain, Some(one.uncertain));
    rows.int(matches::level, entered.map(|entered| entered.level));
    rows.int(matches::time, Some(one.from.0));
    rows.int(matches::server_time, entered.map(|entered| (entered.server_time + (one.from - entered.time)).0));
    rows.text(matches::evidence, Some(evidence));
    rows.end();
}

fn put_match(rows: &mut Rows, one: &MatchStats) {
    rows.count(matches::number, u64::from(one.number));
    rows.text(matches::map, Some(&one.map));
    rows.text(matches::mode, one.mode.as_deref());
    rows.text(matches::date, one.date.as_deref());
    rows.int(matches::time_to, Some(one.to.0));
    rows.flag(matches::has_start, Some(one.has_start));
    rows.text(matches::outcome, Some(one.outcome.name()));
    rows.text(matches::cause, one.cause.map(fragreel::model::EndCause::name));
    rows.text(matches::forfeited_by, one.forfeited_by.as_deref());
    rows.text(matches::winner, one.winner.as_deref());
    rows.text(matches::result, result(one).as_deref());
    rows.count(matches::players, one.players.len() as u64);
    rows.count(matches::rounds, one.segments.iter().filter(|round| round.to.is_some()).count() as u64);
    rows.count(matches::pauses, one.pauses.len() as u64);
    rows.int(matches::paused, Some(one.pauses.iter().map(|pause| pause.to.map_or(0, |to| (to - pause.from).0)).sum::<i64>()));
    rows.count(matches::overtimes, one.overtimes.len() as u64);
    let findings: Vec<String> = one.findings.iter().map(fragreel::model::Contradiction::sentence).collect();
    rows.text(matches::findings, (!findings.is_empty()).then(|| findings.join("; ")).as_deref());
    rows.text(matches::sources, (!one.sources.is_empty()).then(|| one.sources.join(" ")).as_deref());
}

/// `red 5, blue 3`, or the first two players.
fn result(one: &MatchStats) -> Option<String> {
    let score = |stats: &Figures<Stat>| stats.get(Stat::Score).value().or(stats.get(Stat::Kills).value());
    let line = |name: &str, stats| score(stats).map(|score| format!("{name} {score}"));
    let sides: Vec<String> = if one.teams.len() > 1 {
        one.teams.iter().filter_map(|team| line(&team.name, &team.stats)).collect()
    } else {
        one.players.iter().take(2).filter_map(|player| line(&player.player.name.clean, &player.stats)).collect()
    };
    (!sides.is_empty()).then(|| sides.join(", "))
}

/// The columns of figures from `first` on. Returns how the row is known: `stated` where all of it is.
fn figures<K: Copy + Ord + Named>(rows: &mut Rows, first: usize, stated: usize, stats: &Figures<K>, all: &[K]) -> &'static str {
    let mut names = Vec::new();
    let mut is_counted = false;
    for (at, key) in all.iter().enumerate() {
        let figure = stats.get(*key);
        rows.int(first + at, figure.value());
        match figure.stated {
            Some(_) => names.push(key.named()),
            None => is_counted |= figure.counted.is_some(),
        }
    }
    rows.text(stated, (!names.is_empty()).then(|| names.join(" ")).as_deref());
    if is_counted { "inferred" } else { "stated" }
}

/// A figure's name.
trait Named {
    fn named(self) -> &'static str;
}

impl Named for Stat {
    fn named(self) -> &'static str {
        self.name()
    }
}

impl Named for fragreel::model::ItemStat {
    fn named(self) -> &'static str {
        self.name()
    }
}

impl Named for fragreel::model::WeaponStat {
    fn named(self) -> &'static str {
        self.name()
    }
}
