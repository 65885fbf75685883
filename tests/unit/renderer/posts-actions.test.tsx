import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { writeHash } from '../../../src-renderer/routes.ts';
import { openWindow, steady } from './open-window.tsx';

const hash = '#/posts';
const address = (slug: string) => `https://porch.marlow.example/posts/2026/11/${slug}`;
const opened = (slug: string) => `${hash}?id=${encodeURIComponent(address(slug))}`;
/** Chooses an action of the open post under “…”. */
const choose = async (user: UserEvent, name: string) => {
  await user.click(await screen.findByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name }));
};
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

type Version = Result<'posts.history'>['items'][number];
const versions: Version[] = [
  {
    id: 'second',
    replacedAt: minutesAgo(12),
    by: 'Quill',
    changes: ['photo', 'content'],
    name: '',
    summary: 'The lamp was on.',
  },
  {
    id: 'first',
    replacedAt: minutesAgo(60),
    by: null,
    changes: ['post-status', 'mp-x'],
    name: 'Lamp',
    summary: '',
  },
];
const withHistory = { 'posts.history': () => ({ items: versions }) };
const conflict = () =>
  Promise.reject(new PorchlightError('conflict', 'This post has changed since you opened it.', 409));

describe('a draft', () => {
  test('is published as shown, and the owner can undo that', async () => {
    const { user, callsOf } = openWindow({ hash: opened('unfinished'), handlers: withHistory });
    await user.click(await steady(await button('Publish')));
    await screen.findByText(/^Published: “/);
    const url = address('unfinished');
    expect(callsOf('posts.update')).toEqual([{ url, status: 'published', ifVersion: 'first' }]);
    await user.click(await button('Undo'));
    await screen.findByText(/^Undid the last change to “/);
    expect(callsOf('posts.restoreVersion')).toEqual([{ url, id: 'second', ifVersion: 'next' }]);
  });

  test('that moves when it is published stays open', async () => {
    const url = address('at-last');
    const { user, house } = openWindow({
      hash: opened('unfinished'),
      handlers: {
        'posts.update': () => {
          const draft = house.posts.find((post) => post.url === address('unfinished'))!;
          const moved = { ...draft, url, path: '/posts/2026/11/at-last', status: 'published' as const };
          house.posts = house.posts.map((post) => (post === draft ? moved : post));
          return { ...moved, version: 'next' };
        },
      },
    });
    await user.click(await steady(await button('Publish')));
    await waitFor(() => expect(window.location.hash).toBe(opened('at-last')));
  });

  test('with unsaved edits is not published: publishing would discard them', async () => {
    const post: PostText = {
      text: 'More',
      format: 'plain',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'draft',
    };
    const edits = { post, version: 'first', savedAt: minutesAgo(1) };
    const { user, callsOf } = openWindow({
      hash: opened('unfinished'),
      handlers: { 'posts.edits': () => ({ edits }) },
    });
    await user.click(await steady(await button('Publish')));
    expect(await screen.findByText('It has unsaved edits. Choose Edit, then publish it there.')).toBeTruthy();
    expect(callsOf('posts.update')).toEqual([]);
  });

  test('that somebody else changed in the meantime is not published, and the owner reads why', async () => {
    const { user } = openWindow({ hash: opened('unfinished'), handlers: { 'posts.update': conflict } });
    await user.click(await steady(await button('Publish')));
    await screen.findByText(/^Couldn’t publish “/);
    expect(screen.getByText('This post has changed since you opened it.')).toBeTruthy();
  });
});

