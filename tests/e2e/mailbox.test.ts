import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { mailboxServerTable } from '../../src-main/mailbox/mailbox-server.ts';
import { withClosedRecords } from '../../src-main/storage/records/closed-records.ts';
import { mailboxScene, mentionSources, sendMention } from '../support/mailbox-scene.ts';
import type { HeadlessProcess } from '../support/headless-process.ts';
import { slowness } from '../support/patience.ts';
import { killRounds } from '../support/writer-program.ts';

const patience = { timeout: 360_000, interval: 200 };
const drainKills = Number(process.env['PORCHLIGHT_DRAIN_KILLS'] ?? killRounds);
/** How many mentions arrive before each start: more than one call lists, but one site may not fill a page. */
const perKill = Math.min(60, Math.ceil(3000 / drainKills));
const manyMentions = Number(process.env['PORCHLIGHT_KEPT_MENTIONS'] ?? 200);

const status = (house: HeadlessProcess) => house.call('mailbox.status', {});
const ready = (house: HeadlessProcess) =>
  expect.poll(() => status(house), patience).toMatchObject({ state: 'asleep-ready', kept: 0 });
/**
 * Empties the mailbox now. Without being asked, the server waits for minutes if it has no room for all at once, and
 * before it reads a source again that a busy computer read too slowly.
 */
const emptied = (house: HeadlessProcess) =>
  expect
    .poll(async () => {
      await house.call('webmentions.process', {});
      return house.call('mailbox.retry', {});
    }, patience)
    .toMatchObject({ kept: 0 });

