//! Death phrases (`docs/formats/quake1.md`, "Death phrases").
//!
//! The server only prints lines. A line is a player's name, a phrase, and mostly another's name with a possessive ending.

use crate::phrase_file::{Phrase, Shape};

macro_rules! phrases {
    ($($shape:ident $means:literal { $($text:literal $(.. $tail:literal)?),* $(,)? })*) => {
        &[$($(Phrase { shape: Shape::$shape, means: $means, text: $text.as_bytes(), tail: concat!($($tail)?).as_bytes() },)*)*]
    };
}

/// All known phrases. If one starts with another, the longer one counts.
pub(crate) const PHRASES: &[Phrase<'static>] = phrases! {
    // the game itself, KTX and its relatives
    ByKiller "axe" { " was ax-murdered by ", " was axed to pieces by " }
    ByKiller "sg" { " chewed on " .. "'s boomstick", " chewed on " .. "' boomstick", " was lead poisoned by " }
    ByKiller "ssg" {
        " ate 2 loads of " .. "'s buckshot", " ate 2 loads of " .. "' buckshot", " ate 8 loads of " .. "'s buckshot",
        " ate 8 loads of " .. "' buckshot",
    }
    ByKiller "ng" { " was nailed by ", " was body pierced by " }
    ByKiller "sng" { " was punctured by ", " was perforated by ", " was ventilated by ", " was straw-cuttered by " }
    ByKiller "gl" {
        " eats " .. "'s pineapple", " eats " .. "' pineapple", " was gibbed by " .. "'s grenade", " was gibbed by " .. "' grenade",
    }
    ByKiller "rl" {
        " rides " .. "'s rocket", " rides " .. "' rocket", " was gibbed by " .. "'s rocket", " was gibbed by " .. "' rocket",
        " was brutalized by " .. "'s quad rocket", " was brutalized by " .. "' quad rocket", " was smeared by " .. "'s quad rocket",
        " was smeared by " .. "' quad rocket", " was destroyed by " .. "'s Quad rocket", " was destroyed by " .. "' Quad rocket",
    }
    OfVictim "rl" { " rips " .. " a new one" }
    ByKiller "lg" { " accepts " .. "'s shaft", " accepts " .. "' shaft", " gets a natural disaster from " }
    ByKiller "discharge" {
        " accepts " .. "'s discharge", " accepts " .. "' discharge", " drains " .. "'s batteries", " drains " .. "' batteries",
    }
    ByKiller "rail" { " was railed by " }
    ByKiller "coil" { " was instagibbed by " }
    ByKiller "hook" { " was hooked by ", " was disembowled by ", " was disembowelled by ", " was disemboweled by " }
    ByKiller "stomp" {
        " softens " .. "'s fall", " softens " .. "' fall", " tried to catch ", " was crushed by ", " was jumped by ",
        " was literally stomped into particles by ",
    }
    OfVictim "stomp" { " stomps " }
    ByKiller "tele" { " was telefragged by ", " was telefragged by " .. "'s Satan's power" }
    OfVictim "squish" { " squishes " }
    Death "drown" { " sleeps with the fishes", " sucks it down" }
    Death "slime" { " gulped a load of slime", " can't exist on slime alone" }
    Death "lava" { " burst into flames", " turned into hot slag", " visits the Volcano God" }
    Death "fall" { " fell to his death", " fell to her death", " cratered" }
    Death "trap" { " blew up", " was spiked", " was zapped", " ate a lavaball" }
    Death "squish" { " was squished" }
    Death "none" { " died", " tried to leave" }
    Suicide "none" { " suicides" }
    Suicide "gl" { " tries to put the pin back in" }
    Suicide "rl" { " becomes bored with life", " discovers blast radius" }
    Suicide "discharge" {
        " discharges into the slime", " discharges into the lava", " discharges into the water", " heats up the water",
        " electrocutes himself", " electrocutes herself", " railcutes himself", " railcutes herself",
    }
    BySomebody "tele" { " was telefragged" }
    BySomeTeamMate "tele" { " was telefragged by his teammate", " was telefragged by her teammate" }
    BySomeTeamMate "stomp" {
        " was crushed by his teammate", " was crushed by her teammate", " was jumped by his teammate", " was jumped by her teammate",
    }
    SomeTeamMate "team" {
        " mows down a teammate", " shoots his teammate one too many times", " shoots her teammate one too many times", " checks his glasses", " checks her glasses", " gets a frag for the other team", " loses another friend",
    }
    SomeTeamMate "squish" { " squished a teammate" }
    // single player
    Death "monster" {
        " was slain by a Shambler", " was smashed by a Shambler", " was savaged by a Fiend", " was eviscerated by a Fiend",
        " was eaten by a Rotfish", " was fed to the Rotfish", " was destroyed by an Ogre", " was slashed by a Death Knight",
        " was slashed by a Knight", " was eaten alive by a Zombie", " joins the Zombies", " was exploded by a Vore",
        " was attached by a Vore", " was scragged by a Scrag", " was slimed by a Spawn", " was blasted by an Enforcer",
        " was shot by a Grunt", " was mauled by a Rottweiler", " was fubared by a Vore",
    }
    // id's mission packs
    ByKiller "empathy" { " shares " .. "'s pain", " feels " .. "'s pain" }
    ByKiller "proximity grenade" { " got too friendly with " .. "'s bomb", " did the rhumba with " .. "'s bomb" }
    ByKiller "laser" { " was toasted by " .. "'s laser", " was radiated by " .. "'s laser" }
    ByKiller "hammer" { " was slammed by " .. "'s hammer" }
    ByKiller "grapple" { " was grappled by " }
    ByKiller "lava nailgun" { " was burned by ", " was fused by " }
    ByKiller "plasma gun" { " was blasted to bits by ", " was smashed by " }
    Death "vengeance" { " was purged by the Vengeance Sphere" }
    // ThreeWave's Capture the Flag
    ByKiller "rl" { " was blown to bits by " .. "'s rocket" }
    ByKiller "gl" { " sat on " .. "'s grenade" }
    // Capture the Flag
    ByKiller "grapple" { " was hooked by " , " grappled with " }
    // Team Fortress and its relatives
    ByKiller "axe" {
        " is split from crotch to sternum by " .. "'s axe swing", " is split in two with a powerful axe blow from ", " was put on the chop block by ",
        " was sliced and diced by " .. "'s blade", "'s death put another notch on " .. "'s axe", "'s mellon was split by ", " was slit open by ",
    }
    ByKiller "spanner" { " was spanner-murdered by ", " was spanner-wacked by " }
    ByKiller "knife" { " gets knifed from behind by ", " was stabbed by ", " is ass-knifed by ", " was knife-murdered by " }
    ByKiller "sg" {
        " was swiss-cheesed by " .. "'s bird gun", " got blasted by " .. "'s last resort", " got more than a powderburn from " .. "'s shotgun blast",
        " got too close to " .. "'s muzzleflash", " practices being " .. "'s clay pigeon", " was fed a lead diet by ",
        " was on the receiving end of " .. "'s shotgun barrel",
    }
    ByKiller "ssg" {
        "'s head is popped by " .. "'s shotgun", " gets ventilated by " .. "'s super-shotgun blast", " got a double-dose of " .. "'s buckshot",
        " unfortunately forgot " .. " carried a super-shotgun", " was turned into swiss cheese by " .. "'s buckshot",
        "'s body got chuck full of " .. "'s lead pellets",
    }
    ByKiller "ng" { " was capped by ", " caught one too many nails from ", " ran into " .. "'s nails", " was turned into " .. "'s pin-cushion" }
    ByKiller "sng" { " was perforated by " .. "'s nailgun" }
    ByKiller "rl" { " is reamed by " .. "'s rocket", "'s bunghole was ripped by " .. "'s rocket" }
    ByKiller "gl" { " swallows " .. "'s grenade", " was split in half by " .. "'s grenade" }
    ByKiller "pipebomb" { " is caught by " .. "'s pipebomb trap", " fell victim to " .. "'s fireworks", " is shreaded by " .. "'s pipebomb trap" }
    ByKiller "detpack" { " reaches orbit via " .. "'s detpack", " cut the red wire of " .. "'s detpack", " is nuked by " .. "'s detpack" }
    ByKiller "mirv" {
        " gets spammed by " .. "'s Mirv grenade", " does a dance on " .. "'s Mirv grenade", " gets juiced by " .. "'s Mirv grenad",
        " is shreaded by " .. "'s AirMirv",
    }
    ByKiller "grenade" {
        " caught too much shrapnel from " .. "'s grenade", " fetched " .. "'s pineapple", " got up-close and personal with " .. "'s grenade",
        " played catch with " .. "'s grenade", " received a pineapple enema from ", " stops to ponder the technical details of " .. "'s grenade",
        " surfs on a grenade from ", " thought " .. " was tossing him a spare grenade", " tried to pick up " .. "'s hot potato",
        " tries to hatch " .. "'s grenade",
    }
    ByKiller "nail grenade" { " gets flayed by " .. "'s nail grenade", " gets perforated by " .. "'s nail grenade" }
    ByKiller "flash grenade" { " is charred by " .. "'s flash grenade", "'s brain is fried by " .. "'s flash grenade" }
    ByKiller "gas" { " gags on " .. "'s noxious gasses", " sniffs to much of " .. "'s glue" }
    ByKiller "emp" { " stands near some ammo as " .. "'s EMP nukes it", "'s ammo detonates him as " .. "'s EMP fries it", "'s gets vaporized by " .. "'s EMP grenade" }
    ByKiller "caltrops" { " stepped on too many of " .. "'s caltrops" }
    ByKiller "sniper rifle" {
        " takes a bullet in the chest from ", " succumbs to sniperfire from ", " gets a third eye from ", " gets his head blown off by ",
        " is made legless by ", " gets his legs blown off by ", " gets a sucking chest wound from ", "'s liver is blown out by ",
        "'s chest explodes from " .. "'s sniper round", " is beheaded by " .. "'s round", "'s labotomized by " .. "'s sniper round",
        " is neutered by ", "'s legs explode open from " .. "'s shot",
    }
    ByKiller "auto rifle" { " collects " .. "'s bullet spray.", " enjoys " .. "'s machinegun" }
    ByKiller "assault cannon" { " gets sawn in half by " }
    ByKiller "20mm" { " gets shredded by " .. "'s 20mm cannon", " torso is removed by " }
    ByKiller "flame thrower" {
        " is burnt up by " .. "'s flame", " is fried by " .. "'s fire", " feels " .. "'s fire of wrath", " is reduced to ashes by ",
        " is grilled by " .. "'s flame", " burns to death by " .. "'s flame", " is boiled alive by " .. "'s heat",
        " is cremated by " .. "s incinerator", " is grilled by " .. "'s BBQ",
    }
    ByKiller "incendiary" { " gets cooked by " .. "'s incendiary rocket", " gets well done by " .. "'s incendiary rocket" }
    ByKiller "tranquilizer" { " is over-dosed by " .. "'s ludes", " is put to sleep by " }
    ByKiller "bioweapon" {
        " dies from " .. "'s mysterious tropical disease", " escapes infection from " .. " by dying first", " escapes infection from " .. "  by dying first",
        " dies from " .. "'s social disease",
    }
    ByKiller "rail" { " gets a hole in his heart from " .. "'s railgun", " spews juice thru holes from " .. "'s railgun" }
    ByKiller "dispenser" { " didn't insert the correct change into " .. "'s dispenser", " thought " .. "'s dispenser was a mechanical bull" }
    ByKiller "sentry gun" {
        " gets destroyed by " .. "'s exploding sentrygun", " hates " .. "'s sentry gun", " is creamed by " .. "'s sentry gun",
        " is mown down by " .. "'s sentry gun", "'s spine is extracted by " .. "'s sentry gun",
    }
    ByKiller "drone" { " was killed by " .. "'s Laser Drone", " was vaporized by " .. "'s Laser Drone" }
    ByKiller "airstrike" { " was bombed by " .. "'s AirStrike call" }
    ByKiller "proximity grenade" { " gets too friendly with " .. "'s Proxi grenade" }
    ByKiller "tesla" { "'s was obliterated by " .. "'s tesla coil" }
    ByKiller "spike" { "'s leg was amputated by " .. "'s spike" }
    ByKiller "toaster" { " swims with " .. "'s toaster" }
    ByKiller "tele" { " got in the way of " }
    // FTE's own game code, LibreQuake, and lines of older mods
    ByKiller "none" { " was killed by " }
    OfTeamMate "team" { " frags " .. " for the other team" }
    Suicide "none" {
        " commited suicide", " committed suicide", " killed himself", " killed herself", " killed itself", " blew himself up", " blew herself up",
        " blew itself up",
    }
    OfTeamMate "team" {
        " mows down teammate ", " checks his glasses after killing ", " gets a frag for the other team with " .. "'s death", " killed his supposed friend ",
    }
    ByTeamMate "team" { " didn't survive the operation by " }
    Suicide "caltrops" { " stepped on too many of his own caltrops" }
    Suicide "detpack" { " detpacks himself", " set the detpack and forgot to run" }
    Suicide "dispenser" { " used his dispenser for all the wrong reasons", " dispenses with himself." }
    Suicide "emp" { " detonates an ammo box too close to him", " nukes his own ammo", " explodes his ammo and body" }
    Suicide "flame thrower" { " torches himself" }
    Suicide "flash grenade" { " flash grenade himself to death", " is charred by his own flash grenade" }
    Suicide "gas" { " gags on his own gas... pew!", " chokes on his own gas" }
    Suicide "grenade" {
        " grenades himself", " caught the end of his own grenade", " got splattered by his own grenade", " got to know his grenade too well",
        " got too close to his own grenade", " let his own grenade get the best of him", " sat on his own grenade",
        " stared at his grenade too long", " tiptoed over his own grenade",
    }
    Suicide "incendiary" { " chars himself with an incendiary rocket" }
    Suicide "nail grenade" { " hammers himself" }
    Suicide "mirv" { " allowed his Mirv to turn against him", " goes to pieces", " practiced his own Mirv dance" }
    Suicide "pipebomb" { " pipebombs himself...", " ambushes himself with his own pipebombs", " tried to juggle his own pipebombs" }
    Suicide "proximity grenade" { " hugs his proximity grenade" }
    Suicide "rl" { " checks if his weapon is loaded" }
    Suicide "sentry gun" {
        " gets wasted by his sentry gun", " intercepts his sentry gun's rocket", " gets too friendly with his sentrygun",
        " crossed his sentry gun's line of fire", " obstructs his team's sentry gun",
    }
    Suicide "drone" { "'s Laser Drone malfunctioned" }
    Suicide "tesla" { " shocks himself to death" }
    Suicide "jetpack" { "'s JetPack malfunctions" }
    Suicide "none" { " bakes himself", " couldn't outrun his airspam", " died impossibly!", " has himself bombed", " hates himself", " is blown to bits", " nails himself", " gets too selfish with his gifts", " suicides  :)" }
    Death "drown" { " can't swim worth a crap!", " can't breathe water" }
    Death "fall" { " makes a crater" }
    Death "none" { " wasn't born so beautiful after all", " got knocked the fuck out!" }
    Death "lava" { " visits the Hell fires" }
    Death "monster" { " was torn up by an enemy Rottweiler" }
    Death "trap" { " tried to use the " }
    Death "trap" { " was crushed", " was shot", " tripped off the worldmap.", " was stopped by an enemy autoturret", " didn't survive the operation." }
    // LibreQuake
    ByKiller "axe" { " was brutally beaten by " .. "'s Hammer", " was savagely beaten by " .. "'s Hammer", "'s bucket was kicked by " }
    ByKiller "sg" { " sucked on " .. "'s muffler", " nibbled on " .. "'s muffler", " was put six feet under by " }
    ByKiller "ssg" { " was blasted by " .. "'s Super Shotgun", " was eliminated by " .. "'s Super Shotgun", " was sent home in a box by " }
    ByKiller "ng" { " was pierced by " .. "'s Machine Gun", " was perforated by " .. "'s Machine Gun", " was sent beyond the veil by " }
    ByKiller "sng" { " was gunned down by " .. "'s Chaingun", " was hunted down by " .. "'s Chaingun", "'s chips were cashed by " }
    ByKiller "gl" {
        " tripped over " .. "'s grenade", " landed on " .. "'s grenade", " was torn asunder by " .. "'s grenade", "'s plug was pulled by ",
    }
    ByKiller "rl" {
        " was shattered by " .. "'s rocket", " was immolated by " .. "'s rocket", " was blasted apart by " .. "'s rocket", " rode " .. "'s pale horse",
        " will see " .. " in hell",
    }
    ByKiller "lg" {
        " was fried by " .. "'s Lightning Cannon", " was given shock treatment by " .. "'s Lightning Cannon", " took " .. "'s last train to glory",
    }
    ByKiller "discharge" { " was electrocuted by ", " was given a toaster bath by " }
    ByKiller "tele" { " was teleported into by " }
    SomeTeamMate "team" { " kills a teammate", " invokes friendly-fire", " should really apologize", " doesn't know what team they're on" }
    Suicide "discharge" { " electrocuted themself", " took a toaster bath" }
    Suicide "gl" { " wasn't careful with explosives" }
    Suicide "rl" { " blew themself up" }
    Suicide "none" { " had a death-wish", " suicided" }
    Death "monster" {
        " was killed by a Foot Soldier", " was blasted by a Commando", " was bitten by a Hellhound", " was cursed by a Husk",
        " was slain by a Death Knight", " was fireballed by Cthon", " became one with Shub-Niggurath", " was slain by some abomnination",
    }
    Death "trap" { " exploded", " was shot by a spike turret", " was shot by a laser turret", " was hit by a ball of lava" }
    Death "drown" { " ran out of air", " drowned", " fell to a watery grave" }
    Death "slime" { " shouldn't have played with acid", " was burned by the acid" }
    Death "lava" { " combusted", " felt the heat", " shouldn't have played with lava" }
    Death "fall" { " fell off a cliff", " took a long flight off a short runway" }
    Death "none" { " tried to escape the arena", " fell into space", " fell into the void", " fell out of existence" }
};

