//! Tables of movement. `docs/movement.md` defines the figures.

use super::*;

use fragreel::movement::JumpKind;

const SOURCES: Range = Range::Words(&["command", "snapshot", "positions"]);
const KINDS: Range = Range::Words(JumpKind::NAMES);
const ENDS: Range = Range::Words(&["ground", "water", "ladder", "cut", "unseen"]);
const TURNS: Range = Range::Words(&["left", "right"]);
const PHASES: Range = Range::Words(&["normal", "ladder", "water", "other"]);
const KEYS_SOURCES: Range = Range::Words(&["command", "stats", "direction"]);
const RISE: Range = Range::Within(-262_144.0, 262_144.0);
const SPAN: Range = Range::Within(0.0, 1e9);

const NO_COMMAND: Option<&str> = Some("commands are not known one by one");
const NO_KEYS: Option<&str> = Some("keys are not recorded");
const NO_GROUND: Option<&str> = Some("its beginning was not seen");
const NO_HULL: Option<&str> = Some("not stated");
const ONLY_CS: Option<&str> = Some("not stated: other mods");
const NO_BEST: Option<&str> = Some("no moves, no known command, at take-off and landing");
const NO_KICK: Option<&str> = Some("movement explains all steps, velocities are not stated");
const NO_LANDING: Option<&str> = Some("it does not end on the ground");
const FIRST: Option<&str> = Some("none before");

const GOLDSRC: Games = Games::GOLDSRC;

