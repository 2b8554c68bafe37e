//! From a recording to its facts.

use std::collections::{BTreeMap, HashMap};

use fragreel::edit::{Highlight, Wanted, What};
use fragreel::model::{Event, EventKind, Fields, FrameOptions, Group, Kind, Kinds, Piece, Run as ModelRun};
use fragreel::{Questions, Recording};
use sha2::{Digest, Sha256};

use super::{Board, Facts, Moment, Plan, Run, Tick, Word};

/// The width of a cell of a plan, in the game's units.
const CELL: f32 = 64.0;
/// Fewer cells than this show nothing of a map.
const LEAST_CELLS: usize = 8;
/// How often players are looked at for plans.
const LOOKS_A_SECOND: f64 = 4.0;
/// A line of chat or of the server is kept up to this number of characters.
const LINE: usize = 400;

/// The facts of a recording. `bytes` is what it holds, unpacked; `file` is the name of its file.
pub fn of(recording: &Recording, bytes: &[u8], file: &str) -> Facts {
    let info = recording.info();
    let questions = Questions::default().scores().runs().audit().highlights(Wanted::best());
    let mut walk = recording.ask(questions.events(Seen::kinds()));
    let mut seen = Seen::default();
    walk.by_ref().for_each(|event| seen.take(&event));
    let answers = walk.answers();
    let matches: Vec<Board> = answers.scores.iter().map(Board::of).collect();
    let mut sentences: Vec<String> = info.damage.iter().chain(&answers.damage).map(|damage| damage.detail.to_string()).collect();
    sentences.dedup();
    sentences.truncate(20);
    Facts {
        hash: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        file: file.to_owned(),
        extension: fragreel_detect::extension(file).filter(|extension| is_plain(extension)).unwrap_or_else(|| String::from("dem")),
        bytes: bytes.len() as u64,
        family: info.family.name().to_owned(),
        dialect: info.dialect.clone(),
        recording: info.recording.clone(),
        game_mod: info.game_mod.clone(),
        server: info.server.as_ref().map(|server| server.clean.clone()).filter(|server| !server.is_empty()),
        date: info.date.clone(),
        maps: info.maps.clone(),
        duration: info.duration.map(|duration| duration.0),
        recorder: info.recorder.as_ref().map(|player| player.name.clean.clone()).filter(|name| !name.is_empty()),
        damage: sentences,
        grade: answers.audit.map(|audit| audit.grade.name().to_owned()).unwrap_or_default(),
        moments: answers.highlights.moments.iter().map(|moment| self::moment(moment, &matches, &info.maps)).collect(),
        runs: answers.runs.iter().map(run).collect(),
        plans: plans(recording, &seen.levels, &seen.deaths),
        ticks: seen.ticks(&matches),
        matches,
    }
}

/// Whether an extension may stand in an address.
fn is_plain(extension: &str) -> bool {
    extension.len() <= 8 && extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// When, on which map and who died, for plans.
type Death = (i64, Option<u16>);

/// What the events show.
#[derive(Default)]
struct Seen {
    ticks: Vec<Tick>,
    deaths: Vec<Death>,
    /// When each level begins, and its map.
    levels: Vec<(i64, String)>,
}

/// The groups whose events pages show.
const GROUPS: [Group; 6] = [Group::Kills, Group::Flags, Group::Match, Group::Awards, Group::Items, Group::Chat];

impl Seen {
    fn kinds() -> Kinds {
        Kind::ALL.iter().copied().filter(|kind| *kind == Kind::Level || GROUPS.contains(&kind.group())).collect()
    }

    fn take(&mut self, event: &Event) {
        let (time, group) = (event.time.0, event.kind.kind().group());
        match &event.kind {
            EventKind::Kill(kill) => self.deaths.push((time, kill.victim.slot)),
            EventKind::Level { map, .. } => self.levels.push((time, map.clone())),
            _ => {}
        }
        if event.kind.is_major() && GROUPS.contains(&group) {
            self.ticks.push(tick(time, group, &event.kind));
        }
    }

    /// What is said before and after a match is on no match's page, but chat after its end is part of it.
    fn ticks(self, matches: &[Board]) -> Vec<Tick> {
        let is_played = |time: i64| matches.iter().any(|board| (board.from..=board.to).contains(&time));
        let chat = group_name(Group::Chat);
        self.ticks.into_iter().filter(|tick| tick.group == chat || is_played(tick.time)).collect()
    }
}

fn tick(time: i64, group: Group, kind: &EventKind) -> Tick {
    let name = |player: &fragreel::model::Player| Some(player.name.clean.clone()).filter(|name| !name.is_empty());
    let cut = |text: &str| text.chars().take(LINE).collect::<String>();
    let sentence = kind.sentence().into_iter().map(|piece| match piece {
        Piece::Words(words) => Word::Words(cut(&words)),
        Piece::Text(text) => Word::Text(cut(&text.clean)),
    });
    Tick {
        time,
        group: group_name(group).to_owned(),
        kind: kind.kind().name().to_owned(),
        who: kind.subject().and_then(name),
        team: kind.subject().and_then(|player| player.team.as_deref()).map(str::to_owned),
        whom: kind.object().and_then(name),
        detail: detail(kind),
        counts: matches!(kind, EventKind::Kill(kill) if kill.attacker.is_some() && !kill.is_suicide() && !kill.team_kill),
        sentence: sentence.collect(),
    }
}

fn group_name(group: Group) -> &'static str {
    match group {
        Group::Kills => "kills",
        Group::Flags => "flags",
        Group::Match => "match",
        Group::Awards => "awards",
        Group::Items => "items",
        Group::Chat => "chat",
        _ => "other",
    }
}