/// The phrases of Nexuiz, whose lines have a color code before the name and before the phrase.
pub(crate) const NEXUIZ: &[Phrase<'static>] = phrases! {
    ByKiller "none" { " was blasted by ", " was fragged by " }
    ByKiller "uzi" { " was riddled full of holes by " }
    ByKiller "sg" { " was gunned by " }
    ByKiller "nex" { " has been vaporized by " }
    ByKiller "hagar" { " was pummeled by " }
    ByKiller "tele" { " was telefragged by " }
    ByKiller "drown" { " was drowned by " }
    ByKiller "slime" { " was slimed by " }
    ByKiller "lava" { " was cooked by " }
    ByKiller "fall" { " was grounded by ", " was shot into space by " }
    ByKiller "trap" { " was conserved by ", " was thrown into a world of hurt by " }
    SomeTeamMate "team" { " mows down a teammate" }
    Suicide "gl" { " detonated" }
    Suicide "electro" { " played with plasma" }
    Suicide "rl" { " exploded" }
    Suicide "none" {
        " couldn't take it anymore", " thought he found a nice camping ground", " didn't become friends with the Lord of Teamplay",
        " couldn't resist the urge to self-destruct",
    }
    Death "drown" { " drowned" }
    Death "slime" { " was slimed" }
    Death "lava" { " turned into hot slag" }
    Death "fall" { " hit the ground with a crunch", " became a shooting star" }
    Death "trap" { " is now conserved for centuries to come" }
    Death "none" { " died" }
};

