// JSON answers of the library. Written by `cargo xtask tables` from the schemas in crates/cli/schema and crates/wasm/schema.json; a test of
// crates/wasm fails where they differ. Lines of the command have a `path`, too.

export interface Text {
  clean: string;
  raw: string;
}

export interface Person {
  name: Text;
  slot?: number;
  team?: string;
}

export interface Term {
  own: string;
  amount?: number;
  common?: string;
  until?: number;
}

export interface Damage {
  bit: number | null;
  detail: string;
  kind: 'truncated' | 'no_end_marker' | 'trailing_data' | 'framing' | 'message' | 'missing_base' | 'unsupported' | 'round_trip' | 'compatibility';
  offset: number;
  path: string;
  skipped: { from: number; to: number } | null;
}

export interface Info {
  bytes: number;
  damage: Damage[];
  date: string | null;
  dialect: string;
  duration: number | null;
  engine: string | null;
  family: 'quake3' | 'quake2' | 'goldsrc' | 'quake1';
  game: string;
  game_type: string | null;
  maps: string[];
  match_clock: [number, number] | null;
  messages: number;
  mod: string | null;
  mod_version: string | null;
  players: { name: Text; slot: number; team: string | null }[];
  recorder: { name: Text; slot: number; team: string | null } | null;
  recording: string;
  server: Text | null;
  server_settings: Record<string, string>;
  snapshot_rate: number | null;
  snapshots: number;
  server_duration?: number;
  sha256?: string;
  timer?: { ended: boolean; tool: string; game_build?: number; splits?: { at: number; name: string; map?: string; time?: number }[]; time?: number; version?: string };
}

/** The keys of all events. */
export interface AnyEvent {
  evidence: 'stated' | 'inferred';
  message: number;
  sentence: string;
  server_time: number;
  time: number;
  match_time?: number;
  uncertain?: true;
}

export interface KillEvent extends AnyEvent {
  kind: 'kill';
  attacker: Person | null;
  means: string;
  victim: Person;
  headshot?: true;
  place?: string;
  scene?: Record<string, unknown>;
  team_kill?: true;
  unknown?: 'attacker' | 'victim' | 'both';
  weapon?: string;
}

export interface ChatEvent extends AnyEvent {
  kind: 'chat';
  channel: 'public' | 'team' | 'spectator' | 'private' | 'server';
  from: Person | null;
  text: Text;
}

export interface JoinEvent extends AnyEvent {
  kind: 'join';
  player: Person;
}

export interface LeaveEvent extends AnyEvent {
  kind: 'leave';
  player: Person;
  reason?: Text;
}

export interface RenameEvent extends AnyEvent {
  kind: 'rename';
  from: Text;
  player: Person;
}

export interface TeamEvent extends AnyEvent {
  kind: 'team';
  from: string;
  player: Person;
}

export interface ScoresEvent extends AnyEvent {
  kind: 'scores';
  players: { player: Person; score: number; deaths?: number; minutes?: number; ping?: number }[];
  teams: [string, number][];
}

export interface ScoreEvent extends AnyEvent {
  kind: 'score';
  score: number;
  player?: Person;
  team?: string;
}

export interface ItemEvent extends AnyEvent {
  kind: 'item';
  item: string;
  player: Person;
  delay?: number;
}

export interface FlagEvent extends AnyEvent {
  kind: 'flag';
  action: 'taken' | 'dropped' | 'returned' | 'captured';
  team: string;
  player?: Person;
}

export interface MatchEvent extends AnyEvent {
  kind: 'match';
  state: 'warmup' | 'countdown' | 'started' | 'paused' | 'resumed' | 'overtime' | 'intermission' | 'restarted' | 'stopped' | 'forfeited' | 'aborted';
  by?: string;
  cause?: string;
  number?: number;
  result?: { identity: Record<string, unknown>; outcome: 'won' | 'draw' | 'over' | 'forfeited' | 'stopped' | 'aborted' | 'unfinished'; scores: [string, number][]; winner?: string };
}

export interface RoundEvent extends AnyEvent {
  kind: 'round';
  started: boolean;
  number?: number;
  winner?: string;
}

export interface LevelEvent extends AnyEvent {
  kind: 'level';
  game: string;
  map: string;
  date?: string;
  game_type?: string;
  teams?: boolean;
  time_limit?: number;
  title?: Text;
}

