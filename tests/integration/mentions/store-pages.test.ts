import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { MentionStatus } from '../../../src-main/contract/webmentions.ts';
import { mentionPages } from '../../../src-main/mentions/mention-pages.ts';
import { MentionStore } from '../../../src-main/mentions/mention-store.ts';
import { mentionTable } from '../../../src-main/mentions/mention-table.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import type { Records } from '../../../src-main/storage/records/records.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { collected, expectSound, newMentionStore, stepClock } from '../../support/mention-folder.ts';
import { facts, importedSample, sample } from '../../support/mention-samples.ts';
import { runs } from '../../support/runs.ts';

const base = 'https://porch.example';
const path = (slug: string) => `/posts/2026/11/${slug}`;

/** The pages of a site on which posts move: from a path to a path. */
function movingPages() {
  const moves = new Map<string, string>();
  let origin = base;
  const pages = mentionPages(() => origin, {
    pageAt: (address) => moves.get(address) ?? address,
    homeUrl: () => undefined,
    titleOf: () => undefined,
  });
  return {
    moves,
    pages,
    /** Moves a post, in a transaction with what the mentions note of it. */
    move: (
      mentions: MentionStore,
      records: Pick<Records, 'write'>,
      from: string,
      to: string,
    ): Promise<void> =>
      records.write((transaction) => {
        for (const [old, now] of moves) if (now === from) moves.set(old, to);
        moves.delete(to);
        if (from !== to) moves.set(from, to);
        mentions.addressesChanged([from, to], transaction);
      }),
    setBase: (next: string) => void (origin = next),
  };
}

/** A store for the pages of such a site. */
async function siteWithMoves() {
  const site = movingPages();
  return { ...site, ...(await newMentionStore({ pages: site.pages })) };
}

const slugs = ['tea', 'green-tea', 'white-tea'] as const;
const targets = slugs.flatMap((slug) => [
  base + path(slug),
  `${base}${path(slug)}?a`,
  `${base}${path(slug)}/#c`,
]);
const statuses: readonly MentionStatus[] = ['approved', 'held', 'hidden', 'deleted', 'removed'];

const someStep = fc.oneof(
  fc.record({
    kind: fc.constant('keep' as const),
    source: fc.constantFrom('https://a.example/1', 'https://a.example/2', 'https://b.example/1'),
    readAt: fc.option(fc.constantFrom('https://a.example/2', 'https://b.example/1'), { nil: undefined }),
    target: fc.constantFrom(...targets),
    minute: fc.integer({ min: 0, max: 59 }),
    isImported: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('decide' as const),
    nth: fc.nat(20),
    status: fc.constantFrom(...statuses, 'erased' as const),
  }),
  fc.record({
    kind: fc.constant('move' as const),
    from: fc.constantFrom(...slugs),
    to: fc.constantFrom(...slugs),
  }),
  fc.record({ kind: fc.constant('base' as const), to: fc.constantFrom(base, 'https://new.example') }),
);

