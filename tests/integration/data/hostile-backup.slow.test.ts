import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { deliveryTable } from '../../../src-main/mentions/sending/deliveries.ts';
import { cloudflaredVersion } from '../../../src-main/address/tunnel/cloudflared.ts';
import { forgedBackup } from '../../support/forged-backup.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { workOf } from '../../support/work-rows.ts';
import { receivedTable } from '../../../src-main/mentions/receiving/received-mentions.ts';
import { rowsIn } from '../../../src-main/storage/records/closed-records.ts';

/** A house in a folder that may be renamed beside. */
async function house(): Promise<{ home: string; porchlight: Porchlight }> {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(() => porchlight.stop());
  return { home, porchlight };
}

async function restart(porchlight: Porchlight): Promise<Porchlight> {
  await porchlight.stop();
  const again = await startPorchlight({ dataDir: porchlight.dataDir });
  onTestFinished(() => again.stop());
  return again;
}

/** Settings that trust more, reach elsewhere or tell more than those of a new computer. */
const hostileSettings = {
  format: 2,
  signIn: { accessTokenSeconds: 315_360_000, refreshTokenSeconds: 315_360_000, allowWithoutPkce: true },
  micropub: {
    categories: ['tea'],
    channels: [],
    syndicateTo: [{ uid: 'https://evil.example/', name: 'Everywhere' }],
    mediaLimitBytes: 1_000_000_000_000,
    removePhotoMetadata: false,
  },
  webmention: {
    hosts: ['evil.example'],
    hold: 'nothing',
    trustedDomains: ['evil.example'],
    aggregatorUrl: 'https://evil.example',
    catchUp: false,
  },
  tunnel: { mode: 'off', hostname: '', publicUrl: 'https://evil.example' },
  desktop: { startAtLogin: true, notifications: false, sound: true },
  backup: { folder: '', keep: 1 },
};