fn detail(kind: &EventKind) -> String {
    use fragreel::model::common;
    match kind {
        EventKind::Kill(kill) => kill.weapon.unwrap_or(&kill.means).to_owned(),
        EventKind::Item { item, .. } => common::name_of_item(item).unwrap_or(item).to_owned(),
        EventKind::Flag { team, action, .. } => {
            format!("{} {team}", serde_json::to_value(action).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default())
        }
        _ => String::new(),
    }
}

fn moment(moment: &Highlight, matches: &[Board], maps: &[String]) -> Moment {
    let at = moment.reasons.first().map_or(moment.from.0, |reason| reason.time.0);
    let within = matches.iter().find(|board| (board.from..=board.to).contains(&at));
    let map = within.map(|board| board.map.clone()).or_else(|| maps.first().cloned()).unwrap_or_default();
    let best = moment.reasons.first();
    Moment {
        from: moment.from.0,
        to: moment.to.0,
        points: moment.points,
        player: best.and_then(|reason| reason.player.as_ref()).map(|player| player.name.clean.clone()).filter(|name| !name.is_empty()),
        what: best.map(|reason| what(&reason.what, reason.until.0 - reason.time.0)).unwrap_or_default(),
        map,
        number: within.map(|board| board.number),
    }
}

/// What a moment shows, without names.
fn what(what: &What, lasts: i64) -> String {
    let seconds = |time: i64| format!("{}.{} s", time / 1000, time % 1000 / 100);
    match what {
        What::Kills { kills, .. } => format!("{kills} kills in {}", seconds(lasts)),
        What::MultiRail { victims, .. } => format!("{} kills by one shot", victims.len()),
        What::Chat { .. } => String::from("chat"),
        What::Capture { carried: Some(time), .. } => format!("flag brought home in {}", seconds(time.0)),
        What::Capture { .. } => String::from("flag brought home"),
        What::Distance { distance, .. } => format!("kill over {distance:.0} units"),
        What::MidAir { air, .. } => format!("kill in mid-air, {} off the ground", seconds(air.0)),
        What::AirShot { air, .. } => format!("air shot, {} off the ground", seconds(air.0)),
        What::Flick { turn, .. } => format!("kill after a turn of {turn:.0}°"),
        _ => String::from("moment"),
    }
}

fn run(run: &ModelRun) -> Run {
    Run {
        course: run.course.name().to_owned(),
        map: run.map.clone(),
        player: run.player.as_ref().map(|player| player.name.clean.clone()).filter(|name| !name.is_empty()),
        time: run.time.value(),
        stated: run.time.stated.is_some(),
        from: run.from.map(|from| from.0),
        to: run.to.0,
        physics: run.physics.as_deref().map(str::to_owned),
        mode: run.mode.as_deref().map(str::to_owned),
        grade: run.grade.map(|grade| grade.name().to_owned()),
        sealed: run.seal.as_ref().map(|seal| seal.broken == 0),
        remarks: run.remarks.clone(),
    }
}

/// Column and row of a cell.
type Cell = (i16, i16);

/// The cells that players were in, by map, with the places of those who died.
fn plans(recording: &Recording, levels: &[(i64, String)], deaths: &[Death]) -> Vec<Plan> {
    let options = FrameOptions::default().hz(LOOKS_A_SECOND).fields(Fields::ORIGIN).players_only();
    let Ok(frames) = recording.frames(options) else { return Vec::new() };
    let mut maps: BTreeMap<String, HashMap<Cell, (i64, i64, u32)>> = BTreeMap::new();
    let mut deaths = deaths.iter().peekable();
    let mut level = 0;
    let mut last: HashMap<Option<u16>, [f32; 3]> = HashMap::new();
    for frame in frames {
        let now = frame.time.0;
        while levels.get(level + 1).is_some_and(|(from, _)| *from <= now) {
            level += 1;
            last.clear();
        }
        let Some((_, map)) = levels.get(level) else { continue };
        let cells = maps.entry(map.clone()).or_default();
        while let Some((_, slot)) = deaths.next_if(|(time, _)| *time <= now) {
            // where the victim was at the look before the death
            if let Some(cell) = last.get(slot).and_then(|origin| cell(*origin)) {
                cells.entry(cell).or_insert((0, 0, 0)).2 += 1;
            }
        }
        for player in &frame.players {
            let Some(origin) = player.origin else { continue };
            last.insert(Some(player.slot), origin);
            if let Some(cell) = cell(origin) {
                let known = cells.entry(cell).or_insert((0, 0, 0));
                (known.0, known.1) = (known.0 + origin[2] as i64, known.1 + 1);
            }
        }
    }
    let plan = |(map, cells): (String, HashMap<Cell, (i64, i64, u32)>)| {
        let mut cells: Vec<_> = cells.into_iter().map(|((x, y), (sum, looks, died))| (x, y, (sum / looks.max(1)) as i16, died)).collect();
        cells.sort_unstable();
        Plan { map, cells }
    };
    maps.into_iter().map(plan).filter(|plan| plan.cells.len() >= LEAST_CELLS).collect()
}

fn cell(origin: [f32; 3]) -> Option<Cell> {
    let [x, y, z] = origin;
    let is_place = origin.iter().all(|value| value.is_finite() && value.abs() < 65_536.0) && origin != [0.0; 3];
    (is_place && z.abs() < 32_000.0).then(|| ((x / CELL).floor() as i16, (y / CELL).floor() as i16))
}
