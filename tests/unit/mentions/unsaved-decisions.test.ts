import { beforeEach, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { MentionStore } from '../../../src-main/mentions/mention-store.ts';
import { holdDecisions } from '../../../src-main/mentions/unsaved-decisions.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { sample, target } from '../../support/mention-samples.ts';

let disk: { isFull: boolean };
let memory: MentionStore;
let mentions: MentionStore;
let endings: ReturnType<typeof createEndings>;
let ids: string[];
const saved = vi.fn();

/** A store that can't write while the disk is full. What changes nothing needs no disk, as with the one on disk. */
function onDisk(store: MentionStore): MentionStore {
  const refuse = () => Promise.reject(new PorchlightError('storage_full', 'Full.', 507));
  return {
    ...store,
    setStatus: (id, status, by) => (disk.isFull ? refuse() : store.setStatus(id, status, by)),
    decideAll: (all, decision) =>
      disk.isFull && decision !== 'restored' ? refuse() : store.decideAll(all, decision),
  };
}

beforeEach(async () => {
  disk = { isFull: false };
  memory = memoryMentions(() => Date.parse('2026-11-20T12:00:00Z'));
  endings = createEndings({ changed: () => undefined });
  saved.mockClear();
  ids = [];
  for (const number of [1, 2, 3]) ids.push((await memory.keep(sample(number))).mention.id);
  mentions = holdDecisions(onDisk(memory), {
    endings,
    versions: createVersions(),
    saved,
    now: () => Date.parse('2026-11-20T13:00:00Z'),
  });
  disk.isFull = true;
});

const [first, second] = [() => ids[0] ?? '', () => ids[1] ?? ''];
const shown = async () =>
  (await mentions.ofPage(target)).filter(({ status }) => status === 'approved').map(({ id }) => id);
const idsOf = async (status: 'approved' | 'hidden' | 'deleted' | 'held') =>
  (await mentions.list({ limit: 10, filter: { status } })).items.map(({ id }) => id);

test.each(['hidden', 'deleted', 'held'] as const)(
  'a mention that is %s on a full disk is so everywhere',
  async (status) => {
    const mention = await mentions.setStatus(first(), status, 'owner');
    expect(mention).toMatchObject({ status, chosen: true });
    expect(mentions.isSaved(first())).toBe(false);
    expect(await mentions.get(first())).toEqual(mention);
    expect(await mentions.find(mention.source, mention.target)).toEqual(mention);
    expect(await shown()).toEqual(ids.slice(1));
    expect(await idsOf('approved')).not.toContain(first());
    expect(await idsOf(status)).toEqual([first()]);
    expect((await mentions.list({ limit: 10, filter: { status, text: 'nothing like it' } })).items).toEqual(
      [],
    );
    for await (const one of mentions.all()) if (one.id === first()) expect(one.status).toBe(status);
    // The next reading of the source changes nothing of that.
    expect((await mentions.keep(sample(1))).mention.status).toBe(status);

    disk.isFull = false;
    expect(await endings.retry()).toBe(true);
    expect((await memory.get(first()))?.status).toBe(status);
    await vi.waitFor(() => expect(saved).toHaveBeenCalledOnce());
  },
);

test('a decision about many says what changed, and can be undone as one', async () => {
  const done = await mentions.decideAll([...ids, 'unknown'], 'hidden');
  expect(done).toMatchObject({
    changed: ids.map((id) => ({ mention: { id, status: 'hidden' } })),
    refused: 1,
  });
  expect(await shown()).toEqual([]);
  expect((await mentions.decideAll(ids, 'hidden')).changed).toEqual([]);
  const undone = await mentions.undoAll(done.changed.map(({ decided }) => decided));
  expect(undone.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'approved']));
  expect(await shown()).toEqual(ids);
  expect(endings.problem()).toBeUndefined();
});

test('undoing the newest of two decisions leaves the older one in effect', async () => {
  await mentions.decideAll([first()], 'hidden');
  const { changed } = await mentions.decideAll([first()], 'deleted');
  expect(await mentions.undoAll(changed.map(({ decided }) => decided))).toMatchObject([{ status: 'hidden' }]);
  expect(await shown()).toEqual(ids.slice(1));
  disk.isFull = false;
  await endings.retry();
  expect(await memory.get(first())).toMatchObject({ status: 'hidden' });
});

test('restoring a deletion that isn’t on disk needs no disk; showing what was hidden says why it fails', async () => {
  await mentions.setStatus(first(), 'deleted', 'owner');
  expect(await mentions.restore(first())).toMatchObject({ status: 'approved' });
  await mentions.decideAll([first()], 'deleted');
  expect(await mentions.decideAll([first()], 'restored')).toMatchObject({
    changed: [{ mention: { id: first(), status: 'approved' } }],
  });
  await mentions.setStatus(second(), 'hidden', 'owner');
  expect(await mentions.restore(second())).toMatchObject({ status: 'hidden' });
  await expect(mentions.setStatus(second(), 'approved', 'owner')).rejects.toMatchObject({
    code: 'storage_full',
  });
  expect(await shown()).not.toContain(second());
});
