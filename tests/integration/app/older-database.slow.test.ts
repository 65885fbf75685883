import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { counts } from '../../support/answers.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function started(dataDir?: string, port = 0): Promise<Porchlight> {
  const porchlight = await startPorchlight({ port, ...(dataDir !== undefined && { dataDir }) });
  open.push(porchlight);
  return porchlight;
}

/** Starts in a folder with the address of a server that was stopped: mentions are of pages at an address. */
const startedAs = ({ base }: Porchlight, dataDir: string) => started(dataDir, Number(new URL(base).port));

async function stopped(porchlight: Porchlight): Promise<void> {
  await porchlight.stop();
  open.splice(open.indexOf(porchlight), 1);
}

const named = async (dir: string, start: string) =>
  (await readdir(dir)).filter((name) => name.startsWith(start));

/** Copies a folder as a kill at this moment would leave it. */
async function killed({ dataDir }: Porchlight): Promise<string> {
  const copy = join(await mkdtemp(join(tmpdir(), 'porchlight-test-')), 'data');
  await cp(dataDir, copy, { recursive: true, filter: (path) => !/lock\.|\.sock/.test(path) });
  return copy;
}

/** Keeps the database of a folder that no process uses, or only its snapshots. Returns what puts them back. */
async function keep(dataDir: string, start: string): Promise<() => Promise<void>> {
  const kept = await mkdtemp(join(tmpdir(), 'porchlight-test-'));
  const names = await named(dataDir, start);
  for (const name of names) await cp(join(dataDir, name), join(kept, name));
  return async () => {
    for (const name of await named(dataDir, start)) await rm(join(dataDir, name));
    for (const name of names) await cp(join(kept, name), join(dataDir, name));
  };
}

const isListed = async ({ dataDir }: Porchlight) =>
  (await named(dataDir, 'records.snapshot.sqlite')).length > 0;

/** What stands in a house: a mention that is shown, one that was hidden, two tokens of which one is revoked. */
interface House {
  readonly target: string;
  readonly revoked: string;
  readonly kept: string;
}

async function mentioned(porchlight: Porchlight, site: Site, name: string, target: string): Promise<string> {
  site.pages.set(name, page(`<p class="h-entry"><a href="${target}">a post</a></p>`));
  const body = new URLSearchParams({ source: site.origin + name, target });
  await fetch(`${porchlight.base}/webmention`, { method: 'POST', body });
  return vi.waitUntil(async () => {
    await porchlight.call('webmentions.process', {});
    const { items } = await porchlight.call('webmentions.list', {});
    return items.find(({ source }) => source.endsWith(name))?.id;
  }, patience);
}

const issue = async (porchlight: Porchlight, label: string) =>
  porchlight.call('apps.issueToken', { label, scopes: ['create'] });

