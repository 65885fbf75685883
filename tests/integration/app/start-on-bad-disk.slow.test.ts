import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, type TestContext, vi } from 'vitest';
import { checkFolder } from '../../../src-main/app/check.ts';
import { limitOf, patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';

let home: string;
let token: string;
let path: string;

/** Makes two data folders with a post and an app: one as a stop leaves it, and one as a power cut leaves it. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'porchlight-used-'));
  const server = await startPorchlight({ dataDir: join(home, 'stopped') });
  ({ token } = await server.call('apps.issueToken', { label: 'Pen', scopes: ['create', 'update'] }));
  const { url } = await server.call('posts.create', {
    content: 'The first',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  path = new URL(url).pathname;
  await server.call('media.upload', {
    name: 'a.txt',
    data: Buffer.from('x'.repeat(100_000)).toString('base64'),
  });
  await cp(server.dataDir, join(home, 'cut off'), {
    recursive: true,
    filter: (name) => !/sock$|snapshot/.test(name),
  });
  await server.stop();
  return () => rm(home, { recursive: true, force: true });
});

const states = ['stopped', 'cut off'] as const;

interface Fault {
  readonly code: string;
  readonly needs?: 'inodes';
  readonly begin: (disk: SmallDisk) => Promise<void>;
  readonly end: (disk: SmallDisk) => Promise<void>;
}

const faults: Record<string, Fault> = {
  'full disk': { code: 'storage_full', begin: (disk) => disk.fill(), end: (disk) => disk.free() },
  'disk without inodes': {
    code: 'storage_full',
    needs: 'inodes',
    begin: (disk) => disk.fillInodes(),
    end: (disk) => disk.free(),
  },
  'disk that can only be read': {
    code: 'storage_unwritable',
    begin: (disk) => disk.setWritable(false),
    end: (disk) => disk.setWritable(true),
  },
};

/** A data folder on a disk of its own, on which nothing can be written. */
async function badDisk(context: TestContext, state: (typeof states)[number], fault: Fault) {
  const disk = await mountSmallDisk(context, '24m', 400);
  onTestFinished(() => disk.remove());
  const dataDir = join(disk.dir, 'data');
  await cp(join(home, state), dataDir, { recursive: true });
  await mkdir(join(disk.dir, 'tmp'));
  await fault.begin(disk);
  return { disk, dataDir };
}

/** Moves temporary files to the disk, where nothing can be written. */
function withoutTemporaryFolder(disk: SmallDisk): void {
  vi.stubEnv('TMPDIR', join(disk.dir, 'tmp'));
  onTestFinished(() => void vi.unstubAllEnvs());
}

const post = ({ base }: Porchlight) =>
  fetch(`${base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: ['h-entry'], properties: { content: ['Another'] } }),
  });

async function started(dataDir: string): Promise<Porchlight> {
  const server = await startPorchlight({ dataDir });
  onTestFinished(() => server.stop());
  return server;
}

/** Returns the names of the files that a start must not add or remove on such a disk. */
async function filesIn(dir: string): Promise<string[]> {
  const passing = /^(?:index\.sqlite|records\.sqlite-|lock\.|\.disk-probe)/;
  return (await readdir(dir, { recursive: true })).filter((name) => !passing.test(name)).sort();
}

const codesOf = async (server: Porchlight) =>
  (await server.call('status.get', {})).problems.map(({ code }) => code);

describe.each(Object.entries(faults))('a start on a %s', (_name, fault) => {
  describe.each(states)('after Porchlight was %s', (state) => {
    test.for([true, false])(
      'serves and reports the problem, and the next start continues (temporary folder: %s)',
      { timeout: limitOf(120_000) },
      async (hasTemporary, context) => {
        const { disk, dataDir } = await badDisk(context, state, fault);
        if (!hasTemporary) withoutTemporaryFolder(disk);
        const before = await filesIn(dataDir);
        const server = await started(dataDir);
        const isRead = hasTemporary || state === 'stopped' || fault.code === 'storage_full';
        const page = await fetch(`${server.base}${path}`);
        if (isRead) {
          expect(await page.text()).toContain('The first');
          expect(await server.call('apps.list', {})).toHaveLength(1);
          expect((await server.call('posts.list', {})).items).toHaveLength(1);
        } else {
          expect(page.status).toBe(503);
          expect(page.headers.get('retry-after')).not.toBeNull();
        }
        // After a power cut, the files of the database are there, and it needs no inode.
        const isStored = fault.needs === 'inodes' && state !== 'stopped';
        expect((await post(server)).status).toBe(isStored ? 201 : 507);
        if (!isStored)
          await expect(
            server.call('apps.issueToken', { label: 'Lost', scopes: ['read'] }),
          ).rejects.toMatchObject({ code: expect.stringMatching(/^storage_(?:full|unwritable)$/) as string });
        const code = isStored ? 'snapshot_failed' : fault.code;
        await vi.waitFor(async () => expect(await codesOf(server)).toContain(code), patience);
        if (isRead) {
          const elsewhere = await mkdtemp(join(home, 'backup-'));
          const { counts, problems } = await server.call('data.backup', {
            path: join(elsewhere, 'backup.zip'),
          });
          expect([counts.posts, counts.files, problems]).toEqual([isStored ? 2 : 1, 1, []]);
          expect(await readdir(elsewhere)).toEqual(['backup.zip']);
        }
        expect(await filesIn(dataDir)).toEqual(before);

        await fault.end(disk);
        await vi.waitFor(async () => {
          const answer = await post(server);
          // The words say why.
          expect(`${answer.status} ${await answer.text()}`).toMatch(/^201/);
        }, patience);
        await vi.waitFor(async () => expect(await codesOf(server)).not.toContain(fault.code), patience);
        expect(await server.call('apps.list', {})).toHaveLength(1);
        await server.stop();
        const again = await started(dataDir);
        expect((await post(again)).status).toBe(201);
        expect(await codesOf(again)).toEqual([]);
        expect(await again.call('apps.list', {})).toHaveLength(1);
        expect((await again.call('posts.list', {})).items).toHaveLength(isStored ? 4 : 3);
        await again.stop();
        expect(await checkFolder(dataDir)).toMatchObject({ posts: isStored ? 4 : 3, problems: [] });
      },
    );
  });
});
