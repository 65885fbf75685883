import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractFile, listPackage, statFile } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite } from '../support/client-app.ts';
import {
  answerSignIn,
  countDialogs,
  pressButton,
  waitForDialog,
  whyNoPresses,
} from '../support/desktop-screen.ts';
import { electronBinary } from '../support/electron-app.ts';
import { heic } from '../support/heic-samples.ts';
import {
  hasPinnedElectron,
  packageInto,
  packedFeed,
  startPackaged,
  whyNoPackage,
} from '../support/packaged-app.ts';
import { ask, post, signInRequest } from '../support/sign-in.ts';
import { openUpdateFeed } from '../support/update-feed.ts';
import { keytar, whyNoKeychain } from '../support/session-keychain.ts';

const reason = whyNoPackage();
if (reason) console.log(`The packed app is not tested: ${reason}.`);
const whyNoSignIn = whyNoPresses() ?? whyNoKeychain;
if (whyNoSignIn) console.log(`Nobody signs in at the packed app: ${whyNoSignIn}.`);
const whyNoFeed = whyNoPresses() ?? (spawnSync('openssl', ['version']).error ? 'no openssl' : undefined);
const root = join(import.meta.dirname, '../..');

describe.skipIf(reason)('the packed app', () => {
  let folder: string;
  let app: string;
  const asar = () => join(app, 'resources/app.asar');
  const binary = () => join(app, 'porchlight');
  const started = (args: readonly string[] = [], env: Record<string, string> = {}, where = app) =>
    startPackaged(
      where,
      ['--data', join(folder, randomUUID()), '--port', '0', '--json', '--no-open', ...args],
      env,
    );
  const onDisk = ['--secrets', 'file'];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'porchlight-packed-'));
    app = packageInto(folder);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.skipIf(whyNoSignIn)('signs its owner in, with its secrets in the keychain', async () => {
    const service = `porchlight-test-${randomUUID()}`;
    const client = await openSite();
    const packed = started(['--allow-private-fetch', '--me', 'http://127.0.0.1:9/'], {
      PORCHLIGHT_SECRET_SERVICE: service,
    });
    try {
      const { baseUrl, managementToken } = await packed.ready;
      const kept = await keytar.findCredentials(service);
      expect(kept.map(({ password }) => password)).toContain(managementToken);

      const request = signInRequest(client.origin);
      const waiting = await ask({ base: baseUrl }, request);
      await answerSignIn('Approve');
      const openPage = () => waiting.browser.open(waiting.address);
      await expect.poll(async () => (await openPage()).status, { interval: 200 }).toBe(302);
      const answer = new URL((await openPage()).headers.get('location') ?? '').searchParams;
      const tokens = await post({ base: baseUrl }, '/token', {
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        client_id: request.clientId,
        redirect_uri: request.redirectUri,
        code_verifier: request.verifier,
      });
      const issued = (await tokens.json()) as { access_token: string };
      expect(issued).toMatchObject({ token_type: 'Bearer', me: 'http://127.0.0.1:9/' });

      // The decoders of pictures are read from the archive.
      const entry = new FormData();
      entry.set('h', 'entry');
      entry.set('photo', new File([new Uint8Array(heic())], 'a.heic'));
      const headers = { authorization: `Bearer ${issued.access_token}` };
      const posted = await fetch(`${baseUrl}/micropub`, { method: 'POST', headers, body: entry });
      expect(posted.status, await posted.text()).toBe(201);
    } finally {
      expect(await packed.stop()).toBe(0);
      await client.close();
      for (const { account } of await keytar.findCredentials(service))
        await keytar.deletePassword(service, account);
    }
  });

  test('the packaged app has its fuses as electron-builder.yml says', async () => {
    const wire = await getCurrentFuseWire(binary());
    const off = [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.GrantFileProtocolExtraPrivileges,
      FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
    ];
    const on = [
      FuseV1Options.EnableCookieEncryption,
      FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
      FuseV1Options.OnlyLoadAppFromAsar,
    ];
    // A fuse is a character in the binary.
    const state = (fuse: FuseV1Options) => String.fromCharCode(Number(wire[fuse]));
    for (const fuse of off) expect(state(fuse), FuseV1Options[fuse]).toBe('0');
    for (const fuse of on) expect(state(fuse), FuseV1Options[fuse]).toBe('1');
  });

  test('holds what was built, byte by byte, each file with its checksum, and no sources or tests', () => {
    const files = listPackage(asar(), { isPack: false }).filter((path) => {
      const entry = statFile(asar(), path.slice(1));
      return !('files' in entry) && !('link' in entry);
    });
    for (const path of files.map((path) => path.slice(1))) {
      const entry = statFile(asar(), path) as { integrity?: { algorithm: string; hash: string } };
      const bytes = extractFile(asar(), path);
      expect(entry.integrity, path).toMatchObject({
        algorithm: 'SHA256',
        hash: createHash('sha256').update(bytes).digest('hex'),
      });
      if (path.startsWith('out/')) expect(bytes.equals(readFileSync(join(root, path))), path).toBe(true);
    }
    expect(files).toContain('/out/main/desktop.js');
    expect(files).toEqual(expect.arrayContaining(['/out/main/licenses.md', '/out/main/licenses-threads.md']));
    expect(files).toContain('/out/renderer/tabler-icons-license.txt');
    // The licence asks for its text and that of the GPL, which is in the same file.
    const ofHeif = (name: string) => `/node_modules/libheif-js/libheif-wasm/${name}`;
    expect(files).toEqual(expect.arrayContaining(['libheif.js', 'libheif.wasm', 'LICENSE'].map(ofHeif)));
    const expected = /^\/(out|resources|node_modules\/(keytar|wasm-vips|libheif-js))\//;
    const ofSqlite = /^\/node_modules\/(node-gyp-build|@photostructure\/sqlite)\//;
    const others = files.filter((path) => !expected.test(path));
    expect(others.filter((path) => !ofSqlite.test(path))).toEqual(['/package.json']);
    // The pinned Electron has SQLite.
    const prebuilds = `/node_modules/@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}`;
    const binaries = hasPinnedElectron() ? [] : [`${prebuilds}/@photostructure+sqlite.glibc.node`];
    expect(files.filter((path) => path.endsWith('.node') && ofSqlite.test(path))).toEqual(binaries);
    expect(others.some((path) => ofSqlite.test(path))).toBe(!hasPinnedElectron());
  });

  test('the packaged app runs no program that ELECTRON_RUN_AS_NODE or NODE_OPTIONS name', async () => {
    const marker = join(folder, 'marker');
    const program = join(folder, 'program.cjs');
    writeFileSync(program, `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`);
    const asNode = { ELECTRON_RUN_AS_NODE: '1' };
    // Electron itself does run it: the marker tells.
    spawnSync(electronBinary, [program], { env: { ...process.env, ...asNode } });
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);

    const packed = [
      started([program, ...onDisk], asNode),
      started(onDisk, { NODE_OPTIONS: `--require ${program}` }),
    ];
    for (const { ready, stop } of packed) {
      await ready;
      await stop();
    }
    expect(existsSync(marker)).toBe(false);
  });

  test('the packaged app opens no debugger, neither Node’s nor Chromium’s', async () => {
    const packed = started(['--inspect=0', '--remote-debugging-port=0', ...onDisk]);
    await packed.ready;
    await packed.stop();
    expect(packed.stderr()).toContain('Server listening');
    expect(packed.stderr()).not.toMatch(/(DevTools|Debugger) listening/);
  });

  test('is the porchlight command too, for computers without Node.js', async () => {
    const dataDir = join(folder, randomUUID());
    const packed = startPackaged(app, ['--data', dataDir, '--port', '0', '--json', '--no-open', ...onDisk]);
    const { baseUrl } = await packed.ready;
    // Neither a display nor a session bus: a command ends before Electron looks for them.
    const bare = { DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };
    const asked = startPackaged(app, ['status', '--json', '--data', dataDir], bare);
    expect(await asked.ready).toMatchObject({ baseUrl });
    expect(await asked.exited).toBe(0);
    expect(await startPackaged(app, ['--version'], bare).exited).toBe(0);
    expect(await packed.stop()).toBe(0);
    const none = startPackaged(app, ['status', '--data', dataDir], bare);
    expect(await none.exited).toBe(3);
    expect(none.stderr()).toContain('Start the app');
  });

  test('the packaged app loads no file from beside its archive', async () => {
    const copy = join(folder, 'copy');
    cpSync(app, copy, { recursive: true });
    rmSync(join(copy, 'resources/app.asar'));
    const loose = join(copy, 'resources/app');
    rmSync(loose, { recursive: true, force: true });
    mkdirSync(loose);
    const marker = join(folder, 'loose');
    writeFileSync(join(loose, 'package.json'), '{"main":"main.js"}');
    const program = `require('fs').writeFileSync(${JSON.stringify(marker)}, ''); process.exit(0)`;
    writeFileSync(join(loose, 'main.js'), program);
    // Electron with the fuse as it comes does load it.
    cpSync(electronBinary, join(copy, 'as-it-comes'));
    spawnSync(join(copy, 'as-it-comes'), process.getuid?.() === 0 ? ['--no-sandbox'] : []);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);

    expect(await started([], {}, copy).exited).not.toBe(0);
    expect(existsSync(marker)).toBe(false);
  });

  describe.skipIf(whyNoFeed)('with a feed of updates', () => {
    const settings = () => join(app, 'resources/app-update.yml');
    let asPacked: string;
    beforeAll(() => {
      asPacked = readFileSync(settings(), 'utf8');
      writeFileSync(join(app, 'resources/package-type'), 'deb');
    });
    // Only the address differs from what electron-builder wrote.
    const configure = (url: string) => writeFileSync(settings(), asPacked.replace(packedFeed, url));
    const trusting = ['--ignore-certificate-errors', ...onDisk];

    test('a release candidate finds the release, and asks before it downloads it', async () => {
      const feed = await openUpdateFeed(folder, '1.0.0');
      configure(feed.origin);
      const packed = started(trusting);
      await packed.ready;
      await waitForDialog('Porchlight');
      await pressButton('Porchlight', 1, 2);
      expect(await packed.stop()).toBe(0);
      expect(packed.stderr()).toContain('Found version 1.0.0 ');
      expect(feed.asked).toEqual(['/latest-linux.yml']);
      await feed.close();
    });

    test('the app does not offer an older version', async () => {
      const feed = await openUpdateFeed(folder, '0.0.1');
      configure(feed.origin);
      const packed = started(trusting);
      await packed.ready;
      await expect
        .poll(packed.stderr, { timeout: 60_000 })
        .toContain('latest version: 0.0.1, downgrade is disallowed');
      expect(countDialogs('Porchlight')).toBe(0);
      expect(await packed.stop()).toBe(0);
      expect(feed.asked).toEqual(['/latest-linux.yml']);
      await feed.close();
    });

    test('the app accepts updates over https only', async () => {
      const site = await openSite();
      let visits = 0;
      site.pages.set('/latest-linux.yml', (_request, response) => {
        visits += 1;
        response.end('version: 99.0.0');
      });
      configure(site.origin);
      const packed = started(onDisk);
      await packed.ready;
      await expect.poll(packed.stderr, { timeout: 60_000 }).toContain('ERR_BLOCKED_BY_CLIENT');
      expect(await packed.stop()).toBe(0);
      expect(visits).toBe(0);
      await site.close();
    });
  });
});
