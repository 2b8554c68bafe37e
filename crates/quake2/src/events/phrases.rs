//! The phrases in which the stock games, the mission packs, CTF and mods built on them tell of deaths.

/// A death by somebody's hand: `victim phrase attacker suffix`.
pub(super) struct Murder {
    pub phrase: &'static str,
    pub suffix: &'static str,
    pub means: &'static str,
}

/// A death by one's own hand or the world's: `victim phrase.`
pub(super) struct Mishap {
    pub phrase: &'static str,
    pub means: &'static str,
    /// By one's own hand.
    pub own: bool,
}

macro_rules! murders {
    ($($means:ident: $phrase:literal $suffix:literal),* $(,)?) => {
        &[$(Murder { phrase: $phrase, suffix: $suffix, means: stringify!($means) }),*]
    };
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
    MOD_GRAPPLE: "was caught by" "'s grapple",
    MOD_RIPPER: "ripped to shreds by" "'s ripper gun",
    MOD_PHALANX: "was evaporated by" "",
    MOD_TRAP: "caught in trap by" "",
    MOD_DISINTEGRATOR: "lost his grip courtesy of" "'s disintegrator",
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
];

pub(super) const MISHAPS: &[Mishap] = mishaps![
    MOD_SUICIDE: "suicides" true,
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
    MOD_G_SPLASH: "tripped on its own grenade" true,
    MOD_G_SPLASH: "tripped on her own grenade" true,
    MOD_G_SPLASH: "tripped on his own grenade" true,
    MOD_R_SPLASH: "blew itself up" true,
    MOD_R_SPLASH: "blew herself up" true,
    MOD_R_SPLASH: "blew himself up" true,
    MOD_BFG_BLAST: "should have used a smaller gun" true,
    MOD_TRAP: "sucked into his own trap" true,
    MOD_DOPPLE_EXPLODE: "got caught in it's own trap" true,
    MOD_DOPPLE_EXPLODE: "got caught in her own trap" true,
    MOD_DOPPLE_EXPLODE: "got caught in his own trap" true,
    MOD_SUICIDE: "killed itself" true,
    MOD_SUICIDE: "killed herself" true,
    MOD_SUICIDE: "killed himself" true,
    MOD_UNKNOWN: "died" false,
];

/// Weapons by the muzzle flashes of players.
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
}
