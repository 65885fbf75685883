import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHeadless } from '../support/headless-process.ts';
import { illustratedArchive } from '../support/large-archives.ts';

const count = 400;

test(
  'an import that was killed continues without duplicates, and an undo leaves nothing behind',
  { timeout: 540_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-killed-import-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = await illustratedArchive(count, folder);
    const dataDir = join(folder, 'data');
    const start = () =>
      startHeadless({ dataDir, args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
    let house = await start();
    onTestFinished(async () => {
      if (house.child.exitCode === null && house.child.signalCode === null) await house.stop('SIGKILL');
    });
    const kill = async (most: number) => {
      void house.call('posts.import', { path, format: 'auto' }).catch(() => undefined);
      await expect
        .poll(
          async () => {
            const { progress } = await house.call('posts.imports', {});
            return progress?.state === 'importing' ? progress.done : 0;
          },
          { timeout: 180_000, interval: 20 },
        )
        .toBeGreaterThan(most);
      await house.stop('SIGKILL');
      house = await start();
    };
    await kill(20);
    await kill(20);
    const [interrupted] = (await house.call('posts.imports', {})).items;
    expect(interrupted?.state).toBe('interrupted');

    const report = await house.call('posts.import', { path, format: 'auto' });
    expect(report).toMatchObject({ id: interrupted?.id, found: count, state: 'done' });
    const list = async () => {
      const paths: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await house.call('posts.list', { limit: 500, ...(cursor !== undefined && { cursor }) });
        paths.push(...page.items.map((item) => item.path));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return paths;
    };
    const paths = await list();
    expect(paths).toHaveLength(count);
    expect(paths.filter((one) => /post-\d+-\d+$/.test(one))).toEqual([]);
    const { items: files } = await house.call('media.list', { limit: 500 });
    expect(files).toHaveLength(count);
    expect((await house.call('posts.imports', {})).items).toMatchObject([{ posts: count, state: 'done' }]);

    const undone = await house.call('posts.undoImport', { id: report.id });
    expect(undone).toMatchObject({ deleted: count, files: count, keptCount: 0 });
    expect(await list()).toEqual([]);
    expect((await house.call('media.list', { limit: 500 })).items).toEqual([]);
  },
);
