import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { exportMentions } from '../../../../src-main/mentions/owner-export.ts';
import type { MentionStore } from '../../../../src-main/mentions/mention-store.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { sample } from '../../../support/mention-samples.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

interface Feed {
  readonly children: Record<string, unknown>[];
}

let store: MentionStore;
let dataDir: string;
let dir: string;
beforeEach(async () => {
  store = memoryMentions();
  await store.keepAll([1, 2, 3].map((number) => sample(number)));
  const folder = await temporaryFolder();
  dataDir = join(folder, 'data');
  dir = join(folder, 'out');
  await mkdir(dataDir);
  await mkdir(dir);
});

const saveAs = (path: string) => exportMentions({ store, dataDir, path });
const childrenIn = async (file: string) => (JSON.parse(await readFile(file, 'utf8')) as Feed).children;

describe('all mentions as one file', () => {
  test('are those that are held, hidden, deleted and private too, for the owner’s eyes only', async () => {
    const [first, second, third] = (await store.list({ limit: 3 })).items;
    await store.setStatus(first!.id, 'held', 'owner');
    await store.setStatus(second!.id, 'hidden', 'owner');
    await store.setStatus(third!.id, 'deleted', 'owner');
    await store.keep(sample(4, { private: true }));
    const file = join(dir, 'all.jf2');
    expect(await saveAs(file)).toEqual({ path: file, mentions: 4 });
    const children = await childrenIn(file);
    expect(children.map((child) => child['porchlight-status']).sort()).toEqual([
      'approved',
      'deleted',
      'held',
      'hidden',
    ]);
    expect(children.filter((child) => child['wm-private'] === true)).toHaveLength(1);
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readdir(dir)).toEqual(['all.jf2']);
  });

  test('take the place of an export from before', async () => {
    const file = join(dir, 'all.json');
    await saveAs(file);
    await store.keep(sample(4));
    expect(await saveAs(file)).toMatchObject({ mentions: 4 });
    expect(await childrenIn(file)).toHaveLength(4);
  });

  test.each(['', '{"name":"my-program","version":"1.0.0","private":true,"dependencies":{}}'])(
    'never take the place of another file: %j',
    async (text) => {
      const file = join(dir, 'package.json');
      await writeFile(file, text);
      await expect(saveAs(file)).rejects.toMatchObject({ code: 'file_exists' });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  test.each(['all.jf2', './all.jf2', '', '~/all.jf2'])('want a place in full, not %j', async (path) => {
    await expect(saveAs(path)).rejects.toMatchObject({ code: 'invalid_path' });
  });

  test.each(['all', '.bashrc', 'all.jf2.sh', '.jf2', 'all.desktop', 'all.jf2\0.sh', 'all.sh\0.jf2'])(
    'are not saved under a name that other programs heed: %j',
    async (name) => {
      await expect(saveAs(join(dir, name))).rejects.toMatchObject({ code: 'invalid_path' });
      expect(await readdir(dir)).toEqual([]);
    },
  );

  test('are not saved if there is no folder', async () => {
    await expect(saveAs(join(dir, 'not', 'here', 'all.jf2'))).rejects.toMatchObject({
      code: 'invalid_path',
      message: expect.stringContaining('does not exist') as string,
    });
    await writeFile(join(dir, 'file'), '');
    await expect(saveAs(join(dir, 'file', 'all.jf2'))).rejects.toMatchObject({ code: 'invalid_path' });
  });

  test('an export of all mentions can’t be saved among Porchlight’s own files, however its path is written', async () => {
    await mkdir(join(dataDir, 'webmentions'));
    await symlink(join(dataDir, 'webmentions'), join(dir, 'elsewhere'));
    for (const path of [
      join(dataDir, 'settings.json'),
      join(dataDir, 'webmentions', 'outbox.json'),
      `${dir}/../data/settings.json`,
      join(dir, 'elsewhere', 'outbox.json'),
    ])
      await expect(saveAs(path), path).rejects.toMatchObject({ code: 'invalid_path' });
    expect(await readdir(dataDir)).toEqual(['webmentions']);
    expect(await readdir(join(dataDir, 'webmentions'))).toEqual([]);
  });

  test('an export of all mentions replaces a link to a file instead of following it', async () => {
    const real = join(dataDir, 'real.jf2');
    const link = join(dir, 'link.jf2');
    await symlink(real, link);
    await saveAs(link);
    expect((await stat(link)).isFile()).toBe(true);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('that cannot all be read leave the earlier file, and nothing beside it', async () => {
    const file = join(dir, 'all.jf2');
    await saveAs(file);
    const before = await readFile(file, 'utf8');
    const broken: Pick<MentionStore, 'all'> = {
      async *all() {
        yield* store.all();
        throw new Error('The disk is gone.');
      },
    };
    await expect(exportMentions({ store: broken, dataDir, path: file })).rejects.toThrow('The disk is gone.');
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readdir(dir)).toEqual(['all.jf2']);
  });
});
