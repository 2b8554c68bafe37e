//! Tables say what events, frames, scores and audits say, row by row.

use fragreel::Recording;
use fragreel::edit::{Wanted, What};
use fragreel::model::{EntityKinds, EventKind, Frame, FrameOptions, Kind, Kinds, Player, common};
use fragreel_tables::{Batches, Query, Source};

use crate::{line, name, one_of_each_family, rows, samples, text};

/// What a test knows of an event: the columns after the common ones, as text.
fn expected(kind: &EventKind) -> Option<(&'static str, &'static [&'static str], Vec<String>)> {
    Some(match kind {
        EventKind::Kill(kill) => (
            "kills",
            &["attacker", "attacker_slot", "victim", "victim_slot", "victim_team", "means", "weapon", "headshot", "team_kill"],
            vec![
                name(kill.attacker.as_ref()),
                text(kill.attacker.as_ref().and_then(|player| player.slot)),
                name(Some(&kill.victim)),
                text(kill.victim.slot),
                text(kill.victim.team.as_deref()),
                kill.means.to_string(),
                text(kill.weapon),
                kill.headshot.to_string(),
                kill.team_kill.to_string(),
            ],
        ),
        EventKind::Chat { from, text: said, .. } => ("chat", &["name", "text", "text_raw"], vec![name(from.as_ref()), said.clean.clone(), said.raw.clone()]),
        EventKind::Item { player, item, .. } => {
            ("items", &["name", "item", "item_own"], vec![name(Some(player)), text(common::name_of_item(item)), item.to_string()])
        }
        EventKind::Shot { player, weapon, .. } => {
            ("shots", &["slot", "weapon", "weapon_own"], vec![text(player.slot), text(common::name_of_weapon(weapon)), weapon.to_string()])
        }
        EventKind::Damage { victim, amount, lost, .. } => ("damage", &["victim", "amount", "lost"], vec![name(Some(victim)), amount.to_string(), text(*lost)]),
        EventKind::Flag { team, player, .. } => ("flags", &["flag", "name"], vec![team.to_string(), name(player.as_ref())]),
        EventKind::Round { number, started, .. } => ("rounds", &["number", "started"], vec![text(*number), started.to_string()]),
        EventKind::Level { map, .. } => ("levels", &["map"], vec![map.clone()]),
        _ => return None,
    })
}

#[test]
fn tables_of_events_are_the_events() {
    let mut compared = 0;
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        for kind in [Kind::Kill, Kind::Chat, Kind::Item, Kind::Shot, Kind::Damage, Kind::Flag, Kind::Round, Kind::Level] {
            let mut wanted = Vec::new();
            let (mut table, mut columns) = ("", &[][..]);
            let kinds: Kinds = [kind].into_iter().collect();
            for event in recording.events(kinds) {
                let Some((of, names, values)) = expected(&event.kind) else { continue };
                (table, columns) = (of, names);
                let clocks = [text(Some(event.time.0)), text(Some(event.server_time.0)), text(event.match_time.map(|time| time.0)), text(Some(event.message))];
                wanted.push(clocks.into_iter().chain(values).collect::<Vec<_>>());
            }
            if wanted.is_empty() {
                continue;
            }
            let query = Query::of(table).unwrap().columns(["time", "server_time", "match_time", "message"].iter().chain(columns)).unwrap();
            assert_eq!(rows(&bytes, &sample.name, &query), wanted, "{}: {table}", sample.name);
            compared += wanted.len();
        }
    }
    assert!(compared > 800, "{compared} rows compared");
}