test('after any changes, counts, sizes and the mention shown for a source are the same as if derived again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { pages, move, setBase } = movingPages();
      const records = memoryRecords([mentionTable]);
      const versions = createVersions();
      const mentions = new MentionStore({ records, versions, pages, now: stepClock(), log: silentLog });
      for (const step of steps) {
        const { kind } = step;
        if (kind === 'keep') {
          const { source, target, minute, readAt, isImported } = step;
          const parsed = `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
          const own = { source, target, parsed, ...(readAt !== undefined && { readAt }) };
          await mentions.keep(isImported ? importedSample(minute, own) : sample(1, own));
        } else if (kind === 'move') await move(mentions, records, path(step.from), path(step.to));
        else if (kind === 'base') setBase(step.to);
        else {
          const all = await collected(mentions.all());
          const one = all[step.nth % Math.max(1, all.length)];
          if (!one) continue;
          if (step.status === 'erased') await mentions.erase([one.id]);
          else await mentions.setStatus(one.id, step.status, 'owner').catch(() => undefined);
        }
      }
      await mentions.pages();
      await expectSound(records, pages);
    }),
    { numRuns: runs(60) },
  );
});

describe('after a move of a post that the mentions have not followed yet', () => {
  const toGreen = [path('tea'), path('green-tea')] as const;
  const noted = (records: Records) =>
    records.rows(({ address }) => String(address), 'SELECT address FROM mention_moves ORDER BY 1');

  async function withMention() {
    const scene = await siteWithMoves();
    const { mention } = await scene.mentions.keep(sample(1, { target: base + path('tea') }));
    return { ...scene, mention };
  }

  test('they follow before they are read, and nothing is left to do', async () => {
    const { mention, mentions, move, pages, records } = await withMention();
    await move(mentions, records, ...toGreen);
    expect(noted(records)).toEqual([...toGreen].sort());
    expect(await mentions.ofPage(path('green-tea'))).toEqual([mention]);
    expect(noted(records)).toEqual([]);
    await expectSound(records, pages);
  });

  test('they follow after a restart', async () => {
    const { mention, mentions: before, move, pages, records: old, reopened } = await withMention();
    await move(before, old, ...toGreen);
    // As if Porchlight was killed after the change of the post: nothing has read the mentions.
    const { mentions, records } = await reopened();
    expect(noted(records)).toHaveLength(2);
    expect(await mentions.ofPage(path('green-tea'))).toEqual([mention]);
    expect(await mentions.ofPage(path('tea'))).toEqual([mention]);
    expect((await mentions.pages()).map(({ target }) => target)).toEqual([base + path('green-tea')]);
    expect(noted(records)).toEqual([]);
    await expectSound(records, pages);
  });

  test('closing makes them follow, so that the next start has nothing to do', async () => {
    const { mention, mentions: before, move, records: old, reopened } = await withMention();
    await before.pages();
    await move(before, old, ...toGreen);
    await before.close();
    expect(noted(old)).toEqual([]);
    const { mentions } = await reopened();
    expect(await mentions.ofPage(path('green-tea'))).toEqual([mention]);
  });

  test('reading continues while the disk refuses the update, which follows once it is possible', async () => {
    const { mention, mentions, move, records, reopened } = await withMention();
    await mentions.pages();
    await move(mentions, records, ...toGreen);
    const full = new PorchlightError('storage_full', 'The disk is full.', 507);
    const write = vi.spyOn(records, 'write').mockRejectedValue(full);
    expect((await mentions.list({ limit: 5 })).items).toHaveLength(1);
    await mentions.close();
    write.mockRestore();
    expect(noted(records)).not.toEqual([]);
    const again = await reopened();
    expect(await again.mentions.ofPage(path('green-tea'))).toEqual([mention]);
    expect(noted(again.records)).toEqual([]);
  });

  test('a move that fails in its transaction is not followed', async () => {
    const { mention, mentions, move, moves, records } = await withMention();
    const failing: Pick<Records, 'write'> = {
      write: (change) =>
        records.write((transaction) => {
          change(transaction);
          moves.clear();
          throw new Error('no');
        }),
    };
    await expect(move(mentions, failing, ...toGreen)).rejects.toThrow('no');
    expect(noted(records)).toEqual([]);
    expect(await mentions.ofPage(path('tea'))).toEqual([mention]);
    expect(await mentions.ofPage(path('green-tea'))).toEqual([]);
  });
});

test('spellings of a page share its room, so they don’t multiply it', async () => {
  const { mentions } = await siteWithMoves();
  const long = { ...facts('reply'), content: { value: 'x'.repeat(30_000) } };
  let bytes = 0;
  for (let at = 0; at < 400; at += 1) {
    const target = `${base}${path('tea')}?${at}`;
    const kept = await mentions.keep(sample(at, { target, facts: long })).catch(() => undefined);
    bytes += kept === undefined ? 0 : JSON.stringify({ ...kept.mention, history: [] }).length;
  }
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBeLessThan(2 * 1024 * 1024);
  // Another site has room of its own on the page.
  const other = await mentions.keep(
    sample(1, { source: 'https://b.example/1', target: base + path('tea'), facts: long }),
  );
  expect(other.mention.facts.content?.value.length).toBeGreaterThan(10_000);
});

test(
  'a move of a post with many mentions costs at most about as much as keeping them did',
  { timeout: 360_000 },
  async () => {
    const { mentions, move, records } = await siteWithMoves();
    const many = Array.from({ length: 2000 }, (_, at) =>
      sample(at, { target: base + path('tea'), source: `https://s${at}.example/` }),
    );
    // The time of this thread alone: other tests may be at work in this process.
    const begun = process.threadCpuUsage();
    await mentions.keepAll(many);
    const kept = process.threadCpuUsage(begun);
    const before = process.threadCpuUsage();
    await move(mentions, records, path('tea'), path('green-tea'));
    expect(await mentions.ofPage(path('green-tea'))).toHaveLength(2000);
    const moved = process.threadCpuUsage(before);
    expect(moved.user + moved.system).toBeLessThan(2 * (kept.user + kept.system));
    expect(await mentions.ofPage(base + path('tea'))).toHaveLength(2000);
  },
);

test('nobody can take a mention away from another site by redirecting to it', async () => {
  const { mentions } = await siteWithMoves();
  const target = base + path('tea');
  const real = { source: 'https://nice.example/1', target };
  const mallory = { source: 'https://mallory.example/', readAt: 'https://nice.example/1', target };
  const first = await mentions.keep(sample(1, { ...mallory, parsed: '2026-11-20T11:00:00.000Z' }));
  await mentions.setStatus(first.mention.id, 'deleted', 'owner');
  const { mention, standing } = await mentions.keep(sample(1, real));
  expect(standing).toBe('leads');
  expect(await mentions.ofPage(target)).toEqual([mention]);
  // And it gets no approval from the other site.
  const other = { ...mallory, source: 'https://mallory.example/2', status: 'held' as const };
  expect((await mentions.keep(sample(1, other))).mention.status).toBe('held');
  expect(await mentions.ofPage(target)).toEqual([mention]);
});
