import { parseArgs } from 'node:util';

export const soakHelp = `npm run soak [-- OPTIONS]: the built server under mixed load. Exits with 1 if it loses or leaks anything.

  --minutes N   how long the load lasts (default 3)
  --desktop     loads the app in Electron instead of the headless server
  --kills N     kills the server at N random moments, many of them in a checkpoint of its database, and checks what is
                left after each, and what other sites were sent
  --power N     the same with N power losses: what was not synced to disk is gone, or a random part of it survives
  --drains N    kills the server N times while it empties its mailbox
  --site-folder N  kills the server at N random moments while it publishes to a folder in git, into which another
                client pushes, too: each post arrives exactly once
  --seed N      with --kills or --power: repeats the plan of an earlier run
  --help        prints this help
`;

export interface SoakOptions {
  readonly minutes: number;
  readonly desktop: boolean;
  readonly help: boolean;
  /** How many times the server is killed; undefined without `--kills`. */
  readonly kills: number | undefined;
  readonly powerLosses: number | undefined;
  readonly drains: number | undefined;
  /** How many times the server is killed while it publishes to a folder; undefined without `--site-folder`. */
  readonly folderKills: number | undefined;
  readonly seed: number | undefined;
}

/**
 * Reads the options of the soak.
 * @throws Error with a message for the person at the keyboard.
 */
export function readSoakOptions(args: readonly string[]): SoakOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      desktop: flag,
      kills: text,
      power: text,
      drains: text,
      'site-folder': text,
      seed: text,
      help: flag,
    },
  });
  const whole = (name: 'kills' | 'power' | 'drains' | 'site-folder' | 'seed'): number | undefined => {
    const given = values[name];
    if (given !== undefined && !/^\d{1,9}$/.test(given))
      throw new Error(`--${name} takes a whole number, such as 200.`);
    return given === undefined ? undefined : Number(given);
  };
  const minutes = Number(values.minutes ?? 3);
  if (!(minutes > 0)) throw new Error('--minutes takes a number, such as 60.');
  const [kills, powerLosses, drains] = [whole('kills'), whole('power'), whole('drains')];
  const [folderKills, seed] = [whole('site-folder'), whole('seed')];
  if ([kills, powerLosses, drains, folderKills].filter((given) => given !== undefined).length > 1)
    throw new Error('Use only one of --kills, --power, --drains and --site-folder.');
  if ((kills ?? powerLosses) === undefined && seed !== undefined)
    throw new Error('--seed belongs to --kills or --power.');
  return {
    minutes,
    desktop: values.desktop,
    help: values.help,
    kills,
    powerLosses,
    drains,
    folderKills,
    seed,
  };
}