/// The circumstances of kills are those of `events --scenes` and of `highlights`, and their key leads to the frame that shows them.
#[test]
fn circumstances_of_kills_are_the_same_on_every_route() {
    use fragreel::model::{KillContext, Milliseconds};
    use std::collections::BTreeMap;

    let (mut kills, mut routes, mut framed) = (0, [0; 3], 0);
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let name = &sample.name;

        // `events --scenes`, by the time and the victim of the kill.
        let mut wanted = Vec::new();
        let mut contexts: BTreeMap<(Milliseconds, String), KillContext> = BTreeMap::new();
        for event in recording.events_with_kill_context(Kind::Kill) {
            let EventKind::Kill(kill) = event.kind else { continue };
            let context = kill.context.map(|context| *context).unwrap_or_default();
            wanted.push(vec![
                text(context.frame),
                text(context.frame_message),
                text(context.frame_time.map(|time| time.0)),
                text(context.victim_origin.map(|origin| origin[0])),
                text(context.distance),
                text(context.held.as_ref().map(|held| held.own.clone())),
                text(context.attacker_turn),
                text(context.victim_air_time.map(|time| time.0)),
                text(context.victim_health),
                text(context.since_spawn.map(|time| time.0)),
            ]);
            kills += 1;
            contexts.insert((event.time, kill.victim.name.raw), context);
        }

        // The table.
        let columns =
            ["frame", "frame_message", "frame_time", "victim_x", "distance", "held_own", "attacker_turn", "victim_air_time", "victim_health", "since_spawn"];
        let query = Query::of("kills").unwrap().columns(columns).unwrap();
        assert_eq!(rows(&bytes, name, &query), wanted, "{name}");

        // The key leads to a frame of that number, message and time, where the victim is.
        let query = Query::of("positions").unwrap().columns(["number", "message", "time", "x"]).unwrap();
        let positions: std::collections::HashSet<Vec<String>> = rows(&bytes, name, &query).into_iter().collect();
        for row in wanted.iter().filter(|row| row[3] != "-") {
            assert!(positions.contains(&row[..4]), "{name}: {row:?}");
            framed += 1;
        }

        // `highlights`, each kind alone.
        let asked = |ask: fn(&mut Wanted)| {
            let mut wanted = Wanted::default();
            ask(&mut wanted);
            wanted
        };
        let questions =
            [asked(|wanted| wanted.distance = Some(0.0)), asked(|wanted| wanted.mid_air = Some(Milliseconds(1))), asked(|wanted| wanted.flick = Some(0.0))];
        for (at, wanted) in questions.into_iter().enumerate() {
            for reason in recording.highlights(&wanted).value.moments.iter().flat_map(|moment| &moment.reasons) {
                let context = |victim: &Player| &contexts[&(reason.time, victim.name.raw.clone())];
                match &reason.what {
                    What::Distance { distance, victim, .. } => assert_eq!(Some(*distance), context(victim).distance, "{name} at {}", reason.time),
                    What::MidAir { air, victim, .. } => assert_eq!(Some(*air), context(victim).victim_air_time, "{name} at {}", reason.time),
                    What::Flick { turn, victim, .. } => assert_eq!(Some(*turn), context(victim).attacker_turn, "{name} at {}", reason.time),
                    other => panic!("{other:?}"),
                }
                routes[at] += 1;
            }
        }
    }
    assert!(kills > 100 && framed > 50 && routes[0] > 30 && routes[1] > 3 && routes[2] > 10, "{kills} kills, {framed} with a frame, {routes:?}");
}

/// Moments are those of `highlights --best`, ranked by their points.
#[test]
fn moments_are_the_highlights() {
    let mut kinds = std::collections::BTreeMap::<&str, usize>::new();
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let found = recording.highlights(&Wanted::best()).value.moments;
        let wanted: Vec<Vec<String>> = found
            .iter()
            .enumerate()
            .map(|(at, moment)| {
                let [reason] = &moment.reasons[..] else { panic!("{moment:?}") };
                *kinds.entry(reason.what.name()).or_default() += 1;
                let (victim, figure) = match &reason.what {
                    What::AirShot { victim, air, .. } => (Some(victim), text(Some(air.0))),
                    What::Flick { victim, turn, .. } => (Some(victim), text(Some(turn))),
                    What::Capture { carried, .. } => (None, text(carried.map(|time| time.0))),
                    _ => (None, text(None::<u8>)),
                };
                let better = found.iter().enumerate().filter(|(other, one)| (one.points, at) > (moment.points, *other)).count();
                let clocks = [reason.time.0, reason.until.0, reason.server_time.0, moment.from.0, moment.to.0].map(|time| text(Some(time)));
                let own =
                    [text(Some(better + 1)), text(Some(moment.points)), reason.what.name().to_owned(), name(reason.player.as_ref()), name(victim), figure];
                clocks.into_iter().chain(own).chain([text(reason.what.weapon())]).collect()
            })
            .collect();
        let columns =
            ["time", "time_to", "server_time", "clip_from", "clip_to", "rank", "points", "kind", "name", "victim", "air_time", "turn", "carried", "weapon"];
        let query = Query::of("moments").unwrap().columns(columns).unwrap();
        let joined = |mut row: Vec<String>| {
            // one of three figures, by the kind
            let figures: Vec<String> = row.drain(10..13).filter(|figure| figure != "-").collect();
            assert!(figures.len() < 2, "{row:?}: {figures:?}");
            row.insert(10, figures.into_iter().next().unwrap_or_else(|| text(None::<u8>)));
            row
        };
        let rows: Vec<Vec<String>> = rows(&bytes, &sample.name, &query).into_iter().map(joined).collect();
        assert_eq!(rows, wanted, "{}", sample.name);
    }
    assert!(["kills", "capture", "air_shot", "flick"].iter().all(|kind| kinds.contains_key(kind)), "{kinds:?}");
}

