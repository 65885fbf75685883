import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConsole, type Console } from '../../../src-main/http/console.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { rawRequest } from '../../support/raw-request.ts';

let porchlight: Porchlight;
let ownersPage: Console;
let windowDir: string;

beforeAll(async () => {
  windowDir = await mkdtemp(path.join(tmpdir(), 'porchlight-window-'));
  await writeFile(path.join(windowDir, 'index.html'), '<!doctype html>');
  porchlight = await startPorchlight();
  const { owner, transfers } = porchlight.service;
  ownersPage = await openConsole({ owner, transfers, port: 0, windowDir, log: silentLog });
});
afterAll(async () => {
  await Promise.all([ownersPage.close(), porchlight.remove()]);
  await rm(windowDir, { recursive: true });
});

const metadata = '/.well-known/oauth-authorization-server';
const get = (target: string, ...lines: string[]) =>
  [`GET ${target} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n');

describe.each<[string, () => string, string]>([
  ['the public server', () => porchlight.base, metadata],
  ['the owner’s page', () => ownersPage.url, '/'],
])('a request to %s whose host is in doubt', (_where, base, target) => {
  const statuses = async (...lines: Parameters<typeof get>) =>
    (await rawRequest(base(), get(...lines))).statuses;
  const host = () => new URL(base()).host;

  test('a request with two Host headers is refused, even if they are the same', async () => {
    for (const other of ['evil.example', host(), ''])
      for (const name of ['Host', 'host', 'HOST']) {
        expect(await statuses(target, `Host: ${host()}`, `${name}: ${other}`)).toEqual([400]);
        expect(await statuses(target, `${name}: ${other}`, 'X: y', `Host: ${host()}`)).toEqual([400]);
      }
  });

  test.each([
    'a b',
    'a/b',
    'user@host',
    'a,b',
    'host:port',
    'host:80:80',
    'host:123456',
    '[::1',
    '::1',
    '[evil]',
    'http://a',
    'a\\b',
    '<a>',
    `${'a'.repeat(300)}.example`,
  ])('is refused if the Host is %j', async (garbage) => {
    expect(await statuses(target, `Host: ${garbage}`)).toEqual([400]);
  });

  test('is refused if it names the address of another host, or its own twice', async () => {
    for (const origin of ['http://evil.example', `http://${host()}`])
      expect(await statuses(`${origin}${target}`, `Host: ${host()}`)).toEqual([400]);
  });

  test('is answered if there is no doubt', async () => {
    expect(await statuses(target, `Host: ${host()}`)).toEqual([200]);
  });
});

test.each([
  'porch.example',
  'PORCH.example.',
  'under_score.example:8080',
  '127.0.0.1',
  '[::1]:4180',
  'xn--h-bga.example',
])('the public server takes the Host %s, as tunnels and proxies send it', async (host) => {
  expect((await rawRequest(porchlight.base, get(metadata, `Host: ${host}`))).statuses).toEqual([200]);
});
