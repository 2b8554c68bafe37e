//! Kinds of jumps (`docs/movement.md`, "Kinds").

use serde::Serialize;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// How a player left the ground.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum JumpKind {
            $($(#[$doc])* $kind,)*
        }

        impl JumpKind {
            /// All names.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(JumpKind::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    /// A jump after time on the ground.
    #[default]
    Jump = "jump",
    /// Half-Life: a jump after a run.
    Long = "long",
    /// A jump at once after a landing.
    Bhop = "bhop",
    /// Half-Life: the third jump of a row, or a later one.
    MultiBhop = "multi_bhop",
    /// Half-Life: a jump after one duck tap.
    Count = "count",
    /// Half-Life: after two.
    DoubleCount = "double_count",
    /// Half-Life: after more.
    MultiCount = "multi_count",
    /// Half-Life: a jump at once after a fall.
    Weird = "weird",
    /// Half-Life: duck pressed and let go on the ground, which lifts the player.
    DuckTap = "duck_tap",
    /// Left a ladder.
    Ladder = "ladder",
    /// Jumped off a ladder.
    LadderBhop = "ladder_bhop",
    /// Quake: a jump with more than the ground's speed, from turning on the ground.
    Circle = "circle",
    /// CPM: a second jump within 400 ms, which is higher.
    Double = "double",
    /// QuakeWorld, Quake II, CPM: a jump that adds to a rise.
    Ramp = "ramp",
    /// Thrown off the ground without a jump.
    Thrown = "thrown",
    /// Left the ground without a jump.
    Fall = "fall",
}
