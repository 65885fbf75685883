import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PublishingTrouble } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { folderScene } from '../../../support/folder-scene.ts';
import { patience } from '../../../support/patience.ts';
import { note, now } from '../../../support/post-folder.ts';

const minute = 60_000;

async function scene() {
  const made = await folderScene(now);
  made.start();
  return {
    ...made,
    post: async (text: string, slug: string, published?: string) => {
      const post = await made.posts.create(note(text, published), { now: made.time.now, slug });
      await made.queue.add([{ publisher: 'posts', key: post.path }]);
      return post;
    },
    states: () => made.queue.list().map(({ key, state }) => `${key.split('/').at(-1)} ${state}`),
  };
}

describe('publishing to the folder', () => {
  test('writes a file, one change per post, and waits until the page is live', async () => {
    const { post, folder, after, build, live, posts, states } = await scene();
    const tea = await post('Tea', 'tea');
    await post('Fog', 'fog');
    await after(0);
    expect(Object.fromEntries(folder.files)).toEqual({ 'notes/tea.md': 'Tea\n', 'notes/fog.md': 'Fog\n' });
    expect(folder.history.map(({ message }) => message)).toEqual(['Publish "Tea"', 'Publish "Fog"']);
    expect(states()).toEqual(['tea building', 'fog building']);
    expect(live).toEqual([]);
    build();
    await after(minute);
    expect(states()).toEqual([]);
    expect(live.map(({ path }) => path).sort()).toEqual(['/posts/2026/11/fog', '/posts/2026/11/tea']);
    const home = (await posts.get(tea.path))?.home;
    expect(home?.liveAt).toBe(new Date(now + minute).toISOString());
    expect(Object.keys(home?.written ?? {})).toEqual(['notes/tea.md']);
  });

  test('an update waits until the page shows it, and a deletion until the page is gone', async () => {
    const { post, folder, after, build, live, posts, queue, states, site } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    build();
    await after(minute);
    await posts.change(path, (content) => ({ ...content, properties: { content: ['Green tea'] } }), { now });
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Green tea\n');
    expect(states()).toEqual(['tea building']);
    build();
    await after(minute);
    expect(live).toHaveLength(2);
    await posts.setDeleted(path, true, now);
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    expect(folder.files.size).toBe(0);
    expect(site.size).toBe(1);
    expect(states()).toEqual(['tea building']);
    build();
    await after(minute);
    expect(states()).toEqual([]);
    expect((await posts.get(path))?.home).toMatchObject({ written: {}, liveAt: null });
    expect(live).toHaveLength(3);
  });

  test('a scheduled post is published at its date, and not before', async () => {
    const { post, folder, after, states } = await scene();
    await post('Later', 'later', new Date(now + 60 * minute).toISOString());
    await after(0);
    expect(folder.files.size).toBe(0);
    expect(states()).toEqual(['later waiting']);
    await after(59 * minute);
    expect(folder.files.size).toBe(0);
    await after(minute);
    expect([...folder.files.keys()]).toEqual(['notes/later.md']);
  });

  test('a post that moves takes its file with it', async () => {
    const { post, folder, after, posts, queue } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    const moved = await posts.change(path, (content) => content, { now, slug: 'green-tea' });
    await queue.add([{ publisher: 'posts', key: moved.path }]);
    await after(0);
    expect([...folder.files.keys()]).toEqual(['notes/green-tea.md']);
    expect(folder.history.at(-1)?.files.sort()).toEqual(['notes/green-tea.md', 'notes/tea.md']);
  });

  test('posts with more than 100 MB of media take several changes, none of them much larger', async () => {
    const { posts, queue, folder, after, media, dataDir, states } = await scene();
    const video = join(dataDir, 'video.mp4');
    await writeFile(video, '');
    await truncate(video, 60_000_000);
    const paths = [];
    for (const slug of ['a', 'b', 'c', 'd', 'e']) {
      const { path } = await posts.create(note(slug), { now, slug });
      paths.push(path);
      media.set(path, video);
    }
    const sizes: number[] = [];
    folder.target.write = (changes) => {
      sizes.push(changes.reduce((sum, { files }) => sum + files.size, 0));
      return Promise.resolve(new Map());
    };
    await queue.add(paths.map((key) => ({ publisher: 'posts', key, quiet: true })));
    await vi.waitUntil(async () => (await after(0), states().every((one) => one.endsWith('building'))), {
      timeout: 180_000,
    });
    // Each post has a text and a video.
    expect(sizes).toEqual([4, 4, 2]);
  });

  test('posts that are no news share one change', async () => {
    const { posts, queue, folder, after, build, live } = await scene();
    const paths = [];
    for (const slug of ['a', 'b', 'c']) paths.push((await posts.create(note(slug), { now, slug })).path);
    await queue.add(paths.map((key) => ({ publisher: 'posts', key, quiet: true })));
    await after(0);
    expect(folder.history).toEqual([
      { message: 'Publish 3 posts', files: ['notes/a.md', 'notes/b.md', 'notes/c.md'] },
    ]);
    build();
    await after(minute);
    expect(live.every(({ quiet }) => quiet)).toBe(true);
    expect(live).toHaveLength(3);
  });
});

