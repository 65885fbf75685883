import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Post, PostHome } from '../../../src-main/contract/posts.ts';
import type { PostFinder } from '../../../src-main/posts/address.ts';
import { openSender, ours, type TestSender, type TestSenderOptions } from '../../support/sender.ts';
import { postOf } from '../../support/site.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { openReceivers, type Receivers } from '../../support/webmention-receivers.ts';

const minute = 60_000;
const home = 'https://marlow.example/notes/one/';

let there: Receivers;
let dir: string;
let time: number;
let known: Map<string, Post>;
let moves: Map<string, string>;
let isHeld: boolean;

beforeEach(async () => {
  there = await openReceivers();
  dir = await temporaryFolder();
  time = Date.parse('2026-11-21T15:00:00.000Z');
  known = new Map();
  moves = new Map();
  isHeld = false;
});
afterEach(() => there.close());

const finder: PostFinder = {
  get: (path) => Promise.resolve(known.get(path)),
  movedTo: (path) => Promise.resolve(moves.get(path)),
  atHome: (url) =>
    Promise.resolve(
      [...known.values()].find((post) => post.home && [post.home.url, ...post.home.former].includes(url))
        ?.path,
    ),
};

const homeAt = (url: string, over: Partial<PostHome> = {}): PostHome => ({
  url,
  file: 'notes/one.md',
  former: [],
  written: {},
  liveAt: null,
  ...over,
});

/** A post that links pages of the receivers, at its own URL. It is also stored. */
function stored(names: readonly string[], over: Partial<Post> & { slug?: string } = {}): Post {
  const post = postOf(
    { content: [names.map((name) => there.origin + name).join(' ')] },
    { home: homeAt(home), ...over },
  );
  known.set(post.path, post);
  return post;
}

async function started(over: Partial<TestSenderOptions> = {}): Promise<TestSender> {
  const sender = await openSender({
    dir,
    now: () => time,
    posts: finder,
    mayLeave: () => !isHeld,
    ...over,
  });
  await sender.start();
  return sender;
}

const notifications = () =>
  there.received.map(({ source, target }) => `${source} -> ${new URL(target ?? '').pathname}`);

describe('a post that has its own URL on the owner’s site', () => {
  test('sends from it, and its deliveries are found by each of its URLs', async () => {
    const sender = await started();
    there.add('/a');
    const former = 'https://marlow.example/notes/first/';
    const post = stored(['/a'], { home: homeAt(home, { former: [former] }) });
    await sender.change(post, 'created');
    await sender.quiet();
    expect(notifications()).toEqual([`${home} -> /a`]);
    for (const url of [home, former, ours + post.path, `${home}#top`])
      expect(await sender.deliveriesOf(url)).toMatchObject([{ source: home, state: 'sent' }]);
    expect(await sender.deliveriesOf('https://marlow.example/notes/two/')).toEqual([]);
    await sender.retry(former, `${there.origin}/a`);
    await sender.quiet();
    expect(notifications()).toEqual([`${home} -> /a`, `${home} -> /a`]);
  });

  test('links to none of its own URLs as to another page', async () => {
    const sender = await started();
    there.add('/a');
    const former = `${there.origin}/former`;
    const post = stored(['/a', '/former', '/home#part'], {
      home: homeAt(`${there.origin}/home`, { former: [former] }),
    });
    post.properties['content'] = [`${String(post.properties['content']?.[0])} ${ours}${post.path}`];
    await sender.change(post, 'created');
    await sender.quiet();
    expect(there.received.map(({ target }) => target)).toEqual([`${there.origin}/a`]);
  });

  test('a page that knows the post’s URL here is notified of changes from it, and a new page from the post’s own URL', async () => {
    const sender = await started();
    there.add('/a');
    there.add('/b');
    const before = postOf(stored(['/a']).properties);
    known.set(before.path, before);
    await sender.change(before, 'created');
    await sender.quiet();
    const post = stored(['/a', '/b']);
    await sender.change(post, 'updated', before);
    await sender.quiet();
    expect(notifications().sort()).toEqual(
      [`${ours}${post.path} -> /a`, `${ours}${post.path} -> /a`, `${home} -> /b`].sort(),
    );
    await sender.stop();
    const again = await started();
    there.received.splice(0);
    await again.change(post, 'updated', post);
    await again.quiet();
    expect(notifications().sort()).toEqual([`${home} -> /b`, `${ours}${post.path} -> /a`].sort());
  });

  test('and moves: pages are notified from its current URL, and again from the URL that they know', async () => {
    const sender = await started();
    there.add('/kept');
    there.add('/new');
    const before = stored(['/kept']);
    await sender.change(before, 'created');
    await sender.quiet();
    there.received.splice(0);
    known.delete(before.path);
    const url = 'https://marlow.example/notes/two/';
    const moved = stored(['/kept', '/new'], { slug: 'two', home: homeAt(url, { former: [home] }) });
    moves.set(before.path, moved.path);
    await sender.change(moved, 'updated', before);
    await sender.quiet();
    expect(notifications().sort()).toEqual([`${home} -> /kept`, `${url} -> /kept`, `${url} -> /new`].sort());
  });

  test('its responses arrive at each of its URLs, and the page that it answers is notified', async () => {
    const sender = await started();
    there.add('/a');
    const post = stored(['/a']);
    await sender.change(post, 'created');
    await sender.quiet();
    for (const target of [home, `${ours}${post.path}#part`]) {
      there.received.splice(0);
      const tries = sender.events.filter(({ state }) => state === 'sent').length;
      await sender.responseShown({ source: `https://bo.example/${tries}`, target });
      time += 11 * minute;
      sender.wake();
      await sender.tried(tries + 1);
      expect(notifications()).toEqual([`${home} -> /a`]);
    }
  });

  test('sends even if only this computer can reach this server, because others can reach its page', async () => {
    const sender = await started({ allowPrivate: false, base: () => 'http://127.0.0.1:4321' });
    there.add('/a');
    await sender.change(stored(['/a']), 'created');
    await sender.quiet();
    expect(notifications()).toEqual([`${home} -> /a`]);
  });
});

