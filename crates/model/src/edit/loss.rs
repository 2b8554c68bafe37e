//! What results of edits cannot say.

use super::sentence::{counted, sentences};
use crate::Milliseconds;

sentences! {
    /// Something that the source of an edit said and its result does not. [`kind`](Self::kind) is its stable name; shown, it is a
    /// sentence.
    Loss {
        // numbers and names that a target has no place for
        Field { name: String } = "field" "field `{name}`, which the target does not have",
        FieldValues { name: String, kind: String } = "field_values" "values of `{name}` that do not fit into the target's {kind}",
        UnnamedEvent { number: u32 } = "event" "event {number}, which has no name",
        Event { name: String } = "event" "event `{name}`, which the target does not have",
        ArraySlot { slot: u64, array: String } = "array_slot" "slot {slot} of the player's {array}, which means something else in the target",
        ConfigString { index: u64 } = "configstring" "configstring {index}, which has no place in the target",
        CommandAsItIs { text: String } = "command_as_it_is" "`{text}` is left as it is, though the target may read it otherwise",
        Messages { name: String } = "messages" "messages of the kind {name}",
        UnreadableMessages { why: String } = "unreadable_messages" "messages that cannot be read: {why}",
        HiddenMessages = "hidden_messages" "hidden messages",
        NoBlocks = "no_blocks" "bytes that are no blocks",
        BehindDisconnect = "behind_disconnect" "what follows the end of the connection: engines stop there",
        Entities { from: u64 } = "entities" "entities from {from} on",
        EntitiesAtATime { most: u64 } = "entities" "entities beyond the {most} that engines take at a time",
        EntitiesAbove1023 = "entities" "entities with numbers above 1023",
        StaticEntities { most: u64 } = "static_entities" "entities that never change, beyond {most}",
        CrowdedFrames { frames: u64, most: u64 } = "crowded_frames" "in {frames} frames more than {most} entities were seen, and engines show no more",
        FarthestEntities { frames: u64, most: u64 } = "crowded_frames" "what is farthest from the player in {frames} frames that have more than {most} entities",
        Models { from: u64 } = "models" "models from {from} on",
        Sounds { from: u64 } = "sounds" "sounds from {from} on",
        ModelsAndSoundsAbove255 = "models" "models and sounds with numbers above 255",
        Strings34 = "strings" "strings beyond the limits of protocol 34 (256 models, sounds and images, 24 slots of status bar)",
        Players { from: u64 } = "players" "players from slot {from} on",
        PlayerNumbers = "player_numbers" "numbers of a player above 255",
        LightStyles = "light_styles" "light styles from 64 on",
        LightStyleColors = "light_style_colors" "colours of light styles",
        StatsAbove32 = "stats" "stats beyond the 32 of plain engines",
        StatsFrom32 = "stats" "stats from 32 on",
        StatsWithoutPlace = "stats" "stats that client data has no place for",
        StatusPictures = "status_pictures" "pictures of the status bar with numbers above 255",
        // places, times, angles
        FarPlaces = "far_places" "places beyond 4096 units",
        FarEntities = "far_places" "entities farther than 4096 units from the map's middle",
        FarPlayer = "far_places" "a player farther than 4096 units from the map's middle",
        FarSounds = "far_places" "sounds and effects farther than 4096 units from the map's middle",
        EntityAngles = "angles" "angles of entities finer than 256ths of a turn",
        ViewAngles = "angles" "view angles finer than 256ths of a turn (pitch: 85ths), the animation of the weapon in hand, the exact height of the view",
        Velocities = "velocities" "velocities: they are estimated from places",
        Punctuality { frames: u64, bytes: u64 } = "punctuality" "punctuality: in {frames} frames more changed than {bytes} bytes hold, and what is far from the player changes later",
        StaleViewpoints { frames: u64, oldest: Milliseconds } = "stale_viewpoints" "in {frames} frames other viewpoints have no frame of that time: what they saw up to {oldest} before is shown",
        // looks
        AnimationFrames = "animation_frames" "animation frames above 255",
        Effects = "effects" "effects above 255",
        FurtherEffects = "effects" "further effects of entities",
        Skins = "skins" "skins below 0 or above 255",
        WeaponSkins = "skins" "skins of weapons",
        Opacity = "opacity" "opacity",
        Transparency = "opacity" "transparency of entities",
        Sizes = "sizes" "sizes",
        EntitySizes = "sizes" "sizes of entities",
        FurtherModels = "further_models" "the fifth and sixth model of entities",
        Tints = "tints" "tints and glows",
        EntityLights = "entity_lights" "lights of entities",
        Attachments = "attachments" "attachments",
        SecondModels = "further_models" "second models",
        Bones = "bones" "bones",
        EntityParticles = "entity_particles" "particle effects of entities",
        Fatness = "fatness" "fatness",
        ViewModels = "view_models" "models for one's own eyes or for all others",
        Colors = "colors" "colours that are no player's",
        ScreenEdges = "screen_edges" "the colouring of the screen's edges",
        Fog = "fog" "fog",
        SecondWeapon = "second_weapon" "the second weapon, skins of weapons and movement speeds",
        // sounds and effects
        SoundNumbers = "sound_numbers" "sounds with large numbers",
        SoundPitch = "sound_pitch" "pitch, offset and speed of sounds",
        SoundLimits = "sounds" "sounds beyond the limits of protocol 34",
        LoopVolume = "loop_volume" "volume and attenuation of looping sounds",
        MuzzleFlashes = "muzzle_flashes" "muzzle flashes beyond the limits of protocol 34",
        TempEntities = "temp_entities" "temporary entities that protocol 34 does not know",
        ShortEffects { name: String } = "temp_entities" "short effects of the kind {name}",
        ShortEffectsNearest { name: String } = "temp_entities_nearest" "short effects of the kind {name}: the nearest stands for them",
        ShortEffectsFar = "temp_entities" "short effects of entities from 65536 on",
        Voices { pieces: u64, protocol: u32 } = "voices" "{}, which players of protocol {protocol} cannot read" (counted(*pieces, "piece") + " of voice"),
        VoicesOfOldCodec = "voices" "voices, unless today's game still has their codec",
        // what the source does not say
        RecorderNumber = "recorder_number" "the recorder's number is that of the first player whose view is shown, as the source does not say it",
        Unseen = "visibility" "what the player could not see or hear: without the map nobody knows, so all entities, sounds and effects are there, and all areas are open",
        OwnState = "own_state" "the player's own state: health and other stats (the status bar is left out), view kicks, screen colours, inventory, scoreboards and prints for him alone",
        Movement = "movement" "the player's velocity, movement flags and inventory, which are not recorded",
        Buttons = "inputs" "the player's buttons, and what his client did between frames",
        Inputs = "inputs" "inputs: a multi-view recording has none",
        UserMessages = "user_messages" "user messages keep the numbers and fields of the old game: what today's game calls otherwise, it does not show",
        SecurityModule = "security_module" "that the server was guarded by a security module, and by which",
        // damage
        ChangesInLeftOut = "changes_in_damage" "what had changed in the part that was left out, until the server sends it again",
        ChangesInMissingFrames { frames: u64 } = "changes_in_damage" "what changed in missing frames: after them {frames} frames may show entities and the player as they were before",
        ChangesOfStates = "changes_in_damage" "changes of states in what could not be read: players and entities keep their last state until they are sent again",
        BaselessFrames = "baseless_frames" "frames whose delta bases are missing",
        LongRecords { records: u64 } = "too_long" "{records} records are longer than Q2PRO reads",
        LongMessages { messages: u64, bytes: u64 } = "too_long" "{messages} messages are longer than the {bytes} bytes that id's engines play",
        LongBlocks { blocks: u64, bytes: u64 } = "too_long" "{blocks} blocks are longer than every engine of this protocol plays ({bytes} bytes), and cannot be split",
    }
}

/// LossList as they are met, each once.
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