describe('the owner’s changes in the folder', () => {
  test('is not overwritten until the owner says so', async () => {
    const { post, folder, after, posts, queue, states } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    folder.files.set('notes/tea.md', 'The owner’s own words\n');
    await posts.change(path, (content) => ({ ...content, properties: { content: ['Green tea'] } }), { now });
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('The owner’s own words\n');
    expect(states()).toEqual(['tea conflict']);
    await after(60 * minute);
    expect(states()).toEqual(['tea conflict']);
    await queue.retry(`posts:${path}`, true);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Green tea\n');
  });

  test('a file of the owner with the name of a new post is left alone', async () => {
    const { post, folder, after, states } = await scene();
    folder.files.set('notes/tea.md', 'Mine\n');
    await post('Tea', 'tea');
    await post('Fog', 'fog');
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Mine\n');
    expect(states()).toEqual(['tea conflict', 'fog building']);
  });

  test('a conflict that only the write finds concerns only its own post', async () => {
    const { posts, queue, folder, after, states } = await scene();
    folder.state.trouble = new PublishingTrouble('Somebody else changed it.', ['notes/tea.md']);
    const keys = [];
    for (const slug of ['tea', 'fog']) keys.push((await posts.create(note(slug), { now, slug })).path);
    // Both are in the same attempt.
    await queue.add(keys.map((key) => ({ publisher: 'posts', key })));
    folder.state.onWrite = () => {
      folder.state.onWrite = () => ((folder.state.trouble = undefined), undefined);
    };
    await vi.waitUntil(async () => {
      await after(0);
      return states().includes('fog building');
    }, patience);
    expect(states().sort()).toEqual(['fog building', 'tea conflict']);
  });
});

describe('failures', () => {
  test('are retried with growing pauses, and the owner reads why', async () => {
    const { post, folder, after, items, states } = await scene();
    folder.state.trouble = new PublishingTrouble('The remote doesn’t answer.');
    await post('Tea', 'tea');
    await after(0);
    expect(items()[0]).toMatchObject({
      state: 'waiting',
      failures: 1,
      words: 'The remote doesn’t answer.',
    });
    await after(5000);
    expect(items()[0]).toMatchObject({ failures: 2 });
    folder.state.trouble = undefined;
    await after(29_000);
    expect(folder.files.size).toBe(0);
    await after(1000);
    expect(states()).toEqual(['tea building']);
  });

  test('a page that is not live after an hour is marked as late', async () => {
    const { post, after, items, needsOwner } = await scene();
    await post('Tea', 'tea');
    await after(0);
    for (let passed = 0; passed < 12; passed += 1) await after(5 * minute);
    expect(items()[0]).toMatchObject({ state: 'late' });
    expect(items()[0]?.words).toContain('404');
    await after(60 * minute);
    expect(needsOwner).toEqual(['late']);
  });

  test('a retry writes a file again that was lost after it was written', async () => {
    const { post, folder, after, queue, states } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    folder.files.clear();
    await after(minute);
    expect(folder.files.size).toBe(0);
    await queue.retry(`posts:${path}`, false);
    await after(0);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Tea\n');
    expect(states()).toEqual(['tea building']);
  });

  test('a post that is published again brings back its lost file, even if the page was live', async () => {
    const { post, folder, after, queue, build, states } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    build();
    await after(minute);
    expect(states()).toEqual([]);
    folder.files.clear();
    await queue.add([{ publisher: 'posts', key: path, quiet: true }]);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Tea\n');
  });

  test('a retry of a deleted post still waits until its page is gone', async () => {
    const { post, after, queue, build, states, posts, live } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    build();
    await after(minute);
    await posts.setDeleted(path, true, now);
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(minute);
    await queue.retry(undefined, false);
    await after(0);
    expect(states()).toEqual(['tea building']);
    build();
    await queue.retry(undefined, false);
    await after(0);
    expect(states()).toEqual([]);
    expect(live).toHaveLength(2);
  });

  test('a retry doesn’t overwrite the owner’s change after a replacement', async () => {
    const { post, folder, after, queue, states } = await scene();
    folder.files.set('notes/tea.md', 'Mine\n');
    const { path } = await post('Tea', 'tea');
    await after(0);
    await queue.retry(`posts:${path}`, true);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Tea\n');
    folder.files.set('notes/tea.md', 'Mine again\n');
    await after(minute);
    await queue.retry(`posts:${path}`, false);
    await after(0);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Mine again\n');
    expect(states()).toEqual(['tea conflict']);
  });

  test('nothing is published while publishing is off', async () => {
    const { post, folder, after, isOn, states } = await scene();
    isOn.value = false;
    await post('Tea', 'tea');
    await after(minute);
    expect(folder.files.size).toBe(0);
    isOn.value = true;
    await after(0);
    expect(states()).toEqual(['tea building']);
  });
});

