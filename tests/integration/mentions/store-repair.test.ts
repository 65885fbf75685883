import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mentionOfRow, mentionTable, rowOf } from '../../../src-main/mentions/mention-table.ts';
import type { Mention } from '../../../src-main/mentions/mention.ts';
import { recordsName } from '../../../src-main/storage/records/records-file.ts';
import { damagePages } from '../../support/damage.ts';
import { everyMention, expectSound, newMentionStore } from '../../support/mention-folder.ts';
import { sample } from '../../support/mention-samples.ts';

/** A store with mentions, of which a copy was made before the owner hid and deleted some. */
async function decidedAfterCopy() {
  const store = await newMentionStore();
  const kept = await store.mentions.keepAll(Array.from({ length: 300 }, (_, number) => sample(number)));
  const [hidden = '', deleted = '', ...others] = kept.map(({ mention }) => mention.id);
  await store.records.snapshot();
  await store.mentions.setStatus(hidden, 'hidden', 'owner');
  await store.mentions.setStatus(deleted, 'deleted', 'owner');
  return { ...store, hidden, deleted, others };
}

describe('a damaged database', () => {
  test('a damaged database is repaired with all readable mentions, and shows none that the owner hid', async () => {
    const { dir, records, hidden, deleted, others } = await decidedAfterCopy();
    await records.close();
    await damagePages(join(dir, recordsName));
    const { mentions, records: repaired } = await newMentionStore({}, dir);
    // The first query that meets the damage starts the repair.
    const all = () => everyMention(mentions, 100).catch(() => []);
    await expect.poll(async () => (await all()).length, { timeout: 90_000 }).toBe(300);
    const search = { limit: 500, filter: { text: 'well said' } };
    await expect
      .poll(async () => (await mentions.list(search).catch(() => ({ items: [] }))).items.length)
      .toBe(300);
    const shown = (await everyMention(mentions, 100, { status: 'approved' })).map(({ id }) => id);
    expect(shown).not.toContain(hidden);
    expect(shown).not.toContain(deleted);
    for (const id of others) expect((await mentions.get(id))?.status).toMatch(/approved|held/);
    await expectSound(repaired);
  });
});

describe('a mention in a repair', () => {
  const mention: Mention = {
    id: 'one',
    wmId: 1,
    source: 'https://a.example/',
    target: 'https://me.example/',
    received: '2026-11-20T10:00:00Z',
    parsed: '2026-11-20T10:00:00Z',
    facts: { type: 'like', property: 'like-of' },
    history: [],
    status: 'approved',
    chosen: false,
  };
  const merged = (older: Partial<Mention> | undefined, damaged: Partial<Mention> | undefined) => {
    const row = (rest: Partial<Mention> | undefined) => rest && rowOf({ ...mention, ...rest });
    const kept = mentionTable.merge?.(row(older), row(damaged));
    return kept && mentionOfRow(kept);
  };

  test.each([
    ['hidden in the copy', { status: 'hidden', chosen: true }, {}, 'hidden'],
    ['deleted in the copy', { status: 'deleted', statusBefore: 'approved' }, {}, 'deleted'],
    ['hidden since the copy', {}, { status: 'hidden', chosen: true }, 'hidden'],
    ['removed by its source, and back since then', { status: 'removed' }, {}, 'approved'],
    ['only in the copy, and shown', {}, undefined, 'held'],
    ['only in the copy, and deleted', { status: 'deleted' }, undefined, 'deleted'],
    ['only in the damaged database', undefined, {}, 'approved'],
  ] as const)('(%s) becomes %s', (_what, older, damaged, status) => {
    expect(merged(older, damaged)?.status).toBe(status);
  });

  test('that the owner deleted in the copy can be restored with what its source says now', () => {
    const now = { facts: { type: 'reply', property: 'in-reply-to' } } as const;
    expect(merged({ status: 'deleted', statusBefore: 'approved' }, now)).toEqual({
      ...mention,
      ...now,
      status: 'deleted',
      statusBefore: 'approved',
      chosen: true,
    });
  });
});
