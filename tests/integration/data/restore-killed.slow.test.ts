import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepTrust } from '../../../src-main/app/restoring.ts';
import { noteCopied } from '../../../src-main/data/backup/copying.ts';
import { findData } from '../../../src-main/data/backup/find-data.ts';
import { finishPending, takePending } from '../../../src-main/data/backup/pending.ts';
import { jsonText } from '../../../src-main/storage/file-content.ts';
import {
  backUp,
  grantsProof,
  grantsRepair,
  noRecords,
  readTree,
  restore,
  writeTree,
  type Tree,
} from '../../support/backup-scene.ts';
import { sampleGrant, storedGrants, storeGrant } from '../../support/stored-grants.ts';
import { bundleProgram } from '../../support/writer-program.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const lanes = 3;
const grants = { then: sampleGrant('Then'), today: sampleGrant('Today') };
const timeout = 180_000;

let bundle: string;
let mover: string;
/** A backup of before. It holds no path, so one serves all homes. */
let backup: string;
beforeAll(async () => {
  bundle = await mkdtemp(join(tmpdir(), 'porchlight-'));
  mover = await bundleProgram('data-mover', bundle);
  const then = join(bundle, 'then');
  backup = join(bundle, 'backup.zip');
  const line = { format: 1, id: grants.then.id, body: JSON.stringify(grants.then) };
  await writeTree(then, before);
  const write = (dir: string) => writeTree(dir, { 'records/grants.jsonl': `${JSON.stringify(line)}\n` });
  const records = {
    ...noRecords,
    lines: () => Promise.resolve({ begin: () => Promise.resolve(), write, end: () => undefined }),
  };
  await backUp({ dataDir: then, file: backup, records });
}, timeout);
afterAll(() => rm(bundle, { recursive: true }));

const settingsWith = (allowWithoutPkce: boolean) => ({
  format: 3,
  signIn: { accessTokenSeconds: 3600, refreshTokenSeconds: 7200, allowWithoutPkce },
  micropub: {
    categories: [],
    channels: [],
    syndicateTo: [],
    mediaLimitBytes: 1000,
    removePhotoMetadata: true,
  },
  posting: { appsMarkdown: [] },
  webmention: {
    hold: 'everything',
    trustedDomains: [],
    hosts: [],
    aggregatorUrl: 'https://webmention.io',
    catchUp: true,
  },
  tunnel: { mode: 'off', hostname: '', publicUrl: '' },
  cloudflared: { options: [], certificate: '' },
  desktop: { startAtLogin: false, notifications: true, sound: false, writeShortcut: '' },
  backup: { folder: '', keep: 8 },
  site: {
    theme: 'porch',
    accent: '',
    title: '',
    tagline: '',
    about: '',
    photo: '',
    replyEmail: '',
    links: [],
    pages: [],
    timeZone: '',
    css: '',
  },
  siteFolder: {
    on: false,
    path: '',
    generator: 'custom',
    baseUrl: '',
    postFile: '',
    postUrl: '',
    media: 'folder',
    mediaFile: '',
    mediaUrl: '',
    mentions: 'off',
    commit: true,
    push: true,
    branch: '',
    remote: '',
    adopt: false,
  },
  assistants: { on: false },
  phones: { on: false, scopes: ['create'], push: 'off' },
});
const profile = { format: 2, photo: '', me: null, name: '', url: '', email: '' };
const [trusting, cautious] = [jsonText(settingsWith(true)), jsonText(settingsWith(false))];

const before = { 'settings.json': trusting, 'posts/2026/11/a.json': 'then', 'media/2026/11/a.png': 'then' };
const today = {
  'settings.json': cautious,
  'posts/2026/11/b.json': 'today',
  'secrets.json': 'secret',
};
const textsOf = (tree: Tree) =>
  Object.fromEntries(Object.entries(tree).map(([name, content]) => [name, content.toString()]));
/** The files of a folder. Its grants must be those of today, because a restore leaves them as they are. */
async function textsIn(dir: string) {
  expect(await storedGrants(dir)).toEqual([grants.today]);
  return withoutRecords(textsOf(await readTree(dir)));
}
const withoutRecords = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !/^(?:records|known)\./.test(name)));

/** A home with data of today and a backup of before; `more` gets it further. */
async function template(home: string, more: (dataDir: string) => Promise<unknown>): Promise<string> {
  const dataDir = join(home, 'data');
  await copyFile(backup, join(home, 'backup.zip'));
  await writeTree(dataDir, today);
  await storeGrant(dataDir, grants.today);
  await more(dataDir);
  return home;
}

/**
 * Kills a step before each change that it makes on disk, in a home made by `prepare`, and has `check` check what is
 * left. Returns the number of kills.
 */
