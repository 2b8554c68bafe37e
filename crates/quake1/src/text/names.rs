//! Names of numbers that people would not know by heart.

use fragreel_base::wire::Vocabulary;

/// Names by number; empty ones are numbers without a name.
#[derive(Debug)]
pub(crate) struct Words(pub &'static [&'static str]);

impl Vocabulary for Words {
    fn name(&self, number: u32) -> Option<&str> {
        self.0.get(number as usize).copied().filter(|name| !name.is_empty())
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.0.iter().position(|word| !word.is_empty() && *word == name).map(|at| at as u32)
    }
}

/// Importance of a line on the console, in QuakeWorld.
pub(crate) const PRINT_LEVELS: Words = Words(&["low", "medium", "high", "chat"]);

/// Stats that both branches have.
pub(crate) const STATS: Words = Words(&[
    "health",
    "frags",
    "weapon",
    "ammo",
    "armor",
    "weapon_frame",
    "shells",
    "nails",
    "rockets",
    "cells",
    "active_weapon",
    "total_secrets",
    "total_monsters",
    "secrets",
    "monsters",
    "items",
    "view_height",
]);

/// Channels of an entity's sounds.
pub(crate) const CHANNELS: Words = Words(&["auto", "weapon", "voice", "item", "body"]);

/// Kinds of games in NetQuake's server info.
pub(crate) const GAME_TYPES: Words = Words(&["cooperative", "deathmatch"]);

/// Why the view is set.
pub(crate) const VIEW_REASONS: Words = Words(&["", "teleport", "spawn"]);

/// To whom a block of a multi-view recording is sent, by its type.
pub(crate) const TARGETS: Words = Words(&["", "same", "", "several", "one", "stats", "all"]);

/// Kinds of hidden blocks, by number.
pub(crate) const HIDDEN: [&str; 12] = [
    "antilag_position",
    "user_command",
    "weapon_choice",
    "demo_info",
    "",
    "",
    "",
    "damage_done",
    "weapon_choice_by_server",
    "weapon_instruction",
    "paused_duration",
    "start_timestamp",
];