/** Makes what is there before the owner ends some of it. `end` ends that. */
async function furnish(porchlight: Porchlight, site: Site) {
  await porchlight.call('settings.update', { webmention: { hold: 'nothing' } });
  const { url } = await porchlight.call('posts.create', {
    content: 'Hello',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  const target = new URL(new URL(url).pathname, porchlight.base).href;
  const [gone, kept] = [await issue(porchlight, 'gone'), await issue(porchlight, 'kept')];
  await mentioned(porchlight, site, '/shown', target);
  const hidden = await mentioned(porchlight, site, '/hidden', target);
  return {
    house: { target, revoked: gone.token, kept: kept.token },
    end: async (again: Porchlight): Promise<void> => {
      await again.call('apps.revoke', { id: gone.id });
      await again.call('webmentions.blockDomain', { domain: 'blocked.example' });
      await again.call('webmentions.setStatus', { id: hidden, status: 'hidden' });
    },
  };
}

async function knownEndings({ dataDir }: Porchlight): Promise<number> {
  const text = await readFile(join(dataDir, 'known.json'), 'utf8');
  return (JSON.parse(text) as { endings: number }).endings;
}

const sourcesOn = async (porchlight: Porchlight, target: string): Promise<string[]> => {
  const address = new URL('/webmentions', porchlight.base);
  address.searchParams.set('url', new URL(new URL(target).pathname, porchlight.base).href);
  const pages = (await (await fetch(address)).json()) as Record<string, { source: string }[]>;
  return Object.values(pages).flatMap((all) => all.map(({ source }) => new URL(source).pathname));
};

/** Checks that nothing that ended is back, that the owner is told, and that one click shows the mentions again. */
async function expectHeld(porchlight: Porchlight, { target, revoked, kept }: House, what: string) {
  expect(await counts(porchlight, revoked)).toBe(false);
  expect(await counts(porchlight, kept)).toBe(false);
  const apps = await porchlight.call('apps.list', {});
  expect(apps.every(({ mustSignInAgain }) => mustSignInAgain === true)).toBe(true);
  const news = async () =>
    (await porchlight.call('status.get', {})).problems.filter(({ id }) => id !== undefined);
  expect(await news()).toMatchObject([
    { code: 'mentions_held', message: expect.stringContaining(what) as string },
  ]);
  expect(await sourcesOn(porchlight, target)).toEqual([]);
  const { items } = await porchlight.call('activity.list', {});
  expect(items.filter(({ kind }) => kind === 'data.recovered')).toHaveLength(1);
  const { released } = await porchlight.call('webmentions.releaseHeld', {});
  expect(await news()).toEqual([]);
  expect(await sourcesOn(porchlight, target)).toHaveLength(released);
  return { apps, released, shown: await sourcesOn(porchlight, target) };
}

describe('a start with an older database', () => {
  test('nothing that ended is back after an older records.sqlite was put in its place', async () => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    const { house, end } = await furnish(first, site);
    await stopped(first);
    const putBack = await keep(first.dataDir, 'records.sqlite');
    for (const name of await named(first.dataDir, 'records.snapshot')) await rm(join(first.dataDir, name));
    const second = await startedAs(first, first.dataDir);
    await end(second);
    // The snapshot knows what ended.
    await rm(join(first.dataDir, 'records.snapshot.sqlite'), { force: true });
    second.service.wake();
    await vi.waitUntil(() => isListed(second), patience);
    await stopped(second);
    await putBack();
    const third = await startedAs(first, first.dataDir);
    const { apps, shown } = await expectHeld(third, house, 'an older one was in its place');
    expect(apps.map(({ clientName }) => clientName)).toEqual(['kept']);
    expect(shown).toEqual(['/shown']);
    expect(await third.call('webmentions.blockedDomains', {})).toEqual(['blocked.example']);
    await stopped(third);
    const fourth = await startedAs(first, first.dataDir);
    expect(await fourth.call('status.get', {})).toMatchObject({ problems: [] });
    // A new app can sign in.
    expect(await counts(fourth, (await issue(fourth, 'new')).token)).toBe(true);
  });

  test('apps are signed out and mentions held after an older database was put back together with its snapshots', async () => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    await vi.waitUntil(() => isListed(first), patience);
    const { house, end } = await furnish(first, site);
    await stopped(first);
    const putBack = await keep(first.dataDir, 'records.');
    const second = await startedAs(first, first.dataDir);
    await end(second);
    await stopped(second);
    await putBack();
    const { released } = await expectHeld(
      await startedAs(first, first.dataDir),
      house,
      'an older one was in its place',
    );
    expect(released).toBe(2);
  });

  test('nothing that ended is back if the database and its snapshots were removed', async () => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    const { house, end } = await furnish(first, site);
    await end(first);
    await stopped(first);
    for (const name of await named(first.dataDir, 'records')) await rm(join(first.dataDir, name));
    const { released } = await expectHeld(await startedAs(first, first.dataDir), house, 'missing or empty');
    expect(released).toBe(0);
  });

  test.each<[string, (log: string) => Promise<void>]>([
    ['gone', (log) => rm(log)],
    [
      'cut off at a flipped bit',
      async (log) => {
        const bytes = await readFile(log);
        bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
        await writeFile(log, bytes);
      },
    ],
  ])('nothing that ended is back if the log of a killed process is %s', async (_, damage) => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    const { house, end } = await furnish(first, site);
    await stopped(first);
    const second = await startedAs(first, first.dataDir);
    const before = await knownEndings(second);
    await end(second);
    // The block is applied to the mentions with a change of its own.
    await vi.waitUntil(async () => (await knownEndings(second)) >= before + 3, patience);
    const copy = await killed(second);
    await stopped(second);
    await damage(join(copy, 'records.sqlite-wal'));
    await expectHeld(await startedAs(first, copy), house, 'lacked changes');
  });

  test('a killed process does not count as damage: endings stay ended, and everything else is kept', async () => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    const { house, end } = await furnish(first, site);
    await end(first);
    const copy = await killed(first);
    await stopped(first);
    const again = await startedAs(first, copy);
    expect((await again.call('status.get', {})).problems).toEqual([]);
    expect([await counts(again, house.kept), await counts(again, house.revoked)]).toEqual([true, false]);
    expect(await sourcesOn(again, house.target)).toEqual(['/shown']);
  });
});

