import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { noBlocks } from '../../../../src-main/mentions/blocked.ts';
import { mentionBytes } from '../../../../src-main/mentions/mention-limits.ts';
import type { Mention } from '../../../../src-main/mentions/mention.ts';
import { ownSites } from '../../../../src-main/mentions/own-sites.ts';
import { MentionWorker } from '../../../../src-main/mentions/receiving/worker.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { facts } from '../../../support/mention-samples.ts';
import { memoryWork } from '../../../support/memory-work.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const hour = 3_600_000;
const mallory = '203.0.113.9';
/** As much text as one mention keeps, and what a usual reply has: 3 KB on disk. */
const long = 'An endless answer. '.repeat(950);
const usual = 'A usual answer. '.repeat(150);

/** Mentions from receiving to disk; each source is on a site of its own and says `text` about a page of its own. */
async function bench() {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const now = () => clock.now;
  const { records, work } = await memoryWork({ now });
  const mentions = memoryMentions(now, undefined, records);
  const refusals = new Set<string>();
  let text = '';
  const worker = new MentionWorker({
    records,
    work,
    store: mentions,
    ownSites: () => ownSites({ base: '', me: null, folderSite: '', hosts: [] }),
    settings: () => ({ hold: 'nothing', trustedDomains: [] as string[] }) as Settings['webmention'],
    blocks: noBlocks,
    clock: now,
    events: {
      received: () => undefined,
      changed: () => undefined,
      refused: (why) => void refusals.add(why),
    },
    readSource: (source) =>
      Promise.resolve({ kind: 'links', facts: facts('reply', text), url: source, text: '' }),
    log: silentLog,
  });
  onTestFinished(() => work.stop());
  let sent = 0;

  return {
    clock,
    refusals,
    /** Sends so many through the tunnel and answers what was kept of them. */
    send: async (count: number, says: string, visitor?: string, path = ''): Promise<Mention[]> => {
      text = says;
      const pairs = Array.from({ length: count }, () => {
        const number = (sent += 1);
        return {
          source: `https://site-${number}.example/${path}`,
          target: `https://ada.example/post-${number % 20}?${path}`,
        };
      });
      for (const { source, target } of pairs) await worker.queue.receive({ source, target, visitor });
      await worker.processNow();
      const kept = await Promise.all(pairs.map(({ source, target }) => mentions.find(source, target)));
      return kept.filter((mention) => mention !== undefined);
    },
  };
}

const bytesOfAll = (all: readonly Mention[]) => all.reduce((sum, mention) => sum + mentionBytes(mention), 0);
const shortOnes = (all: readonly Mention[]) =>
  all.filter(({ facts: { shortened } }) => shortened !== undefined);

test(
  'a visitor stores 2 MB at once and 1 MB an hour, wherever the sources are; further mentions are shortened and say so',
  { timeout: 180_000 },
  async () => {
    const { clock, refusals, send } = await bench();
    const first = await send(120, long, mallory);
    expect(first).toHaveLength(120);
    const atOnce = await send(60, long, mallory);
    expect(atOnce).toHaveLength(60);
    expect(shortOnes(atOnce)).toEqual(atOnce);
    expect(bytesOfAll(atOnce)).toBeLessThan(60 * 2.5 * kilobyte);
    expect(bytesOfAll([...first, ...atOnce])).toBeLessThan(3.5 * megabyte);
    expect(atOnce[0]?.facts).toMatchObject({ shortened: ['content'], author: { name: 'Ada Lovelace' } });
    expect([...refusals]).toEqual([expect.stringContaining('shortened')]);
    clock.now += 3 * hour;
    expect(shortOnes(await send(10, long, mallory))).toEqual([]);
  },
);

test(
  'a visitor who uses up its share takes no room from other visitors, nor from mentions outside the tunnel',
  { timeout: 180_000 },
  async () => {
    const { send } = await bench();
    await send(180, long, mallory);
    expect(shortOnes(await send(5, long, mallory))).toHaveLength(5);
    expect(shortOnes(await send(5, long, '198.51.100.1'))).toEqual([]);
    expect(shortOnes(await send(5, long))).toEqual([]);
  },
);

test('a bridge sends five hundred usual mentions, and each is kept whole', { timeout: 180_000 }, async () => {
  const { refusals, send } = await bench();
  const kept = await send(500, usual, '192.0.2.80');
  expect(kept).toHaveLength(500);
  expect(mentionBytes(kept[0]!)).toBeGreaterThan(2.5 * kilobyte);
  expect(shortOnes(kept)).toEqual([]);
  expect([...refusals]).toEqual([]);
});

test('a mention whose addresses are long is kept beyond the share too', { timeout: 180_000 }, async () => {
  const { send } = await bench();
  await send(180, long, mallory);
  const [kept] = await send(1, long, mallory, 'x'.repeat(2000));
  expect(kept?.facts.shortened).toContain('content');
});
