import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { builderArguments, builderConfig, sqliteFiles } from '../../../scripts/package.ts';
import * as names from '../../../src-main/contract/names.ts';
import { cloudflaredAssets } from '../../../src-main/address/tunnel/cloudflared.ts';

const argsOf = (asked: string[], around: Parameters<typeof builderArguments>[1] = {}) =>
  builderArguments(asked, around);

test('a package brings the keychain and cloudflared of the system that it is for, wherever it is made', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../../electron-builder.yml'), 'utf8');
  const config = parse(text) as Record<
    string,
    { files: { filter: string[] }[]; extraResources: { from: string }[] }
  >;
  expect(text).not.toContain('${platform}');
  expect(text).not.toContain('@photostructure');
  for (const [name, system] of [
    ['linux', 'linux'],
    ['mac', 'darwin'],
    ['win', 'win32'],
  ] as const) {
    expect(config[name]?.files.flatMap(({ filter }) => filter)).toEqual([
      `node_modules/keytar/prebuilds/${system}-\${arch}/keytar.node`,
    ]);
    expect(config[name]?.extraResources.map(({ from }) => from)).toEqual([
      `dist/cloudflared/${system}-\${arch}`,
    ]);
  }
});

test('electron-builder is pinned beside its own lock file, and a plain installation leaves it out', async () => {
  const folder = path.join(import.meta.dirname, '../../..');
  const read = async (file: string) =>
    JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Record<string, Record<string, unknown>>;
  const own = await read('scripts/packaging/package.json');
  const lock = await read('scripts/packaging/package-lock.json');
  const { version } = lock['packages']?.['node_modules/electron-builder'] as { version: string };
  expect(own['dependencies']).toEqual({ 'electron-builder': version });
  expect(JSON.stringify(lock)).not.toContain('"resolved"');
  const { packages } = await read('package-lock.json');
  expect(Object.keys(packages!).filter((name) => /electron-builder|app-builder-lib/.test(name))).toEqual([]);
});

test('a package brings SQLite of the system that it is for only if its Electron is not the pinned one', () => {
  expect(sqliteFiles('linux', '45.4.1', '45.4.1')).toEqual([]);
  for (const system of ['linux', 'darwin', 'win32'])
    expect(sqliteFiles(system, '33.4.11', '45.4.1')).toContain(
      `node_modules/@photostructure/sqlite/prebuilds/${system}-\${arch}/*.glibc.node`,
    );
});

test('the packages have the names that systems remember, and Electron’s folder is named like the app', async () => {
  const folder = path.join(import.meta.dirname, '../../..');
  expect(builderConfig()).toMatchObject({
    appId: 'net.porchlight.desktop',
    productName: 'Porchlight',
    protocols: [{ schemes: ['porchlight'] }],
    linux: { executableName: 'porchlight' },
    extraMetadata: { homepage: names.projectUrl, bugs: names.projectPages.bugs },
  });
  const own = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  expect(own['productName']).toBe(names.productName);
  const uninstaller = await readFile(path.join(folder, 'resources/uninstall.nsh'), 'utf8');
  expect(uninstaller).toContain(`"Software\\Classes\\${names.linkScheme}"`);
  expect(uninstaller).toContain(`StrCpy $R2 $R0 ${names.programName.length}\n`);
  expect(names.isPlaceholder('https://porchlight.example/')).toBe(true);
  expect(names.isPlaceholder('https://code.test/porchlight/')).toBe(false);
});

test('macOS gets a zip for updates and Windows an uninstaller that cleans up, both for two processors', () => {
  const config = builderConfig() as Record<string, { target: unknown[]; include?: string }>;
  const arch = ['x64', 'arm64'];
  expect(config['mac']?.target).toEqual([
    { target: 'dmg', arch },
    { target: 'zip', arch },
  ]);
  expect(config['win']?.target).toEqual([{ target: 'nsis', arch }]);
  expect(config['nsis']).toMatchObject({
    include: 'resources/uninstall.nsh',
    deleteAppDataOnUninstall: false,
  });
  for (const system of ['darwin', 'win32'])
    for (const processor of arch) expect(cloudflaredAssets[`${system}-${processor}`]).toBeDefined();
  expect(cloudflaredAssets['win32-arm64']).toEqual(cloudflaredAssets['win32-x64']);
});

