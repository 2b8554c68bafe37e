//! Death phrases of the stock games, the mission packs, CTF, and mods built on them. Tables only.

/// A kill: `victim phrase attacker suffix`. A phrase that begins with `'s` follows the name without a space.
/// `{his}` stands for his, her or its, `{himself}` likewise.
pub(super) struct Murder {
    pub phrase: &'static str,
    pub suffix: &'static str,
    pub means: &'static str,
    /// The body part that was hit, if the phrase names it.
    pub place: Option<&'static str>,
}

/// A suicide or accident: `victim phrase.`
pub(super) struct Mishap {
    pub phrase: &'static str,
    pub means: &'static str,
    /// Whether the victim caused it.
    pub own: bool,
}

macro_rules! murders {
    ($($means:ident $($place:ident)?: $phrase:literal $suffix:literal),* $(,)?) => {
        &[$(Murder { phrase: $phrase, suffix: $suffix, means: stringify!($means), place: murders!(@ $($place)?) }),*]
    };
    (@) => { None };
    (@ $place:ident) => { Some(stringify!($place)) };
}

macro_rules! mishaps {
    ($($means:ident: $phrase:literal $own:literal),* $(,)?) => {
        &[$(Mishap { phrase: $phrase, means: stringify!($means), own: $own }),*]
    };
}

