import { parseArgs } from 'node:util';
import { usualBefore } from './checkout.ts';

export const benchHelp = `npm run bench [-- ROW... OPTIONS]

Measures what requests and tasks cost, compared with bare baselines and with an earlier commit in the same run. The
earlier commit is built by its own scripts below out/before, and fills its folders itself. Its column is empty in rows
that it doesn't have. Run it where nothing else runs.

ROW: the rows to measure, or groups of them; all if none is given. Half an hour to an hour in all with two processors:
  reading   requests that change nothing, through the tunnel; memory, wakeups and writes at rest; memory after load
  writing   sign-ins, tokens, uploads, posts and mentions
  starts    start, start that reads all posts, start of a folder that others can open
  memory    import, backup
  desktop   the window until it is shown, and in the tray (Linux, needs a display; waits up to 11 minutes)
  clone     npm start on a fresh clone, and the size of node_modules (uses npm's cache)
  home, create, ...   one row each
Or attack, a combined attack, which has a report of its own.

  --before COMMIT   the earlier commit; none leaves it out (default: ${usualBefore})
  --seconds N       how long a round takes (default: 1.5); for attack, how long it takes (default: 60)
  --rounds N        how many rounds each program gets (default: 3)
  --posts N         the posts of the large folder (default: 50000; a backup has 10000 at most)
  --mentions N      the mentions of the large folder (default: 100000)
  --imported N      how many mentions are imported (default: 20000)
  --files N         the files of the folder that others can open (default: 500000)
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
  readonly files: number;
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
      posts: { ...text, default: '50000' },
      mentions: { ...text, default: '100000' },
      imported: { ...text, default: '20000' },
      files: { ...text, default: '500000' },
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
    posts: numberOf('posts', values.posts),
    mentions: numberOf('mentions', values.mentions),
    imported: numberOf('imported', values.imported),
    files: numberOf('files', values.files),
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
