import type { Site } from '../../support/client-app.ts';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import type { WebmentionIo } from '../../support/webmention-io.ts';
import type { Receivers } from '../../support/webmention-receivers.ts';
import type { Random } from '../../fuzz/random.ts';
import type { Census } from './census.ts';
import type { Ledger } from './ledger.ts';

/** What outlives the server's process: everybody else, and what they were told. */
export interface World {
  readonly ledger: Ledger;
  readonly sites: readonly Site[];
  readonly aggregator: WebmentionIo;
  /** The pages that posts link to, and the service that makes copies of posts. */
  readonly receivers: Receivers;
  /** The folder for backups. */
  readonly backups: string;
  /** The tokens of apps, by the app's name. */
  readonly tokens: Map<string, string>;
  /** When each mention was last sent, in ms, by its source. */
  readonly sentAt: Map<string, number>;
  /** The status that each mention had before the owner deleted it, by its source. */
  readonly statusBefore: Map<string, string>;
  /** Records something that went wrong while the server ran, such as an error response. */
  readonly trouble: (words: string) => void;
}

/** A running server under load. */
export interface Scene extends World {
  readonly house: HeadlessProcess;
  readonly base: string;
  /** The headers of an app that may do everything. */
  readonly bearer: Record<string, string>;
  /** What was there before the load. Lanes keep it up to date. */
  readonly census: Census;
  readonly round: number;
  readonly random: Random;
  /** How many requests of apps were sent in this round, by the kind of their entry in the activity. */
  readonly ofApps: Map<string, number>;
  /** Aborted when the server is killed. */
  readonly over: AbortSignal;
  /** Reserves a thing for one lane until the round ends. Returns false if another lane has it. */
  readonly claim: (key: string) => boolean;
}

/** Does one thing, or nothing. A request that the kill cuts off may throw. */
export type Lane = (scene: Scene, turn: number) => Promise<void>;

/** Returns the thing's name in this round, such as `p12-3`. */
export const nameIn = ({ round }: Scene, letter: string, turn: number) => `${letter}${round}-${turn}`;

/** Picks one of the things that no lane has reserved; undefined if there is none. */
export function claimed<T>({ random, claim }: Scene, things: readonly T[], keyOf: (thing: T) => string) {
  for (let attempt = 0; attempt < 5 && things.length > 0; attempt += 1) {
    const thing = random.pick(things);
    if (claim(keyOf(thing))) return thing;
  }
  return undefined;
}

/** Reads a response to its end. Returns whether its status is one of those wanted; records it as trouble if not. */
export async function isAnswered(scene: Scene, response: Response, ...expected: number[]): Promise<boolean> {
  const body = await response.text();
  if (expected.includes(response.status)) return true;
  scene.trouble(`${new URL(response.url).pathname} answered ${response.status}: ${body.slice(0, 200)}`);
  return false;
}
