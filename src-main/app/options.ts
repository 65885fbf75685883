import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { parseArgs } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import { keychainService, productName, serverFolderName } from '../contract/names.ts';
import type { TunnelMode } from '../contract/settings.ts';
import { hostIsLoopback } from '../platform/address.ts';

/** The options of the desktop app and of the headless program, from the command line and the environment. */
export interface Options {
  readonly headless: boolean;
  readonly dataDir?: string;
  /** The loopback port of the public API. 0 picks a free port. */
  readonly port: number;
  /** True if an option sets the port. That port takes precedence over the port in the settings. */
  readonly portGiven: boolean;
  /** The loopback port of the window's page, for the headless program only. 0 picks a free port. */
  readonly consolePort: number;
  /** The public origin, without a trailing slash. */
  readonly baseUrl?: string;
  /** The owner's profile URL. */
  readonly me?: string;
  readonly tunnel?: TunnelMode;
  readonly secrets?: 'keychain' | 'file';
  /** The name under which the secrets are stored in the keychain. */
  readonly secretService: string;
  readonly open: boolean;
  readonly allowPrivateFetch: boolean;
  /** For development only: whether each response states how long the phases of its request took. */
  readonly timing: boolean;
  readonly json: boolean;
  /** Whether to check posts, files, mentions and indexes and then exit, without starting the server. */
  readonly check: boolean;
  /** Whether to run the demo, with made-up data in a temporary folder. */
  readonly demo: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Flag {
  /** The placeholder for the flag's value in the help; absent if the flag takes no value. */
  readonly value?: string;
  readonly words: string;
}

const flags = {
  headless: { words: 'run without Electron; the window is a page in your browser' },
  data: { value: 'DIR', words: 'the data folder' },
  port: { value: 'N', words: 'local port of the public server (default 4180; 0 picks a free one)' },
  'console-port': { value: 'N', words: 'headless only: local port of the window’s page (default 4181)' },
  'base-url': { value: 'URL', words: 'your public address, such as https://porch.example.com' },
  me: { value: 'URL', words: 'the address of your website, such as https://example.com/' },
  tunnel: { value: 'off|quick|named', words: 'the Cloudflare tunnel to use' },
  secrets: { value: 'keychain|file', words: 'where to keep secrets' },
  'no-open': { words: 'don’t open the window; headless: only print its link' },
  'allow-private-fetch': {
    words: 'development and tests only: allow requests to loopback and private addresses',
  },
  timing: { words: 'development only: responses carry a Server-Timing header' },
  json: { words: 'print one line of JSON on stdout when the server is ready; logs go to stderr' },
  check: { words: 'check posts, files, mentions and indexes, change nothing, and exit' },
  demo: { words: 'try Porchlight with made-up data in a temporary folder' },
  help: { words: 'show this help' },
  version: { words: 'show the version' },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof flags;
type Given = ReadonlyMap<string, string | true>;

const flagEntries: readonly (readonly [string, Flag])[] = Object.entries(flags);

/**
 * Reads the flags and their environment variables (PORCHLIGHT_DATA for --data, and so on). A flag takes precedence
 * over its variable, and an empty variable counts as not set. `tolerateUnknown` ignores unknown options, because
 * Electron's command line also contains the app's path and Chromium's switches.
 * @throws {PorchlightError} `invalid_option`, with a message for the user.
 */
export function parseOptions(
  argv: readonly string[],
  env: Env,
  { tolerateUnknown = false }: { tolerateUnknown?: boolean } = {},
): Options {
  const given = readFlags(argv, tolerateUnknown);
  const text = (name: FlagName) => flagText(name, given, env);
  const isSet = (name: FlagName) => given.has(name) || booleanOf(variable(name), env[variable(name)]);

  const port = portOption('port', text('port')) ?? 4180;
  const consolePort = portOption('console-port', text('console-port')) ?? 4181;
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
    secretService: nonEmpty(env['PORCHLIGHT_SECRET_SERVICE']) ?? keychainService,
    open: !isSet('no-open'),
    allowPrivateFetch: isSet('allow-private-fetch'),
    timing: isSet('timing'),
    json: isSet('json'),
    check: isSet('check'),
    demo: isSet('demo'),
    help: given.has('help'),
    version: given.has('version'),
  };
}

/** Returns the text that `--help` prints. */
export function helpText(): string {
  const rows = flagEntries.map(([name, { value, words }]) => [`--${name} ${value ?? ''}`.trimEnd(), words]);
  const width = Math.max(...rows.map(([left]) => left?.length ?? 0)) + 2;
  return [
    'Porchlight: the home of your web identity, on your own computer.',
    '',
    'Usage: npm start -- [options]',
    '',
    ...rows.map(([left = '', words = '']) => `  ${left.padEnd(width)}${words}`),
    '',
    'Each option can also be an environment variable: PORCHLIGHT_DATA for --data, PORCHLIGHT_NO_OPEN=1 for',
    '--no-open, and so on. PORCHLIGHT_SECRET_SERVICE sets the name of the secrets in the keychain.',
    '',
    'The porchlight command controls a running server: try “porchlight help” (in the source folder, “npx porchlight help”).',
    '',
  ].join('\n');
}

/** Returns the default data folder on this platform for a server without Electron. `isThere`: whether a path exists. */
export function defaultDataDir(
  env: Env,
  platform: NodeJS.Platform,
  isThere: (path: string) => boolean = existsSync,
): string {
  if (platform === 'win32') return windowsFolder(env, isThere);
  const home = nonEmpty(env['HOME']) ?? homedir();
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', productName);
  // The XDG Base Directory Specification says to ignore a relative path.
  const shared = env['XDG_DATA_HOME'];
  return posix.join(shared?.startsWith('/') ? shared : posix.join(home, '.local', 'share'), serverFolderName);
}

/** What shows that Porchlight has used a folder: the data of the server, or that of the app. */
const signsOfUse = ['settings.json', 'records.sqlite', 'data', 'place.json'];

/**
 * Returns Porchlight's folder on Windows. In the roaming profile, Windows would copy the data to other computers, and
 * from there over newer data. It stays there if an earlier version has put it there.
 */
function windowsFolder(env: Env, isThere: (path: string) => boolean): string {
  const home = env['USERPROFILE'] ?? homedir();
  const under = (variable: string, folder: string) =>
    win32.join(nonEmpty(env[variable]) ?? win32.join(home, 'AppData', folder), productName);
  const [local, roaming] = [under('LOCALAPPDATA', 'Local'), under('APPDATA', 'Roaming')];
  const isUsed = (folder: string) => signsOfUse.some((name) => isThere(win32.join(folder, name)));
  return isUsed(roaming) && !isUsed(local) ? roaming : local;
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
      throw invalidOption(`Porchlight doesn’t understand "${token.value}". See --help.`);
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
  const expected = new Map(flagEntries).get(name)?.value;
  if (expected === undefined) {
    if (value !== undefined) throw invalidOption(`${rawName} takes no value.`);
    return true;
  }
  // In `--data --json`, the value of `--data` is missing. `--json` must not count as this value.
  const forgotten = value === undefined || value === '' || (inlineValue !== true && value.startsWith('-'));
  if (forgotten) throw invalidOption(`${rawName} needs a value: ${rawName} ${expected}.`);
  return value;
}

function variable(name: FlagName): string {
  return `PORCHLIGHT_${name.toUpperCase().replaceAll('-', '_')}`;
}

function flagText(name: FlagName, given: Given, env: Env): string | undefined {
  const value = given.get(name);
  return typeof value === 'string' ? value : nonEmpty(env[variable(name)]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/**
 * Reads a yes-or-no option from an environment variable.
 * @throws PorchlightError `invalid_option`, like the other functions in this file that read an option.
 */
function booleanOf(name: string, text: string | undefined): boolean {
  const value = (text ?? '').trim().toLowerCase();
  if (['1', 'true', 'yes'].includes(value)) return true;
  if (['0', 'false', 'no', ''].includes(value)) return false;
  throw invalidOption(`${name} is "${value}". Write 1, true or yes, or 0, false or no.`);
}

/** Reads a port number from 0 to 65535. */
function portOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw invalidOption(`--${name} is "${text}". Enter a port number from 0 to 65535.`);
  return port;
}

/**
 * Returns the origin of a base URL (D-7), without a trailing slash. The URL must use https. Only an address of this
 * computer may use http.
 */
function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = webAddress('base-url', text, 'https://porch.example.com');
  if (url.href !== `${url.origin}/`) {
    throw invalidOption(
      `--base-url is "${withoutUserinfo(url)}". Enter only the scheme and host: ${url.origin}`,
    );
  }
  if (url.protocol === 'http:' && !hostIsLoopback(url.hostname)) {
    throw invalidOption(
      '--base-url must begin with https://. Only addresses of this computer may use http (http://localhost).',
    );
  }
  return url.origin;
}

/** Reads a profile URL. The other rules of IndieAuth 3.2 are checked when the URL is stored in the settings. */
function profileUrlOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : webAddress('me', text, 'https://example.com/').href;
}

function webAddress(name: string, text: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidOption(`--${name} isn’t a web address. Write a full address, such as ${example}`);
  }
  return url;
}

/** Returns the URL without its user name and password, which must not appear on the screen. */
function withoutUserinfo(url: URL): string {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy.href;
}

/** Reads an option whose value must be one of `choices`. */
function oneOf<T extends string>(
  name: string,
  choices: readonly T[],
  text: string | undefined,
): T | undefined {
  const choice = choices.find((known) => known === text);
  if (text !== undefined && choice === undefined) {
    throw invalidOption(`--${name} is "${text}". Choose one of: ${choices.join(', ')}.`);
  }
  return choice;
}

/** Returns the error for an invalid option. `words`: the message for the user. */
function invalidOption(words: string): PorchlightError {
  return new PorchlightError('invalid_option', words);
}
