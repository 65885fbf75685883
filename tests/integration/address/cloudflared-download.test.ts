import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadCloudflared } from '../../../src-main/address/tunnel/download.ts';
import { cloudflaredAssets } from '../../../src-main/address/tunnel/cloudflared.ts';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { beforeBreak, releaseServer, type ReleaseServer } from '../../support/release-server.ts';
import { fakeCloudflared, namedTunnel, tunnelScene } from '../../support/tunnel-scene.ts';

const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
const file = randomBytes(400_000);
let folder: string;
let server: ReleaseServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-download-'));
  server = await releaseServer(file);
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function download(from: Pick<ReleaseServer, 'origin' | 'asset'> = server) {
  const progress: [number, number | null][] = [];
  const path = downloadCloudflared({
    folder,
    fetch,
    origin: from.origin,
    asset: from.asset,
    signal: new AbortController().signal,
    onProgress: (received, total) => progress.push([received, total]),
  });
  return { path, progress };
}

const partSize = async () => (await stat(join(folder, 'cloudflared-test.part'))).size;

/** A download that is interrupted when a part of it is on disk. */
async function breakOff(from: ReleaseServer = server): Promise<void> {
  const { path } = download(from);
  const refusal = expect(path).rejects.toMatchObject({ code: 'download_interrupted' });
  await expect.poll(() => partSize().catch(() => 0), { timeout: 90_000 }).toBe(beforeBreak);
  server.breakOff();
  await refusal;
}

