import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { parseArgs } from 'node:util';
import type { TunnelMode } from './contract/settings.ts';
import { booleanOf, invalidOption, oneOf, originOf, portOf, profileUrlOf } from './option-values.ts';

/** What the command line and the environment ask of either front door. */
export interface Options {
  readonly headless: boolean;
  readonly dataDir?: string;
  /** Loopback port of the public API; 0 picks a free one. */
  readonly port: number;
  /** True where somebody asked for that port: it counts then, whatever was kept. */
  readonly portGiven: boolean;
  /** Loopback port of the owner's page, headless only; 0 picks a free one. */
  readonly consolePort: number;
  /** An origin, without a trailing slash. */
  readonly baseUrl?: string;
  /** The owner's profile URL. */
  readonly me?: string;
  readonly tunnel?: TunnelMode;
  readonly secrets?: 'keychain' | 'file';
  /** The name under which secrets stand in the keychain. */
  readonly secretService: string;
  readonly open: boolean;
  readonly allowPrivateFetch: boolean;
  readonly json: boolean;
  /** Only look whether posts, files and their indexes are in order, then end. */
  readonly check: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Flag {
  /** The word for its value in the help; absent: the flag takes none. */
  readonly value?: string;
  readonly words: string;
}

const flags = {
  headless: { words: 'run without a window; the same window is a page in your browser' },
  data: { value: 'DIR', words: 'keep everything in this folder' },
  port: { value: 'N', words: 'loopback port of the public server (default 4180; 0 picks a free one)' },
  'console-port': { value: 'N', words: "loopback port of the owner's page, headless only (default 4181)" },
  'base-url': { value: 'URL', words: 'the public address, such as https://porch.example.com' },
  me: { value: 'URL', words: "the owner's profile address, such as https://example.com/" },
  tunnel: { value: 'off|quick|named', words: 'how Cloudflare reaches this computer' },
  secrets: { value: 'keychain|file', words: 'where secrets are kept' },
  'no-open': { words: 'open no window; headless: print the address of the page instead' },
  'allow-private-fetch': {
    words: 'development and tests only: may fetch from loopback and private addresses',
  },
  json: { words: 'one line of JSON on stdout once it answers; logs go to stderr' },
  check: { words: 'look whether posts, files, mentions and indexes are in order, change nothing, and end' },
  help: { words: 'show this' },
  version: { words: 'show the version' },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof flags;
type Given = ReadonlyMap<string, string | true>;

const flagEntries: readonly (readonly [string, Flag])[] = Object.entries(flags);

/**
 * Reads the flags and their environment variables (PORCHLIGHT_DATA for --data, and so on; the flag wins, an empty
 * variable counts as not given). With `tolerateUnknown` what is not ours is passed over: Electron's command line
 * also holds the app's path and Chromium's switches.
 * @throws {PorchlightError} `invalid_option`, in words for the person at the keyboard.
 */
export function parseOptions(
  argv: readonly string[],
  env: Env,
  { tolerateUnknown = false }: { tolerateUnknown?: boolean } = {},
): Options {
  const given = readFlags(argv, tolerateUnknown);
  const text = (name: FlagName) => textOf(name, given, env);
  const isSet = (name: FlagName) => given.has(name) || booleanOf(variable(name), env[variable(name)]);

  const port = portOf('port', text('port')) ?? 4180;
  const consolePort = portOf('console-port', text('console-port')) ?? 4181;
  if (port === consolePort && port !== 0) {
    throw invalidOption(`--port and --console-port are both ${port}. Give them different numbers.`);
  }
  return {
    headless: isSet('headless'),
    dataDir: text('data'),
    port,
    portGiven: text('port') !== undefined,
    consolePort,
    baseUrl: originOf(text('base-url')),
    me: profileUrlOf(text('me')),
    tunnel: oneOf('tunnel', ['off', 'quick', 'named'], text('tunnel')),
    secrets: oneOf('secrets', ['keychain', 'file'], text('secrets')),
    secretService: nonEmpty(env['PORCHLIGHT_SECRET_SERVICE']) ?? 'Porchlight',
    open: !isSet('no-open'),
    allowPrivateFetch: isSet('allow-private-fetch'),
    json: isSet('json'),
    check: isSet('check'),
    help: given.has('help'),
    version: given.has('version'),
  };
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = flagEntries.map(([name, { value, words }]) => [`--${name} ${value ?? ''}`.trimEnd(), words]);
  const width = Math.max(...rows.map(([left]) => left?.length ?? 0)) + 2;
  return [
    'Porchlight: your own computer as the home of your web identity.',
    '',
    'Usage: npm start -- [options]',
    '',
    ...rows.map(([left = '', words = '']) => `  ${left.padEnd(width)}${words}`),
    '',
    'Each option can also be an environment variable: PORCHLIGHT_DATA for --data, PORCHLIGHT_NO_OPEN=1 for',
    '--no-open, and so on. PORCHLIGHT_SECRET_SERVICE sets the name under which secrets stand in the keychain.',
    '',
  ].join('\n');
}

/** Where a server without Electron keeps its data, by the custom of the platform. */
export function defaultDataDir(env: Env, platform: NodeJS.Platform): string {
  if (platform === 'win32') {
    const home = env['USERPROFILE'] ?? homedir();
    return win32.join(nonEmpty(env['APPDATA']) ?? win32.join(home, 'AppData', 'Roaming'), 'Porchlight');
  }
  const home = nonEmpty(env['HOME']) ?? homedir();
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Porchlight');
  // The base directory specification: a relative path counts as not set.
  const shared = env['XDG_DATA_HOME'];
  return posix.join(shared?.startsWith('/') ? shared : posix.join(home, '.local', 'share'), 'porchlight');
}

function readFlags(argv: readonly string[], tolerateUnknown: boolean): Given {
  const options = Object.fromEntries(
    flagEntries.map(([name, { value }]) => [
      name,
      name === 'help'
        ? ({ type: 'boolean', short: 'h' } as const)
        : ({ type: value === undefined ? 'boolean' : 'string' } as const),
    ]),
  );
  const given = new Map<string, string | true>();
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option') {
      if (Object.hasOwn(flags, token.name)) given.set(token.name, valueOf(token));
      else if (!tolerateUnknown)
        throw invalidOption(`Porchlight has no option ${token.rawName}. See --help.`);
    } else if (token.kind === 'positional' && !tolerateUnknown) {
      throw invalidOption(`Porchlight does not know what to do with "${token.value}". See --help.`);
    }
  }
  return given;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf({ name, rawName, value, inlineValue }: OptionToken): string | true {
  const wanted = new Map(flagEntries).get(name)?.value;
  if (wanted === undefined) {
    if (value !== undefined) throw invalidOption(`${rawName} takes no value.`);
    return true;
  }
  // `--data --json`: the value was forgotten, and a flag would be swallowed in its place.
  const forgotten = value === undefined || value === '' || (inlineValue !== true && value.startsWith('-'));
  if (forgotten) throw invalidOption(`${rawName} needs a value: ${rawName} ${wanted}.`);
  return value;
}

function variable(name: FlagName): string {
  return `PORCHLIGHT_${name.toUpperCase().replaceAll('-', '_')}`;
}

function textOf(name: FlagName, given: Given, env: Env): string | undefined {
  const value = given.get(name);
  return typeof value === 'string' ? value : nonEmpty(env[variable(name)]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