table! { jumps, Movement, "a phase in which a player is off the ground. Its time is that of the first state in the air", {
    slot: Int "" "the slot" ALL, SLOT NEVER;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    number: Int "" "the number of the player's phase in the recording, from 1" ALL, ORDINAL NEVER;
    chain: Int "" "the number of the hop in a row with at most 250 ms on the ground between, from 1" ALL, ORDINAL NEVER;
    source: Text "" "`command`: one user command a step; `snapshot`: velocity is stated; `positions`: places alone" ALL, SOURCES NEVER;
    step: Real "ms" "the median time between its states: the error of its times" ALL, SPAN NEVER;
    kind: Text "" "the kind, as docs/movement.md defines it" ALL, KINDS NEVER;
    standup: Bool "" "whether the hull was that of a crouching player before the jump" GOLDSRC, ANY NO_HULL;
    jumped: Bool "" "whether the player jumped, and did not only fall" ALL, ANY NEVER;
    end: Text "" "`ground`, `water`, `ladder`, `cut` (teleport, spawn, death), `unseen`" ALL, ENDS NEVER;
    time_to: Long "ms" "the landing, or the last state in the air, since the recording's first frame" ALL, TIME NEVER;
    air_time: Real "ms" "from the last state on the ground to the landing" ALL, SPAN NEVER;
    air_steps: Int "" "the same in steps" ALL, COUNT NEVER;
    ground_steps: Int "" "states on the ground before: 1 is the fastest hop" ALL, COUNT NO_GROUND;
    ground_time: Real "ms" "time on the ground before" ALL, SPAN NO_GROUND;
    x: Real "units" "the place of the last state on the ground" ALL, PLACE NEVER;
    y: Real "units" "likewise" ALL, PLACE NEVER;
    z: Real "units" "likewise" ALL, PLACE NEVER;
    to_x: Real "units" "the place of the landing, or of the last state" ALL, PLACE NEVER;
    to_y: Real "units" "likewise" ALL, PLACE NEVER;
    to_z: Real "units" "likewise" ALL, PLACE NEVER;
    distance: Real "units" "the horizontal distance between both" ALL, DISTANCE NEVER;
    distance_kz: Real "units" "the smaller of that and the distance to the computed landing, plus 32 for the hull" GOLDSRC, DISTANCE NO_LANDING;
    offset: Real "units" "the rise from the last state on the ground to the landing" ALL, RISE NEVER;
    height: Real "units" "the rise to the highest state" ALL, RISE NEVER;
    speed_landed: Real "units/s" "the horizontal speed at the end of the phase before" ALL, SPEED FIRST;
    speed_earlier: Real "units/s" "one state before `speed_before`, if that was on the ground too; else the same" ALL, SPEED NEVER;
    speed_before: Real "units/s" "of the last state on the ground: the pre-strafe" ALL, SPEED NEVER;
    speed_takeoff: Real "units/s" "of the first state in the air" ALL, SPEED NEVER;
    speed_max: Real "units/s" "the highest in the air" ALL, SPEED NEVER;
    speed_to: Real "units/s" "of the last state in the air" ALL, SPEED NEVER;
    capped: Bool "" "whether the game cut the speed at the jump" GOLDSRC, ANY NO_HULL;
    vz: Real "units/s" "the vertical speed of the first state in the air" ALL, VELOCITY NEVER;
    gain: Real "units/s" "the sum of rises of the horizontal speed from step to step, take-off included" ALL, SPAN NEVER;
    loss: Real "units/s" "the sum of falls" ALL, SPAN NEVER;
    strafes: Int "" "the number of strafes" ALL, COUNT NO_COMMAND;
    sync: Real "%" "steps with rising speed, of `air_steps`" ALL, PERCENT NEVER;
    sync_keys: Real "%" "steps with rising speed, of those with a movement key" ALL, PERCENT NO_COMMAND;
    sync_turn: Real "%" "steps in which the view turns to the side of the key, of those with one side key" ALL, PERCENT NO_COMMAND;
    efficiency: Real "%" "the gain of the steps that the physics explains, of the greatest that it allows: negative if speed was lost" ALL, ANY NO_BEST;
    angle_error: Real "degrees" "between the wished direction and the best, on average" ALL, TURN NO_BEST;
    explained: Real "%" "steps whose velocity the game's physics gives, of those in the air with a known command" ALL, PERCENT NO_COMMAND;
    overlap_steps: Int "" "steps with both side keys" ALL, COUNT NO_KEYS;
    idle_steps: Int "" "steps without a move" ALL, COUNT NO_COMMAND;
    turn: Real "degrees" "the sum of the view's turns" ALL, SPAN UNSEEN;
    jump_held: Int "" "steps that the jump key was held up to the first state in the air" ALL, COUNT NO_KEYS;
    jump_presses: Int "" "presses of the jump key since the take-off before" ALL, COUNT NO_KEYS;
    duck_steps: Int "" "states in the air with the hull of a crouching player" ALL, COUNT NO_HULL;
    stamina: Real "ms" "what slows a jump, before it" GOLDSRC, SPAN ONLY_CS;
    kick: Real "units/s" "the greatest change of velocity in a step that movement does not explain: a hit, a pad" ALL, SPAN NO_KICK;
} }

table! { strafes, Movement, "a strafe of a jump: the steps with moves to one side of the velocity. Its time is that of its first step", {
    slot: Int "" "the slot" ALL, SLOT NEVER;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    jump: Int "" "the jump's `number`" ALL, ORDINAL NEVER;
    strafe: Int "" "its number in the jump, from 1" ALL, ORDINAL NEVER;
    side: Text "" "`left`, `right`: of the velocity" ALL, TURNS NEVER;
    keys: Text "" "the keys of most of its steps: `A`, `WA`" ALL, ANY NEVER;
    steps: Int "" "the number of steps" ALL, COUNT NEVER;
    duration: Real "ms" "their time" ALL, SPAN NEVER;
    share: Real "%" "of the jump's steps before the landing" ALL, PERCENT NEVER;
    speed_from: Real "units/s" "the horizontal speed before" ALL, SPEED NEVER;
    speed_to: Real "units/s" "and after" ALL, SPEED NEVER;
    gain: Real "units/s" "the sum of rises" ALL, SPAN NEVER;
    loss: Real "units/s" "the sum of falls" ALL, SPAN NEVER;
    best_gain: Real "units/s" "the sum of the greatest gains that the physics allows" ALL, ANY NO_BEST;
    efficiency: Real "%" "as in `jumps`" ALL, ANY NO_BEST;
    sync: Real "%" "steps with rising speed" ALL, PERCENT NEVER;
    angle_error: Real "degrees" "as in `jumps`" ALL, TURN NO_BEST;
    turn: Real "degrees" "the sum of the view's turns" ALL, SPAN NEVER;
    turn_peak: Real "degrees/s" "the fastest turn" ALL, SPAN NEVER;
    overlap_steps: Int "" "steps with both side keys" ALL, COUNT NEVER;
    idle_steps: Int "" "steps without a move" ALL, COUNT NEVER;
} }