export interface DamageEvent extends AnyEvent {
  kind: 'damage';
  amount: number;
  attacker: Person | null;
  victim: Person;
  lost?: number;
  means?: string;
}

export interface ShotEvent extends AnyEvent {
  kind: 'shot';
  player: Person;
  weapon: string;
}

export interface WeaponEvent extends AnyEvent {
  kind: 'weapon';
  player: Person;
  weapon: string;
}

export interface CommandEvent extends AnyEvent {
  kind: 'command';
  text: Text;
}

export interface MoneyEvent extends AnyEvent {
  kind: 'money';
  amount: number;
  player: Person;
}

export interface AwardEvent extends AnyEvent {
  kind: 'award';
  award: string;
  player: Person;
}

export interface StatisticsEvent extends AnyEvent {
  kind: 'statistics';
  players: Record<string, unknown>[];
  source: string;
}

export interface FinishEvent extends AnyEvent {
  kind: 'finish';
  course: 'level' | 'marathon' | 'defrag' | 'race' | 'climb' | 'speedrun';
  map: string;
  run_time: { counted?: number; source?: 'end' | 'printed' | 'board'; stated?: number };
  to: number;
  from?: number;
  player?: Person;
}

export interface PrintEvent extends AnyEvent {
  kind: 'print';
  text: Text;
}

export interface CenterPrintEvent extends AnyEvent {
  kind: 'center_print';
  text: Text;
}

export type Event = KillEvent | ChatEvent | JoinEvent | LeaveEvent | RenameEvent | TeamEvent | ScoresEvent | ScoreEvent | ItemEvent | FlagEvent | MatchEvent | RoundEvent | LevelEvent | DamageEvent | ShotEvent | WeaponEvent | CommandEvent | MoneyEvent | AwardEvent | StatisticsEvent | FinishEvent | PrintEvent | CenterPrintEvent;

export interface Figure {
  counted?: number;
  source?: 'end' | 'printed' | 'board';
  stated?: number;
}

export type Figures = Record<string, Figure>;

export type Teams = { name: string; stats: Figures; items?: Record<string, Figures>; score_of_leavers?: number; title?: string }[];

export type Players = { player: Person; stats: Figures; against?: { kills: number; player: Person; damage?: number }[]; items?: Record<string, Figures>; other?: Record<string, string>; weapons?: Record<string, Figures> }[];

export interface Match {
  from: number;
  has_start: boolean;
  identity: { key?: string; kills?: number[] };
  map: string;
  number: number;
  outcome: 'won' | 'draw' | 'over' | 'forfeited' | 'stopped' | 'aborted' | 'unfinished';
  players: Players;
  to: number;
  cause?: string;
  date?: string;
  findings?: { check: 'side_sum' | 'result' | 'kills_and_deaths' | 'damage' | 'score' | 'counted' | 'table' | 'length' | 'winner'; figures: [unknown, unknown]; about?: string; reason?: string }[];
  forfeited_by?: string;
  mode?: string;
  other?: Record<string, string>;
  overtimes?: number[];
  pauses?: { from: number; to?: number }[];
  segments?: { from?: number; number?: number; to?: number; winner?: string }[];
  sources?: string[];
  teams?: Teams;
  uncertain?: boolean;
  winner?: string;
}

export interface Strafe {
  gain: number;
  keys: string;
  loss: number;
  side: 'left' | 'right';
  steps: number;
  strafe: number;
  sync: number;
  time: number;
  angle_error?: number;
  best_gain?: number;
  duration?: number;
  efficiency?: number;
  idle_steps?: number;
  overlap_steps?: number;
  share?: number;
  speed_from?: number;
  speed_to?: number;
  turn?: number;
  turn_peak?: number;
}

