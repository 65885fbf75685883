import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bridgyFed } from '../../../src-main/contract/posts.ts';
import { copyOf, fixedIn } from '../../../src-main/mailbox/copies/copied-addresses.ts';
import { usualTemplates } from '../../../src-main/site-folder/detect.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { hostSite } from '../../support/site-host.ts';

let porchlight: Porchlight;
beforeEach(async () => {
  porchlight = await startPorchlight();
});
afterEach(() => porchlight.remove());

const turn = (on: boolean) =>
  porchlight.call('settings.update', {
    micropub: { syndicateTo: on ? [{ uid: bridgyFed.uid, name: bridgyFed.name }] : [] },
  });
const get = (address: string, method = 'GET') =>
  fetch(porchlight.base + address, { method, redirect: 'manual' });
const paths = ['/.well-known/webfinger', '/.well-known/host-meta'];

describe('the addresses at which the fediverse looks for an account', () => {
  test.each(paths)('%s leads to Bridgy Fed with any query, while Bridgy Fed is a target', async (address) => {
    expect((await get(address)).status).toBe(404);
    await turn(true);
    const query = '?resource=acct:ada.example@ada.example&rel=self';
    for (const method of ['GET', 'HEAD']) {
      const answer = await get(address + query, method);
      expect([answer.status, answer.headers.get('location')]).toEqual([
        301,
        `https://fed.brid.gy${address}${query}`,
      ]);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await get(address)).headers.get('location')).toBe(`https://fed.brid.gy${address}`);
    await turn(false);
    expect((await get(address + query)).status).toBe(404);
  });

  test.each(paths)('the mailbox gets a copy of the redirect at %s', async (address) => {
    await turn(true);
    const answer = await get(address);
    const headers = Object.fromEntries(answer.headers);
    expect(fixedIn({ pages: () => [] })).toContain(address);
    expect(copyOf(address, { status: answer.status, headers, body: new Uint8Array() })).toMatchObject({
      status: 301,
      headers: { location: `https://fed.brid.gy${address}` },
    });
  });

  test('no other address leads to Bridgy Fed', async () => {
    await turn(true);
    for (const address of ['/.well-known/nodeinfo', '/.well-known/webfinger/x', '//.well-known/webfinger'])
      expect((await get(address)).status).toBe(404);
  });
});

test('the built-in site needs a public address, a name and a photo, and has the redirects', async () => {
  await porchlight.call('settings.update', { profile: { name: 'Ada' } });
  const { site, findings, lines } = await porchlight.call('setup.checkBridge', {});
  expect(site).toBe(new URL(porchlight.base).host);
  expect(lines).toBeNull();
  expect(findings.map(({ id, level }) => [id, level])).toEqual([
    ['bridge.address', 'fail'],
    ['bridge.name', 'pass'],
    ['bridge.photo', 'warning'],
    ['bridge.redirect', 'pass'],
  ]);
});

describe('a site elsewhere', () => {
  const card =
    '<div class="h-card"><a class="p-name u-url" rel="me" href="/">Ada</a><img class="u-photo" src="/a.png"></div>';

  /** Publishes to a folder that a host serves as it is. */
  async function folder(files: Readonly<Record<string, string>>) {
    const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-bridge-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
      await writeFile(path.join(dir, file), text);
    }
    const host = await hostSite(() => path.join(dir, 'static'));
    onTestFinished(() => host.close());
    await porchlight.call('settings.update', {
      siteFolder: {
        on: true,
        path: dir,
        generator: 'hugo',
        baseUrl: host.baseUrl,
        ...usualTemplates('hugo'),
        media: 'porch',
        commit: false,
        push: false,
      },
    });
    return { dir, host };
  }
  const levels = async () => {
    const { findings, lines } = await porchlight.call('setup.checkBridge', {});
    return { lines, levels: Object.fromEntries(findings.map(({ id, level }) => [id, level])) };
  };

  test('without a redirects file needs lines, which the owner can paste', async () => {
    await folder({ 'hugo.toml': '', 'static/index.html': '<p>Hello</p>' });
    await turn(true);
    const found = await levels();
    expect(found.levels).toMatchObject({
      'bridge.name': 'fail',
      'bridge.photo': 'warning',
      'bridge.redirect': 'fail',
    });
    expect(found.lines).toBe(
      paths.map((address) => `${address} https://fed.brid.gy${address} 301`).join('\n'),
    );
  });

  test('gets the lines in its redirects file, which the check finds on the site, and loses them again', async () => {
    const { dir } = await folder({
      'hugo.toml': '',
      'static/index.html': card,
      'static/_redirects': '/mine /yours 301\n',
    });
    const written = () => readFile(path.join(dir, 'static/_redirects'), 'utf8');
    await turn(true);
    await vi.waitUntil(async () => (await written()).includes('fed.brid.gy'), patience);
    for (const address of paths)
      expect(await written()).toContain(`\n${address} https://fed.brid.gy${address} 301\n`);
    expect(await written()).toMatch(/\n\/mine \/yours 301\n$/);
    expect(await levels()).toMatchObject({
      lines: null,
      levels: { 'bridge.name': 'pass', 'bridge.photo': 'pass', 'bridge.redirect': 'pass' },
    });
    await turn(false);
    await vi.waitUntil(async () => (await written()) === '/mine /yours 301\n', patience);
    expect((await levels()).levels['bridge.redirect']).toBe('warning');
  });
});
