import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, onTestFinished } from 'vitest';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const passphrase = 'correct horse battery';

/** A house with a post and a file, in a folder that may be renamed beside. */
async function livedIn(): Promise<{ home: string; porchlight: Porchlight; url: string }> {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(() => porchlight.stop());
  const { url } = await note(porchlight, 'Before the backup');
  await porchlight.call('media.upload', { name: 'a.txt', data: 'aGVsbG8=' });
  return { home, porchlight, url };
}

const note = (porchlight: Porchlight, content: string) =>
  porchlight.call('posts.create', {
    content,
    photos: [],
    categories: ['tea'],
    visibility: 'public',
    status: 'published',
  });

const summaries = async (porchlight: Porchlight) =>
  (await porchlight.call('posts.list', {})).items.map(({ summary }) => summary);

const issue = async (porchlight: Porchlight) => {
  const { token } = await porchlight.call('apps.issueToken', { label: 'app', scopes: ['create'] });
  const [newest] = await porchlight.call('apps.list', {});
  return { id: newest!.id, token };
};

/** A house that has begun again with a backup, all of whose changes its owner accepted. */
async function restoredFrom(file: string, dataDir: string, words?: string): Promise<Porchlight> {
  await mkdir(dataDir, { recursive: true });
  const before = await startPorchlight({ dataDir });
  const { changes } = await before.call('data.restore', {
    path: file,
    ...(words !== undefined && { passphrase: words }),
  });
  await before.call('data.applyRestore', { accept: changes.map(({ setting }) => setting) });
  await before.stop();
  const after = await startPorchlight({ dataDir });
  onTestFinished(() => after.stop());
  return after;
}