describe('the queue', () => {
  test('a stop at any step publishes each post exactly once', async () => {
    const first = await folderScene(now);
    const post = await first.posts.create(note('Tea'), { now, slug: 'tea' });
    await first.queue.add([{ publisher: 'posts', key: post.path }]);
    await first.stop();
    expect(first.folder.files.size).toBe(0);

    const second = await folderScene(now + minute, first.dataDir);
    second.start();
    await second.after(0);
    expect(second.folder.files.get('notes/tea.md')).toBe('Tea\n');
    await second.stop();

    const third = await folderScene(now + 2 * minute, first.dataDir);
    third.folder.files.set('notes/tea.md', 'Tea\n');
    third.start();
    await third.after(0);
    expect(third.folder.history).toEqual([]);
    expect(third.queue.list()[0]).toMatchObject({ state: 'building' });
  });

  test('a file that was written before a kill is no conflict, even if the post has changed since', async () => {
    const { post, folder, after, posts, queue, states } = await scene();
    const { path } = await post('Tea', 'tea');
    // The files are written, but nothing that follows is recorded.
    folder.state.onWrite = () => {
      folder.files.set('notes/tea.md', 'Tea\n');
      throw new Error('killed');
    };
    await after(0);
    folder.state.onWrite = () => undefined;
    await posts.change(path, (content) => ({ ...content, properties: { content: ['Green tea'] } }), { now });
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Green tea\n');
    expect(states()).toEqual(['tea building']);
  });

  test('a change that comes while the post is being published is published, too', async () => {
    const { post, folder, after, posts, queue } = await scene();
    folder.state.onWrite = async () => {
      folder.state.onWrite = () => undefined;
      const [entry] = queue.list();
      await posts.change(
        entry?.key ?? '',
        (content) => ({ ...content, properties: { content: ['Green tea'] } }),
        { now },
      );
      await queue.add([{ publisher: 'posts', key: entry?.key ?? '' }]);
    };
    await post('Tea', 'tea');
    await after(0);
    await after(0);
    expect(folder.files.get('notes/tea.md')).toBe('Green tea\n');
    expect(folder.history.map(({ message }) => message)).toEqual(['Publish "Tea"', 'Update "Green tea"']);
  });

  test('a post that was written before a kill and is private now is removed', async () => {
    const { post, folder, after, posts, queue, states, build } = await scene();
    const { path } = await post('Tea', 'tea');
    folder.state.onWrite = () => {
      folder.files.set('notes/tea.md', 'Tea\n');
      throw new Error('killed');
    };
    await after(0);
    folder.state.onWrite = () => undefined;
    await posts.change(path, (content) => ({ ...content, visibility: 'private' }), { now });
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    expect([...folder.files.keys()]).toEqual([]);
    build();
    await after(minute);
    expect(states()).toEqual([]);
  });

  test('a post that arrives after it was withdrawn is removed', async () => {
    const { post, folder, after, posts, queue, states, build, site } = await scene();
    const { path } = await post('Tea', 'tea');
    folder.state.trouble = new PublishingTrouble('The remote doesn’t answer.');
    await after(0);
    folder.state.trouble = undefined;
    await posts.change(path, (content) => ({ ...content, visibility: 'private' }), { now });
    site.set('https://me.example/notes/tea/', 'Tea\n');
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(0);
    // The push that seemed to have failed.
    folder.files.set('notes/tea.md', 'Tea\n');
    await after(minute);
    await after(minute);
    expect([...folder.files.keys()]).toEqual([]);
    build();
    await after(minute);
    expect(states()).toEqual([]);
  });

  test('the owner’s file at the path of a private post that was never written is left alone', async () => {
    const { post, folder, after, posts, queue, states } = await scene();
    const { path } = await post('Tea', 'tea');
    folder.state.trouble = new PublishingTrouble('The remote doesn’t answer.');
    await after(0);
    folder.state.trouble = undefined;
    folder.files.set('notes/tea.md', 'Mine\n');
    await posts.change(path, (content) => ({ ...content, visibility: 'private' }), { now });
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(minute);
    expect(folder.files.get('notes/tea.md')).toBe('Mine\n');
    expect(states().join()).not.toContain('conflict');
  });

  test('a scheduled post that moves is published once', async () => {
    const { post, folder, after, posts, queue, build, live } = await scene();
    const { path } = await post('Later', 'later', new Date(now + 60 * minute).toISOString());
    await after(0);
    const moved = await posts.change(path, (content) => content, { now, slug: 'much-later' });
    await queue.add([{ publisher: 'posts', key: moved.path }]);
    await after(0);
    await after(60 * minute);
    expect([...folder.files.keys()]).toEqual(['notes/much-later.md']);
    expect(folder.history).toHaveLength(1);
    build();
    await after(minute);
    expect(live).toHaveLength(1);
  });

  test('any version of a page means that it is not deleted yet', async () => {
    const { post, after, posts, queue, states, build, site } = await scene();
    const { path } = await post('Tea', 'tea');
    await after(0);
    build();
    await after(minute);
    await posts.change(path, (content) => ({ ...content, properties: { content: ['Green tea'] } }), { now });
    await posts.setDeleted(path, true, now);
    await queue.add([{ publisher: 'posts', key: path }]);
    await after(minute);
    expect(site.size).toBe(1);
    expect(states()).toEqual(['tea building']);
  });
});