/// Where two share a phrase, the one with the longer suffix comes first.
pub(super) const MURDERS: &[Murder] = murders![
    MOD_BLASTER: "was blasted by" "",
    MOD_SHOTGUN: "was gunned down by" "",
    MOD_SSHOTGUN: "was blown away by" "'s super shotgun",
    MOD_MACHINEGUN: "was machinegunned by" "",
    MOD_CHAINGUN: "was cut in half by" "'s chaingun",
    MOD_GRENADE: "was popped by" "'s grenade",
    MOD_G_SPLASH: "was shredded by" "'s shrapnel",
    MOD_CHAINFIST: "was shredded by" "'s ripsaw",
    MOD_ROCKET: "ate" "'s rocket",
    MOD_R_SPLASH: "almost dodged" "'s rocket",
    MOD_HYPERBLASTER: "was melted by" "'s hyperblaster",
    MOD_RAILGUN: "was railed by" "",
    MOD_BFG_LASER: "saw the pretty lights from" "'s BFG",
    MOD_BFG_BLAST: "was disintegrated by" "'s BFG blast",
    MOD_BFG_EFFECT: "couldn't hide from" "'s BFG",
    MOD_HANDGRENADE: "caught" "'s handgrenade",
    MOD_HG_SPLASH: "didn't see" "'s handgrenade",
    MOD_HELD_GRENADE: "feels" "'s pain",
    MOD_TELEFRAG: "tried to invade" "'s personal space",
    // CTF, Lithium.
    MOD_GRAPPLE: "was caught by" "'s grapple",
    MOD_GRAPPLE: "was disemboweled by" "'s grappling hook",
    // The mission packs.
    MOD_RIPPER: "ripped to shreds by" "'s ripper gun",
    MOD_PHALANX: "was evaporated by" "",
    MOD_TRAP: "caught in trap by" "",
    MOD_DISINTEGRATOR: "lost {his} grip courtesy of" "'s disintegrator",
    MOD_ETF_RIFLE: "was perforated by" "",
    MOD_HEATBEAM: "was scorched by" "'s plasma beam",
    MOD_TESLA: "was enlightened by" "'s tesla mine",
    MOD_PROX: "got too close to" "'s proximity mine",
    MOD_NUKE: "was nuked by" "'s antimatter bomb",
    MOD_VENGEANCE_SPHERE: "was purged by" "'s vengeance sphere",
    MOD_DOPPLE_VENGEANCE: "was purged by" "'s doppleganger",
    MOD_DEFENDER_SPHERE: "had a blast with" "'s defender sphere",
    MOD_HUNTER_SPHERE: "was killed like a dog by" "'s hunter sphere",
    MOD_TRACKER: "was annihilated by" "'s disruptor",
    MOD_DOPPLE_EXPLODE: "was blown up by" "'s doppleganger",
    MOD_DOPPLE_HUNTER: "was hunted down by" "'s doppleganger",
    // Action Quake II.
    MOD_MK23 head: "has a hole in {his} head from" "'s Mark 23 pistol",
    MOD_MK23 chest: "loses a vital chest organ thanks to" "'s Mark 23 pistol",
    MOD_MK23 stomach: "loses {his} lunch to" "'s .45 caliber pistol round",
    MOD_MK23 legs: "is legless because of" "'s .45 caliber pistol round",
    MOD_MK23: "was shot by" "'s Mark 23 Pistol",
    MOD_MP5 head: "'s brains are on the wall thanks to" "'s 10mm MP5/10 round",
    MOD_MP5 chest: "feels some chest pain via" "'s MP5/10 Submachinegun",
    MOD_MP5 stomach: "needs some Pepto Bismol after" "'s 10mm MP5 round",
    MOD_MP5 legs: "had {his} legs blown off thanks to" "'s MP5/10 Submachinegun",
    MOD_MP5: "was shot by" "'s MP5/10 Submachinegun",
    MOD_M4 head: "had a makeover by" "'s M4 Assault Rifle",
    MOD_M4 chest: "feels some heart burn thanks to" "'s M4 Assault Rifle",
    MOD_M4 stomach: "has an upset stomach thanks to" "'s M4 Assault Rifle",
    MOD_M4 legs: "is now shorter thanks to" "'s M4 Assault Rifle",
    MOD_M4: "was shot by" "'s M4 Assault Rifle",
    MOD_M3: "accepts" "'s M3 Super 90 Assault Shotgun in hole-y matrimony",
    MOD_M3: "is full of buckshot from" "'s M3 Super 90 Assault Shotgun",
    MOD_HC: "ate" "'s sawed-off 12 gauge",
    MOD_HC: "is full of buckshot from" "'s sawed off shotgun",
    MOD_HC: "underestimated" "'s single barreled handcannon shot",
    MOD_HC: "won't be able to pass a metal detector anymore thanks to" "'s single barreled handcannon shot",
    MOD_HC: "was minched by" "",
    MOD_SNIPER head: "caught a sniper bullet between the eyes from" "",
    MOD_SNIPER head: "saw the sniper bullet go through {his} scope thanks to" "",
    MOD_SNIPER chest: "was picked off by" "",
    MOD_SNIPER stomach: "was sniped in the stomach by" "",
    MOD_DUAL legs: "was shot in the legs by" "'s akimbo Mark 23 pistols",
    MOD_SNIPER legs: "was shot in the legs by" "",
    MOD_SNIPER: "was sniped by" "",
    MOD_DUAL head: "was trepanned by" "'s akimbo Mark 23 pistols",
    MOD_DUAL chest: "was John Woo'd by" "",
    MOD_DUAL stomach: "needs some new kidneys thanks to" "'s akimbo Mark 23 pistols",
    MOD_DUAL: "was shot by" "'s pair of Mark 23 Pistols",
    MOD_KNIFE head: "had {his} throat slit by" "",
    MOD_KNIFE chest: "had open heart surgery, compliments of" "",
    MOD_KNIFE stomach: "was gutted by" "",
    MOD_KNIFE legs: "was stabbed repeatedly in the legs by" "",
    MOD_KNIFE: "was slashed apart by" "'s Combat Knife",
    MOD_KNIFE_THROWN head: "caught" "'s flying knife with {his} forehead",
    MOD_KNIFE_THROWN chest: "'s ribs don't help against" "'s flying knife",
    MOD_KNIFE_THROWN stomach: "sees the contents of {his} own stomach thanks to" "'s flying knife",
    MOD_KNIFE_THROWN legs: "had {his} legs cut off thanks to" "'s flying knife",
    MOD_KNIFE_THROWN: "was hit by" "'s flying Combat Knife",
    MOD_KICK: "got {his} ass kicked by" "",
    MOD_KICK: "couldn't remove" "'s boot from {his} ass",
    MOD_KICK: "had a Bruce Lee put on {him} by" ", with a quickness",
    MOD_PUNCH: "got a free facelift by" "",
    MOD_PUNCH: "was knocked out by" "",
    MOD_PUNCH: "caught" "'s iron fist",
    // Falls and fires that an attacker drove the victim into.
    MOD_FALLING: "was thrown through a window by" "",
    MOD_FALLING: "was taught how to fly by" "",
    MOD_SLIME: "melted thanks to" "",
    MOD_LAVA: "was drop-kicked into the lava by" "",
    MOD_TRIGGER_HURT: "was shoved off the edge by" "",
    // Phrases for means that have none of their own.
    MOD_UNKNOWN: "was killed by" "",
];