/// A line without the color code at its start.
pub(crate) fn behind_color(line: &[u8]) -> Option<&[u8]> {
    match line {
        [b'^', b'0'..=b'9', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// The only phrase at the start of a line: a telefrag of an invulnerable player, deflected.
pub(crate) const DEFLECTED: Phrase<'static> = Phrase { shape: Shape::Suicide, means: "tele", text: b"Satan's power deflects ", tail: b"'s telefrag" };

/// The name of the player in a deflected telefrag.
pub(crate) fn deflected(line: &[u8]) -> Option<&[u8]> {
    let rest = strip(line, DEFLECTED.text)?;
    let end = find(rest, DEFLECTED.tail)?;
    (end > 0).then(|| &rest[..end])
}

/// A death as a line states it. Names are byte ranges of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obituary<'l, 'p> {
    /// The killer, if named.
    pub killer: Option<&'l [u8]>,
    /// The victim; `None` if only the killer is named.
    pub victim: Option<&'l [u8]>,
    /// The phrase.
    pub phrase: Phrase<'p>,
}

/// Reads a line whose first name is known to end at one of `ends`, by the phrases that Fragreel knows. `is_name` says whether bytes are a player's name.
pub(crate) fn read<'l>(line: &'l [u8], ends: impl Iterator<Item = usize>, is_name: impl Fn(&[u8]) -> bool) -> Option<Obituary<'l, 'static>> {
    longest(line, ends, is_name, |rest| behind_color(rest).map_or((PHRASES.iter().copied(), rest), |rest| (NEXUIZ.iter().copied(), rest)))
}

/// Reads a line by phrases of others.
pub(crate) fn read_by<'l, 'p>(
    line: &'l [u8],
    ends: impl Iterator<Item = usize>,
    is_name: impl Fn(&[u8]) -> bool,
    phrases: impl Iterator<Item = Phrase<'p>> + Clone,
) -> Option<Obituary<'l, 'p>> {
    longest(line, ends, is_name, |rest| (phrases.clone(), rest))
}

/// What a line states by the longest phrase that fits. `phrases` are those of the text after the first name, and that text.
fn longest<'l, 'p, P: Iterator<Item = Phrase<'p>>>(
    line: &'l [u8],
    ends: impl Iterator<Item = usize>,
    is_name: impl Fn(&[u8]) -> bool,
    phrases: impl Fn(&'l [u8]) -> (P, &'l [u8]),
) -> Option<Obituary<'l, 'p>> {
    let mut best: Option<(usize, Obituary<'l, 'p>)> = None;
    for end in ends {
        let (first, rest) = line.split_at(end);
        let (phrases, rest) = phrases(rest);
        for phrase in phrases {
            let Some(after) = strip(rest, phrase.text) else { continue };
            let Some(found) = second(first, after, phrase, &is_name) else { continue };
            // prefer longer phrases, then longer names
            let weight = (phrase.text.len() + phrase.tail.len()) * 4096 + end;
            if best.as_ref().is_none_or(|(known, _)| weight > *known) {
                best = Some((weight, found));
            }
        }
    }
    best.map(|(_, obituary)| obituary)
}

