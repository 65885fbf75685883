import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type * as stateJournal from '../../../src-main/storage/state-journal.ts';
import { addressOf, copiesScene } from '../../support/copies-scene.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock('../../../src-main/http/app.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberApp(original),
);
vi.mock('../../../src-main/http/kept-answers.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberVersions(original),
);
vi.mock('../../../src-main/micropub/posts-on-disk.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberPosts(original),
);
vi.mock('../../../src-main/storage/state-journal.ts', async (original) => {
  const module = await original<typeof stateJournal>();
  const openStateJournal: typeof module.openStateJournal = async (options) => {
    const journal = await module.openStateJournal(options);
    return {
      ...journal,
      save: (...given) =>
        disk.isFull && options.file.includes('mailbox')
          ? Promise.reject(new PorchlightError('storage_full', 'Full.', 507))
          : journal.save(...given),
    };
  };
  return { ...module, openStateJournal };
});
vi.setConfig({ testTimeout: 180_000 });

const scene = copiesScene();

test('what was deleted leaves the mailbox even if the disk is too full to note it', async () => {
  const url = await scene.create({ content: ['Kettle'] });
  await scene.create({ content: ['Lamp'] });
  await scene.open();
  await scene.settled();
  disk.isFull = true;
  await scene.act('delete', url);
  expect(scene.mailbox.gone).toContain(addressOf(url));
  const naming = [...scene.mailbox.copies.values()].filter(({ body }) =>
    Buffer.from(body).includes('Kettle'),
  );
  expect(naming).toEqual([]);
  disk.isFull = false;
  scene.copies?.wake();
  await scene.settled();
});
