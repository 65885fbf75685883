import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchCloudflared } from '../../../scripts/package.ts';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { openSite, type Site } from '../../support/client-app.ts';

let folder: string;
let host: Site;
let visits = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'porchlight-cloudflared-'));
  host = await openSite();
  visits = 0;
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

const program = '#!/bin/sh\necho cloudflared\n';
const target = (platform: NodeJS.Platform = 'linux') => ({
  platform,
  arch: 'x64',
  folder: join(folder, 'out'),
  cache: join(folder, 'cache'),
});

/** A release of one asset, as the host has it; pinned by its own checksum unless another is given. */
function release(platform: string, bytes: Buffer, packed: boolean, pinned = bytes) {
  host.pages.set('/asset', (_request, response) => {
    visits += 1;
    response.end(bytes);
  });
  const sha256 = createHash('sha256').update(pinned).digest('hex');
  return {
    assets: { [`${platform}-x64`]: { name: 'asset', sha256, packed } },
    origin: `${host.origin}/`,
    fetch: createGuardedFetch({ allowPrivate: true, userAgent: 'test' }),
  };
}

test('the program is executable, and is downloaded once', async () => {
  const source = release('linux', Buffer.from(program), false);
  await fetchCloudflared(target(), source);
  await fetchCloudflared(target(), source);
  const path = join(folder, 'out/cloudflared');
  expect(readFileSync(path, 'utf8')).toBe(program);
  expect(statSync(path).mode & 0o111).toBe(0o111);
  expect(visits).toBe(1);
});

test('it is unpacked if it is in an archive', async () => {
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  writeFileSync(join(packed, 'cloudflared'), program);
  const { stdout } = spawnSync('tar', ['-czf', '-', '-C', packed, 'cloudflared']);
  await fetchCloudflared(target('darwin'), release('darwin', stdout, true));
  expect(readFileSync(join(folder, 'out/cloudflared'), 'utf8')).toBe(program);
});

test('a file with another checksum is not kept, and the earlier file is deleted too', async () => {
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out/cloudflared'), 'of an older release');
  const source = release('linux', Buffer.from('something else'), false, Buffer.from(program));
  await expect(fetchCloudflared(target(), source)).rejects.toThrow('isn’t the one that Cloudflare published');
  expect(readdirSync(folder)).toEqual(['cache']);
  expect(readdirSync(join(folder, 'cache/linux-x64'))).toEqual([]);
});

test('a file that the host lacks, and a system without a program, are reported with a message', async () => {
  const source = release('linux', Buffer.from(program), false);
  host.pages.clear();
  await expect(fetchCloudflared(target(), source)).rejects.toThrow('responded with status 404');
  await expect(fetchCloudflared(target('freebsd'), source)).rejects.toThrow('no cloudflared for freebsd');
});