table! { steps, Movement, "a state of a player that follows another. Keys and moves are those of the command that led to it", {
    slot: Int "" "the slot" ALL, SLOT NEVER;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    source: Text "" "as in `jumps`" ALL, SOURCES NEVER;
    commands: Int "" "the user commands that lie in it" ALL, COUNT NO_COMMAND;
    msec: Real "ms" "its time, by the command if that is known" ALL, SPAN NEVER;
    on_ground: Bool "" "whether the player has ground contact" ALL, ANY UNSEEN;
    phase: Text "" "`normal`, `ladder`, `water`, `other`" ALL, PHASES NEVER;
    ducked: Bool "" "whether the hull is that of a crouching player" ALL, ANY NO_HULL;
    x: Real "units" "the place" ALL, PLACE NEVER;
    y: Real "units" "likewise" ALL, PLACE NEVER;
    z: Real "units" "likewise" ALL, PLACE NEVER;
    vx: Real "units/s" "the velocity" ALL, VELOCITY NEVER;
    vy: Real "units/s" "likewise" ALL, VELOCITY NEVER;
    vz: Real "units/s" "likewise" ALL, VELOCITY NEVER;
    speed_before: Real "units/s" "the horizontal speed before" ALL, SPEED NEVER;
    speed: Real "units/s" "and after" ALL, SPEED NEVER;
    gain: Real "units/s" "the difference" ALL, ANY NEVER;
    best_gain: Real "units/s" "the greatest that the physics allows with the same keys" ALL, ANY NO_BEST;
    efficiency: Real "%" "`gain` of `best_gain`, where the physics explains the step" ALL, ANY NO_BEST;
    wish_speed: Real "units/s" "the speed that the moves ask for" ALL, SPEED NO_COMMAND;
    wish_angle: Real "degrees" "from the velocity before to the wished direction, positive to the left" ALL, ANGLE NO_BEST;
    best_angle: Real "degrees" "the angle of the greatest gain, to either side" ALL, TURN NO_BEST;
    explained: Bool "" "whether the physics gives the velocity that is recorded, within the recording's precision" ALL, ANY NO_COMMAND;
    touch: Bool "" "whether the player slid along a surface: the physics gives the velocity but for its part into a plane" ALL, ANY NO_COMMAND;
    miss: Real "units/s" "the distance between the recorded velocity and the computed one, on the axis where it is greatest" ALL, SPAN NO_COMMAND;
    pitch: Real "degrees" "of the view, positive downwards" ALL, ANY NO_KEYS;
    yaw: Real "degrees" "of the view" ALL, ANY NO_KEYS;
    turn: Real "degrees" "the view's turn, positive to the left" ALL, ANGLE NO_KEYS;
    forward: Real "" "the move forward, in the game's units" ALL, VELOCITY NO_COMMAND;
    side: Real "" "to the right" ALL, VELOCITY NO_COMMAND;
    up: Real "" "up" ALL, VELOCITY NO_COMMAND;
    keys: Text "" "held keys: `W`, `S`, `A`, `D`, `J` (jump), `C` (crouch), `F` (fire); `-` for none" ALL, ANY NO_KEYS;
    keys_source: Text "" "`command`; `stats`: stated by DeFRaG; `direction`: of the legs in Quake III, which remains when keys are let go" ALL, KEYS_SOURCES NO_KEYS;
    stamina: Real "ms" "what slows Counter-Strike's players after a jump" GOLDSRC, SPAN ONLY_CS;
} }
