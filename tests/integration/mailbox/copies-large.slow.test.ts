import { expect, test, vi } from 'vitest';
import type { PostContent } from '../../../src-main/posts/post-store.ts';
import { inside } from '../../support/copied-site.ts';
import { copiesScene, sceneStart } from '../../support/copies-scene.ts';

vi.mock('../../../src-main/http/app.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberApp(original),
);
vi.mock('../../../src-main/http/kept-answers.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberVersions(original),
);
vi.mock('../../../src-main/posts/stored-posts.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberPosts(original),
);

/** How many posts the site has: by default, enough for several pages of each list. */
const many = Number(process.env['PORCHLIGHT_COPIED_POSTS'] ?? 200);
// Each test waits for many small steps, which take long on a busy computer.
vi.setConfig({ testTimeout: 180_000 * Math.ceil(many / 200) });

const hour = 3_600_000;
const scene = copiesScene();

test('a site with many posts is copied in calls of limited size, and a change sends only what it changed', async () => {
  const { posts: store } = inside;
  for (let number = 0; number < many; number += 1) {
    const published = new Date(sceneStart - number * hour).toISOString();
    const content: PostContent = {
      type: ['h-entry'],
      commands: {},
      status: 'published',
      visibility: 'public',
      properties: { content: [`Post ${number}`], category: [`c${number % 20}`], published: [published] },
    };
    const made = await store?.create(content, { now: scene.clock });
    scene.posts.add(made?.path ?? '');
  }
  const opened = await scene.open();
  let from = 0;
  const measure = async (what: string, change?: () => Promise<unknown>) => {
    const began = performance.now();
    await change?.();
    await vi.waitFor(() => expect(opened.status()).toMatchObject({ toCopy: 0, toRemove: 0 }), {
      timeout: 900_000,
    });
    const calls = scene.mailbox.calls.slice(from);
    from = scene.mailbox.calls.length;
    const sent = calls.filter(({ name }) => name === 'store');
    const bytes = sent.reduce((sum, { size }) => sum + size, 0);
    console.log(
      `${what}: ${Math.round(bytes / 1000)} kB, ${opened.status().copies} copies, ${Math.round((performance.now() - began) / 100) / 10} s`,
    );
    return { bytes, largest: Math.max(...sent.map(({ size }) => size)) };
  };
  const all = await measure('everything');
  expect(all.largest).toBeLessThan(1_200_000);
  const [address = ''] = scene.posts;
  const edit = () => scene.update(scene.base + address, { content: ['Another text'] });
  expect((await measure('an edited post', edit)).bytes).toBeLessThan(all.bytes / 10);
  for (let number = 0; number < 3; number += 1) {
    const added = await measure('a new post', () => scene.create({ content: ['Hello'], category: ['c1'] }));
    // The first pages and the feeds of a few lists, however many posts there are. Only the sitemap has a line for each.
    expect(added.bytes).toBeLessThan(500_000 + 150 * many);
  }
  await measure('a deleted post', () => scene.act('delete', scene.base + address));
  if (many <= 200) await scene.settled();
});