describe('a post that is not live yet', () => {
  test('sends nothing until it is live, and the delivery names the reason', async () => {
    isHeld = true;
    const sender = await started();
    there.add('/a');
    const post = stored(['/a']);
    await sender.change(post, 'created');
    const waiting = {
      source: home,
      state: 'waiting',
      words: 'Waiting until the post is live on marlow.example.',
    };
    expect(await sender.deliveriesOf(home)).toMatchObject([waiting]);
    expect(sender.events).toMatchObject([waiting]);
    sender.wake();
    await sender.retry(home);
    await sender.stop();
    expect(there.site.requests).toEqual([]);

    const again = await started();
    again.wake();
    expect(await again.deliveriesOf(home)).toMatchObject([waiting]);
    isHeld = false;
    again.wake();
    await again.tried(1);
    expect(notifications()).toEqual([`${home} -> /a`]);
  });

  test('is not looked at again until the sender is woken, and keeps no other post waiting', async () => {
    isHeld = true;
    const asked: string[] = [];
    const post = stored(['/a']);
    const sender = await started({
      mayLeave(path) {
        asked.push(path);
        return path !== post.path || !isHeld;
      },
    });
    there.add('/a');
    there.add('/b');
    await sender.change(post, 'created');
    const other = stored(['/b'], { slug: 'other', home: homeAt('https://marlow.example/notes/other/') });
    for (let turn = 0; turn < 5; turn += 1) {
      time += minute;
      await sender.change(other, turn === 0 ? 'created' : 'updated', other);
      await sender.tried(turn + 1);
    }
    const times = asked.filter((path) => path === post.path).length;
    // Once for the words of the delivery, and once when it was due.
    expect(times).toBe(2);
    expect(there.notifications().filter((one) => one.endsWith('/a'))).toEqual([]);
    isHeld = false;
    sender.wake();
    await sender.tried(6);
    expect(notifications().at(-1)).toBe(`${home} -> /a`);
  });

  const second = 'https://marlow.example/notes/two/';

  /** The post after it has moved to the second URL. */
  function movedFrom(before: Post): Post {
    known.delete(before.path);
    const moved = stored(['/a'], { slug: 'two', home: homeAt(second, { former: [home] }) });
    moves.set(before.path, moved.path);
    return moved;
  }

  test('holds back notifications from its former URL, even without a record of earlier ones', async () => {
    there.add('/a');
    const before = stored(['/a'], { home: homeAt(home, { liveAt: '2026-11-21T14:00:00.000Z' }) });
    const moved = movedFrom(before);
    let held: string | undefined = moved.path;
    const sender = await started({ mayLeave: (path) => path !== held });
    await sender.change(moved, 'updated', before);
    sender.wake();
    expect(await sender.deliveriesOf(second)).toMatchObject([{ state: 'waiting' }]);
    // A post that may leave does, and the others would have left before it.
    there.add('/b');
    const marker = stored(['/b'], { slug: 'marker', home: homeAt('https://marlow.example/marker/') });
    await sender.change(marker, 'created');
    await sender.tried(1);
    expect(notifications()).toEqual(['https://marlow.example/marker/ -> /b']);
    await sender.stop();
    there.received.splice(0);
    held = undefined;
    const again = await started();
    await again.tried(2);
    expect(notifications().sort()).toEqual([`${home} -> /a`, `${second} -> /a`].sort());
  });

  test('and moves before it is live: pages are notified from its current URL only', async () => {
    isHeld = true;
    const sender = await started();
    there.add('/a');
    const before = stored(['/a']);
    await sender.change(before, 'created');
    await sender.change(movedFrom(before), 'updated', before);
    isHeld = false;
    sender.wake();
    // A host is told one thing at a time, so anything from the first URL would be told before.
    await sender.tried(1);
    expect(notifications()).toEqual([`${second} -> /a`]);
  });
});
