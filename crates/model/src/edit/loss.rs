//! What edits lose.

use super::sentence::{counted, sentences};
use crate::Milliseconds;

sentences! {
    /// Something that the source of an edit has and its result lacks. [`kind`](Self::kind) is its stable name;
    /// [`Display`](std::fmt::Display) is a sentence.
    Loss {
        // numbers and names that a target has no place for
        Field { name: String } = "field" "field `{name}`, which the target does not have",
        FieldValues { name: String, kind: String } = "field_values" "values of `{name}` that are out of range in the target's {kind}",
        UnnamedEvent { number: u32 } = "event" "event {number}, which has no name",
        Event { name: String } = "event" "event `{name}`, which the target does not have",
        ArraySlot { slot: u64, array: String } = "array_slot" "slot {slot} of the player's {array}, which has another meaning in the target",
        ConfigString { index: u64 } = "configstring" "configstring {index}, which has no place in the target",
        CommandAsItIs { text: String } = "command_as_it_is" "kept `{text}` unchanged, although the target may interpret it differently",
        Messages { name: String } = "messages" "messages of the kind {name}",
        UnreadableMessages { why: String } = "unreadable_messages" "messages that cannot be read: {why}",
        HiddenMessages = "hidden_messages" "hidden messages",
        NoBlocks = "no_blocks" "bytes between blocks",
        BehindDisconnect = "behind_disconnect" "everything after the disconnect: engines stop there",
        Entities { from: u64 } = "entities" "entities from {from} on",
        EntitiesAtATime { most: u64 } = "entities" "entities beyond the {most} that engines accept at a time",
        StaticEntities { most: u64 } = "static_entities" "entities that never change, beyond {most}",
        CrowdedFrames { frames: u64, most: u64 } = "crowded_frames" "entities beyond {most} in {frames} frames: engines show no more",
        FarthestEntities { frames: u64, most: u64 } = "crowded_frames" "entities beyond {most} in {frames} frames: those farthest from the player",
        Models { from: u64 } = "models" "models from {from} on",
        Sounds { from: u64 } = "sounds" "sounds from {from} on",
        ModelsAndSoundsAbove255 = "models" "models and sounds from 256 on",
        Strings34 = "strings" "strings beyond the limits of protocol 34 (256 models, sounds and images, 24 slots of status bar)",
        Players { from: u64 } = "players" "players from slot {from} on",
        PlayerNumbers = "player_numbers" "numbers of a player from 256 on",
        LightStyles = "light_styles" "light styles from 64 on",
        LightStyleColors = "light_style_colors" "colors of light styles",
        StatsAbove32 = "stats" "stats from 32 on",
        StatsWithoutPlace = "stats" "stats that client data does not have",
        StatusPictures = "status_pictures" "status bar pictures from 256 on",
        // places, times, angles
        FarPlaces = "far_places" "places beyond 4096 units",
        EntityAngles = "angles" "angles of entities finer than 256ths of a turn",
        ViewAngles = "angles" "view angles finer than 256ths of a turn (pitch: 85ths), the animation of the weapon in hand, the exact height of the view",
        Velocities = "velocities" "velocities: they are estimated from places",
        Punctuality { frames: u64, bytes: u64 } = "punctuality" "timing: in {frames} frames more than {bytes} bytes changed, and changes far from the player come later",
        StaleViewpoints { frames: u64, oldest: Milliseconds } = "stale_viewpoints" "in {frames} frames other viewpoints have no frame of that time: their last frame, up to {oldest} older, is shown",
        // looks
        AnimationFrames = "animation_frames" "animation frames from 256 on",
        Effects = "effects" "effects from 256 on",
        FurtherEffects = "effects" "further effects of entities",
        Skins = "skins" "skins below 0 or above 255",
        WeaponSkins = "skins" "skins of weapons",
        Opacity = "opacity" "opacity",
        Sizes = "sizes" "sizes",
        FurtherModels = "further_models" "further models of entities",
        Tints = "tints" "tints and glows",
        EntityLights = "entity_lights" "lights of entities",
        Attachments = "attachments" "attachments",
        Bones = "bones" "bones",
        EntityParticles = "entity_particles" "particle effects of entities",
        Fatness = "fatness" "fatness",
        ViewModels = "view_models" "models that only the player sees, or only others",
        Colors = "colors" "colors that no player has",
        ScreenEdges = "screen_edges" "the tint of the screen edges",
        Fog = "fog" "fog",
        SecondWeapon = "second_weapon" "the second weapon, skins of weapons and movement speeds",
        // sounds and effects
        SoundNumbers = "sound_numbers" "sounds with large numbers",
        SoundPitch = "sound_pitch" "pitch, offset and speed of sounds",
        SoundLimits = "sounds" "sounds beyond the limits of protocol 34",
        LoopVolume = "loop_volume" "volume and attenuation of looping sounds",
        MuzzleFlashes = "muzzle_flashes" "muzzle flashes beyond the limits of protocol 34",
        TempEntities = "temp_entities" "temporary entities that protocol 34 does not know",
        ShortEffects { of: String } = "temp_entities" "short effects of {of}",
        ShortEffectsNearest { name: String } = "temp_entities_nearest" "short effects of the kind {name}: replaced by the nearest",
        Voices { pieces: u64, protocol: u32 } = "voices" "{} of voice, which clients of protocol {protocol} cannot read" (counted(*pieces, "piece")),
        VoicesOfOldCodec = "voices" "voices, unless the current game still has their codec",
        // what the source does not say
        RecorderNumber = "recorder_number" "the recorder's slot: the source does not state it, so it is that of the first player whose view is shown",
        Unseen = "visibility" "visibility: without the map it is unknown what the player could see or hear, so all entities, sounds, effects and areas are kept",
        OwnState = "own_state" "the player's own state: health and other stats (the status bar is dropped), view kicks, screen colors, inventory, scoreboards and prints for that player alone",
        PlayerStates = "player_states" "the players' own states and the messages to single players: a server's recording has entities and messages to everybody only",
        Movement = "movement" "the player's velocity, movement flags and inventory, which are not recorded",
        Buttons = "inputs" "the player's buttons, and all input between frames",
        Inputs = "inputs" "inputs: a multi-view recording has none",
        UserMessages = "user_messages" "user messages keep the numbers and fields of the old game: the current game does not show those that it names differently",
        SecurityModule = "security_module" "the data of the server's security module",
        // damage
        ChangesInLeftOut = "changes_in_damage" "changes in the dropped part, until the server sends them again",
        ChangesInMissingFrames { frames: u64 } = "changes_in_damage" "changes in missing frames: {frames} frames after them may show old states of entities and the player",
        ChangesOfStates = "changes_in_damage" "changes in unreadable parts: players and entities keep their last state until they are sent again",
        ShortenedGaps { gaps: u64, frames: u64 } = "shortened_gaps" "the length of {}: {frames} missing frames, which MVD2 cannot number, are left out" (counted(*gaps, "gap")),
        BaselessFrames = "baseless_frames" "frames whose delta base is missing",
        TooLong { count: u64, of: &'static str, limit: String } = "too_long" "{count} {of} are longer than {limit}",
    }
}

/// Losses in the order in which they were met, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LossList(Vec<Loss>);

impl LossList {
    /// Adds a loss that was not met before.
    pub fn lose(&mut self, what: Loss) {
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }

    /// In the order in which they were met.
    pub fn in_order(self) -> Vec<Loss> {
        self.0
    }

    /// By their sentences.
    pub fn sorted(mut self) -> Vec<Loss> {
        self.0.sort_by_cached_key(ToString::to_string);
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
