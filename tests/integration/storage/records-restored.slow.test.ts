import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordsName } from '../../../src-main/storage/records/records-file.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { forgedBackup } from '../../support/forged-backup.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function house() {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  return { home, file: path.join(home, 'any.zip'), porchlight: await started(dataDir) };
}

async function started(dataDir: string): Promise<Porchlight> {
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(() => porchlight.stop());
  return porchlight;
}

/** Runs a query in the database of a folder that is not in use, or is read. */
function query({ dataDir }: Pick<Porchlight, 'dataDir'>, sql: string): unknown[] {
  const database = new DatabaseSync(path.join(dataDir, recordsName), { timeout: 5000 });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** Restores a backup, with the accepted changes. Returns Porchlight after the restart. */
async function restored(porchlight: Porchlight, file: string, accept: string[] = []): Promise<Porchlight> {
  await porchlight.call('data.restore', { path: file });
  await porchlight.call('data.applyRestore', { accept });
  await porchlight.stop();
  return started(porchlight.dataDir);
}

const line = (row: object) => `${JSON.stringify({ format: 1, ...row })}\n`;
const removals = "SELECT key FROM work WHERE kind = 'mailbox-removal'";
const ours = (key: string) =>
  `INSERT INTO work (kind, key, party, host, due, tries, early, state, payload) VALUES ('mailbox-removal', '${key}', '', '', 1, 0, 0, 'waiting', '{"names":[]}')`;

describe('what this computer knows of its mailbox', () => {
  test('is in no backup, and stays after a restore', async () => {
    const { porchlight, file } = await house();
    query(porchlight, ours('/posts/old'));
    await porchlight.call('data.backup', { path: file });
    const names = await readingZip(file, ({ entries }) => Promise.resolve([...entries.keys()]));
    expect(names.filter((name) => /mailbox|work/.test(name))).toEqual([]);
    query(porchlight, 'DELETE FROM work');
    query(porchlight, ours('/posts/new'));
    const again = await restored(porchlight, file);
    expect(query(again, removals)).toEqual([{ key: '/posts/new' }]);
  });

  test('the state of the mailbox does not come from a backup that somebody else made', async () => {
    const { porchlight, file } = await house();
    await forgedBackup(file, {
      'records/mailbox_server.jsonl': line({ one: 1, server: '0'.repeat(32), answered_at: 1 }),
      'records/work.jsonl': line({
        kind: 'mailbox-removal',
        key: '/posts/evil',
        party: '',
        host: '',
        due: 1,
        tries: 0,
        early: 0,
        state: 'waiting',
        payload: '{"names":[]}',
        words: null,
      }),
    });
    const again = await restored(porchlight, file);
    expect(query(again, removals)).toEqual([]);
    expect(query(again, 'SELECT * FROM mailbox_server')).toEqual([]);
  });
});

describe('the subscriptions to feeds in a backup', () => {
  const add = `INSERT INTO websub_subscriptions (callback, topic, secret, expires, has) VALUES`;
  const ends = '2099-01-01T00:00:00.000Z';
  const row = (name: string, secret: string) =>
    `${add} ('https://${name}.example/', 'https://t.example/', ${secret}, '${ends}', '')`;
  const subscriptions = 'SELECT callback, secret FROM websub_subscriptions ORDER BY seq';
  const [signed, plain] = [
    { callback: 'https://signed.example/', secret: 'pssst, a secret' },
    { callback: 'https://plain.example/', secret: null },
  ];
  const accept = ['websub.subscriptions'];
  const passphrase = 'correct horse battery';

  async function backedUp(options: { passphrase?: string } = {}) {
    const scene = await house();
    query(scene.porchlight, row('signed', `'${signed.secret}'`));
    query(scene.porchlight, row('plain', 'NULL'));
    await scene.porchlight.call('data.backup', { path: scene.file, ...options });
    query(scene.porchlight, 'DELETE FROM websub_subscriptions');
    query(scene.porchlight, row('here', "'kept'"));
    return scene;
  }

  test('subscriptions in a backup contain no secret in plain text, and are left out without their secrets', async () => {
    const { porchlight, file } = await backedUp();
    const lines = await readingZip(file, async (zip) => {
      const entry = zip.entries.get('data/records/websub_subscriptions.jsonl');
      if (entry === undefined) throw new Error('There is no such entry.');
      return (await zip.bytes(entry, 10_000)).toString();
    });
    expect(lines.split('\n')[0]).toContain('"secret":""');
    expect(lines).not.toContain('pssst');
    const { problems } = await porchlight.call('data.restore', { path: file });
    expect(problems.join()).toContain('One subscription to your feeds is left out');
    const again = await restored(porchlight, file, accept);
    expect(query(again, subscriptions)).toEqual([plain]);
  });

  test('subscriptions in a backup come back whole with the passphrase', async () => {
    const { porchlight, file } = await backedUp({ passphrase });
    const checked = await porchlight.call('data.restore', { path: file, passphrase });
    expect(checked.problems).toEqual([]);
    expect(checked.changes).toContainEqual({ setting: 'websub.subscriptions', here: 1, there: 2 });
    await porchlight.call('data.applyRestore', { accept });
    await porchlight.stop();
    expect(query(await started(porchlight.dataDir), subscriptions)).toEqual([signed, plain]);
  });

  test('replace none here, unless the owner accepts them', async () => {
    const { porchlight, file } = await backedUp();
    const again = await restored(porchlight, file);
    expect(query(again, subscriptions)).toEqual([{ callback: 'https://here.example/', secret: 'kept' }]);
  });

  test('are left out if no hub would have accepted them', async () => {
    const { porchlight, file } = await house();
    const good = { seq: 1, topic: 't', secret: null, expires: ends, has: '' };
    const callbacks = ['nothing', 'file:///etc/passwd', '', 'https://ok.example/'];
    const bad = { ...good, seq: 9, callback: 'https://late.example/', expires: 'never' };
    await forgedBackup(file, {
      'records/websub_subscriptions.jsonl':
        callbacks.map((callback, at) => line({ ...good, seq: at + 1, callback })).join('') + line(bad),
    });
    const again = await restored(porchlight, file, accept);
    expect(query(again, subscriptions)).toEqual([{ callback: 'https://ok.example/', secret: null }]);
  });
});

test('a backup blocks only domains, and unblocks nothing', async () => {
  const { porchlight, file } = await house();
  await porchlight.call('webmentions.blockDomain', { domain: 'spam.example' });
  const domains = ['other.example', 'Other.Example.', 'a b', '', 'https://x.example/'];
  await forgedBackup(file, {
    'records/blocked_sites.jsonl': domains.map((domain) => line({ domain })).join(''),
  });
  const { problems } = await porchlight.call('data.restore', { path: file });
  expect(problems).toEqual(['4 of the rows of “blocked_sites” can’t be read and are left out.']);
  const again = await restored(porchlight, file);
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['other.example', 'spam.example']);
});
