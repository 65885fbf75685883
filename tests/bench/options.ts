import { parseArgs } from 'node:util';
import { usualBefore } from './checkout.ts';

export const benchHelp = `npm run bench [-- ROW... OPTIONS]

Measures what requests and tasks cost, compared with bare baselines and with an earlier commit in the same run.

ROW: home, create, ... (all rows if none is given); or attack: a combined attack; or afternoon: hostile files of the
owner's folder and archive, with subscriptions and searches; or stalls: how long slow syncs stop the event loop;
or index: what visitors see after a start without an index of posts; or backup: a backup while the server runs; or
syncs: how often an operation waits for the disk.

  --before COMMIT   the earlier commit; none leaves it out (default: ${usualBefore})
  --seconds N       how long a round takes (default: 2); for attack, afternoon and stalls, how long it takes (default: 60)
  --rounds N        how many rounds each program gets (default: 3)
  --posts N         the posts of the large folder (default: 50000; for backup: 10000)
  --mentions N      the mentions of the large folder (default: 100000)
  --imported N      how many mentions are imported (default: 50000)
  --rest N          the seconds of rest before memory is measured (default: 60)
  --profile         prints where requests, uploads, verifying and importing spend their time
  --help            prints this text
`;

export interface BenchOptions {
  /** The chosen rows; empty: all. */
  readonly rows: readonly string[];
  /** A commit, or `none`. */
  readonly before: string;
  readonly seconds: number | undefined;
  readonly rounds: number;
  readonly posts: number;
  readonly mentions: number;
  readonly imported: number;
  readonly restSeconds: number;
  readonly profile: boolean;
  readonly help: boolean;
}

/**
 * Parses the command line.
 * @throws Error for an unknown option or an invalid number
 */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const yes = { type: 'boolean', default: false } as const;
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      before: { ...text, default: usualBefore },
      seconds: text,
      rounds: { ...text, default: '3' },
      posts: text,
      mentions: { ...text, default: '100000' },
      imported: { ...text, default: '50000' },
      rest: { ...text, default: '60' },
      profile: yes,
      help: yes,
    },
  });
  return {
    rows: positionals,
    before: values.before,
    seconds: values.seconds === undefined ? undefined : numberOf('seconds', values.seconds),
    rounds: numberOf('rounds', values.rounds),
    posts: numberOf('posts', values.posts ?? (positionals.includes('backup') ? '10000' : '50000')),
    mentions: numberOf('mentions', values.mentions),
    imported: numberOf('imported', values.imported),
    restSeconds: numberOf('rest', values.rest),
    profile: values.profile,
    help: values.help,
  };
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new Error(`--${name} needs a number above 0.`);
  return value;
}
