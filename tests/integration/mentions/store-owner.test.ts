import { describe, expect, test } from 'vitest';
import { ownSites } from '../../../src-main/mentions/own-sites.ts';
import { newMentionStore } from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';

const other = 'https://me.example/other';

describe('the counts for the owner', () => {
  test('leaves out the owner’s own mentions, also when another site becomes the owner’s', async () => {
    const hosts: string[] = [];
    const { mentions } = await newMentionStore({
      ownSites: () => ownSites({ base: '', me: 'https://me.example/', folderSite: '', hosts }),
    });
    await mentions.keepAll([
      importedSample(1, { source: 'https://me.example/again', facts: facts('mention') }),
      importedSample(2, { facts: facts('like') }),
      importedSample(3, { source: 'https://photos.example/3', facts: facts('reply') }),
      importedSample(4, { target: other, received: '2020-05-01T10:00:00Z', facts: facts('like') }),
      importedSample(5, { target: other, status: 'hidden' }),
    ]);
    expect(await mentions.counts()).toEqual([
      { month: '2019-03', types: { like: 1, reply: 1 } },
      { month: '2020-05', types: { like: 1 } },
    ]);
    expect(await mentions.topPages()).toEqual([
      { target, mentions: 2 },
      { target: other, mentions: 1 },
    ]);
    expect(await mentions.topPages('2020')).toEqual([{ target: other, mentions: 1 }]);
    expect((await mentions.pages()).find((page) => page.target === target)).toMatchObject({
      types: { like: 1, reply: 1, mention: 0 },
      statuses: { approved: 2 },
    });

    hosts.push('photos.example');
    expect((await mentions.counts())[0]).toEqual({ month: '2019-03', types: { like: 1 } });
    expect(await mentions.topPages('2019')).toEqual([{ target, mentions: 1 }]);
  });
});

describe('a decision about many', () => {
  test('is made and undone, and survives a restart', async () => {
    const { mentions, open } = await newMentionStore();
    const kept = await mentions.keepAll([
      ...Array.from({ length: 30 }, (_, index) => sample(index, { status: 'held' })),
      sample(40, { target: other }),
    ]);
    const withdrawn = kept[3]!.mention.id;
    await mentions.setStatus(withdrawn, 'removed', 'source');

    const ids = [...kept.map(({ mention }) => mention.id), 'not a mention'];
    const { changed, refused } = await mentions.decideAll(ids, 'approved');
    expect([changed.length, refused]).toEqual([30, 2]);
    expect((await mentions.counts())[0]?.types).toEqual({ reply: 30 });

    await mentions.undoAll(changed.map(({ decided }) => decided));
    const again = await open().ofPage(target);
    expect(again.map((mention) => mention.status)).toEqual(
      Array.from({ length: 30 }, (_, index) => (index === 3 ? 'removed' : 'held')),
    );
    const first = again.find(({ id }) => id === kept[0]!.mention.id);
    expect(first).toEqual(kept[0]!.mention);
  });
});