describe('the loss of a file or folder', () => {
  const newsOf = async (porchlight: Porchlight) =>
    (await porchlight.call('status.get', {})).problems.filter(({ id }) => id !== undefined);

  test('ND3: apps must sign in again if the keys are gone, and the status and the activity say so', async () => {
    const first = await started();
    const { token } = await issue(first, 'a tool');
    await stopped(first);
    await rm(join(first.dataDir, 'secrets.json'));
    const second = await startedAs(first, first.dataDir);
    expect(await second.call('apps.list', {})).toMatchObject([
      { clientName: 'a tool', mustSignInAgain: true },
    ]);
    expect(await counts(second, token)).toBe(false);
    expect(await newsOf(second)).toMatchObject([{ message: expect.stringContaining('keys') as string }]);
    const { items } = await second.call('activity.list', {});
    expect(items.filter(({ kind }) => kind === 'data.recovered')).toHaveLength(1);
    // A token that is made again takes the place of none.
    expect(await counts(second, (await issue(second, 'a tool')).token)).toBe(true);
    const [{ id } = { id: '' }] = (await second.call('apps.list', {})).filter(
      ({ mustSignInAgain }) => mustSignInAgain,
    );
    await second.call('apps.revoke', { id });
    expect(await second.call('apps.list', {})).toHaveLength(1);
  });

  test('lost keys are not reported if no app was signed in', async () => {
    const first = await started();
    await stopped(first);
    await rm(join(first.dataDir, 'secrets.json'));
    expect(await newsOf(await startedAs(first, first.dataDir))).toEqual([]);
  });

  test('a lost settings.json is reported, and new mentions are held until the owner dismisses the notice', async () => {
    const site = await openSite();
    open.push({ stop: () => site.close() });
    const first = await started();
    const { house } = await furnish(first, site);
    await stopped(first);
    for (const name of await named(first.dataDir, 'settings.json')) await rm(join(first.dataDir, name));
    const second = await startedAs(first, first.dataDir);
    const [news] = await newsOf(second);
    expect(news?.message).toContain('settings.json was missing');
    await second.call('settings.update', { webmention: { hold: 'nothing' } });
    const target = new URL(new URL(house.target).pathname, second.base).href;
    await mentioned(second, site, '/new', target);
    expect(await sourcesOn(second, target)).not.toContain('/new');
    await second.call('status.dismiss', { id: news?.id ?? '' });
    await mentioned(second, site, '/newer', target);
    expect(await sourcesOn(second, target)).toContain('/newer');
  });

  test('a lost folder of files is reported', async () => {
    const first = await started();
    const { url } = await first.call('media.upload', {
      name: 'a.txt',
      data: Buffer.from('hello').toString('base64'),
    });
    expect(url).toContain('/media/');
    await stopped(first);
    await rm(join(first.dataDir, 'media'), { recursive: true });
    expect(await newsOf(await startedAs(first, first.dataDir))).toMatchObject([
      { message: expect.stringContaining('“media” was missing') as string },
    ]);
  });

  test('a folder without settings and files is not reported', async () => {
    const first = await started();
    await stopped(first);
    expect(await newsOf(await startedAs(first, first.dataDir))).toEqual([]);
  });
});
