import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { archiveUploadBytes } from '../../../src-main/contract/data.ts';
import { openConsole, type Console } from '../../../src-main/http/console.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { transfersName } from '../../../src-main/storage/kept-paths.ts';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let porchlight: Porchlight;
let ownersPage: Console;
let windowDir: string;
beforeAll(async () => {
  windowDir = await mkdtemp(path.join(tmpdir(), 'porchlight-window-'));
  porchlight = await startPorchlight();
  const { owner, transfers } = porchlight.service;
  ownersPage = await openConsole({ owner, transfers, port: 0, windowDir, log: silentLog });
});
afterAll(async () => {
  await ownersPage.close();
  await porchlight.remove();
  await rm(windowDir, { recursive: true });
});

const key = () => ({ authorization: `Bearer ${ownersPage.ownerKey}` });
const binary = { 'content-type': 'application/octet-stream' };
const folder = () => path.join(porchlight.dataDir, transfersName);
const download = (id: string, init?: RequestInit) => fetch(`${ownersPage.url}/api/download/${id}`, init);
const lastBackup = async () => (await porchlight.call('data.folder', {})).lastBackup;

/** The files that are on their way now. */
const underWay = async () =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((one) => one.isFile())
    .map(({ name }) => name);

const upload = (
  body: NonNullable<RequestInit['body']>,
  { name = 'archive.zip', headers = key() }: { name?: string; headers?: Record<string, string> } = {},
) =>
  fetch(`${ownersPage.url}/api/upload?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { ...binary, ...headers },
    body,
  });

async function uploaded(content: string, name?: string): Promise<string> {
  const response = await upload(content, { ...(name !== undefined && { name }) });
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as { result: { path: string } };
  return result.path;
}

describe('a backup for the owner’s browser', () => {
  test('is downloaded once, with the id alone, and is gone afterwards', async () => {
    const { id, name } = await porchlight.call('data.download', { what: 'backup' });
    expect(name).toMatch(/^porchlight-backup-\d{4}-\d\d-\d\d\.zip$/);
    expect(await underWay()).toEqual([name]);
    const response = await download(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const saved = path.join(windowDir, name);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    await writeFile(saved, bytes);
    await readingZip(saved, ({ entries }) => {
      expect([...entries.keys()]).toContain('data/settings.json');
      expect([...entries.keys()].filter((entry) => entry.includes('transfers'))).toEqual([]);
      return Promise.resolve();
    });
    expect((await download(id)).status).toBe(404);
    await expect.poll(underWay).toEqual([]);
    await expect.poll(async () => (await lastBackup())?.bytes).toBe(bytes.length);
    expect(await lastBackup()).toMatchObject({ path: null, secrets: false });
  });

  test('that the browser doesn’t fetch to its end is gone too, and doesn’t count as a backup', async () => {
    const before = await lastBackup();
    const { id } = await porchlight.call('data.download', {
      what: 'backup',
      passphrase: 'a long passphrase',
    });
    await new Promise<void>((resolve) => {
      request(`${ownersPage.url}/api/download/${id}`, (response) => {
        response.destroy();
        resolve();
      }).end();
    });
    await expect.poll(underWay).toEqual([]);
    // A small file may be on its way before the connection ends.
    const after = await lastBackup();
    expect(after === before || after?.secrets === true || after?.madeAt === before?.madeAt).toBe(true);
  });

  test('is given to no other site, under no other Host, and not to a HEAD request', async () => {
    const { id } = await porchlight.call('data.download', { what: 'export' });
    expect((await download(id, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await download(id, { method: 'HEAD' })).status).toBe(405);
    const forged = await new Promise<number | undefined>((resolve) => {
      const headers = { host: 'evil.example' };
      request(`${ownersPage.url}/api/download/${id}`, { headers }, ({ statusCode }) =>
        resolve(statusCode),
      ).end();
    });
    expect(forged).toBe(403);
    expect((await download('another')).status).toBe(404);
    expect((await download(id)).status).toBe(200);
  });

  test('that nobody fetches is gone at the next start', async () => {
    const other = await startPorchlight();
    onTestFinished(() => other.remove());
    await other.call('data.download', { what: 'export' });
    const left = path.join(other.dataDir, transfersName);
    await access(left);
    await other.stop();
    const again = await startPorchlight({ dataDir: other.dataDir });
    onTestFinished(() => again.remove());
    await expect(access(left)).rejects.toThrow();
  });
});

describe('a file from the owner’s browser', () => {
  test('is stored with its name and is readable only by its owner', async () => {
    const file = await uploaded('some bytes', '../../état/my archive.zip');
    expect(path.basename(file)).toBe('-..-état-my archive.zip');
    expect(path.dirname(path.dirname(file))).toBe(folder());
    expect(await readFile(file, 'utf8')).toBe('some bytes');
  });

  test('replaces an earlier file that is not in use', async () => {
    const first = await uploaded('first');
    const second = await uploaded('second');
    await expect(access(first)).rejects.toThrow();
    expect(await readFile(second, 'utf8')).toBe('second');
  });

  test('needs the owner key', async () => {
    const before = await underWay();
    expect((await upload('x', { headers: {} })).status).toBe(401);
    expect((await upload('x', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await upload('x', { headers: { ...key(), origin: 'https://evil.example' } })).status).toBe(403);
    expect(await underWay()).toEqual(before);
  });

  test('that is too large or has no length is refused before it arrives', async () => {
    const before = await underWay();
    const statusOf = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(
          `${ownersPage.url}/api/upload?name=a.zip`,
          { method: 'POST', headers: { ...key(), ...binary, ...headers } },
          ({ statusCode }) => {
            resolve(statusCode);
            sent.destroy();
          },
        );
        sent.on('error', reject);
        sent.write('the beginning');
      });
    expect(await statusOf({ 'content-length': String(archiveUploadBytes + 1) })).toBe(413);
    expect(await statusOf({ 'transfer-encoding': 'chunked' })).toBe(411);
    expect(await underWay()).toEqual(before);
  });

  test('that doesn’t fit on the disk is refused before it arrives, and the owner reads why', async () => {
    const { transfers } = porchlight.service;
    const content = (async function* () {
      await Promise.reject(new Error('Nobody reads the file.'));
      yield new Uint8Array();
    })();
    await expect(transfers.receive({ name: 'a.zip', bytes: 1e18, content })).rejects.toMatchObject({
      code: 'storage_full',
      status: 507,
    });
  });

  test('that is empty or has no name is refused with the reason', async () => {
    const empty = await upload('');
    expect(empty.status).toBe(400);
    expect(await empty.json()).toMatchObject({
      error: { code: 'invalid_request', message: 'The file is empty.' },
    });
    expect((await upload('x', { name: '' })).status).toBe(400);
    expect((await upload('{}', { headers: { ...key(), 'content-type': 'application/json' } })).status).toBe(
      400,
    );
  });

  test('is gone after a backup in it was checked, and stays while a passphrase may be missing', async () => {
    const { id } = await porchlight.call('data.download', {
      what: 'backup',
      passphrase: 'a long passphrase',
    });
    const backup = Buffer.from(await (await download(id)).arrayBuffer());
    const { result } = (await (await upload(backup)).json()) as { result: { path: string } };
    const wrong = { path: result.path, passphrase: 'another passphrase' };
    await expect(porchlight.call('data.restore', wrong)).rejects.toMatchObject({ code: 'wrong_passphrase' });
    await access(result.path);
    await porchlight.call('data.restore', { ...wrong, passphrase: 'a long passphrase' });
    await expect(access(result.path)).rejects.toThrow();
    await porchlight.call('data.cancel', { what: 'waiting' });
  });

  test('is gone after it was imported, but not after a check', async () => {
    const post = {
      url: 'https://me.example/1',
      content_html: '<p>Hello</p>',
      date_published: '2020-01-02T03:04:05Z',
      id: '1',
    };
    const feed = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Feed',
      items: [post],
    });
    const file = await uploaded(feed, 'feed.json');
    await porchlight.call('posts.import', { path: file, format: 'auto', dryRun: true });
    await access(file);
    const { imported } = await porchlight.call('posts.import', { path: file, format: 'auto' });
    expect(imported).toBe(1);
    await expect(access(file)).rejects.toThrow();
    const { items } = await porchlight.call('posts.imports', {});
    expect(items[0]).toMatchObject({ isUpload: true });
  });
});