describe('a post', () => {
  test('is edited in the editor', async () => {
    openWindow({ hash: opened('fog') });
    const link = await screen.findByRole('link', { name: 'Edit' });
    expect(link.getAttribute('href')).toBe(writeHash({ post: address('fog') }));
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull();
  });

  test('is duplicated as a draft without its slug and date, which opens in the editor', async () => {
    const source: Result<'posts.source'> = {
      text: 'So *good*',
      format: 'markdown',
      photos: [],
      categories: ['a'],
      visibility: 'unlisted',
      status: 'published',
      slug: 'fog',
      published: minutesAgo(9),
      version: 'first',
      name: 'Fog',
    };
    const { user, callsOf } = openWindow({
      hash: opened('fog'),
      handlers: { 'posts.source': () => source },
    });
    await choose(user, 'Duplicate');
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/write\?post=/));
    expect(callsOf('posts.create')).toEqual([
      {
        text: 'So *good*',
        format: 'markdown',
        photos: [],
        categories: ['a'],
        visibility: 'unlisted',
        status: 'draft',
        name: 'Fog',
      },
    ]);
  });

  test('that Porchlight can’t edit is not duplicated, and the owner reads why', async () => {
    const refused = () => Promise.reject(new PorchlightError('not_editable', 'Edit it in that app.', 409));
    const { user, callsOf } = openWindow({ hash: opened('fog'), handlers: { 'posts.source': refused } });
    await choose(user, 'Duplicate');
    expect(await screen.findByText('Edit it in that app.')).toBeTruthy();
    expect(callsOf('posts.create')).toEqual([]);
  });

  test('has every action in its menu in the list', async () => {
    const { user, callsOf } = openWindow({ hash: `${hash}?status=draft`, handlers: withHistory });
    await user.click(await button('Actions'));
    const menu = within(await screen.findByRole('menu'));
    expect((await menu.findAllByRole('menuitem')).map((item) => item.textContent)).toEqual([
      'Edit',
      'Publish',
      'Duplicate',
      'Undo last change',
      'Delete',
    ]);
    await user.click(menu.getByRole('menuitem', { name: 'Undo last change' }));
    await screen.findByText(/^Undid the last change to “/);
    expect(callsOf('posts.restoreVersion')).toEqual([
      { url: address('unfinished'), id: 'second', ifVersion: 'first' },
    ]);
  });
});

describe('the change history', () => {
  test('says who changed what and when, and restores the version that the owner chooses', async () => {
    const { user, callsOf } = openWindow({ hash: opened('the-lamp-is-on'), handlers: withHistory });
    const summary = await screen.findByText('Change history (2)');
    await user.click(summary);
    const changes = within(summary.closest('details')!).getAllByRole('listitem');
    expect(changes.map((change) => change.querySelector('p')?.textContent)).toEqual([
      'Quill changed the text and the photos, 12 minutes ago',
      'You changed the status and other details, 1 hour ago',
    ]);
    await user.click(within(changes[1]!).getByRole('button', { name: /^Restore this version/ }));
    await screen.findByText(/^Restored an earlier version of “/);
    expect(callsOf('posts.restoreVersion')).toEqual([
      { url: address('the-lamp-is-on'), id: 'first', ifVersion: 'first' },
    ]);
  });

  test('shows which words changed, once the owner asks', async () => {
    const { user, callsOf } = openWindow({ hash: opened('the-lamp-is-on'), handlers: withHistory });
    await user.click(await screen.findByText('Change history (2)'));
    expect(callsOf('posts.versionTexts')).toEqual([]);
    // The older change left the words as they were.
    const [show, ...more] = screen.getAllByText('Show what changed');
    expect(more).toEqual([]);
    await user.click(show!);
    const removed = await screen.findByText((_, element) => element?.tagName === 'DEL');
    expect(removed.textContent).toBe('Removed: was');
    const added = removed.parentElement?.querySelector('ins');
    expect(added?.textContent).toBe('Added: is');
    expect(callsOf('posts.versionTexts')).toEqual([{ url: address('the-lamp-is-on'), id: 'second' }]);
  });

  test('that is out of date restores nothing, and the owner reads why', async () => {
    const { user } = openWindow({
      hash: opened('the-lamp-is-on'),
      handlers: { ...withHistory, 'posts.restoreVersion': conflict },
    });
    await screen.findByText('Change history (2)');
    await choose(user, 'Undo last change');
    await screen.findByText(/^Couldn’t undo the last change to “/);
    expect(screen.getByText('This post has changed since you opened it.')).toBeTruthy();
  });

  test('of a deleted post can be read, and nothing can be changed before the post is restored', async () => {
    openWindow({ hash: `${opened('oops')}&status=deleted`, handlers: withHistory });
    expect(await screen.findByText('Change history (2)')).toBeTruthy();
    const panel = within(screen.getByRole('dialog'));
    expect(panel.getByRole('button', { name: 'Restore' })).toBeTruthy();
    for (const name of [/^Restore this version/, 'Undo last change', 'Duplicate', 'Delete', 'Publish'])
      expect(panel.queryByRole('button', { name })).toBeNull();
    expect(panel.queryByRole('link', { name: 'Edit' })).toBeNull();
  });
});

test('the address of the editor names its subject', () => {
  expect(writeHash()).toBe('#/write');
  expect(writeHash({ reply: 'https://a.example/?b=c&d' })).toBe(
    '#/write?reply=https%3A%2F%2Fa.example%2F%3Fb%3Dc%26d',
  );
});