/// Without a walk over the frames, moments that need none remain.
#[test]
fn moments_without_frames_are_those_of_events() {
    for sample in one_of_each_family() {
        let bytes = sample.bytes();
        let all = Query::of("moments").unwrap().columns(["time", "kind", "points"]).unwrap();
        let mut wanted = rows(&bytes, &sample.name, &all);
        wanted.retain(|row| row[1] != "air_shot" && row[1] != "flick");
        assert_eq!(rows(&bytes, &sample.name, &all.without_frames()), wanted, "{}", sample.name);
    }
}

#[test]
fn positions_and_entities_are_the_frames() {
    let mut compared = 0;
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let source = Source::new(&recording, &*sample.name);
        let Ok(mut frames) = recording.frames(FrameOptions::default().entities(EntityKinds::ALL)) else { continue };
        let (mut frame, mut players, mut entities, mut views) = (Frame::default(), Vec::new(), Vec::new(), Vec::new());
        while frames.next_into(&mut frame) {
            let clocks = [text(Some(frame.number)), text(Some(frame.level)), text(Some(frame.time.0)), text(frame.match_time.map(|time| time.0))];
            for player in &frame.players {
                let name = text(player.name.as_ref().map(|name| name.clean.clone()));
                let at = |axis: usize| text(player.origin.map(|origin| origin[axis]));
                let weapon = text(player.weapon.as_ref().map(|weapon| weapon.own.clone()));
                let own = [text(Some(player.slot)), name, at(0), at(1), at(2), text(player.health), weapon, text(player.ping)];
                players.push(clocks.iter().cloned().chain(own).collect::<Vec<_>>());
            }
            for entity in frame.entities.iter().filter(|entity| entity.kind.name() != "player") {
                let own = [text(Some(entity.number)), entity.kind.name().to_owned(), text(entity.model.clone()), text(entity.origin.map(|origin| origin[2]))];
                entities.push(clocks.iter().cloned().chain(own).collect::<Vec<_>>());
            }
            let view = frame.view.as_ref();
            let own =
                [text(view.and_then(|view| view.slot)), text(view.map(|view| view.origin[0])), text(view.and_then(|view| view.angles).map(|angles| angles[1]))];
            views.push(clocks.iter().cloned().chain(own).collect::<Vec<_>>());
        }
        let clocks = ["number", "level", "time", "match_time"];
        for (table, columns, wanted) in [
            ("positions", &["slot", "name", "x", "y", "z", "health", "weapon_own", "ping"][..], players),
            ("entities", &["entity", "kind", "model", "z"], entities),
            ("frames", &["view_slot", "view_x", "view_yaw"], views),
        ] {
            let query = Query::of(table).unwrap().columns(clocks.iter().chain(columns)).unwrap();
            let pulled: Vec<_> = Batches::new(&source, &query).flat_map(|batch| (0..batch.rows).map(|row| line(&batch, row)).collect::<Vec<_>>()).collect();
            assert!(pulled == wanted, "{}: {table}: {} rows and {}", sample.name, pulled.len(), wanted.len());
            compared += wanted.len();
        }
    }
    assert!(compared > 100_000, "{compared} rows compared");
}

/// Events are in the level that frames say.
#[test]
fn levels_of_events_are_those_of_frames() {
    for sample in samples() {
        let bytes = sample.bytes();
        let frames = rows(&bytes, &sample.name, &Query::of("frames").unwrap().columns(["message", "level"]).unwrap());
        let kills = rows(&bytes, &sample.name, &Query::of("kills").unwrap().columns(["message", "level"]).unwrap());
        for kill in kills {
            if let Some(frame) = frames.iter().find(|frame| frame[0] == kill[0]) {
                assert_eq!(frame[1], kill[1], "{}: message {}", sample.name, kill[0]);
            }
        }
    }
}

