// What happened, as the library says it (docs/json.md), and in a sentence.

import type { Text } from './film';

export interface Person {
  slot?: number;
  name: Text;
  team?: string;
}

export interface Event {
  time: number;
  server_time: number;
  match_time?: number;
  message: number;
  evidence: 'stated' | 'inferred';
  kind: string;
  [key: string]: unknown;
}

export interface Kill extends Event {
  attacker: Person | null;
  victim: Person;
  means: string;
  headshot?: boolean;
  team_kill?: boolean;
  unknown?: string;
}

export interface Chat extends Event {
  from: Person | null;
  channel: string;
  text: Text;
}

/** A piece of a sentence: words of ours, or a name of theirs with its colors. */
export type Piece = string | Text;

export const isKill = (event: Event): event is Kill => event.kind === 'kill';
export const isChat = (event: Event): event is Chat => event.kind === 'chat';

/** Items that decide matches. */
const GREAT = /quad|mega|pent|invuln|red.?armor|armor_body|body.?armor|regen|haste|suit|ring/i;

/** Whether somebody took an item that decides matches. */
export const isGreat = (event: Event): boolean => event.kind === 'item' && GREAT.test(String(event['item']));

/** Whether the one who died did it. */
export function isSuicide(kill: Kill): boolean {
  return !!kill.attacker && kill.attacker.slot === kill.victim.slot && kill.attacker.name.raw === kill.victim.name.raw;
}

/** Whether a player has a part in an event. */
export function involves(event: Event, slot: number): boolean {
  return ['attacker', 'victim', 'player', 'from'].some((role) => (event[role] as Person | null | undefined)?.slot === slot);
}

/** The means of death in few words: `MOD_ROCKET_SPLASH` is `rocket splash`. */
export function means(kill: Kill): string {
  return kill.means.replace(/^MOD_/, '').replace(/^weapon_/, '').replaceAll('_', ' ').toLowerCase();
}

const who = (person: Person | null | undefined): Piece => (person ? (person.name.clean ? person.name : 'somebody') : 'the world');

/** An event in a sentence. */
export function sentence(event: Event): Piece[] {
  const player = () => who(event.player as Person | undefined);
  const text = () => event.text as Text;
  switch (event.kind) {
    case 'kill': {
      const kill = event as Kill;
      if (isSuicide(kill)) return [who(kill.victim), ` died: ${means(kill)}`];
      const notes = [kill.headshot && 'headshot', kill.team_kill && 'team kill'].filter(Boolean);
      return [who(kill.attacker), ' killed ', who(kill.victim), `: ${means(kill)}${notes.length ? ` (${notes.join(', ')})` : ''}`];
    }
    case 'chat': {
      const chat = event as Chat;
      const channel = chat.channel === 'public' || chat.channel === 'server' ? '' : ` (${chat.channel})`;
      return chat.from ? [chat.from.name, `${channel}: `, chat.text] : [`${chat.channel}: `, chat.text];
    }
    case 'join':
      return [player(), ' joined'];
    case 'leave':
      return [player(), ' left'];
    case 'rename':
      return [event.from as Text, ' is now ', player()];
    case 'team':
      return [player(), ` went from ${String(event.from)} to ${(event.player as Person).team ?? 'no team'}`];
    case 'flag':
      if (!event.player) return [`the ${String(event.team)} flag was ${String(event.action)}`];
      return [player(), ` ${event.action === 'taken' ? 'took' : String(event.action)} the ${String(event.team)} flag`];
    case 'match': {
      const result = event.result as { winner?: string; outcome?: string } | undefined;
      return [`match${event.number ? ` ${String(event.number)}` : ''}: ${String(event.state)}${result?.winner ? `, won by ${result.winner}` : ''}`];
    }
    case 'finish': {
      const time = event.run_time as { stated?: number; counted?: number } | undefined;
      const shown = time?.stated ?? time?.counted;
      return [who(event.player as Person | undefined), ` finished ${String(event.map)}${shown === undefined ? '' : ` in ${(shown / 1000).toFixed(3)} s`}`];
    }
    case 'round':
      return [`round ${event.number ?? ''} ${event.started ? 'begins' : 'ends'}${event.winner ? `, won by ${String(event.winner)}` : ''}`];
    case 'level':
      return [`level ${String(event.map)}`];
    case 'item':
      return [player(), ` took ${String(event.item)}`];
    case 'award':
      return [player(), `: ${String(event.award)}`];
    case 'damage':
      return [who(event.attacker as Person | null), ' hurt ', who(event.victim as Person), ` for ${String(event.amount)}`];
    case 'shot':
      return [player(), ` fired ${String(event.weapon)}`];
    case 'weapon':
      return [player(), ` took ${String(event.weapon)} in hand`];
    case 'money':
      return [player(), ` has $${String(event.amount)}`];
    case 'score':
      return event.player ? [player(), ` has ${String(event.score)}`] : [`${String(event.team)} has ${String(event.score)}`];
    case 'print':
    case 'center_print':
    case 'command':
      return [text()];
    default:
      return [event.kind];
  }
}