describe('the download of cloudflared', { timeout: 180_000 }, () => {
  test('is complete, executable by its owner only, and reports its progress', async () => {
    const { path, progress } = download();
    const program = await path;
    expect((await readFile(program)).equals(file)).toBe(true);
    if (process.platform !== 'win32') expect((await stat(program)).mode & 0o777).toBe(0o700);
    expect(progress[0]).toEqual([0, file.length]);
    expect(progress.at(-1)).toEqual([file.length, file.length]);
    expect(await readdir(folder)).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({ 'accept-encoding': 'identity' });
  });

  test('resumes where it was interrupted', async () => {
    server.next('break', 'whole');
    await breakOff();
    const have = await partSize();
    expect(have).toBe(beforeBreak);
    const { path, progress } = download();
    expect((await readFile(await path)).equals(file)).toBe(true);
    expect(server.asked[1]).toMatchObject({ range: `bytes=${have}-`, 'if-range': '"one"' });
    expect(progress[0]).toEqual([have, file.length]);
  });

  test('starts again if the file on the server has changed', async () => {
    server.next('break', 'whole');
    await breakOff();
    server.tag = '"two"';
    expect((await readFile(await download().path)).equals(file)).toBe(true);
  });

  test.each([null, 'W/"weak"'])(
    'starts again if the server cannot promise the same bytes (tag %s)',
    async (tag) => {
      server.tag = tag;
      server.next('break', 'whole');
      await breakOff();
      expect((await readFile(await download().path)).equals(file)).toBe(true);
      expect(server.asked[1]).not.toHaveProperty('range');
    },
  );

  test('a part that is already complete is not requested again', async () => {
    await writeFile(join(folder, 'cloudflared-test.part'), file);
    expect((await readFile(await download().path)).equals(file)).toBe(true);
    expect(server.asked).toEqual([]);
  });

  test('only the bytes that Cloudflare published become a program, and others are deleted', async () => {
    server.next('other bytes');
    await expect(download().path).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('discarded it') as string,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a part that was tampered with is detected at the end of the download', async () => {
    server.next('break', 'whole');
    await breakOff();
    await writeFile(join(folder, 'cloudflared-test.part'), randomBytes(await partSize()));
    await expect(download().path).rejects.toMatchObject({ code: 'download_failed' });
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    [404, 'download_failed'],
    [503, 'download_interrupted'],
    [429, 'download_interrupted'],
  ])('a server that answers %i: %s', async (status, code) => {
    server.next(status);
    await expect(download().path).rejects.toMatchObject({
      code,
      message: expect.stringContaining(String(status)) as string,
    });
  });

  test('a part that the server cannot resume is discarded', async () => {
    server.next('break', 416, 'whole');
    await breakOff();
    await expect(download().path).rejects.toMatchObject({ code: 'download_interrupted' });
    expect((await readFile(await download().path)).equals(file)).toBe(true);
    expect(server.asked[2]).not.toHaveProperty('range');
  });

  test('a redirect to another place resumes the download there', async () => {
    const door = await releaseServer(file, { redirectTo: server.origin });
    server.next('break', 'whole');
    await breakOff(door);
    expect((await readFile(await download(door).path)).equals(file)).toBe(true);
    expect(server.asked[1]).toHaveProperty('range');
    await door.close();
  });

  test('a folder that cannot be written to is reported with a message', async () => {
    await writeFile(join(folder, 'file'), '');
    folder = join(folder, 'file');
    await expect(download().path).rejects.toMatchObject({ code: 'download_failed' });
    folder = join(folder, '..');
  });

  test('the program of an earlier release is deleted', async () => {
    await writeFile(join(folder, 'cloudflared-2020.1.0'), 'old');
    const program = await download().path;
    expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([program]);
  });

  test.skipIf(process.platform === 'win32')('an archive is unpacked', async () => {
    await writeFile(join(folder, 'cloudflared'), 'the program');
    execFileSync('tar', ['-czf', join(folder, 'archive'), '-C', folder, 'cloudflared']);
    const archive = await releaseServer(await readFile(join(folder, 'archive')), { packed: true });
    const program = await download(archive).path;
    expect(await readFile(program, 'utf8')).toBe('the program');
    expect((await stat(program)).mode & 0o777).toBe(0o700);
    await archive.close();
  });

  test('each download has a checksum of its own', () => {
    // Two systems may have the same download.
    const sums = [...new Set(Object.values(cloudflaredAssets))].map(({ sha256 }) => sha256);
    expect(new Set(sums).size).toBe(sums.length);
    for (const sum of sums) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe.skipIf(process.platform === 'win32')('a tunnel without cloudflared', { timeout: 180_000 }, () => {
  const script = Buffer.from(`#!/bin/sh\nexec '${process.execPath}' '${fakeCloudflared}' "$@"\n`);
  const nowhere = (env: Record<string, string>) => ({ ...env, PATH: '' });

  test('downloads it, with progress, and then runs it', async () => {
    const scene = await tunnelScene();
    const release = await releaseServer(script);
    const { tunnel, heard, upTo } = scene.open('', { env: nowhere(scene.env('connect')), release });
    await tunnel.start(namedTunnel);
    await upTo(({ state }) => state === 'connected');
    expect([...new Set(heard.map(({ state }) => state))]).toEqual(['starting', 'downloading', 'connected']);
    expect(heard.find(({ progress }) => progress?.total === script.length)?.state).toBe('downloading');
    expect(heard.at(-1)?.progress).toBeNull();
    await tunnel.start(namedTunnel);
    expect(release.asked).toHaveLength(1);
    await scene.close();
    await release.close();
  });

  test('retries by itself after an interrupted download', async () => {
    const scene = await tunnelScene();
    const release = await releaseServer(script);
    release.next(503, 'whole');
    const { tunnel, heard, upTo } = scene.open('', { env: nowhere(scene.env('connect')), release });
    await tunnel.start(namedTunnel);
    await upTo(({ state }) => state === 'connected');
    expect(heard.find(({ reason }) => reason === 'download_failed')).toMatchObject({ state: 'reconnecting' });
    await scene.close();
    await release.close();
  });

  test('stops if the download is not the file that Cloudflare published', async () => {
    const scene = await tunnelScene();
    const release = await releaseServer(script);
    release.next('other bytes');
    const { tunnel, upTo } = scene.open('', { env: nowhere(scene.env('connect')), release });
    await tunnel.start(namedTunnel);
    expect(await upTo(({ state }) => state === 'failed')).toMatchObject({
      reason: 'download_failed',
      progress: null,
    });
    expect(scene.starts()).toEqual([]);
    await scene.close();
    await release.close();
  });

  test('says so if there is no download for this computer', async () => {
    const scene = await tunnelScene();
    const { tunnel } = scene.open('', { env: nowhere(scene.env('connect')), release: null });
    await tunnel.start(namedTunnel);
    expect(tunnel.status()).toMatchObject({ state: 'failed', reason: 'binary_missing' });
    await scene.close();
  });
});