describe('a backup that somebody else made', () => {
  test('checking a backup schedules nothing and changes nothing that this computer trusts, reaches or sends', async () => {
    const { home, porchlight } = await house();
    await porchlight.call('settings.update', { webmention: { hold: 'everything' } });
    const before = await porchlight.call('settings.get', {});
    const file = path.join(home, 'forged.zip');
    await forgedBackup(file, { 'settings.json': JSON.stringify(hostileSettings) });
    await porchlight.call('data.restore', { path: file });
    expect((await porchlight.call('data.folder', {})).waiting).toBeNull();
    const again = await restart(porchlight);
    expect(await again.call('settings.get', {})).toEqual(before);
  });

  test('everything that changes trust, reach or privacy is listed, and nothing that isn’t ticked takes effect', async () => {
    const { home, porchlight } = await house();
    const before = await porchlight.call('settings.get', {});
    const file = path.join(home, 'forged.zip');
    await forgedBackup(file, {
      'settings.json': JSON.stringify(hostileSettings),
      'server.json': JSON.stringify({ format: 1, port: 4444 }),
      'self-test.json': JSON.stringify({ format: 1, last: null }),
    });
    const { changes } = await porchlight.call('data.restore', { path: file });
    expect(changes.map(({ setting }) => setting)).toEqual([
      'profile.me',
      'signIn.accessTokenSeconds',
      'signIn.refreshTokenSeconds',
      'signIn.allowWithoutPkce',
      'micropub.syndicateTo',
      'micropub.mediaLimitBytes',
      'micropub.removePhotoMetadata',
      'webmention.trustedDomains',
      'webmention.hosts',
      'webmention.aggregatorUrl',
      'webmention.catchUp',
      'tunnel.publicUrl',
      'desktop.startAtLogin',
      'desktop.notifications',
      'backup.keep',
      'server.port',
    ]);
    expect(changes).toContainEqual({ setting: 'signIn.allowWithoutPkce', here: false, there: true });
    await expect(porchlight.call('data.applyRestore', { accept: ['webmention.hold'] })).rejects.toMatchObject(
      { code: 'invalid_request' },
    );
    await porchlight.call('data.applyRestore', { accept: ['webmention.trustedDomains'] });
    // What the owner changes before the restart counts, not what was here at the check.
    await porchlight.call('settings.update', { webmention: { hold: 'everything' } });
    const again = await restart(porchlight);
    const after = await again.call('settings.get', {});
    expect(after).toEqual({
      ...before,
      micropub: { ...before.micropub, categories: ['tea'] },
      webmention: { ...before.webmention, hold: 'everything', trustedDomains: ['evil.example'] },
      desktop: { ...before.desktop, sound: true },
    });
    const metadata = await fetch(`${again.base}/.well-known/oauth-authorization-server`);
    expect(await metadata.text()).not.toContain('evil.example');
    // No version of the settings that the owner never saw waits for a recovery.
    const names = await readdir(porchlight.dataDir);
    expect(names).not.toContain('settings.json.previous');
    expect(names).not.toContain('self-test.json');
  });

  test('brings none of the keys that this version does not know', async () => {
    const { home, porchlight } = await house();
    const file = path.join(home, 'forged.zip');
    const unknown = {
      plugins: { run: '/tmp/evil' },
      signIn: { ...hostileSettings.signIn, skip: '/tmp/evil' },
    };
    await forgedBackup(file, { 'settings.json': JSON.stringify({ ...hostileSettings, ...unknown }) });
    await porchlight.call('data.restore', { path: file });
    await porchlight.call('data.applyRestore', { accept: ['signIn.allowWithoutPkce'] });
    const again = await restart(porchlight);
    expect((await again.call('settings.get', {})).signIn.allowWithoutPkce).toBe(true);
    expect(await readFile(path.join(again.dataDir, 'settings.json'), 'utf8')).not.toContain('/tmp/evil');
  });

  test('is refused if its settings have a public address that no owner could save', async () => {
    const { home, porchlight } = await house();
    const file = path.join(home, 'forged.zip');
    const tunnel = { mode: 'off', hostname: '', publicUrl: 'http://evil.example/x' };
    await forgedBackup(file, { 'settings.json': JSON.stringify({ ...hostileSettings, tunnel }) });
    await expect(porchlight.call('data.restore', { path: file })).rejects.toThrow();
    expect((await readdir(home)).sort()).toEqual(['data', 'forged.zip']);
  });

  test('a backup from somebody else sends and verifies nothing, and unblocks no site, unless the owner accepts it', async () => {
    const { home, porchlight } = await house();
    await porchlight.call('webmentions.blockDomain', { domain: 'spam.example' });
    await porchlight.call('webmentions.blockPerson', { author: 'https://social.example/@bo' });
    const moment = '2026-11-20T08:00:00.000Z';
    const waiting = {
      format: 1,
      token: 't1',
      source: 'http://127.0.0.1:9/a',
      target: 'https://owner.example/',
      received: moment,
      state: 'waiting',
      tried: null,
      words: null,
    };
    const entry = {
      format: 1,
      path: '/posts/2026/11/a',
      target: 'http://127.0.0.1:9/b',
      state: 'waiting',
      words: '',
      at: moment,
      linked: 1,
      told: 0,
      told_from: null,
      not_before: '2100-01-01T00:00:00.000Z',
      for_responses: 0,
      more_responses: 0,
      status_page: null,
      copy: null,
    };
    const picture = {
      format: 1,
      kind: 'mention-picture',
      key: 'p',
      party: '127.0.0.1:9',
      host: '127.0.0.1:9',
      due: 4_000_000_000_000,
      tries: 0,
      early: 0,
      state: 'planned',
      words: null,
      payload: '{"url":"http://127.0.0.1:9/p.png","kind":"avatar"}',
    };
    const file = path.join(home, 'forged.zip');
    await forgedBackup(file, {
      'records/blocked_sites.jsonl': '{"format":1,"domain":"other.example"}\n',
      'records/blocked_people.jsonl': '{"format":1,"author":"https://other.example/"}\n',
      'records/received_mentions.jsonl': `${JSON.stringify(waiting)}\n`,
      'records/deliveries.jsonl': `${JSON.stringify(entry)}\n`,
      'records/work.jsonl': `${JSON.stringify(picture)}\n`,
    });
    const { changes } = await porchlight.call('data.restore', { path: file });
    const state = changes.filter(({ setting }) => setting !== 'profile.me');
    expect(state).toEqual([
      {
        setting: 'webmention.blockedDomains',
        here: ['https://social.example/@bo', 'spam.example'],
        there: ['https://other.example/', 'other.example'],
      },
      { setting: 'webmention.queue', here: 0, there: 1 },
      { setting: 'webmention.outbox', here: 0, there: 1 },
    ]);
    await porchlight.call('data.applyRestore', {});
    const again = await restart(porchlight);
    expect(await again.call('webmentions.blockedDomains', {})).toEqual(['other.example', 'spam.example']);
    expect(await again.call('webmentions.blockedPeople', {})).toEqual([
      'https://other.example/',
      'https://social.example/@bo',
    ]);
    expect(await workOf(again.dataDir, 'mention-picture')).toEqual([]);
    expect(await rowsIn(again.dataDir, receivedTable)).toEqual([]);
    expect(await rowsIn(again.dataDir, deliveryTable)).toEqual([]);
  });

  test.each([
    `tunnel/cloudflared-${cloudflaredVersion}.exe`,
    'tunnel/running.json',
    'Tunnel/running.json',
    'secrets.json',
    'Secrets.JSON',
    '\u017fecrets.json',
    'secrets.json.',
    'LOCK.json',
    'records.sqlite',
    'Records.SQLITE-wal',
    'records.snapshot.sqlite',
    '../escaped.json',
  ])(
    'a backup from somebody else brings no program, no keys and nothing that belongs to this computer: %s',
    async (name) => {
      const { home, porchlight } = await house();
      const file = path.join(home, 'forged.zip');
      await forgedBackup(file, { [name]: '{"pid":1}' });
      await expect(porchlight.call('data.restore', { path: file })).rejects.toMatchObject({
        code: 'backup_broken',
      });
      expect((await readdir(home)).sort()).toEqual(['data', 'forged.zip']);
    },
  );

  test('a backup signs nobody in: without its secrets, a revoked app stays out', async () => {
    const { home, porchlight } = await house();
    await porchlight.call('apps.issueToken', { label: 'Stolen', scopes: ['create'] });
    const [{ id } = { id: '' }] = await porchlight.call('apps.list', {});
    const file = path.join(home, 'own.zip');
    await porchlight.call('data.backup', { path: file });
    const names = await readingZip(file, ({ entries }) => Promise.resolve([...entries.keys()]));
    expect(names).toContain('data/records/grants.jsonl');
    await porchlight.call('apps.revoke', { id });
    await porchlight.call('data.restore', { path: file });
    await porchlight.call('data.applyRestore', {});
    const again = await restart(porchlight);
    expect(await again.call('apps.list', {})).toEqual([]);
    expect((await again.call('settings.get', {})).profile.me).toBe('https://owner.example/');
  });

  test('a backup from somebody else can’t send a secret of this computer, or copies of its data, elsewhere', async () => {
    const { home, porchlight } = await house();
    const folder = path.join(home, 'weekly');
    await mkdir(folder);
    await porchlight.call('settings.update', { backup: { folder }, webmention: { catchUp: false } });
    await expect
      .poll(async () => (await porchlight.call('data.folder', {})).progress)
      .toMatchObject({ task: 'weekly', state: 'done' });
    await porchlight.call('secrets.setAggregatorToken', { token: 'a-token-of-the-owner' });
    const settings = JSON.parse(await readFile(path.join(porchlight.dataDir, 'settings.json'), 'utf8')) as {
      backup: { folder: string };
      webmention: { aggregatorUrl: string };
    };
    settings.backup.folder = path.join(home, 'stranger');
    settings.webmention.aggregatorUrl = 'https://stranger.example';
    const file = path.join(home, 'forged.zip');
    await forgedBackup(file, { 'settings.json': JSON.stringify(settings) });

    const { changes } = await porchlight.call('data.restore', { path: file });
    expect(changes).toEqual([
      { setting: 'profile.me', here: 'https://owner.example/', there: null },
      {
        setting: 'webmention.aggregatorUrl',
        here: 'https://webmention.io',
        there: 'https://stranger.example',
      },
      { setting: 'backup.folder', here: folder, there: path.join(home, 'stranger') },
    ]);
    await porchlight.call('data.applyRestore', {});
    const again = await restart(porchlight);
    const { backup, webmention } = await again.call('settings.get', {});
    expect(backup.folder).toBe(folder);
    expect(webmention.aggregatorUrl).toBe('https://webmention.io');
  });
});