export interface Jump {
  air_steps: number;
  air_time: number;
  chain: number;
  distance: number;
  end: 'ground' | 'water' | 'ladder' | 'cut' | 'unseen';
  evidence: 'stated' | 'inferred';
  from: [number, number, number];
  gain: number;
  height: number;
  jumped: boolean;
  kind: 'jump' | 'long' | 'bhop' | 'multi_bhop' | 'count' | 'double_count' | 'multi_count' | 'weird' | 'duck_tap' | 'ladder' | 'ladder_bhop' | 'circle' | 'double' | 'ramp' | 'thrown' | 'fall';
  level: number;
  loss: number;
  message: number;
  number: number;
  offset: number;
  player: Person;
  server_time: number;
  source: 'command' | 'snapshot' | 'positions';
  speed_before: number;
  speed_earlier: number;
  speed_max: number;
  speed_takeoff: number;
  speed_to: number;
  step: number;
  sync: number;
  time: number;
  time_to: number;
  to: [number, number, number];
  vz: number;
  angle_error?: number;
  capped?: boolean;
  distance_kz?: number;
  duck_steps?: number;
  efficiency?: number;
  explained?: number;
  ground_steps?: number;
  ground_time?: number;
  idle_steps?: number;
  jump_held?: number;
  jump_presses?: number;
  kick?: number;
  match_time?: number;
  overlap_steps?: number;
  speed_landed?: number;
  stamina?: number;
  standup?: boolean;
  strafe_count?: number;
  strafes?: Strafe[];
  sync_keys?: number;
  sync_turn?: number;
  turn?: number;
  uncertain?: boolean;
}

export interface Finding {
  cause: string;
  evidence: string;
  grade: 'normal' | 'suspicious' | 'damaged' | 'edited';
  kind: string;
  message: number;
  offset: number;
  times: number;
  extent?: { from: number; to: number };
  time?: number;
}

export interface Audit {
  bytes: number;
  dialect: string;
  family: 'quake3' | 'quake2' | 'goldsrc' | 'quake1';
  findings: Finding[];
  frames: number;
  grade: 'normal' | 'suspicious' | 'damaged' | 'edited';
  messages: number;
  omitted: number;
  seals?: { broken: number; holds: number; name: string; states?: string }[];
}

export interface Section {
  name: string;
  records: Record<string, unknown>[];
}

export interface State {
  message: number;
  sections: Section[];
  server_time: number;
  time: number;
}

export interface Part {
  field: string;
  from_bit: number;
  meaning: string;
  path: string;
  raw: string;
  to_bit: number;
}

export interface Explained {
  data_offset: number;
  error: string | null;
  heading: string;
  length: number;
  message: number;
  offset: number;
  parts: Part[];
}

export interface Motion {
  base: [number, number, number];
  delta: [number, number, number];
  duration: number;
  gravity: number;
  since: number;
  trajectory: 'stationary' | 'interpolate' | 'linear' | 'linear_stop' | 'sine' | 'gravity';
}

export interface LastingSound {
  far: number | null;
  file: string;
  near: number;
  pitch: number;
  volume: number;
}

export interface Shown {
  group: 'kills' | 'flags' | 'match' | 'awards' | 'items' | 'people' | 'shots' | 'chat' | 'scores' | 'prints';
  /** The common name of an item. */
  common?: string;
  /** The means of a kill in words. */
  how?: string;
  /** Timelines show it. */
  major?: true;
  /** The sentence, where a name in it has colors. */
  pieces?: (string | Text)[];
  /** Of who did it and to whom. */
  slots?: number[];
  suicide?: true;
}

export interface Scores {
  checks: { number: number; sentences: string[] }[];
  matches: Match[];
  parts: Played[];
  sides: Side[];
}

export interface Side {
  color: 'red' | 'blue' | 'green' | 'yellow';
  name: string;
}

export interface Run {
  text: string;
  color?: string;
}

export interface Played {
  from: number;
  players: { /** Time, slot, and kills, deaths, score. */ changes: [number, number | null, [number | null, number | null, number | null]][]; player: Person }[];
  teams: { /** Time and score; null if it is unknown. */ changes: [number, number | null][]; name: string }[];
  /** Of the match that it is. */
  number?: number;
}

export interface ClipWishes {
  chat?: boolean;
  format?: string;
  from?: number;
  pack?: boolean;
  pov?: string;
  scrub?: boolean;
  to?: number;
}

export interface BestMoment {
  from: number;
  players: Text[];
  points: number;
  reasons: { reason: string; time: number; player?: Person }[];
  to: number;
}

export interface Held {
  keys: string[];
  message: number;
  slot?: number;
}

export interface ClipReport {
  actions: string[];
  differences: string[];
  differing: number;
  frames: number;
  losses: string[];
  whole: boolean;
}

export interface Format {
  format: string;
  losses: string[];
  needs: string | null;
}
