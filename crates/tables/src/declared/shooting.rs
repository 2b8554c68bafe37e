//! The table `aim`. `docs/statistics.md` defines the figures.

use super::*;

use fragreel::{AimKind, ViewSource};

const KINDS: Range = Range::Words(AimKind::NAMES);
const SOURCES: Range = Range::Words(ViewSource::NAMES);
const STILL: Range = Range::Within(0.0, 20.0);
const SPAN: Range = Range::Within(0.0, 1e9);

const NO_TARGET: Option<&str> = Some("no enemy is shown");
const NO_VIEW_YET: Option<&str> = Some("views do not reach back that far, not recorded");
const NOT_EXACT: Option<&str> = Some("views are rounded, not recorded");
const NO_STEP: Option<&str> = Some("no enemy is shown, only one frame shows the target");
const NOT_OWN: Option<&str> = Some("another player's shot, the first frames already show the target, all players are shown");
const NO_PRESS: Option<&str> = Some("another player's shot, the key was not pressed");

const GOLDSRC: Games = Games::GOLDSRC;

table! { aim, Aim, "a recorded shot, or a kill by a hitscan weapon without a recorded shot; docs/statistics.md defines the figures", {
    kind: Text "" "`shot`, or `kill` if the killer's shots are not recorded" ALL, KINDS NEVER;
    slot: Int "" "the shooter's slot" ALL, SLOT NEVER;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    weapon: Text "" "the common name of the weapon, if there is one" ALL, WEAPONS NO_COMMON;
    weapon_own: Text "" "the weapon, or the means of death, in the game's own terms" ALL, ANY UNSAID;
    source: Text "" "`command`: one view for each frame of the client; `view`: the recorded view; `entity`: the angles of the player's entity, which some games round" ALL, SOURCES UNSEEN;
    step: Real "ms" "the mean time between the views of the last 200 ms" ALL, SPAN NO_VIEW_YET;
    target_slot: Int "" "the slot of the enemy nearest to the view ray; for a kill, the victim's slot" ALL, SLOT NO_TARGET;
    target: Text "" "the target's name without colors" ALL, ANY NO_TARGET;
    target_team: Text "" "the target's team" ALL, ANY NO_TEAMS;
    pitch: Real "degrees" "the pitch of the view, positive downward" ALL, ANY UNSEEN;
    yaw: Real "degrees" "the yaw of the view" ALL, ANY UNSEEN;
    turn_50: Real "degrees" "the widest angle between the view at the shot and a view of the last 50 ms" ALL, TURN NO_VIEW_YET;
    turn_100: Real "degrees" "the same for the last 100 ms" ALL, TURN NO_VIEW_YET;
    turn_200: Real "degrees" "the same for the last 200 ms" ALL, TURN NO_VIEW_YET;
    turn_step: Real "degrees" "the angle to the previous recorded view" ALL, TURN NO_VIEW_YET;
    still_before: Int "" "the number of steps in a row before `turn_step` in which the view stood still, at most 20" ALL, STILL NOT_EXACT;
    still_after: Int "" "the number of steps in a row after the shot in which the view stood still, at most 20" ALL, STILL NOT_EXACT;
    angle_error: Real "degrees" "the angle between the view ray and the target's box; 0 if the ray hits the box" ALL, TURN NO_TARGET;
    angle_error_within: Real "degrees" "the possible error of `angle_error`" ALL, TURN NO_STEP;
    distance: Real "units" "the distance between the origins of shooter and target" ALL, DISTANCE NO_TARGET;
    since_sight: Long "ms" "how long the recording had shown the target without a break" ALL, TIME NOT_OWN;
    view_offset: Real "degrees" "the angle between the client's view and the view of the user command in the same client frame" GOLDSRC, TURN NOT_EXACT;
    since_press: Long "ms" "the time since the console command `+attack`" GOLDSRC, TIME NO_PRESS;
} }
