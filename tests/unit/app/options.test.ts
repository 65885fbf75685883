import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { defaultDataDir, helpText, parseOptions } from '../../../src-main/app/options.ts';

/** The words of the refusal; fails where nothing is refused. */
function refusal(argv: readonly string[], env: Record<string, string> = {}): string {
  try {
    parseOptions(argv, env);
  } catch (error) {
    expect(error).toBeInstanceOf(PorchlightError);
    expect(error).toMatchObject({ code: 'invalid_option' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error(`accepted: ${argv.join(' ')} ${JSON.stringify(env)}`);
}

describe('options: flags and variables', () => {
  test('nothing given is the desktop app on its own ports', () => {
    expect(parseOptions([], {})).toEqual({
      headless: false,
      port: 4180,
      portGiven: false,
      consolePort: 4181,
      secretService: 'Porchlight',
      open: true,
      allowPrivateFetch: false,
      timing: false,
      json: false,
      help: false,
      check: false,
      demo: false,
      version: false,
    });
  });

  const everything = {
    headless: true,
    dataDir: '/srv/porch light',
    port: 0,
    portGiven: true,
    consolePort: 8080,
    baseUrl: 'https://porch.example.com',
    me: 'https://example.com/',
    tunnel: 'named',
    secrets: 'file',
    secretService: 'Porchlight',
    open: false,
    allowPrivateFetch: true,
    timing: true,
    json: true,
    check: true,
    demo: true,
    help: false,
    version: false,
  };

  test('every option can be a flag, with a space or with =', () => {
    const flags = ['--headless', '--data', '/srv/porch light', '--port=0', '--console-port', '8080'];
    const more = [
      '--base-url',
      'https://porch.example.com/',
      '--me=https://example.com',
      '--tunnel',
      'named',
    ];
    const rest = ['--secrets=file', '--no-open', '--allow-private-fetch', '--json', '--check', '--demo'];
    expect(parseOptions([...flags, ...more, ...rest, '--timing'], {})).toEqual(everything);
  });

  test('every option can be an environment variable', () => {
    const env = {
      PORCHLIGHT_HEADLESS: '1',
      PORCHLIGHT_DATA: '/srv/porch light',
      PORCHLIGHT_PORT: '0',
      PORCHLIGHT_CONSOLE_PORT: '8080',
      PORCHLIGHT_BASE_URL: 'https://porch.example.com',
      PORCHLIGHT_ME: 'https://example.com/',
      PORCHLIGHT_TUNNEL: 'named',
      PORCHLIGHT_SECRETS: 'file',
      PORCHLIGHT_NO_OPEN: 'yes',
      PORCHLIGHT_ALLOW_PRIVATE_FETCH: 'true',
      PORCHLIGHT_TIMING: '1',
      PORCHLIGHT_JSON: 'TRUE',
      PORCHLIGHT_CHECK: '1',
      PORCHLIGHT_DEMO: '1',
      PORCHLIGHT_SECRET_SERVICE: 'porch-test',
    };
    expect(parseOptions([], env)).toEqual({ ...everything, secretService: 'porch-test' });
  });

  test('a flag wins over its variable, and the last of two flags over the first', () => {
    const env = { PORCHLIGHT_PORT: '5000', PORCHLIGHT_DATA: '/from/env' };
    const options = parseOptions(['--port', '5001', '--port', '5002'], env);
    expect(options).toMatchObject({ port: 5002, dataDir: '/from/env' });
  });

  test('an empty variable counts as not given', () => {
    const names = ['PORT', 'BASE_URL', 'ME', 'TUNNEL', 'SECRETS', 'SECRET_SERVICE', 'HEADLESS', 'DATA'];
    const env = Object.fromEntries(names.map((name) => [`PORCHLIGHT_${name}`, '']));
    expect(parseOptions([], env)).toEqual(parseOptions([], {}));
  });

  test.each(['0', 'false', 'no', 'No'])('a switch set to %s is off', (value) => {
    const env = { PORCHLIGHT_NO_OPEN: value, PORCHLIGHT_HEADLESS: value };
    expect(parseOptions([], env)).toMatchObject({ open: true, headless: false });
  });

  test('a switch set to anything else is refused and named', () => {
    expect(refusal([], { PORCHLIGHT_JSON: 'maybe' })).toContain('PORCHLIGHT_JSON');
  });

  test('help and version can be asked for', () => {
    expect(parseOptions(['--help', '--version'], {})).toMatchObject({ help: true, version: true });
    expect(parseOptions(['-h'], {})).toMatchObject({ help: true });
  });
});

describe('options: refused values', () => {
  test.each([
    ['an unknown flag', ['--tunel', 'quick'], '--tunel'],
    ['a flag that is also a name every object has', ['--constructor'], '--constructor'],
    ['a stray word', ['serve'], 'serve'],
    ['a value for a switch', ['--json=1'], '--json takes no value'],
    ['a forgotten value', ['--data'], '--data needs a value'],
    ['a flag where a value belongs', ['--data', '--json'], '--data needs a value'],
    ['an empty value', ['--me='], '--me needs a value'],
    ['a port that is no number', ['--port', '80a'], '--port'],
    ['a port too high', ['--console-port', '65536'], '--console-port'],
    ['a negative port', ['--port=-1'], '--port'],
    ['one port for both listeners', ['--port', '4181'], '4181'],
    ['an unknown way to tunnel', ['--tunnel', 'fast'], 'off, quick, named'],
    ['an unknown place for secrets', ['--secrets', 'env'], 'keychain, file'],
    ['a profile that is no address', ['--me', 'example.com'], '--me'],
    ['a profile of another scheme', ['--me', 'mailto:a@example.com'], '--me'],
  ])('%s', (_, argv, named) => {
    expect(refusal(argv)).toContain(named);
  });

  test.each([
    ['a path', 'https://porch.example.com/blog'],
    ['a query', 'https://porch.example.com/?a=b'],
    ['an empty query', 'https://porch.example.com/?'],
    ['a fragment', 'https://porch.example.com/#top'],
    ['plain http in public', 'http://porch.example.com'],
    ['plain http to a private address', 'http://192.168.1.5'],
    ['a host that only looks like loopback', 'http://127.0.0.1.example.com'],
    ['another scheme', 'ftp://porch.example.com'],
    ['no scheme', 'porch.example.com'],
  ])('a base address with %s', (_, address) => {
    expect(refusal(['--base-url', address])).toContain('--base-url');
  });

  test('a base address with a password, which is not repeated', () => {
    const words = refusal(['--base-url', 'https://me:hunter2@porch.example.com']);
    expect(words).toContain('--base-url');
    expect(words).not.toContain('hunter2');
  });

  test.each([
    ['http://localhost:4180/', 'http://localhost:4180'],
    ['http://127.0.0.1:4180', 'http://127.0.0.1:4180'],
    ['http://[::1]:4180', 'http://[::1]:4180'],
    ['HTTPS://Porch.Example.COM:443/', 'https://porch.example.com'],
  ])('but the base address %s is taken as %s', (given, taken) => {
    expect(parseOptions(['--base-url', given], {}).baseUrl).toBe(taken);
  });
});

describe('options: on the command line of Electron', () => {
  const argv = [
    '--inspect=0',
    '--remote-debugging-port=0',
    '--no-sandbox',
    '/srv/app',
    '--data',
    '/srv/data',
    '-x',
  ];

  test("the app's path and Chromium's switches are passed over", () => {
    const options = parseOptions(argv, {}, { tolerateUnknown: true });
    expect(options).toEqual({ ...parseOptions([], {}), dataDir: '/srv/data' });
  });

  test('they are refused elsewhere', () => {
    expect(refusal(argv)).toContain('--inspect');
  });

  test('a wrong value of our own is still refused', () => {
    expect(() => parseOptions(['--port', 'x'], {}, { tolerateUnknown: true })).toThrow(PorchlightError);
  });
});

describe('options: help and data folder', () => {
  test('the help names every flag', () => {
    const names = ['headless', 'data', 'port', 'console-port', 'base-url', 'me', 'tunnel', 'secrets'];
    const more = ['no-open', 'allow-private-fetch', 'timing', 'json', 'help', 'version'];
    for (const name of [...names, ...more]) expect(helpText()).toMatch(new RegExp(`^ +--${name}\\b`, 'm'));
  });

  test.each([
    ['linux', { HOME: '/home/ann' }, '/home/ann/.local/share/porchlight'],
    ['linux', { HOME: '/home/ann', XDG_DATA_HOME: '/data' }, '/data/porchlight'],
    ['linux', { HOME: '/home/ann', XDG_DATA_HOME: 'data' }, '/home/ann/.local/share/porchlight'],
    ['darwin', { HOME: '/Users/ann' }, '/Users/ann/Library/Application Support/Porchlight'],
    [
      'win32',
      { LOCALAPPDATA: 'C:\\Users\\ann\\AppData\\Local' },
      'C:\\Users\\ann\\AppData\\Local\\Porchlight',
    ],
    ['win32', { USERPROFILE: 'C:\\Users\\ann' }, 'C:\\Users\\ann\\AppData\\Local\\Porchlight'],
  ] as const)('on %s with %o the data folder is %s', (platform, env, folder) => {
    expect(defaultDataDir(env, platform)).toBe(folder);
  });

  test.each([
    ['Roaming', ['Roaming\\Porchlight\\data']],
    ['Roaming', ['Roaming\\Porchlight\\settings.json']],
    ['Local', ['Roaming\\Porchlight\\data', 'Local\\Porchlight\\data']],
    ['Local', ['Roaming\\Porchlight']],
  ])('on Windows, data stays in %s if %j exists', (kept, there) => {
    const under = 'C:\\Users\\ann\\AppData\\';
    const isThere = (path: string) => there.some((one) => path === under + one);
    expect(defaultDataDir({ USERPROFILE: 'C:\\Users\\ann' }, 'win32', isThere)).toBe(
      `${under}${kept}\\Porchlight`,
    );
  });
});