#[test]
fn scores_and_findings_and_recordings_are_the_answers() {
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let matches = recording.scores().value;
        let figure = |line: &fragreel::model::PlayerStats, stat| text(line.stats.get(stat).value());
        let wanted: Vec<_> = matches
            .iter()
            .flat_map(|one| one.players.iter().map(move |line| (one, line)))
            .map(|(one, line)| {
                use fragreel::model::Stat;
                let clean = name(Some(&line.player));
                vec![one.number.to_string(), clean, figure(line, Stat::Score), figure(line, Stat::Kills), figure(line, Stat::DamageGiven)]
            })
            .collect();
        let query = Query::of("scores").unwrap().columns(["match_number", "name", "score", "kills", "damage_given"]).unwrap();
        assert_eq!(rows(&bytes, &sample.name, &query), wanted, "{}", sample.name);
        every_figure_is_that_of_the_scoreboard(&bytes, &sample.name, &matches);
        let audit = recording.audit();
        let wanted: Vec<_> = audit.findings.iter().map(|one| vec![one.grade.name().to_owned(), one.kind.name().to_owned(), one.offset.to_string()]).collect();
        let query = Query::of("findings").unwrap().columns(["grade", "kind", "offset"]).unwrap();
        assert_eq!(rows(&bytes, &sample.name, &query), wanted, "{}", sample.name);
        let info = recording.info();
        let query = Query::of("recordings").unwrap().columns(["recording", "map", "bytes", "players", "duration"]).unwrap();
        let wanted = vec![
            fragreel_tables::recording_id(&bytes),
            text(info.maps.first()),
            bytes.len().to_string(),
            info.players.len().to_string(),
            text(info.duration.map(|time| time.0)),
        ];
        assert_eq!(rows(&bytes, &sample.name, &query), [wanted], "{}", sample.name);
    }
}

/// Every figure of every player, weapon and match. Figures that only frames show come from another walk.
fn every_figure_is_that_of_the_scoreboard(bytes: &[u8], name_of_file: &str, matches: &[fragreel::model::MatchStats]) {
    use fragreel::model::{ItemStat, Stat, WeaponStat};
    const OF_FRAMES: [Stat; 6] = [Stat::TimeOnTeam, Stat::TimeAlive, Stat::Distance, Stat::Lost, Stat::TopSpeed, Stat::AverageSpeed];
    let stats: Vec<Stat> = Stat::ALL.iter().copied().filter(|stat| !OF_FRAMES.contains(stat)).collect();
    let lines = || matches.iter().flat_map(|one| one.players.iter().map(move |line| (one.number.to_string(), line)));
    let wanted: Vec<Vec<String>> = lines()
        .map(|(number, line)| [number, name(Some(&line.player))].into_iter().chain(stats.iter().map(|stat| text(line.stats.get(*stat).value()))).collect())
        .collect();
    let columns = ["match_number", "name"].into_iter().chain(stats.iter().map(|stat| stat.name()));
    assert_eq!(rows(bytes, name_of_file, &Query::of("scores").unwrap().columns(columns).unwrap()), wanted, "{name_of_file}");

    let weapons = lines().flat_map(|(number, line)| line.weapons.iter().map(move |(weapon, figures)| (number.clone(), line, weapon, figures)));
    let wanted: Vec<Vec<String>> = weapons
        .map(|(number, line, weapon, figures)| {
            let values = WeaponStat::ALL.iter().map(|stat| text(figures.get(*stat).value()));
            [number, name(Some(&line.player)), weapon.to_string()].into_iter().chain(values).collect()
        })
        .collect();
    let columns = ["match_number", "name", "weapon"].into_iter().chain(WeaponStat::ALL.iter().map(|stat| stat.name()));
    assert_eq!(rows(bytes, name_of_file, &Query::of("weapon_stats").unwrap().columns(columns).unwrap()), wanted, "{name_of_file}");

    let items = lines().flat_map(|(number, line)| line.items.iter().map(move |(item, figures)| (number.clone(), line, item, figures)));
    let wanted: Vec<Vec<String>> = items
        .map(|(number, line, item, figures)| {
            let values = ItemStat::ALL.iter().map(|stat| text(figures.get(*stat).value()));
            [number, name(Some(&line.player)), item.to_string()].into_iter().chain(values).collect()
        })
        .collect();
    let columns = ["match_number", "name", "item"].into_iter().chain(ItemStat::ALL.iter().map(|stat| stat.name()));
    assert_eq!(rows(bytes, name_of_file, &Query::of("item_stats").unwrap().columns(columns).unwrap()), wanted, "{name_of_file}");

    let pairs = lines().flat_map(|(number, line)| line.against.iter().map(move |other| (number.clone(), line, other)));
    let wanted: Vec<Vec<String>> = pairs
        .map(|(number, line, other)| vec![number, name(Some(&line.player)), name(Some(&other.player)), other.kills.to_string(), text(other.damage)])
        .collect();
    let columns = ["match_number", "attacker", "victim", "kills", "damage"];
    assert_eq!(rows(bytes, name_of_file, &Query::of("pairs").unwrap().columns(columns).unwrap()), wanted, "{name_of_file}");

    let wanted: Vec<Vec<String>> = matches
        .iter()
        .map(|one| {
            let cause = one.cause.map(fragreel::model::EndCause::name);
            let (pauses, overtimes) = (one.pauses.len().to_string(), one.overtimes.len().to_string());
            let words = [one.mode.as_deref(), Some(one.outcome.name()), cause, one.winner.as_deref(), one.forfeited_by.as_deref()].map(text);
            let score = |stats: &fragreel::model::Figures<Stat>| stats.get(Stat::Score).value().or(stats.get(Stat::Kills).value());
            let side = |name: &str, stats| score(stats).map(|score| format!("{name} {score}"));
            let sides: Vec<String> = if one.teams.len() > 1 {
                one.teams.iter().filter_map(|team| side(&team.name, &team.stats)).collect()
            } else {
                one.players.iter().take(2).filter_map(|line| side(&line.player.name.clean, &line.stats)).collect()
            };
            let rounds = one.segments.iter().filter(|round| round.to.is_some()).count().to_string();
            let others = vec![one.has_start.to_string(), rounds, text((!sides.is_empty()).then(|| sides.join(", ")))];
            [vec![one.number.to_string(), one.from.0.to_string(), one.to.0.to_string(), pauses, overtimes], words.to_vec(), others].concat()
        })
        .collect();
    let columns = ["number", "time", "time_to", "pauses", "overtimes", "mode", "outcome", "cause", "winner", "forfeited_by", "has_start", "rounds", "result"];
    assert_eq!(rows(bytes, name_of_file, &Query::of("matches").unwrap().columns(columns).unwrap()), wanted, "{name_of_file}");
}