pub(super) const MISHAPS: &[Mishap] = mishaps![
    MOD_SUICIDE: "suicides" true,
    MOD_SUICIDE: "committed suicide" true,
    MOD_SUICIDE: "commited suicide" true,
    MOD_FALLING: "cratered" false,
    MOD_CRUSH: "was squished" false,
    MOD_WATER: "sank like a rock" false,
    MOD_SLIME: "melted" false,
    MOD_LAVA: "does a back flip into the lava" false,
    MOD_EXPLOSIVE: "blew up" false,
    MOD_EXIT: "found a way out" false,
    MOD_TARGET_LASER: "saw the light" false,
    MOD_TARGET_BLASTER: "got blasted" false,
    MOD_TRIGGER_HURT: "was in the wrong place" false,
    MOD_GEKK: "that's gotta hurt" false,
    MOD_HELD_GRENADE: "tried to put the pin back in" true,
    MOD_G_SPLASH: "tripped on {his} own grenade" true,
    MOD_R_SPLASH: "blew {himself} up" true,
    MOD_BFG_BLAST: "should have used a smaller gun" true,
    MOD_TRAP: "sucked into {his} own trap" true,
    MOD_DOPPLE_EXPLODE: "got caught in {his} own trap" true,
    MOD_SUICIDE: "killed {himself}" true,
    // Action Quake II.
    MOD_HG_SPLASH: "didn't throw {his} grenade far enough" true,
    MOD_SUICIDE: "is done with the world" true,
    MOD_FALLING: "ate too much glass" false,
    MOD_FALLING: "plummets to {his} death" false,
    MOD_CRUSH: "was flattened" false,
    MOD_BLEEDING: "bleeds to death" false,
    MOD_UNKNOWN: "died" false,
];

/// The meaning of a word in braces.
pub(super) const PRONOUNS: &[(&str, &[&str])] =
    &[("{his}", &["his", "her", "its", "it's"]), ("{him}", &["him", "her", "it"]), ("{himself}", &["himself", "herself", "itself"])];

/// Weapons, by the muzzle flashes of players.
pub(super) fn weapon(flash: u16) -> Option<&'static str> {
    Some(match flash & 0x7f {
        0 => "blaster",
        1 => "machinegun",
        2 => "shotgun",
        3..=5 => "chaingun",
        6 => "railgun",
        7 => "rocket launcher",
        8 => "grenade launcher",
        12 => "bfg10k",
        13 => "super shotgun",
        14 => "hyperblaster",
        16 => "ionripper",
        17 => "blue hyperblaster",
        18 => "phalanx",
        30 => "etf rifle",
        32 => "shotgun2",
        33 => "heatbeam",
        34 => "blaster2",
        35 => "tracker",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phrase_hides_another() {
        for (at, murder) in MURDERS.iter().enumerate() {
            for later in &MURDERS[at + 1..] {
                assert!(later.phrase != murder.phrase || !later.suffix.ends_with(murder.suffix), "{} {}", later.phrase, later.suffix);
            }
        }
    }

    #[test]
    fn every_word_in_braces_is_known() {
        let phrases = MURDERS.iter().flat_map(|murder| [murder.phrase, murder.suffix]).chain(MISHAPS.iter().map(|mishap| mishap.phrase));
        for phrase in phrases.filter(|phrase| phrase.contains('{')) {
            assert_eq!(PRONOUNS.iter().filter(|(word, _)| phrase.contains(word)).count(), 1, "{phrase}");
        }
    }
}