fn second<'l, 'p>(first: &'l [u8], after: &'l [u8], phrase: Phrase<'p>, is_name: &impl Fn(&[u8]) -> bool) -> Option<Obituary<'l, 'p>> {
    let only = |killer, victim| Some(Obituary { killer, victim, phrase });
    match phrase.shape {
        // mods add at most a word or a period
        // one phrase names what somebody may not use
        Shape::Death if phrase.text.ends_with(b" ") => only(None, Some(first)),
        Shape::Death | Shape::BySomeTeamMate | Shape::BySomebody => (after.len() <= 2).then(|| only(None, Some(first)))?,
        Shape::Suicide => (after.len() <= 2).then(|| only(Some(first), Some(first)))?,
        Shape::SomeTeamMate | Shape::OfSomebody => (after.len() <= 2).then(|| only(Some(first), None))?,
        _ => {
            let end = if phrase.tail.is_empty() { after.len() } else { find(after, phrase.tail)? };
            let mut name = &after[..end];
            // `.`, `!` or a remark may follow a name that ends the line
            while phrase.tail.is_empty() && !is_name(name) && matches!(name.last(), Some(b'.' | b'!' | b' ' | b')')) {
                name = &name[..name.len() - 1];
            }
            if name.is_empty() {
                return None;
            }
            match phrase.shape {
                Shape::ByKiller | Shape::ByTeamMate => only(Some(name), Some(first)),
                _ => only(Some(first), Some(name)),
            }
        }
    }
}

