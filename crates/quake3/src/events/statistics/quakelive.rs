//! Scoreboards of id's game, OpenArena and Quake Live, and Quake Live's player statistics.

use fragreel_model::{ItemStat, PlayerStats, Stat, Statement, TeamStats, WeaponStat, common};

use super::Field::{self, Client, Delay, Minutes, Of, Other, Took, Weapons};
use super::{WEAPONS, fill, int, player};
use crate::walk::Roster;

/// A scoreboard: a head, then the same fields for each player.
struct Form {
    command: &'static str,
    /// Words before the first player.
    head: usize,
    /// Where the head has the number of players.
    count: usize,
    /// Items in the head, for red and then for blue.
    items: &'static [Item],
    /// Where the head has the scores of red and blue.
    teams: Option<usize>,
    stride: usize,
    /// Whether a word behind client and team marks subscribers.
    subscriber: bool,
    fields: &'static [Field],
}

/// A figure of a team's items.
#[derive(Clone, Copy)]
enum Item {
    Taken(&'static str),
    Held(&'static str),
}

const TDM_ITEMS: &[Item] = &[
    Item::Taken(common::RED_ARMOR),
    Item::Taken(common::YELLOW_ARMOR),
    Item::Taken(common::GREEN_ARMOR),
    Item::Taken(common::MEGA_HEALTH),
    Item::Taken(common::QUAD),
    Item::Taken(common::BATTLE_SUIT),
    Item::Taken(common::REGENERATION),
    Item::Taken(common::HASTE),
    Item::Taken(common::INVISIBILITY),
    Item::Held(common::QUAD),
    Item::Held(common::BATTLE_SUIT),
    Item::Held(common::REGENERATION),
    Item::Held(common::HASTE),
    Item::Held(common::INVISIBILITY),
];

const CTF_ITEMS: &[Item] = &[
    Item::Taken(common::RED_ARMOR),
    Item::Taken(common::YELLOW_ARMOR),
    Item::Taken(common::GREEN_ARMOR),
    Item::Taken(common::MEGA_HEALTH),
    Item::Taken(common::QUAD),
    Item::Taken(common::BATTLE_SUIT),
    Item::Taken(common::REGENERATION),
    Item::Taken(common::HASTE),
    Item::Taken(common::INVISIBILITY),
    Item::Taken("flag"),
    Item::Taken(common::MEDKIT),
    Item::Held(common::QUAD),
    Item::Held(common::BATTLE_SUIT),
    Item::Held(common::REGENERATION),
    Item::Held(common::HASTE),
    Item::Held(common::INVISIBILITY),
    Item::Held("flag"),
];

const TEAM: Field = Other("team");
const SUBSCRIBER: Field = Other("subscriber");
const ROUND_SCORE: Field = Other("round_score");
const BEST: Field = Other("best_weapon");
const ALIVE: Field = Other("alive");
const SCORE: Field = Of(Stat::Score);
const PING: Field = Of(Stat::Ping);
const KILLS: Field = Of(Stat::Kills);
const DEATHS: Field = Of(Stat::Deaths);
const ACCURACY: Field = Of(Stat::Accuracy);
const DAMAGE: Field = Of(Stat::DamageGiven);
const IMPRESSIVE: Field = Of(Stat::Impressive);
const EXCELLENT: Field = Of(Stat::Excellent);
const HUMILIATION: Field = Of(Stat::Humiliation);
const DEFENDS: Field = Of(Stat::Defends);
const ASSISTS: Field = Of(Stat::Assists);
const CAPTURES: Field = Of(Stat::Captures);
const PERFECT: Field = Of(Stat::Perfect);
const TEAM_KILLS: Field = Of(Stat::TeamKills);
const TEAM_DEATHS: Field = Of(Stat::TeamDeaths);
const THAWS: Field = Of(Stat::Thaws);

const DUEL: &[Field] = &[
    Client,
    SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    ACCURACY,
    BEST,
    DAMAGE,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    PERFECT,
    Took(common::RED_ARMOR),
    Delay(common::RED_ARMOR),
    Took(common::YELLOW_ARMOR),
    Delay(common::YELLOW_ARMOR),
    Took(common::GREEN_ARMOR),
    Delay(common::GREEN_ARMOR),
    Took(common::MEGA_HEALTH),
    Delay(common::MEGA_HEALTH),
    Weapons,
];
const TDM: &[Field] = &[Client, TEAM, SCORE, PING, Minutes, KILLS, DEATHS, ACCURACY, BEST, IMPRESSIVE, EXCELLENT, HUMILIATION, TEAM_KILLS, TEAM_DEATHS, DAMAGE];
const CTF: &[Field] =
    &[Client, TEAM, SCORE, PING, Minutes, KILLS, DEATHS, ACCURACY, BEST, IMPRESSIVE, EXCELLENT, HUMILIATION, DEFENDS, ASSISTS, CAPTURES, PERFECT, ALIVE];
const CTF_90: &[Field] = &[
    Client,
    TEAM,
    SUBSCRIBER,
    SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    Other("powerups"),
    ACCURACY,
    BEST,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    CAPTURES,
    PERFECT,
    ALIVE,
];
const ARENA: &[Field] = &[
    Client,
    TEAM,
    SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    ACCURACY,
    BEST,
    Other("best_weapon_accuracy"),
    DAMAGE,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    PERFECT,
    ALIVE,
];
/// `smscores`, which some servers send since 2016 in place of `scores_ca`.
const ARENA_LATE: &[Field] = &[
    Client,
    SCORE,
    PING,
    Minutes,
    Other("word_4"),
    Other("word_5"),
    ACCURACY,
    BEST,
    KILLS,
    DEATHS,
    Other("best_weapon_accuracy"),
    DAMAGE,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    PERFECT,
    ALIVE,
];
const FREEZE: &[Field] =
    &[Client, TEAM, SCORE, PING, Minutes, KILLS, DEATHS, ACCURACY, BEST, IMPRESSIVE, EXCELLENT, HUMILIATION, THAWS, TEAM_KILLS, TEAM_DEATHS, DAMAGE, ALIVE];
/// Fields that the sources disagree about have no name.
const FREEZE_90: &[Field] = &[
    Client,
    TEAM,
    SUBSCRIBER,
    SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    ACCURACY,
    BEST,
    IMPRESSIVE,
    EXCELLENT,
    Other("word_12"),
    Other("word_13"),
    Other("word_14"),
    Other("word_15"),
    DAMAGE,
    ALIVE,
];
const FREE_FOR_ALL: &[Field] = &[
    Client,
    SCORE,
    PING,
    Minutes,
    ACCURACY,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    PERFECT,
    CAPTURES,
    ALIVE,
    KILLS,
    DEATHS,
    BEST,
    Other("powerups"),
    DAMAGE,
];
const ANY_90: &[Field] = &[
    Client,
    SCORE,
    PING,
    Minutes,
    Other("score_flags"),
    Other("powerups"),
    ACCURACY,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    PERFECT,
    CAPTURES,
    ALIVE,
    KILLS,
    DEATHS,
    BEST,
];
/// The board of id's game and of most of its mods.
const STOCK: &[Field] =
    &[Client, SCORE, PING, Minutes, Other("score_flags"), Other("powerups"), ACCURACY, IMPRESSIVE, EXCELLENT, HUMILIATION, DEFENDS, ASSISTS, PERFECT, CAPTURES];

const ROVER: &[Field] = &[
    Client,
    SCORE,
    ROUND_SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    ACCURACY,
    BEST,
    Other("best_weapon_accuracy"),
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    PERFECT,
    CAPTURES,
    ALIVE,
];
const ROVER_90: &[Field] = &[
    Client,
    SCORE,
    ROUND_SCORE,
    PING,
    Minutes,
    KILLS,
    DEATHS,
    Other("powerups"),
    ACCURACY,
    BEST,
    Other("best_weapon_accuracy"),
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    PERFECT,
    CAPTURES,
    ALIVE,
];
const ROVER_EARLY: &[Field] = &[
    Client,
    SCORE,
    ROUND_SCORE,
    PING,
    Minutes,
    Other("score_flags"),
    Other("powerups"),
    ACCURACY,
    IMPRESSIVE,
    EXCELLENT,
    HUMILIATION,
    DEFENDS,
    ASSISTS,
    PERFECT,
    CAPTURES,
    ALIVE,
    KILLS,
    DEATHS,
    BEST,
];

const PLAIN: Form = Form { command: "scores", head: 3, count: 0, items: &[], teams: Some(1), stride: 18, subscriber: false, fields: ANY_90 };

/// Every form. The one whose length fits the number of players exactly is the one meant.
static FORMS: &[Form] = &[
    PLAIN,
    Form { stride: 14, fields: STOCK, ..PLAIN },
    // OpenArena: the head has the start of the round, and each line ends with who is out of it
    Form { head: 4, stride: 15, fields: STOCK, ..PLAIN },
    Form { command: "scores_ffa", fields: FREE_FOR_ALL, teams: None, ..PLAIN },
    Form { command: "scores_duel", head: 1, count: 0, items: &[], teams: None, stride: 91, subscriber: false, fields: DUEL },
    Form { command: "scores_rr", stride: 18, fields: ROVER, ..PLAIN },
    Form { command: "scores_rr", stride: 19, fields: ROVER_90, ..PLAIN },
    Form { command: "rrscores", stride: 19, fields: ROVER_EARLY, ..PLAIN },
    Form { command: "scores_ca", stride: 16, fields: ARENA, ..PLAIN },
    Form { command: "scores_ca", stride: 17, subscriber: true, fields: ARENA, ..PLAIN },
    Form { command: "smscores", stride: 17, fields: ARENA_LATE, ..PLAIN },
    Form { command: "scores_tdm", head: 31, count: 28, items: TDM_ITEMS, teams: Some(29), stride: 15, subscriber: false, fields: TDM },
    Form { command: "scores_tdm", head: 31, count: 28, items: TDM_ITEMS, teams: Some(29), stride: 16, subscriber: true, fields: TDM },
    Form { command: "scores_tdm", head: 29, count: 28, items: TDM_ITEMS, teams: None, stride: 16, subscriber: true, fields: TDM },
    Form { command: "scores_ft", head: 31, count: 28, items: TDM_ITEMS, teams: Some(29), stride: 17, subscriber: false, fields: FREEZE },
    Form { command: "scores_ft", head: 31, count: 28, items: TDM_ITEMS, teams: Some(29), stride: 18, subscriber: false, fields: FREEZE_90 },
    Form { command: "scores_ft", head: 29, count: 28, items: TDM_ITEMS, teams: None, stride: 18, subscriber: false, fields: FREEZE_90 },
    Form { command: "scores_ctf", head: 37, count: 34, items: CTF_ITEMS, teams: Some(35), stride: 17, subscriber: false, fields: CTF },
    Form { command: "scores_ctf", head: 37, count: 34, items: CTF_ITEMS, teams: Some(35), stride: 19, subscriber: false, fields: CTF_90 },
    Form { command: "scores_ctf", head: 35, count: 34, items: CTF_ITEMS, teams: None, stride: 19, subscriber: false, fields: CTF_90 },
];

/// Most players that any game has.
const MOST: i64 = 128;

/// A scoreboard, and the slots in its order.
pub(super) fn board(command: &[u8], words: &[&[u8]], players: &Roster) -> Option<(Statement, Vec<u32>)> {
    let form = FORMS.iter().filter(|form| form.command.as_bytes() == command).find(|form| {
        let count = words.get(form.count).map_or(-1, |word| int(word));
        (0..=MOST).contains(&count) && words.len() == form.head + count as usize * form.stride
    })?;
    let mut statement = Statement::default();
    statement.teams = teams(form.items, words);
    for (side, team) in statement.teams.iter_mut().enumerate() {
        if let Some(at) = form.teams {
            team.stats.state(Stat::Score, int(words[at + side]));
        }
    }
    let mut order = Vec::new();
    for row in words[form.head..].chunks_exact(form.stride) {
        order.push(u32::try_from(int(row[0])).unwrap_or(u32::MAX));
        if let Some((_, mut line)) = player(row[0], players) {
            // the first field is the client itself
            if form.subscriber {
                fill(&mut line, &[SUBSCRIBER], &row[2..3]);
                fill(&mut line, &form.fields[1..], &[&row[1..2], &row[3..]].concat());
            } else {
                fill(&mut line, &form.fields[1..], &row[1..]);
            }
            statement.players.push(line);
        }
    }
    Some((statement, order))
}

/// The items that a board begins with, of red and then of blue.
fn teams(items: &[Item], words: &[&[u8]]) -> Vec<TeamStats> {
    let sides = ["red", "blue"].into_iter().zip(words.chunks_exact(items.len().max(1))).filter(|_| !items.is_empty());
    let team = |(name, words): (&'static str, &[&[u8]])| {
        let mut team = TeamStats::new(name);
        for (item, word) in items.iter().zip(words) {
            match item {
                Item::Taken(item) => team.items.entry((*item).into()).or_default().state(ItemStat::Pickups, int(word)),
                Item::Held(item) => team.items.entry((*item).into()).or_default().state(ItemStat::TimeHeld, int(word).saturating_mul(1000)),
            }
        }
        team
    };
    sides.map(team).collect()
}

/// `tdmscores`, `tdmscores2`, and `ctfscores`, which protocol 73 sends beside `scores`: items of both teams, then some words for each player,
/// without names.
pub(super) fn early_teams(command: &[u8], words: &[&[u8]], players: &Roster) -> Option<Statement> {
    const EARLIEST: [Item; 8] =
        [TDM_ITEMS[0], TDM_ITEMS[1], TDM_ITEMS[2], TDM_ITEMS[3], TDM_ITEMS[4], TDM_ITEMS[5], Item::Held(common::QUAD), Item::Held(common::BATTLE_SUIT)];
    let mates = [TEAM_KILLS, TEAM_DEATHS, DAMAGE];
    let (items, fields) = match command {
        b"ctfscores" => (CTF_ITEMS, vec![TEAM, SUBSCRIBER]),
        b"tdmscores" => (&EARLIEST[..], [&[TEAM], &mates[..]].concat()),
        _ => (TDM_ITEMS, [&[TEAM, SUBSCRIBER], &mates[..]].concat()),
    };
    let rows = words.get(items.len() * 2..).filter(|rows| rows.len().is_multiple_of(fields.len() + 1))?;
    let mut statement = Statement::default();
    statement.teams = teams(items, words);
    // The rows of spectators have somebody else's number.
    for row in rows.chunks_exact(fields.len() + 1).filter(|row| row[1] != b"3") {
        if let Some((_, mut line)) = player(row[0], players) {
            fill(&mut line, &fields, &row[1..]);
            statement.players.push(line);
        }
    }
    Some(statement)
}

/// `scores_ad`, before July 2015 `adscores`, of attack and defend: the scores of red and blue in each of ten rounds, and in total.
pub(super) fn rounds(words: &[&[u8]]) -> Option<Statement> {
    const ROUNDS: usize = 10;
    let [red, blue] = words.get(ROUNDS * 2..)? else { return None };
    let mut statement = Statement::default();
    for (side, (name, total)) in [("red", red), ("blue", blue)].into_iter().enumerate() {
        let mut team = TeamStats::new(name);
        team.stats.state(Stat::Score, int(total));
        statement.teams.push(team);
        let rounds: Vec<_> = words[..ROUNDS * 2].chunks_exact(2).map(|round| String::from_utf8_lossy(round[side])).collect();
        statement.other.insert(format!("{name} by round"), rounds.join(" "));
    }
    Some(statement)
}

/// `acc`: the accuracy of the watched player with each weapon, from number 0 on.
pub(super) fn accuracies(words: &[&[u8]], players: &Roster, view: u32) -> Option<Statement> {
    let mut line = PlayerStats::new(Some(view).filter(|&slot| players.has_slot(slot)).map(|slot| players.player(slot))?);
    for (weapon, word) in WEAPONS.iter().zip(words.get(1..)?).filter(|(_, word)| int(word) != 0) {
        line.weapon(*weapon).state(WeaponStat::Accuracy, int(word));
    }
    let mut statement = Statement::default();
    statement.players.push(line);
    Some(statement)
}

/// `cascores`: five words for each player.
pub(super) fn early_arena(words: &[&[u8]], players: &Roster) -> Option<Statement> {
    let mut statement = Statement::default();
    for row in words.chunks_exact(5) {
        if let Some((_, mut line)) = player(row[0], players) {
            fill(&mut line, &[TEAM, SUBSCRIBER, DAMAGE, ACCURACY], &row[1..]);
            statement.players.push(line);
        }
    }
    Some(statement)
}

/// `dscores`: two blocks without a client number, of the first two players of the last scoreboard. The lower client number comes first.
pub(super) fn early_duel(words: &[&[u8]], order: &[u32], players: &Roster) -> Option<Statement> {
    let block = words.len() / 2;
    if words.len() != block * 2 || !matches!(block, 83 | 88) {
        return None;
    }
    let head = [PING, KILLS, DEATHS, ACCURACY, DAMAGE, IMPRESSIVE, EXCELLENT, HUMILIATION, Other("word_8"), Other("word_9")];
    // the duel's items and weapons are those of the later form
    let fields = [&head[..], &DUEL[13..]].concat();
    let mut statement = Statement::default();
    let mut order = order.get(..2)?.to_vec();
    order.sort_unstable();
    for (row, slot) in words.chunks_exact(block).zip(order) {
        if players.has_slot(slot) {
            let mut line = PlayerStats::new(players.player(slot));
            fill(&mut line, &fields, row);
            statement.players.push(line);
        }
    }
    Some(statement)
}

const ITEMS_OF_ONE: [Field; 6] =
    [Took(common::RED_ARMOR), Took(common::YELLOW_ARMOR), Took(common::GREEN_ARMOR), Took(common::MEGA_HEALTH), Took(common::QUAD), Took(common::BATTLE_SUIT)];

/// Statistics of one player, whose place on the last scoreboard comes first.
pub(super) fn of_one(command: &[u8], words: &[&[u8]], order: &[u32], players: &Roster) -> Option<Statement> {
    let (place, rest) = words.split_first()?;
    let slot = *order.get(usize::try_from(int(place)).ok()?)?;
    let taken = Of(Stat::DamageTaken);
    let items = ITEMS_OF_ONE;
    let fields: Vec<Field> = match command {
        b"castats" => vec![DAMAGE, taken, Field::Accuracies],
        b"tdmstats" => [&[Of(Stat::Suicides), TEAM_KILLS, TEAM_DEATHS, DAMAGE, taken], &items[..], &[Weapons]].concat(),
        b"ctfstats" => {
            let more = [Took(common::REGENERATION), Took(common::HASTE), Took(common::INVISIBILITY)];
            [&[Of(Stat::Suicides), DAMAGE, taken], &items[..], &more].concat()
        }
        _ => return None,
    };
    let mut line = PlayerStats::new(Some(slot).filter(|&slot| players.has_slot(slot)).map(|slot| players.player(slot))?);
    fill(&mut line, &fields, rest);
    let mut statement = Statement::default();
    statement.players.push(line);
    Some(statement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    fn words(line: &str) -> Vec<&[u8]> {
        line.split(' ').map(str::as_bytes).collect()
    }

    #[test]
    fn early_boards_of_teams_have_items_first_and_count_nobody() {
        let players = roster(&["a", "b"]);
        let line = format!("1 2 3 4 5 6 0 0 0 30 20 0 0 0 {} 1 2 0 3 1 900 1 3 0 0 0 0", "0 ".repeat(13) + "7");
        let said = early_teams(b"tdmscores2", &words(&line), &players).unwrap();
        assert_eq!(said.teams[0].items[common::QUAD].get(ItemStat::TimeHeld).stated, Some(30_000), "the server states seconds");
        assert_eq!(said.teams[1].items[common::INVISIBILITY].get(ItemStat::TimeHeld).stated, Some(7_000));
        assert_eq!(said.players.len(), 1, "a spectator is no player");
        let of = |stat| said.players[0].stats.get(stat).stated;
        assert_eq!([of(Stat::TeamKills), of(Stat::TeamDeaths), of(Stat::DamageGiven)], [Some(3), Some(1), Some(900)]);
        let line = format!("{}0 1 2 1 800 1 1 0 0 5", "1 ".repeat(16));
        let said = early_teams(b"tdmscores", &words(&line), &players).unwrap();
        assert_eq!((said.players.len(), said.players[0].stats.get(Stat::DamageGiven).stated), (2, Some(800)));
        assert!(early_teams(b"tdmscores", &words("1 2 3"), &players).is_none());
        let line = format!("{}11 12 13 14 15 16 17 0 1 0 1 2 1", "5 ".repeat(27));
        let said = early_teams(b"ctfscores", &words(&line), &players).unwrap();
        assert_eq!(said.teams[1].items[common::MEDKIT].get(ItemStat::Pickups).stated, Some(11));
        assert_eq!((said.teams[1].items["flag"].get(ItemStat::TimeHeld).stated, said.players.len()), (Some(17_000), 2));
    }

    #[test]
    fn rounds_of_attack_and_defend_are_scores_of_teams() {
        let said = rounds(&words(&format!("1 0 0 3 {}4 3", "0 0 ".repeat(8)))).unwrap();
        assert_eq!(said.teams.iter().map(|team| (&*team.name, team.stats.get(Stat::Score).stated)).collect::<Vec<_>>(), [("red", Some(4)), ("blue", Some(3))]);
        assert_eq!(said.other["blue by round"], "0 3 0 0 0 0 0 0 0 0");
        assert!(rounds(&words("1 2 3")).is_none());
        assert!(rounds(&words(&"0 ".repeat(22))).is_none(), "a word more is another form");
    }

    #[test]
    fn duels_have_items_and_weapons() {
        let player = |client: u8| format!("{client} 9 30 10 12 8 31 5 2400 3 1 0 0 4 1.25 0 0.00 0 0.00 2 2.50 0 0 0 0 0 20 80 25 100 1{}", " 0".repeat(60));
        let line = format!("2 {} {}", player(4), player(3));
        let players = roster(&["a", "b"]);
        let (said, order) = board(b"scores_duel", &words(&line), &players).unwrap();
        assert_eq!(order, [4, 3]);
        let first = &said.players[0];
        let of = |stat| first.stats.get(stat).stated.unwrap();
        assert_eq!((of(Stat::Score), of(Stat::Kills), of(Stat::Deaths), of(Stat::Accuracy), of(Stat::DamageGiven)), (9, 12, 8, 31, 2400));
        assert_eq!((of(Stat::MinutesConnected), first.other["best_weapon"].as_str()), (10, "5"));
        assert_eq!(first.items[common::RED_ARMOR].get(ItemStat::AverageDelay).stated, Some(1250));
        assert_eq!(first.weapons.len(), 1, "what was never used is left out");
        assert_eq!(first.weapons[common::MACHINE_GUN].get(WeaponStat::Shots).stated, Some(80));
        let one = of_one(b"castats", &words("1 500 400 0 0 31 2"), &order, &players).unwrap();
        assert_eq!((one.players[0].player.slot, one.players[0].stats.get(Stat::DamageTaken).stated), (Some(3), Some(400)));
        assert_eq!(one.players[0].weapons[common::MACHINE_GUN].get(WeaponStat::Kills).stated, Some(2));
        assert!(of_one(b"castats", &words("2 500 400"), &order, &players).is_none(), "nobody has that place");
        assert!(board(b"scores_duel", &words("2 1 2 3"), &players).is_none());
    }

    #[test]
    fn early_forms_are_read() {
        let players = roster(&["a", "b"]);
        let block = |kills: u8| format!("30 {kills} 8 31 2400 3 1 0 0 0 4 1.25 0 0.00 0 0.00 2 2.50 0 0 0 0 0 20 80 25 100 1{}", " 0".repeat(55));
        let line = format!("{} {}", block(12), block(7));
        // the leader has the higher client number, and a spectator the lowest
        let said = early_duel(&words(&line), &[4, 3, 0], &players).unwrap();
        let kills = said.players.iter().map(|line| (line.player.slot, line.stats.get(Stat::Kills).stated)).collect::<Vec<_>>();
        assert_eq!(kills, [(Some(3), Some(12)), (Some(4), Some(7))], "the halves follow the client numbers");
        let first = &said.players[0];
        assert_eq!(first.weapons.len(), 1);
        assert_eq!(first.items[common::MEGA_HEALTH].get(ItemStat::AverageDelay).stated, Some(2500));
        assert!(early_duel(&words("1 2 3 4"), &[3, 4], &players).is_none());
        let said = early_arena(&words("3 1 0 900 31 4 2 0 800 20"), &players).unwrap();
        assert_eq!(said.players[1].stats.get(Stat::DamageGiven).stated, Some(800));
        let said = accuracies(&words("0 0 25 0 0 0 31 0 0 0 0 0 0 0"), &players, 3).unwrap();
        assert_eq!(said.players[0].weapons[common::LIGHTNING_GUN].get(WeaponStat::Accuracy).stated, Some(31));
    }

    #[test]
    fn teams_have_items() {
        let line = format!("{} 1 20 17 3 1 9 30 10 12 8 31 5 1 2 0 1 2 900", (1..=28).map(|n| n.to_string()).collect::<Vec<_>>().join(" "));
        let (said, _) = board(b"scores_tdm", &words(&line), &roster(&["a", "b"])).unwrap();
        assert_eq!(said.teams[1].items[common::RED_ARMOR].get(ItemStat::Pickups).stated, Some(15));
        assert_eq!((said.teams[0].stats.get(Stat::Score).stated, said.players[0].stats.get(Stat::TeamDeaths).stated), (Some(20), Some(2)));
    }
}
