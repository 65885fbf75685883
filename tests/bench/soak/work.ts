import type { Site } from '../../support/client-app.ts';
import type { WebmentionIo } from '../../support/webmention-io.ts';
import type { House } from './house.ts';
import type { Ledger } from './ledger.ts';

/** What those who make the load have at hand. */
export interface Scene {
  readonly house: House;
  readonly ledger: Ledger;
  /** Other people's sites, on addresses of their own. */
  readonly sites: readonly Site[];
  readonly aggregator: WebmentionIo;
  /** An app's pass for posts and files. */
  readonly bearer: Record<string, string>;
  /** Process numbers of the stand-ins for cloudflared so far, the last one last. */
  readonly tunnels: () => number[];
}

/** Something that is done again and again, with a pause between, in ms. */
export interface Lane {
  readonly name: string;
  readonly pauseMs: number;
  readonly turn: (number: number) => Promise<void>;
}

/** Some answers are whole pages. */
const mostWords = 400;

/** Works in all lanes until the signal; what goes wrong is written down, and the work goes on. */
export async function work(lanes: readonly Lane[], ledger: Ledger, over: AbortSignal): Promise<void> {
  await Promise.all(
    lanes.map(async ({ name, pauseMs, turn }) => {
      for (let number = 0; !over.aborted; number += 1) {
        await turn(number).catch((error: unknown) =>
          ledger.fault(
            `${name}: ${error instanceof Error ? error.message : String(error)}`.slice(0, mostWords),
          ),
        );
        await rest(pauseMs, over);
      }
    }),
  );
}

/** Resolves after so many ms, or when it is over. */
export function rest(ms: number, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      over?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    over?.addEventListener('abort', end);
  });
}

/** Reads an answer to its end. @throws Error where its status is another one than those wanted. */
export async function answered(response: Response, ...expected: number[]): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  if (expected.includes(response.status)) return body;
  // Numbers differ from one to the next, and would make each a kind of its own.
  const place = new URL(response.url).pathname.replace(/[\w-]*\d[\w-]*/g, '…');
  throw new Error(`${place} answered ${response.status}: ${body.toString().slice(0, 200)}`);
}