describe('an older backup of the owner’s own', () => {
  test('an older backup does not bring back what was deleted or made private since, unless the owner accepts it', async () => {
    const { home, porchlight } = await house();
    const post = (content: string) =>
      porchlight.call('posts.create', {
        content,
        photos: [],
        categories: [],
        visibility: 'public',
        status: 'published',
      });
    const [gone, stays] = [await post('Regretted'), await post('Kept')];
    const { url } = await porchlight.call('media.upload', { name: 'a.txt', data: 'aGVsbG8=' });
    const file = path.join(home, 'own.zip');
    await porchlight.call('data.backup', { path: file });
    await porchlight.call('posts.delete', { url: gone.url });
    await porchlight.call('media.delete', { url });
    const { changes } = await porchlight.call('data.restore', { path: file });
    expect(changes).toEqual([
      { setting: 'posts.withdrawn', here: 0, there: 1 },
      { setting: 'media.deleted', here: 0, there: 1 },
    ]);
    await porchlight.call('data.applyRestore', {});
    const again = await restart(porchlight);
    const status = async (address: string) =>
      (await fetch(new URL(new URL(address).pathname, again.base))).status;
    expect(await status(gone.url)).toBe(410);
    expect(await status(stays.url)).toBe(200);
    expect([404, 410]).toContain(await status(url));
    expect((await again.call('media.list', {})).items).toEqual([]);
  });
});