async function killEverywhere(
  step: string,
  prepare: (home: string) => Promise<string>,
  check: (home: string) => Promise<void>,
): Promise<number> {
  const work = await temporaryFolder();
  let next = 1;
  let last = Infinity;

  async function lane(): Promise<void> {
    for (let count = next++; count < last; count = next++) {
      // The notes hold whole paths, so each home is made for itself.
      const home = await prepare(await mkdtemp(join(work, 'home-')));
      const child = spawn(process.execPath, [mover, step, home, String(count)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (text: Buffer) => (said += text.toString()));
      const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      if (signal === null) {
        expect(said).toBe('done\n');
        last = Math.min(last, count);
      } else expect(signal).toBe('SIGKILL');
      await check(home).catch((error: unknown) => {
        throw new Error(`killed before change ${count} of “${step}”`, { cause: error });
      });
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  return last - 1;
}

/** What the next start does. */
async function startAgain(dataDir: string) {
  const taken = await takePending(dataDir, (pending) => keepTrust(dataDir, pending, () => undefined));
  if (taken) await finishPending(dataDir);
  return taken?.outcome;
}

const restored = {
  ...before,
  // Whom this computer trusts, and what it has to do.
  'settings.json': cautious,
  'profile.json': jsonText(profile),
  'secrets.json': today['secrets.json'],
};

test(
  'a restore that is killed at any change, while it is got ready, leaves the old data, or the new',
  { timeout },
  async () => {
    const outcomes = new Set<string>();
    const kills = await killEverywhere(
      'prepare',
      (home) => template(home, () => Promise.resolve()),
      async (home) => {
        const taken = await startAgain(join(home, 'data'));
        outcomes.add(taken ? 'new' : 'old');
        const data = withoutWork(await textsIn(join(home, 'data')));
        expect(data).toEqual(taken ? restored : today);
        expect((await readdir(home)).filter((name) => /waiting|restore\.json$/.test(name))).toEqual([]);
      },
    );
    expect(kills).toBeGreaterThan(8);
    expect(outcomes).toEqual(new Set(['old', 'new']));
  },
);

test(
  'a restore that is killed at any change, while it takes place, is whole at the next start, and the old data is kept',
  { timeout },
  async () => {
    const kills = await killEverywhere(
      'take',
      (home) =>
        template(home, (dataDir) => restore({ dataDir, file: join(home, 'backup.zip'), prove: grantsProof })),
      async (home) => {
        await startAgain(join(home, 'data'));
        expect(await textsIn(join(home, 'data'))).toEqual(restored);
        const [kept, ...others] = (await readdir(home)).filter(
          (name) => !/^(?:data|backup\.zip)$/.test(name),
        );
        expect(others).toEqual([]);
        expect(await textsIn(join(home, kept ?? ''))).toEqual(today);
        // Nothing waits any more: a later start changes nothing.
        expect(await startAgain(join(home, 'data'))).toBeUndefined();
      },
    );
    expect(kills).toBeGreaterThan(15);
  },
);

test(
  'a move that is killed at any change, while it is copied, leaves the data where it was, or moves it',
  { timeout },
  async () => {
    const outcomes = new Set<string>();
    const kills = await killEverywhere(
      'copy',
      (home) => template(home, () => Promise.resolve()),
      async (home) => {
        const { folder, problem } = await findData(
          join(home, 'place.json'),
          join(home, 'data'),
          grantsRepair,
        );
        expect(problem).toBeUndefined();
        outcomes.add(folder.slice(home.length));
        expect(withoutWork(await textsIn(folder))).toEqual(today);
      },
    );
    expect(kills).toBeGreaterThan(15);
    expect(outcomes).toEqual(new Set(['/data', '/moved']));
  },
);

test(
  'a move that is killed at any change, while it is finished, is whole at the next start, and the old folder is kept',
  { timeout },
  async () => {
    const later = { ...today, 'settings.json': 'changed since', 'posts/2026/11/c.json': 'new since' };
    const kills = await killEverywhere(
      'find',
      async (home) => {
        await template(home, () => Promise.resolve());
        const [dataDir, moved] = [join(home, 'data'), join(home, 'moved')];
        const copied = { ...today, 'posts/2026/11/z.json': 'deleted since' };
        await writeTree(moved, copied);
        await noteCopied(moved, Object.keys(copied));
        await rm(dataDir, { recursive: true });
        await writeTree(dataDir, later);
        await storeGrant(dataDir, grants.today);
        const moving = { from: dataDir, to: moved, at: new Date(Date.now() - 60_000).toISOString() };
        await writeFile(join(home, 'place.json'), JSON.stringify({ folder: null, moving }));
        return home;
      },
      async (home) => {
        const { folder, problem } = await findData(
          join(home, 'place.json'),
          join(home, 'data'),
          grantsRepair,
        );
        expect([folder, problem]).toEqual([join(home, 'moved'), undefined]);
        expect(withoutWork(await textsIn(folder))).toEqual(later);
        const [kept] = (await readdir(home)).filter((name) => name.startsWith('data.moved-'));
        expect(withoutWork(await textsIn(join(home, kept ?? '')))).toEqual(later);
      },
    );
    expect(kills).toBeGreaterThan(8);
  },
);

/** Without the lock, and the work folders of a kill, which the start of the service sweeps away. */
const withoutWork = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !/^(?:lock|\.porchlight-)/.test(name)));
