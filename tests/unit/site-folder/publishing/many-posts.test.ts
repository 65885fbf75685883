import { expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { PostPublisher } from '../../../../src-main/site-folder/publishing/post-publisher.ts';
import { PublishingQueue } from '../../../../src-main/site-folder/publishing/publishing-queue.ts';
import { openWork } from '../../../../src-main/storage/work/work.ts';
import { memoryFolder } from '../../../support/folder-scene.ts';
import { now } from '../../../support/post-folder.ts';
import { postOf } from '../../../support/site.ts';
import { recordsIn } from '../../../support/records-in.ts';

test('600 posts that are no news share one change, and of others an attempt takes 500', async () => {
  const folder = memoryFolder();
  const attempts: number[] = [];
  const write = folder.target.write.bind(folder.target);
  folder.target.write = (changes) => {
    attempts.push(changes.length);
    return write(changes);
  };
  const homeOf = (path: string) => ({
    url: `https://me.example${path}/`,
    file: `${path.slice(1)}.md`,
    former: [],
    written: {},
    liveAt: null,
  });
  const at = (path: string) =>
    postOf({ content: [path], published: ['2026-01-01T00:00:00Z'] }, { path, home: homeOf(path) });
  const records = await recordsIn();
  const work = await openWork({ records, now: () => now, online: () => true, log: silentLog });
  const queue = new PublishingQueue({
    work,
    records,
    now: () => now,
    log: silentLog,
    isOn: () => true,
    changed: () => undefined,
    needsOwner: () => undefined,
    finished: () => undefined,
  });
  queue.connect(
    new PostPublisher({
      posts: {
        get: (path) => Promise.resolve(at(path)),
        movedTo: () => Promise.resolve(undefined),
        setHome: (path) => Promise.resolve(at(path)),
        usersOf: () => Promise.resolve([]),
      },
      target: () => folder.target,
      fileOf: ({ path, home }) => Promise.resolve({ file: home.file, text: path, media: [], title: path }),
      mediaFile: () => Promise.resolve(undefined),
      page: () => Promise.resolve({ status: 404, text: '' }),
      readPage: () => Promise.resolve({ live: false, hasOwnUrl: false }),
      live: () => undefined,
      now: () => now,
    }),
  );
  const orders = (name: string, quiet: boolean) =>
    Array.from({ length: 600 }, (_, index) => ({
      publisher: 'posts' as const,
      key: `/posts/${name}-${index}`,
      ...(quiet && { quiet: true as const }),
    }));
  await queue.add([...orders('old', true), ...orders('new', false)]);
  work.start();
  await vi.waitUntil(() => folder.files.size === 1200, { timeout: 60_000 });
  expect(attempts).toEqual([501, 100]);
  expect(folder.history.filter(({ message }) => message === 'Publish 600 posts')).toMatchObject([
    { files: { length: 600 } },
  ]);
  await work.stop();
});