async function mentionsOf(house: HeadlessProcess): Promise<string[]> {
  const sources: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await house.call('webmentions.list', {
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    sources.push(...page.items.map(({ source }) => source));
    cursor = page.nextCursor;
    if (cursor === undefined) return sources;
  }
}

/** Sends mentions from pages with these names; resolves with the statuses that came back. */
async function sendAll(
  url: string,
  page: (name: number) => string,
  names: readonly number[],
): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let at = 0; at < names.length; at += 20) {
    const some = names.slice(at, at + 20).map((name) => sendMention(url, page(name), `${url}/`));
    for (const one of await Promise.all(some)) statuses.add(one);
  }
  return statuses;
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('the mailbox in front of the built server', () => {
  test('the mailbox forwards everything while the server is awake', { timeout: 540_000 }, async () => {
    const scene = await mailboxScene();
    const house = await scene.start();
    await ready(house);
    const { url } = await house.call('posts.create', {
      text: 'A first note.',
      format: 'plain',
      status: 'published',
      visibility: 'public',
      photos: [],
      categories: [],
    });
    const seen = await fetch(url);
    const own = await fetch(url.replace(scene.url, `http://127.0.0.1:${scene.port}`), {
      headers: { host: new URL(scene.url).host },
    });
    expect(seen.status).toBe(200);
    expect(await seen.text()).toBe(await own.text());
    expect([...seen.headers.keys()].filter((name) => name.startsWith('porchlight-'))).toEqual([]);
    // A proof is for the mailbox only: nobody gets one for a nonce of their own through it.
    const asked = await fetch(url, { headers: { 'porchlight-nonce': 'mine' } });
    expect(asked.headers.get('porchlight-proof')).toBeNull();
    expect(await sendMention(scene.url, `${scene.url}/nothing`, `${scene.url}/`)).toBe(400);
  });

  test(
    `keeps ${manyMentions} mentions that arrive after a kill, and each is verified exactly once`,
    { timeout: 300_000 + manyMentions * 300 },
    async () => {
      const scene = await mailboxScene();
      const sources = await mentionSources(`${scene.url}/`);
      const first = await scene.start();
      await ready(first);
      await first.stop('SIGKILL');

      const names = upTo(manyMentions);
      expect(await sendAll(scene.url, sources.page, names)).toEqual(new Set([202]));
      // Sent again, as senders do that were not sure.
      expect(await sendAll(scene.url, sources.page, names.slice(0, 20))).toEqual(new Set([202]));
      expect(sources.reads.size).toBe(0);

      const second = await scene.start();
      await expect.poll(async () => (await mentionsOf(second)).length, patience).toBe(manyMentions);
      await ready(second);
      expect((await mentionsOf(second)).sort()).toEqual(names.map((name) => sources.page(name)).sort());
      expect([...new Set(sources.reads.values())]).toEqual([1]);
      expect((await status(second)).lastDrain).toMatchObject({ arrived: manyMentions });
    },
  );

  test(
    `loses and repeats nothing in ${drainKills} kills while it is emptied`,
    { timeout: 300_000 + drainKills * 30_000 },
    async () => {
      const scene = await mailboxScene();
      const sources = await mentionSources(`${scene.url}/`);
      let house = await scene.start();
      await ready(house);
      const names: number[] = [];
      for (let round = 0; round < drainKills; round += 1) {
        await house.stop('SIGKILL');
        const more = upTo(perKill).map((name) => names.length + name);
        expect(await sendAll(scene.url, sources.page, more)).toEqual(new Set([202]));
        names.push(...more);
        house = await scene.start();
        // At any moment of fetching, saving, deleting and verifying.
        await pause(Math.random() * 600);
        // One host may not have too much waiting, and on a busy computer no round may get to the end.
        if (round % 8 === 7) await emptied(house);
      }
      await emptied(house);
      // All are of one host, which is asked for few pages at a time.
      const longer = { ...patience, timeout: patience.timeout + names.length * 200 };
      await expect.poll(async () => (await mentionsOf(house)).length, longer).toBe(names.length);
      await ready(house);
      expect((await mentionsOf(house)).sort()).toEqual(names.map((name) => sources.page(name)).sort());
    },
  );

  test(
    'tells asleep from off, and apps keep their tokens whatever it answers',
    { timeout: 540_000 },
    async () => {
      const scene = await mailboxScene();
      const sources = await mentionSources(`${scene.url}/`);
      const house = await scene.start();
      await ready(house);
      await house.call('server.turnOff', {});
      const off = await fetch(`${scene.url}/`, { headers: { accept: 'text/html' } });
      expect(off.status).toBe(503);
      expect(await off.text()).toContain('turned');
      expect(await sendMention(scene.url, sources.page(1), `${scene.url}/`)).toBe(503);
      await house.stop();
      const gone = await fetch(`${scene.url}/`, { headers: { accept: 'text/html' } });
      expect(gone.status).toBe(503);
      expect(await gone.text()).toContain('turned');
      expect(await sendMention(scene.url, sources.page(1), `${scene.url}/`)).toBe(503);

      const again = await scene.start();
      await ready(again);
      const { url } = await again.call('posts.create', {
        text: 'A last note.',
        format: 'plain',
        status: 'published',
        visibility: 'public',
        photos: [],
        categories: [],
      });
      // The end of a server copies for at most 2 s, in which a busy computer may not finish.
      if (slowness() > 1.5) await ready(again);
      await again.stop();
      // Quitting is sleep: the latest change is copied before, and what arrives is kept.
      expect(await (await fetch(url)).text()).toContain('This is a copy from');
      expect(await sendMention(scene.url, sources.page(2), `${scene.url}/`)).toBe(202);
      for (const path of ['/token', '/micropub', '/media', '/introspect']) {
        const response = await fetch(`${scene.url}${path}`, {
          method: 'POST',
          body: new URLSearchParams({ token: 'x' }),
        });
        expect([path, response.status]).toEqual([path, 503]);
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      const signIn = await fetch(`${scene.url}/auth?client_id=x`, { headers: { accept: 'text/html' } });
      expect(signIn.status).toBe(503);
      expect(await signIn.text()).toMatch(/asleep/i);
    },
  );

  test('a mailbox that is bypassed by Cloudflare is reported as such', { timeout: 540_000 }, async () => {
    const scene = await mailboxScene();
    // Over its daily limit, calls reach the server itself.
    const house = await scene.start(['--base-url', `http://127.0.0.1:${scene.port}`]);
    await expect
      .poll(() => status(house), patience)
      .toMatchObject({
        state: 'trouble',
        remedy: 'update',
        words: expect.stringMatching(/skips the mailbox.*daily limit.*00:00 UTC/) as string,
      });
  });

  test(
    'a second server with the same keys is refused until the owner moves the mailbox',
    { timeout: 540_000 },
    async () => {
      const scene = await mailboxScene();
      const house = await scene.start();
      await ready(house);
      await house.stop();
      // As on another computer: its id isn't in a backup.
      await withClosedRecords(scene.dataDir, [mailboxServerTable], (database) =>
        database.exec('DELETE FROM mailbox_server'),
      );
      const other = await scene.start();
      await expect
        .poll(() => status(other), patience)
        .toMatchObject({ state: 'trouble', remedy: 'takeOver' });
      await other.call('mailbox.turnOn', { takeOver: true });
      await ready(other);
    },
  );
});
