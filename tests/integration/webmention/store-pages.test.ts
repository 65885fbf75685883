import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MentionStatus } from '../../../src-main/contract/webmentions.ts';
import { checkMentions } from '../../../src-main/mentions/check-mentions.ts';
import { mentionPages } from '../../../src-main/mentions/mention-pages.ts';
import { mentionTablesIn, newMentionStore } from '../../support/mention-folder.ts';
import { facts, importedSample, sample } from '../../support/mention-samples.ts';

const base = 'https://porch.example';
const path = (slug: string) => `/posts/2026/11/${slug}`;

/** A store for the pages of a site on which posts move: from a path to a path. */
async function siteWithMoves() {
  const moves = new Map<string, string>();
  let origin = base;
  const pages = mentionPages(() => origin, {
    pageAt: (address) => moves.get(address) ?? address,
    homeUrl: () => undefined,
  });
  const scene = await newMentionStore({ pages });
  return {
    ...scene,
    pages,
    move: (mentions: typeof scene.mentions, from: string, to: string): void => {
      for (const [old, now] of moves) if (now === from) moves.set(old, to);
      moves.delete(to);
      if (from !== to) moves.set(from, to);
      mentions.addressesChanged([from, to]);
    },
    setBase: (next: string) => void (origin = next),
  };
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
  fc.record({ kind: fc.constant('decide' as const), nth: fc.nat(20), status: fc.constantFrom(...statuses) }),
  fc.record({
    kind: fc.constant('move' as const),
    from: fc.constantFrom(...slugs),
    to: fc.constantFrom(...slugs),
  }),
  fc.record({ kind: fc.constant('base' as const), to: fc.constantFrom(base, 'https://new.example') }),
);

test('whatever happens, counts, sizes and what stands for a source are as in an index that is made anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 1, maxLength: 25 }), async (steps) => {
      const scene = await siteWithMoves();
      const index = mentionTablesIn();
      const mentions = scene.open(index);
      for (const step of steps) {
        const { kind } = step;
        if (kind === 'keep') {
          const { source, target, minute, readAt, isImported } = step;
          const parsed = `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
          const own = { source, target, parsed, ...(readAt !== undefined && { readAt }) };
          await mentions.keep(isImported ? importedSample(minute, own) : sample(1, own));
        } else if (kind === 'move') scene.move(mentions, path(step.from), path(step.to));
        else if (kind === 'base') scene.setBase(step.to);
        else {
          const all = [];
          for await (const mention of mentions.all()) all.push(mention);
          const one = all[step.nth % Math.max(1, all.length)];
          if (one) await mentions.setStatus(one.id, step.status, 'owner').catch(() => undefined);
        }
      }
      await mentions.pages();
      expect((await checkMentions(scene.dir, index)).problems).toEqual([]);
      const anew = scene.open();
      for (const page of await mentions.pageIds()) {
        const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);
        expect(ids(await anew.ofPage(page))).toEqual(ids(await mentions.ofPage(page)));
        expect(ids(await anew.recordsOf(page))).toEqual(ids(await mentions.recordsOf(page)));
      }
      expect(await anew.pages()).toEqual(await mentions.pages());
      expect(await anew.counts()).toEqual(await mentions.counts());
      await Promise.all([anew.close(), mentions.close()]);
    }),
    { numRuns: 60 },
  );
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

test('a move of a post with many mentions takes little time', { timeout: 120_000 }, async () => {
  const { mentions, move } = await siteWithMoves();
  const many = Array.from({ length: 2000 }, (_, at) =>
    sample(at, { target: base + path('tea'), source: `https://s${at}.example/` }),
  );
  await mentions.keepAll(many);
  const before = process.cpuUsage();
  move(mentions, path('tea'), path('green-tea'));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
  expect(await mentions.ofPage(path('green-tea'))).toHaveLength(2000);
  expect(await mentions.ofPage(base + path('tea'))).toHaveLength(2000);
});

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