/// What follows a text at the start of bytes. High bits make colors.
pub(crate) fn strip<'l>(bytes: &'l [u8], text: &[u8]) -> Option<&'l [u8]> {
    let (head, rest) = bytes.split_at_checked(text.len())?;
    head.iter().zip(text).all(|(&byte, &letter)| byte & 127 == letter & 127).then_some(rest)
}

/// The start of a tail: its last occurrence, because names may contain it.
fn find(bytes: &[u8], tail: &[u8]) -> Option<usize> {
    (0..bytes.len()).rev().find(|&at| strip(&bytes[at..], tail).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str, names: &[&str]) -> Option<(Option<String>, Option<String>, &'static str)> {
        let is_name = |bytes: &[u8]| names.iter().any(|name| name.as_bytes() == bytes);
        let ends = names.iter().filter(|name| line.starts_with(**name)).map(|name| name.len());
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        read(line.as_bytes(), ends, is_name).map(|o| (text(o.killer), text(o.victim), o.phrase.means))
    }

    #[test]
    fn lines_name_both_sides() {
        let names = ["a", "b b", "a rides"];
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read_line("b b rides a's rocket", &names), Some((some("a"), some("b b"), "rl")));
        assert_eq!(read_line("a rides rides b b's rocket", &names), Some((some("b b"), some("a rides"), "rl")));
        assert_eq!(read_line("a becomes bored with life", &names), Some((some("a"), some("a"), "rl")));
        assert_eq!(read_line("a stomps b b", &names), Some((some("a"), some("b b"), "stomp")));
        assert_eq!(read_line("a visits the Volcano God", &names), Some((None, some("a"), "lava")));
        assert_eq!(read_line("a checks his glasses after killing b b", &names), Some((some("a"), some("b b"), "team")));
        assert_eq!(read_line("a accepts b b's discharge", &names), Some((some("b b"), some("a"), "discharge")));
        assert_eq!(read_line("a was telefragged by his teammate", &names), Some((None, some("a"), "tele")));
        assert_eq!(read_line("a was telefragged by b b's Satan's power", &names), Some((some("b b"), some("a"), "tele")));
        assert_eq!(read_line("a frags b b for the other team", &names), Some((some("a"), some("b b"), "team")));
        assert_eq!(read_line("a was killed by b b", &names), Some((some("b b"), some("a"), "none")));
        assert_eq!(read_line("a was killed by b b's Laser Drone", &names), Some((some("b b"), some("a"), "drone")));
        assert_eq!(read_line("a was telefragged", &names), Some((None, some("a"), "tele")));
        assert_eq!(read_line("a was destroyed by b b's Quad rocket", &names), Some((some("b b"), some("a"), "rl")));
        assert_eq!(read_line("a was disemboweled by b b", &names), Some((some("b b"), some("a"), "hook")));
        assert_eq!(read_line("a shoots his teammate one too many times.", &names), Some((some("a"), None, "team")));
        assert_eq!(read_line("a tried to use the enemy's dispenser", &names), Some((None, some("a"), "trap")));
        assert_eq!(read_line("a obstructs his team's sentry gun", &names), Some((some("a"), some("a"), "sentry gun")));
        assert_eq!(deflected(b"Satan's power deflects b b's telefrag"), Some(b"b b".as_slice()));
        assert_eq!(read_line("a entered the game", &names), None);
        assert_eq!(read_line("a was perforated by b b's Machine Gun", &names), Some((some("b b"), some("a"), "ng")));
        assert_eq!(read_line("a's bucket was kicked by b b", &names), Some((some("b b"), some("a"), "axe")));
        assert_eq!(read_line("a was killed by a Foot Soldier", &names), Some((None, some("a"), "monster")));
        assert_eq!(read_line("a^1 has been vaporized by b b", &names), Some((some("b b"), some("a"), "nex")));
        assert_eq!(read_line("a^1 exploded", &names), Some((some("a"), some("a"), "rl")));
        assert_eq!(behind_color(b"^1a^1 exploded"), Some(b"a^1 exploded".as_slice()));
    }

    #[test]
    fn no_phrase_stands_twice() {
        for (phrases, at, one) in [PHRASES, NEXUIZ].into_iter().flat_map(|phrases| phrases.iter().enumerate().map(move |(at, one)| (phrases, at, one))) {
            let twin = phrases[..at].iter().find(|other| other.text == one.text && other.tail == one.tail);
            assert!(twin.is_none() || twin.is_some_and(|other| other.shape == one.shape), "{one:?}");
        }
    }
}