test('the Debian package brings the libraries that electron-builder’s own list forgets', () => {
  const { depends } = builderConfig()['deb'] as { depends: string[] };
  const names = depends.map((one) => one.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['libasound2', 'libgbm1', 'libsecret-1-0']));
});

test('the workflow installs Electron after the installation that npm test looks for, which would delete it', async () => {
  const file = path.join(import.meta.dirname, '../../../.github/workflows/test.yml');
  const { jobs } = parse(await readFile(file, 'utf8')) as {
    jobs: { test: { steps: { run?: string }[] } };
  };
  const commands = jobs.test.steps.flatMap(({ run }) => run?.trim().split('\n') ?? []);
  expect(commands.slice(0, 2)).toEqual([
    'node scripts/bootstrap.mjs',
    'node node_modules/electron/install.js',
  ]);
});

test('a release candidate reads the feed of releases, and the AppImage has the static runtime', () => {
  expect(builderConfig()).toMatchObject({
    detectUpdateChannel: false,
    toolsets: { appimage: expect.stringMatching(/^1\./) as string },
  });
});

describe('npm run package', () => {
  test('signs ad hoc for macOS without a certificate, and for Windows only with all of Azure’s variables', () => {
    const azure = {
      PORCHLIGHT_AZURE_PUBLISHER: 'Ada',
      PORCHLIGHT_AZURE_ENDPOINT: 'https://sign.example',
      PORCHLIGHT_AZURE_ACCOUNT: 'a',
      PORCHLIGHT_AZURE_PROFILE: 'p',
    };
    expect(argsOf([])).toContain('-c.mac.identity=-');
    expect(argsOf([], { env: { CSC_LINK: 'a.p12' } })).not.toContain('-c.mac.identity=-');
    expect(argsOf([], { env: azure })).toContain('-c.win.azureSignOptions.publisherName=Ada');
    const some = argsOf([], { env: { ...azure, PORCHLIGHT_AZURE_PROFILE: '' } });
    expect(some.join(' ')).not.toContain('azureSignOptions');
  });

  test('makes the unpacked app if no target is named', () => {
    expect(argsOf([])).toContain('--dir');
    expect(argsOf(['-c.compression=store'])).toEqual(
      expect.arrayContaining(['--dir', '-c.compression=store']),
    );
    for (const target of [['--linux', 'deb'], ['--win=nsis'], ['-m']]) {
      expect(argsOf(target)).not.toContain('--dir');
      expect(argsOf(target)).toEqual(expect.arrayContaining(target));
    }
  });

  test('keeps its own flag to itself', () => {
    expect(argsOf(['--without-cloudflared'])).not.toContain('--without-cloudflared');
  });

  test('uploads nothing, whatever tokens the environment has', () => {
    expect(argsOf([]).join(' ')).toContain('--publish never');
  });

  test('uses the installed runtime, by its own version', () => {
    const args = argsOf([], { runtime: { folder: '/opt/electron', version: '33.4.11' } });
    expect(args).toEqual(
      expect.arrayContaining(['-c.electronDist=/opt/electron', '-c.electronVersion=33.4.11']),
    );
  });

  test('a package names a feed only if one is given, and only over https', () => {
    expect(argsOf([]).join(' ')).not.toContain('publish.url');
    expect(argsOf([], { feed: '' }).join(' ')).not.toContain('publish.url');
    expect(argsOf([], { feed: 'https://porch.example/updates' })).toEqual(
      expect.arrayContaining(['-c.publish.provider=generic', '-c.publish.url=https://porch.example/updates']),
    );
    for (const feed of ['http://porch.example/updates', 'porch.example', 'file:///tmp/updates'])
      expect(() => argsOf([], { feed })).toThrow(feed);
  });
});
