//! What servers state against what is counted: equal, or listed with a reason.

use fragreel::Recording;
use fragreel::model::Figures;

/// KTX counts weapons out of backpacks, too.
const KTX: &str = "weapons out of backpacks are not counted";
/// See `docs/statistics.md`.
const FRAME: &str = "an item or a loss in the very frame of a hit is not seen in time";
/// See `docs/statistics.md`.
const SPREE: &str = "one kill more is stated than the obituaries have, the cause is not known";
/// A client does not see everything.
const SIGHT: &str = "a client's recording has what happened in its sight";
/// CPMA's clock of flags is another one.
const CARRY: &str = "CPMA states a time that is up to two seconds from that between the events of the flag";
/// See `docs/statistics.md`.
const EARLY: &str = "Quake Live's `ctfstats` are of one player at one time, often before the end";
/// See `docs/statistics.md`.
const LEFT: &str = "Quake Live counts suicides among the kills of `scores_duel`";
/// One less or more.
const TABLE: &str = "CPMA's table of Capture Strike differs by one from what the events have, the cause is not known";
/// A lost snapshot may have had it.
const UNSEEN: &str = "a team kill is stated that no obituary shows";

/// Pairs that differ, and why: the recording or a part of its name, the figure. The list only shrinks: an entry that no recording needs fails the test.
#[rustfmt::skip]
const DIFFER: &[fragreel_testkit::Known] = &[
    ("2on2_]sr[_vs_red[dm4]20260327-1259.mvd", "lightning_gun total_pickups", KTX),
    ("2on2_]sr[_vs_red[dm4]20260327-1259.mvd", "nailgun total_pickups", KTX),
    ("2on2_]sr[_vs_red[dm4]20260327-1259.mvd", "rocket_launcher total_pickups", KTX),
    ("duel_equ_vs_kaboom[povdmm4]20240422-1038.mvd", "damage_given", FRAME),
    ("duel_equ_vs_kaboom[povdmm4]20240422-1038.mvd", "damage_taken", FRAME),
    ("ffa_5[dm4]20240501-1229.mvd", "best_spree", SPREE),
    ("ffa_5[dm4]20240501-1229.mvd", "lightning_gun total_pickups", KTX),
    ("ffa_5[dm4]20240501-1229.mvd", "nailgun total_pickups", KTX),
    ("ffa_5[dm4]20240501-1229.mvd", "rocket_launcher total_pickups", KTX),
    ("myr.dm2", "chaingun total_pickups", SIGHT),
    ("myr.dm2", "rocket_launcher total_pickups", SIGHT),
    ("myr.dm2", "super_shotgun total_pickups", SIGHT),
    ("CTFS-myT-ojfc-09-2014_11_25-22_19_39.dm_68", "deaths_by_enemies", TABLE),
    ("CTFS-myT-ojfc-09-2014_11_25-22_19_39.dm_68", "kills", TABLE),
    ("CTFS-myT-q3wcp23-2014_11_21-23_01_40.dm_68", "deaths_by_enemies", TABLE),
    ("CTFS-myT-q3wcp23-2014_11_21-23_01_40.dm_68", "flags_taken", TABLE),
    ("CTFS-myT-q3wcp23-2014_11_21-23_01_40.dm_68", "kills", TABLE),
    ("CTFS-myT-q3wcp23-2014_11_25-21_51_49.dm_68", "flags_taken", TABLE),
    ("tdm.dm_48", "excellent", SIGHT),
    ("christian-lime-aimbot.dm_73", "excellent", SIGHT),
    ("christian-lime-aimbot.dm_73", "humiliation", SIGHT),
    ("christian-lime-aimbot.dm_73", "impressive", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "green_armor pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "grenade_launcher total_pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "lightning_gun total_pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "mega_health pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "railgun total_pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "red_armor pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "rocket_launcher total_pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "shotgun total_pickups", SIGHT),
    ("2004_-_Duel_2_(Quakecon).dm_67", "yellow_armor pickups", SIGHT),
    ("2v2_xscores_1.dm_68", "rocket_launcher total_pickups", SIGHT),
    ("2v2_xscores_1.dm_68", "shotgun total_pickups", SIGHT),
    ("2v2_xscores_1.dm_68", "team_kills", UNSEEN),
    ("CTFS-myT-ojfc-02-2014_11_22-00_04_15.dm_68", "flag_time", CARRY),
    ("CTFS-myT-ojfc-05-2014_11_21-23_27_18.dm_68", "flag_time", CARRY),
    ("CTFS-myT-ojfc-09-2014_11_25-22_19_39.dm_68", "flag_time", CARRY),
    ("CTFS-myT-q3wcp23-2014_11_21-23_01_40.dm_68", "flag_time", CARRY),
    ("CTFS-myT-q3wcp23-2014_11_25-21_51_49.dm_68", "flag_time", CARRY),
    ("CTFS-myT-tsdocks-b3-2014_11_25-22_51_05.dm_68", "flag_time", CARRY),
    ("CTFS-myT-tsdockswinter-b3-2014_11_25-23_14_53.dm_68", "flag_time", CARRY),
    ("ca_cascores.dm_73", "impressive", SIGHT),
    ("ca_scores.dm_73", "impressive", SIGHT),
    ("ca_scores_ca.dm_73", "impressive", SIGHT),
    ("ctf.dm_90", "assists", SIGHT),
    ("ctf.dm_90", "deaths", EARLY),
    ("ctf.dm_90", "defends", SIGHT),
    ("ctf.dm_90", "haste pickups", SIGHT),
    ("ctf.dm_90", "humiliation", SIGHT),
    ("ctf.dm_90", "kills", EARLY),
    ("ctf.dm_90", "mega_health pickups", SIGHT),
    ("ctf.dm_90", "suicides", EARLY),
    ("ctf.dm_90", "yellow_armor pickups", SIGHT),
    ("duel.dm_68", "grenade_launcher total_pickups", SIGHT),
    ("duel.dm_68", "mega_health pickups", SIGHT),
    ("duel.dm_68", "plasma_gun total_pickups", SIGHT),
    ("duel.dm_68", "railgun total_pickups", SIGHT),
    ("duel.dm_68", "red_armor pickups", SIGHT),
    ("duel.dm_68", "rocket_launcher total_pickups", SIGHT),
    ("duel.dm_68", "shotgun total_pickups", SIGHT),
    ("duel.dm_68", "yellow_armor pickups", SIGHT),
    ("duel_forfeit_disconnect.dm_91", "kills", LEFT),
    ("duel_forfeit_disconnect.dm_91", "mega_health pickups", SIGHT),
    ("duel_forfeit_disconnect.dm_91", "yellow_armor pickups", SIGHT),
    ("heavy_machine_gun.dm_90", "excellent", SIGHT),
];

/// Figures of a match that contradict each other, and why: the recording or a part of its name, the check. This list only shrinks, too.
#[rustfmt::skip]
const CONTRADICT: &[fragreel_testkit::Known] = &[
    ("2v2_xscores_1.dm_68", "counted", UNSEEN),
    ("CTFS-myT-ojfc-09-2014_11_25-22_19_39.dm_68", "counted", "a kill in the frame of the capture that ends a round: CPMA does not count it"),
    ("CTFS-myT-q3wcp23-2014_11_21-23_01_40.dm_68", "counted", "CPMA counts a death by the map as a kill by the enemy who pushed the player"),
];

/// In matches whose start and end are in the recording, every stated figure is the counted one. Contradictions in a match have a reason.
#[test]
fn stated_figures_are_counted() {
    let exceptions = fragreel_testkit::Exceptions::new(DIFFER);
    let contradictions = fragreel_testkit::Exceptions::new(CONTRADICT);
    let all: Vec<fragreel_testkit::Sample> = super::FAMILIES.into_iter().flat_map(super::recordings).collect();
    let pairs = std::sync::atomic::AtomicUsize::new(0);
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let Ok(recording) = Recording::open(bytes.to_vec(), &sample.name) else { return };
        let matches = recording.scores().value;
        for (one, found) in matches.iter().flat_map(|one| one.findings.iter().map(move |found| (one, found))) {
            // a reason that the recording itself shows is one
            if found.reason.is_none() {
                contradictions.fault(&sample.name, found.check.name(), &format!("match {}: {}", one.number, found.sentence()));
            }
        }
        contradictions.seen(&sample.name);
        for one in matches.iter().filter(|one| one.has_start && one.outcome.is_final()) {
            for line in &one.players {
                let mut differ = |what: String, stated: i64, counted: i64| {
                    let sources = one.sources.join(" ");
                    exceptions.fault(
                        &sample.name,
                        &what,
                        &format!("match {} ({sources}): {}: {stated} stated, {counted} counted", one.number, line.player.name),
                    );
                };
                let count = check(&line.stats, |stat| stat.name().to_owned(), &mut differ);
                let weapons = line.weapons.iter().map(|(name, figures)| check(figures, |stat| format!("{name} {}", stat.name()), &mut differ)).sum::<usize>();
                let items = line.items.iter().map(|(name, figures)| check(figures, |stat| format!("{name} {}", stat.name()), &mut differ)).sum::<usize>();
                pairs.fetch_add(count + weapons + items, std::sync::atomic::Ordering::Relaxed);
            }
        }
        exceptions.seen(&sample.name);
    });
    let pairs = pairs.into_inner();
    println!("{pairs} pairs");
    assert!(pairs > 0);
    exceptions.end();
    contradictions.end();
}

/// How many figures are both stated and counted; those that differ are handed on.
fn check<K: Ord + Copy>(figures: &Figures<K>, name: impl Fn(K) -> String, differ: &mut dyn FnMut(String, i64, i64)) -> usize {
    let both = figures.iter().filter_map(|(key, figure)| Some((key, figure.stated?, figure.counted?)));
    both.map(|(key, stated, counted)| {
        if stated != counted {
            differ(name(key), stated, counted);
        }
    })
    .count()
}