/** What Micropub answers to each of these tokens. */
const statuses = (porchlight: Porchlight, tokens: readonly string[]) =>
  Promise.all(
    tokens.map(async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${porchlight.base}/micropub?q=config`, { headers })).status;
    }),
  );

describe('a backup', () => {
  test('holds posts and files but no secrets, a restore brings them back, and the replaced data is kept', async () => {
    const { home, porchlight } = await livedIn();
    const file = path.join(home, 'backup.zip');
    await mkdir(path.join(porchlight.dataDir, 'tunnel'), { recursive: true });
    await writeFile(path.join(porchlight.dataDir, 'tunnel', 'cloudflared'), 'a program');
    const ended = await issue(porchlight);
    const made = await porchlight.call('data.backup', { path: file });
    expect(made).toMatchObject({ path: file, secrets: false, problems: [], counts: { posts: 1, files: 1 } });
    await readingZip(file, ({ entries }) => {
      const names = [...entries.keys()];
      expect(names).toContain('data/profile.json');
      expect(names.filter((name) => /secret|\/lock\.|tunnel|\.tmp$|posts\/.*index/.test(name))).toEqual([]);
      return Promise.resolve();
    });
    await note(porchlight, 'After the backup');
    const later = await issue(porchlight);
    const { token } = await porchlight.call('secrets.managementToken', {});

    const ready = await porchlight.call('data.restore', { path: file });
    expect(ready).toMatchObject({ me: 'https://owner.example/', secrets: false, counts: { posts: 1 } });
    expect(ready.changes).toEqual([]);
    expect((await porchlight.call('status.get', {})).problems).toEqual([]);
    await porchlight.call('data.applyRestore', {});
    expect(await summaries(porchlight)).toEqual(['After the backup', 'Before the backup']);
    const { problems } = await porchlight.call('status.get', {});
    expect(problems).toMatchObject([{ code: 'restart_needed' }]);
    // Between the check and the start, when it is most easily forgotten.
    await porchlight.call('apps.revoke', { id: ended.id });
    await porchlight.stop();

    const again = await startPorchlight({ dataDir: porchlight.dataDir });
    onTestFinished(() => again.stop());
    expect(await summaries(again)).toEqual(['Before the backup']);
    // What was signed out since stays so, though the backup knows nothing of it.
    expect(await statuses(again, [ended.token, later.token])).toEqual([401, 200]);
    expect((await again.call('media.list', {})).items).toMatchObject([{ name: 'a.txt' }]);
    expect(await again.call('secrets.managementToken', {})).toEqual({ token });
    expect((await again.call('data.folder', {})).waiting).toBeNull();
    const names = await readdir(home);
    const kept = names.find((name) => name.startsWith('data.before-restore-'));
    expect(names.filter((name) => /restore-waiting|restore\.json/.test(name))).toEqual([]);
    expect(await readdir(path.join(home, kept ?? ''))).toEqual(
      expect.arrayContaining(['posts', 'media', 'profile.json', 'secrets.json']),
    );
  });

  test('a backup under a passphrase contains the secrets, and who was signed in only for a new computer', async () => {
    const { home, porchlight } = await livedIn();
    const file = path.join(home, 'backup.zip');
    const { token } = await porchlight.call('secrets.managementToken', {});
    const app = await issue(porchlight);
    await porchlight.call('data.backup', { path: file, passphrase });
    expect(await readFile(file, 'latin1')).not.toContain(token);
    const { token: renewed } = await porchlight.call('secrets.rotateManagementToken', {});
    await porchlight.call('apps.revoke', { id: app.id });
    const { dataDir } = porchlight;
    await porchlight.stop();

    const here = await restoredFrom(file, dataDir, passphrase);
    // It may have been renewed because somebody knew it.
    expect(await here.call('secrets.managementToken', {})).toEqual({ token: renewed });
    expect(renewed).not.toBe(token);
    expect(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('restored-');
    expect(await statuses(here, [app.token])).toEqual([401]);
    await here.stop();

    const elsewhere = async () => path.join(await temporaryFolder(), 'data');
    const withSecrets = await restoredFrom(file, await elsewhere(), passphrase);
    expect(await statuses(withSecrets, [app.token])).toEqual([200]);
    expect(await withSecrets.call('secrets.managementToken', {})).toEqual({ token });
    const without = await restoredFrom(file, await elsewhere());
    expect(await statuses(without, [app.token])).toEqual([401]);
    expect(await without.call('apps.list', {})).toEqual([]);
    expect(await summaries(without)).toEqual(['Before the backup']);
  }, 540_000);

  test('a backup of another computer brings neither its keys nor its apps unless the owner accepts them', async () => {
    const { home, porchlight } = await livedIn();
    const file = path.join(home, 'backup.zip');
    const app = await issue(porchlight);
    await porchlight.call('data.backup', { path: file, passphrase });
    const dataDir = path.join(await temporaryFolder(), 'data');
    await mkdir(dataDir);
    const other = await startPorchlight({ dataDir });
    const own = await other.call('secrets.managementToken', {});
    const ours = await issue(other);
    const { changes } = await other.call('data.restore', { path: file, passphrase });
    const guarded = changes.filter(({ setting }) => /^(?:secrets|apps)\./.test(setting));
    expect(guarded).toEqual([
      { setting: 'secrets.signingKey', here: true, there: true },
      { setting: 'secrets.managementToken', here: true, there: true },
      { setting: 'apps.signedIn', here: ['app'], there: ['app'] },
    ]);
    // Checked secrets are nowhere on the disk.
    expect(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('restored-');
    await other.call('data.applyRestore', {});
    await other.stop();

    const again = await startPorchlight({ dataDir });
    onTestFinished(() => again.stop());
    expect(await again.call('secrets.managementToken', {})).toEqual(own);
    expect(await statuses(again, [app.token, ours.token])).toEqual([401, 200]);
    expect(await summaries(again)).toEqual(['Before the backup']);
  }, 540_000);

  test('that is cancelled leaves nothing behind', async () => {
    const { home, porchlight } = await livedIn();
    const file = path.join(home, 'backup.zip');
    await porchlight.call('data.backup', { path: file });
    const checked = await porchlight.call('data.restore', { path: file });
    expect(await porchlight.call('data.folder', {})).toMatchObject({ checked, waiting: null });
    const blank = { checked: null, waiting: null, progress: null };
    expect(await porchlight.call('data.cancel', {})).toMatchObject(blank);
    expect((await readdir(home)).sort()).toEqual(['backup.zip', 'data']);
    await expect(porchlight.call('data.applyRestore', {})).rejects.toMatchObject({ code: 'nothing_checked' });

    await porchlight.call('data.restore', { path: file });
    const armed = await porchlight.call('data.applyRestore', {});
    expect(armed).toMatchObject({ checked: null, waiting: { task: 'restore' }, progress: null });
    expect(await porchlight.call('data.cancel', {})).toMatchObject(blank);
    expect((await readdir(home)).sort()).toEqual(['backup.zip', 'data']);
    expect((await porchlight.call('status.get', {})).problems).toEqual([]);
  });

  test('whose waiting folder is missing at the start leaves the data unchanged, and says so', async () => {
    const { home, porchlight } = await livedIn();
    const { dataDir } = porchlight;
    const file = path.join(home, 'backup.zip');
    await porchlight.call('data.backup', { path: file, passphrase });
    await porchlight.call('data.restore', { path: file, passphrase });
    await porchlight.call('data.applyRestore', {});
    await porchlight.stop();
    await rm(`${dataDir}.restore-waiting`, { recursive: true });

    const again = await startPorchlight({ dataDir });
    onTestFinished(() => again.stop());
    expect(await summaries(again)).toEqual(['Before the backup']);
    const { problems } = await again.call('status.get', {});
    expect(problems).toMatchObject([
      { code: 'restore_lost', message: expect.stringContaining('.restore-waiting') as unknown },
    ]);
    const { items } = await again.call('activity.list', {});
    expect(items.map(({ kind }) => kind)).not.toContain('data.restored');
    // Nothing of it is left: neither a note for a later start, nor secrets.
    expect((await readdir(home)).sort()).toEqual(['backup.zip', 'data']);
    expect(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('restored-');
  });

  test('a backup can’t be saved in the data folder, and a file that is cut off or isn’t a backup changes nothing', async () => {
    const { home, porchlight } = await livedIn();
    const inside = path.join(porchlight.dataDir, 'backup.zip');
    await expect(porchlight.call('data.backup', { path: inside })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const file = path.join(home, 'backup.zip');
    await porchlight.call('data.backup', { path: file });
    const whole = await readFile(file);
    await truncate(file, whole.length - 100);
    await expect(porchlight.call('data.restore', { path: file })).rejects.toMatchObject({
      code: 'not_a_backup',
    });
    await writeFile(file, 'a letter');
    await expect(porchlight.call('data.restore', { path: file })).rejects.toMatchObject({
      code: 'not_a_backup',
    });
    const turned = Buffer.from(whole);
    const [name = ''] = /posts\/\d{4}\/\d{2}\/[\w-]+\.json/.exec(turned.toString('latin1')) ?? [];
    // Within the content of a post, behind its name and date.
    const content = turned.indexOf(name) + name.length + 20;
    turned.fill(0x20, content, content + 10);
    await writeFile(file, turned);
    await expect(porchlight.call('data.restore', { path: file })).rejects.toMatchObject({
      code: 'backup_broken',
    });
    await rm(file);
    await expect(porchlight.call('data.restore', { path: file })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readdir(home)).toEqual(['data']);
    expect(await summaries(porchlight)).toEqual(['Before the backup']);
  });
});

describe('an export of everything', () => {
  test.each(['out', 'out.zip'])('writes posts, files, mentions and profile into %s', async (name) => {
    const { home, porchlight, url } = await livedIn();
    const target = path.join(home, name);
    const { counts } = await porchlight.call('data.export', { path: target });
    expect(counts).toMatchObject({ posts: 1, files: 1, mentions: 0, bytes: 5 });
    const { pathname } = new URL(url);
    const file = new RegExp(`^content/_posts/\\d{4}/\\d{2}/[0-9-]{10}-${pathname.split('/').at(-1)}[.]html$`);
    const text = name.endsWith('.zip')
      ? await readingZip(target, async (zip) => {
          const entry = [...zip.entries.values()].find(({ fileName }) => file.test(fileName));
          return (await zip.bytes(entry!, 10_000)).toString();
        })
      : await readFile(
          path.join(
            target,
            (await readdir(target, { recursive: true })).find((one) => file.test(one))!,
          ),
          'utf8',
        );
    expect(text).toContain('<p>Before the backup</p>');
    expect(text).toMatch(/^---\ntitle: "Before the backup"\n/);
    expect(text).toContain(`\nurl: "${pathname}/"\n`);
  });
});

describe('the weekly copy', () => {
  test('is made at once, contains no secrets, and reports a missing folder', async () => {
    const { home, porchlight } = await livedIn();
    const folder = path.join(home, 'weekly');
    await expect(porchlight.call('settings.update', { backup: { folder: 'weekly' } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await porchlight.call('settings.update', { backup: { folder } });
    await expect
      .poll(async () => (await porchlight.call('status.get', {})).problems)
      .toMatchObject([{ code: 'weekly_copy_failed' }]);
    await mkdir(folder);
    await porchlight.call('settings.update', { backup: { keep: 2 } });
    await expect.poll(async () => (await porchlight.call('data.folder', {})).lastWeekly).not.toBeNull();
    await expect.poll(async () => (await porchlight.call('status.get', {})).problems).toEqual([]);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^porchlight-weekly-owner\.example-/)]);
  });
});

describe('a caller of the owner’s methods', () => {
  test.each(['data.backup', 'data.export'] as const)(
    'no file is replaced by %s except a zip, and only its owner can read what is written',
    async (method) => {
      const { home, porchlight } = await livedIn();
      const letter = path.join(home, 'letter.zip');
      await writeFile(letter, 'Dear friend');
      await expect(porchlight.call(method, { path: letter })).rejects.toMatchObject({ code: 'file_exists' });
      expect(await readFile(letter, 'utf8')).toBe('Dear friend');
      const zip = path.join(home, 'copy.zip');
      await porchlight.call(method, { path: zip });
      await porchlight.call(method, { path: zip });
      expect((await stat(zip)).mode & 0o077).toBe(0);
    },
  );

  test('a backup needs a full path that ends in .zip', async () => {
    const { home, porchlight } = await livedIn();
    for (const file of ['backup.zip', path.join(home, '.bash_profile')])
      await expect(porchlight.call('data.backup', { path: file })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    expect(await readdir(home)).toEqual(['data']);
  });

  test('a pipe in place of a file makes nothing wait', async (context) => {
    if (process.platform === 'win32') return context.skip('no pipes with names in folders');
    const { home, porchlight } = await livedIn();
    const pipe = path.join(home, 'pipe.zip');
    execFileSync('mkfifo', [pipe]);
    await expect(porchlight.call('data.restore', { path: pipe })).rejects.toMatchObject({
      code: 'not_a_backup',
    });
  });

  test('everything is written to a folder that nobody else can enter', async () => {
    const { home, porchlight } = await livedIn();
    const folder = path.join(home, 'out');
    await porchlight.call('data.export', { path: folder });
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });
});
