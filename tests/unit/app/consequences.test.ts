import { expect, test, vi } from 'vitest';
import { afterMentions, afterPosts, afterSettings } from '../../../src-main/app/consequences.ts';
import { inBackground } from '../../../src-main/platform/log.ts';
import { postOf } from '../../support/site.ts';

const post = postOf({ content: ['Fog'] });
const change = { post, change: 'created', url: 'https://me.example/fog' } as const;

/** Returns steps that note their names, and the names of those that began. */
function steps<Name extends string>(names: readonly Name[], failing?: Name) {
  const begun: Name[] = [];
  const to = Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        begun.push(name);
        if (name === failing) throw new Error('broken');
      },
    ]),
  ) as Record<Name, () => void>;
  return { begun, to };
}

const names = [
  'copyFiles',
  'readCited',
  'prepare',
  'folder',
  'mentions',
  'mailbox',
  'websub',
  'window',
] as const;

test('a step that fails is logged, and keeps none of the others from being done', async () => {
  for (const failing of names.filter((name) => name !== 'folder')) {
    const { begun, to } = steps(names, failing);
    const warn = vi.fn();
    await afterPosts({ warn }, { ...to, isWaiting: () => false })('changed', change);
    expect(begun.toSorted()).toEqual(names.toSorted());
    expect(warn).toHaveBeenCalledTimes(1);
  }
});

test('no webmention is sent for a post that could not be published to the folder first', async () => {
  const { begun, to } = steps(names, 'folder');
  await afterPosts({ warn: vi.fn() }, { ...to, isWaiting: () => false })('changed', change);
  expect(begun).not.toContain('mentions');
  expect(begun.at(-1)).toBe('window');
});

test('an import and a stored copy notify no other site', async () => {
  for (const on of ['imported', 'copied'] as const) {
    const { begun, to } = steps(names);
    await afterPosts({ warn: vi.fn() }, { ...to, isWaiting: () => false })(on, change);
    expect(begun.filter((name) => name === 'mentions' || name === 'websub')).toEqual([]);
  }
});

test('subscribers wait until the post’s page is live', async () => {
  const { begun, to } = steps(names);
  const done = afterPosts({ warn: vi.fn() }, { ...to, isWaiting: () => true });
  await done('changed', change);
  expect(begun).not.toContain('websub');
  await done('live', change);
  expect(begun).toContain('websub');
});

test('nothing of a post that isn’t public is fetched', async () => {
  const { begun, to } = steps(names);
  const hidden = { ...change, post: { ...post, deletedAt: post.createdAt } };
  await afterPosts({ warn: vi.fn() }, { ...to, isWaiting: () => false })('changed', hidden);
  expect(begun).not.toContain('copyFiles');
  expect(begun).not.toContain('readCited');
});

const mentionSteps = ['notifyOwner', 'window', 'mailbox', 'folder', 'upstream', 'pictures'] as const;
const mention = { id: '1', status: 'approved' } as Parameters<ReturnType<typeof afterMentions>>[1];

test('an imported mention notifies nobody', async () => {
  const { begun, to } = steps(mentionSteps);
  await afterMentions({ warn: vi.fn() }, to)('imported', mention);
  expect(begun).toEqual(['pictures']);
});

test('a new mention is followed by all steps, a changed one by all but the notice for the owner', async () => {
  const { begun, to } = steps(mentionSteps);
  const done = afterMentions({ warn: vi.fn() }, to);
  await done('received', mention);
  expect(begun).toEqual(mentionSteps);
  await done('changed', mention);
  expect(begun.slice(mentionSteps.length)).toEqual(mentionSteps.slice(1));
});

test('a changed setting is followed by the steps of its area', async () => {
  const areas = steps([
    ...(['status', 'mailboxPages', 'tunnel', 'weeklyBackup', 'folder', 'redirects'] as const),
    ...(['mailboxSite', 'sitePhoto'] as const),
  ]);
  const background = inBackground({ warn: vi.fn() });
  const done = afterSettings(background, areas.to);
  done({ backup: { keep: 3 } });
  await background.finished();
  expect(areas.begun).toEqual(['weeklyBackup']);
  done({ site: { title: 'Porch' } });
  await background.finished();
  expect(areas.begun.slice(1)).toEqual(['mailboxPages']);
  done({ tunnel: { mode: 'off' } });
  await background.finished();
  expect(areas.begun.slice(2)).toEqual(['status', 'tunnel']);
  done({ micropub: { categories: ['tea'] } });
  done({ micropub: { syndicateTo: [] } });
  await background.finished();
  expect(areas.begun.filter((step) => step === 'redirects')).toHaveLength(1);
});