/// What rows are chosen by changes no row, and several tables in one pass are the same as each alone.
#[test]
fn filters_only_leave_out() {
    for sample in samples() {
        let bytes = sample.bytes();
        let all = rows(&bytes, &sample.name, &Query::of("positions").unwrap().columns(["number", "time", "slot", "x", "health"]).unwrap());
        let query = Query::of("positions").unwrap().columns(["number", "time", "slot", "x", "health"]).unwrap();
        let some = rows(&bytes, &sample.name, &query.filter("time >= 3000").unwrap().filter("time <= 9000").unwrap().filter("slot = 1").unwrap());
        let time = |row: &Vec<String>| row[1].parse::<i64>().unwrap();
        let wanted: Vec<_> = all.into_iter().filter(|row| (3000..=9000).contains(&time(row)) && row[2] == "1").collect();
        assert!(some == wanted, "{}: {} and {}", sample.name, some.len(), wanted.len());
    }
}

#[test]
fn several_tables_in_one_pass_are_the_same() {
    one_pass_is_the_same(one_of_each_family());
}

#[test]
#[ignore = "nightly"]
fn several_tables_of_all_samples_in_one_pass_are_the_same() {
    one_pass_is_the_same(samples());
}

fn one_pass_is_the_same(samples: Vec<fragreel_testkit::Sample>) {
    use std::ops::ControlFlow;
    for sample in samples {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let queries: Vec<Query> = fragreel_tables::TABLES.iter().map(Query::new).collect();
        let mut together = vec![Vec::new(); queries.len()];
        fragreel_tables::read(&Source::new(&recording, &*sample.name), &queries, &mut |query, batch| {
            together[query].extend((0..batch.rows).map(|row| line(&batch, row)));
            ControlFlow::Continue(())
        });
        for (query, together) in queries.iter().zip(together) {
            let alone = rows(&bytes, &sample.name, query);
            let differing = alone.iter().zip(&together).find(|(alone, together)| alone != together);
            assert!(alone == together, "{}: {}: {} and {} rows, {differing:?}", sample.name, query.table().name, alone.len(), together.len());
        }
    }
}
