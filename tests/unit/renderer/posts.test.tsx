import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { manyPosts, listPosts } from '../../support/window-posts.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/posts';
const row = (name: string | RegExp) => screen.findByRole('button', { name });
const lamp = /The lamp is on/;
/** The post in the pane, in its shadow root. */
const sitePage = () =>
  waitFor(() => {
    const host = [...document.querySelectorAll('*')].find(({ shadowRoot }) =>
      shadowRoot?.querySelector('article'),
    );
    expect(host).toBeTruthy();
    return host!.shadowRoot!;
  });
const lampUrl = 'https://porch.marlow.example/posts/2026/11/the-lamp-is-on';

describe('the posts', () => {
  test('each shows its kind, its subject, its state and its date', async () => {
    openWindow({ hash });
    expect((await row(lamp)).textContent).toBe('Note: The lamp is on, and the kettle too.30 minutes ago');
    expect((await row(/Yes, and bring/)).textContent).toContain('Unlisted');
    expect((await row(/Unfinished/)).textContent).toContain('Draft');
    expect((await row(/Market day/)).textContent).toMatch(/Scheduled.*in 3 days/);
    expect((await row(/^Like:/)).textContent).toContain('Like without text');
    expect(screen.queryByText(/Not meant for here/)).toBeNull();
  });

  test('none yet: says what this place is for', async () => {
    openWindow({ hash, house: quietHouse(Date.now()) });
    expect(await screen.findByText(/No posts yet/)).toBeTruthy();
  });

  test('are narrowed by kind and status, and the address remembers it', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(lamp);
    await user.selectOptions(screen.getByLabelText('Kind'), 'Articles');
    await waitFor(() => expect(screen.queryByRole('button', { name: lamp })).toBeNull());
    expect(await row(/On porches/)).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: 'Deleted' }));
    expect(await screen.findByText('No posts match these filters.')).toBeTruthy();
    expect(window.location.hash).toBe('#/posts?kind=article&status=deleted');
    expect(callsOf('posts.list').at(-1)).toEqual({ kind: 'article', status: 'deleted', limit: 100 });
    await user.click(screen.getByRole('button', { name: 'Show all posts' }));
    expect(await row(lamp)).toBeTruthy();
  });

  test('are narrowed by the address; unknown filters are left out', async () => {
    const { callsOf } = openWindow({ hash: '#/posts?status=draft&kind=dance&query=fin' });
    expect(await row(/Unfinished/)).toBeTruthy();
    expect(callsOf('posts.list')).toEqual([{ query: 'fin', status: 'draft', limit: 100 }]);
    expect(screen.getByLabelText<HTMLInputElement>('Search your posts').value).toBe('fin');
  });

  test('are searched once the owner pauses, not at every letter', async () => {
    const { callsOf } = openWindow({ hash });
    await row(lamp);
    const before = callsOf('posts.list').length;
    // All letters come before any timer can fire, however slow the computer is.
    const field = screen.getByLabelText('Search your posts');
    for (const value of ['k', 'ke', 'ket', 'kett', 'kettl', 'kettle'])
      fireEvent.change(field, { target: { value } });
    await waitFor(() => expect(screen.queryByRole('button', { name: /On porches/ })).toBeNull());
    expect(await row(lamp)).toBeTruthy();
    expect(callsOf('posts.list').slice(before)).toEqual([{ query: 'kettle', limit: 100 }]);
  });

  test('that cannot be read say so, with a way to try again', async () => {
    openWindow({ hash, handlers: { 'posts.list': failing('The disk is gone.') } });
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is gone.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  });
});

describe('fifty thousand posts', () => {
  test('come in pages, and few rows are in the document', async () => {
    const posts = manyPosts(50_000);
    const house = { ...livedInHouse(Date.now()), posts };
    const { callsOf } = openWindow({ hash, house });
    const first = await row(/Note number 0$|Note number 0\D/);
    expect(screen.getAllByRole('listitem').length).toBeLessThan(80);
    first.focus();
    for (let times = 0; times < 3; times += 1) {
      const before = callsOf('posts.list').length;
      fireEvent.keyDown(document.activeElement!, { key: 'End' });
      await waitFor(() => expect(callsOf('posts.list').length).toBe(before + 1));
      await screen.findByText(`Note number ${times * 100 + 99}`);
    }
    expect(screen.getAllByRole('button', { name: /Note number/ }).length).toBeLessThan(80);
    expect(callsOf('posts.list').slice(0, 3)).toEqual([
      { limit: 100 },
      { limit: 100, cursor: '100' },
      { limit: 100, cursor: '200' },
    ]);
  });

  test('a change is one call more, however many pages were read', async () => {
    const house = { ...livedInHouse(Date.now()), posts: manyPosts(1000) };
    const { client, callsOf } = openWindow({ hash, house });
    (await row(/Note number 0\D/)).focus();
    fireEvent.keyDown(document.activeElement!, { key: 'End' });
    await waitFor(() => expect(callsOf('posts.list').length).toBeGreaterThan(1));
    fireEvent.keyDown(document.activeElement!, { key: 'Home' });
    await row(/Note number 0\D/);
    const before = callsOf('posts.list').length;
    const fresh = { ...house.posts[0]!, url: `${house.posts[0]!.url}-new`, summary: 'Fresh from an app' };
    house.posts = [fresh, ...house.posts];
    client.emit({ name: 'post.changed', data: { url: fresh.url, change: 'created' } });
    expect(await row(/Fresh from an app/)).toBeTruthy();
    expect(callsOf('posts.list').slice(before)).toEqual([{ limit: 100 }]);
  });
});

test('a note that begins with an address is named by its host, and one that ends with an address by its words', async () => {
  const house = livedInHouse(Date.now());
  const [first, second] = house.posts;
  house.posts = [
    { ...first!, name: '', summary: 'https://fog.example/posts/2026/11/fog is about fog' },
    { ...second!, name: '', summary: 'Worth reading: https://fog.example/posts/2026/11/fog' },
  ];
  openWindow({ hash, house });
  expect(await row(/fog\.example\/… is about fog/)).toBeTruthy();
  expect(await row(/Worth reading(?!:)/)).toBeTruthy();
});

describe('the keyboard', () => {
  test('goes through the list with arrows and letters, opens with Enter and closes with Escape', async () => {
    const { user } = openWindow({ hash });
    (await row(/Market day/)).focus();
    const items = within(screen.getByRole('list', { name: 'Your posts' })).getAllByRole('listitem');
    const buttons = items.map((item) => within(item).getAllByRole('button')[0]);
    await user.keyboard('{ArrowDown}j');
    expect(document.activeElement).toBe(buttons[2]);
    await user.keyboard('k{Home}');
    expect(document.activeElement).toBe(buttons[0]);
    await user.keyboard('{ArrowDown}{Enter}');
    expect(await screen.findByRole('dialog', { name: 'Your post' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(buttons[1]);
  });

  test('deletes, and continues with the next post', async () => {
    const { user, callsOf } = openWindow({ hash });
    (await row(lamp)).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText(/^Deleted: “/)).toBeTruthy();
    expect(callsOf('posts.delete')).toEqual([{ url: lampUrl }]);
    await waitFor(() => expect(document.activeElement?.closest('[role=listitem]')).toBeTruthy());
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await row(lamp)).toBeTruthy();
    expect(callsOf('posts.undelete')).toEqual([{ url: lampUrl }]);
  });
});

describe('a post that is opened', () => {
  test('shows the post as the site does, and its links open in the browser', async () => {
    const { user } = openWindow({ hash });
    const opened = vi.spyOn(window, 'open').mockReturnValue(null);
    await user.click(await row(/Yes, and bring/));
    const page = await sitePage();
    expect(page.textContent).toContain('Yes, and bring the cat.');
    const link = page.querySelector('a')!;
    expect(link.hasAttribute('tabindex')).toBe(false);
    fireEvent.click(link);
    expect(opened.mock.calls).toEqual([['https://wren.example/cats', '_blank', 'noopener,noreferrer']]);
    opened.mockRestore();
  });

  test('has Edit and View on top, and the rest under “…”', async () => {
    const { user } = openWindow({ hash });
    await user.click(await row(/Yes, and bring/));
    const post = within(await screen.findByRole('dialog'));
    const view = await post.findByRole('link', { name: 'View on porch.marlow.example' });
    expect([view.getAttribute('target'), view.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
    expect(view.getAttribute('href')).toMatch(/\/yes$/);
    expect(post.getByRole('link', { name: 'Edit' })).toBeTruthy();
    await user.click(post.getByRole('button', { name: 'More actions' }));
    const items = await within(await screen.findByRole('menu')).findAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['Copy address', 'Duplicate', 'Delete']);
  });

  test('shows the pictures that are on this computer', async () => {
    const dataUrl = 'data:image/png;base64,AAAA';
    const { user, callsOf } = openWindow({ hash, handlers: { 'media.thumbnail': () => ({ dataUrl }) } });
    await user.click(await row(/Fog over/));
    const page = await sitePage();
    await waitFor(() => expect(page.querySelector('img')?.getAttribute('src')).toBe(dataUrl));
    expect(callsOf('media.thumbnail')).toHaveLength(1);
  });

  test('loads nothing: a picture that is not here becomes a grey area', async () => {
    const picture = 'https://elsewhere.example/a.png';
    const html = `<article><img src="${picture}" alt="A door" srcset="${picture} 1w"><script>1</script></article>`;
    const handlers = {
      'posts.page': () => ({ html, css: '' }),
      'media.thumbnail': () => ({ dataUrl: null }),
    };
    const { user, callsOf } = openWindow({ hash, handlers });
    await user.click(await row(/On porches/));
    const page = await sitePage();
    await waitFor(() => expect(callsOf('media.thumbnail')).toEqual([{ url: picture }]));
    const image = page.querySelector('img')!;
    expect(image.getAttribute('src')).toMatch(/^data:image\/svg/);
    expect(image.hasAttribute('srcset')).toBe(false);
    expect(page.querySelector('script')).toBeNull();
  });

  test('that was deleted is restored', async () => {
    const { user, callsOf } = openWindow({ hash: '#/posts?status=deleted' });
    await user.click(await row(/Not meant for here/));
    await user.click(await screen.findByRole('button', { name: 'Restore' }));
    expect(await screen.findByText(/^Restored: “/)).toBeTruthy();
    expect(callsOf('posts.undelete')).toHaveLength(1);
    expect(await screen.findByText(/^No deleted posts\./)).toBeTruthy();
  });

  test('stays if it could not be deleted, and says why', async () => {
    const { user } = openWindow({ hash, handlers: { 'posts.delete': failing('The disk is full.') } });
    await user.click(await row(lamp));
    await user.click(await screen.findByRole('button', { name: 'More actions' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    expect((await screen.findByText(/^Couldn’t delete “/)).textContent).toContain('The lamp is on');
    expect(screen.getByText('The disk is full.')).toBeTruthy();
    expect(await row(lamp)).toBeTruthy();
  });

  test('is a draft: there is nothing to open on the site', async () => {
    const house = livedInHouse(Date.now());
    expect(listPosts(house.posts, { status: 'draft' }).items).toHaveLength(1);
    const { user } = openWindow({ hash, house });
    await user.click(await row(/Unfinished/));
    await screen.findByRole('button', { name: 'Publish' });
    expect(screen.queryByRole('link', { name: /^View on / })).toBeNull();
  });
});

describe('a post of which something newer may be missing', () => {
  const now = Date.now();
  const item = livedInHouse(now).posts[0]!;
  const path = '/posts/2026/11/lost';
  const url = `https://porch.marlow.example${path}`;

  test('is shown again with one click', async () => {
    const copy = { ...item, path, url, name: 'Lost', visibility: 'private' as const };
    const house = { ...livedInHouse(now), damaged: [{ path, url, item: copy, movedTo: null }] };
    const { user, callsOf } = openWindow({ hash, house });
    expect(await screen.findByText(/“Lost” may be older than what you saved/)).toBeTruthy();
    expect(screen.getByText(/^The post is: .*Private\.$/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Show again: “Lost”' }));
    await waitFor(() => expect(screen.queryByText(/may be older/)).toBeNull());
    expect(callsOf('posts.restoreCopy')).toEqual([{ path }]);
    expect(await row(/Lost/)).toBeTruthy();
  });

  test('whose file was damaged before it was read has no button, and says what to do', async () => {
    const house = { ...livedInHouse(now), damaged: [{ path, url, item: null, movedTo: null }] };
    openWindow({ hash, house });
    expect(await screen.findByText(/has no other copy of it. Restore the file from a backup/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Show again/ })).toBeNull();
  });

  test('that can’t be shown again says why', async () => {
    const house = { ...livedInHouse(now), damaged: [{ path, url, item, movedTo: null }] };
    const { user } = openWindow({ hash, house, handlers: { 'posts.restoreCopy': failing('No room.') } });
    await user.click(await screen.findByRole('button', { name: /^Show again/ }));
    expect(await screen.findByText('Porchlight couldn’t show the post again.')).toBeTruthy();
    expect(screen.getByText('No room.')).toBeTruthy();
  });
});

describe('edited files of posts', () => {
  const house = () => ({
    ...livedInHouse(Date.now()),
    files: {
      changed: ['2026/11/lunch.json'],
      added: [],
      missing: ['2026/09/fog.json'],
      ended: ['2025/01/old.json'],
      unreadable: [{ file: '2026/08/broken.json', reason: 'it is no JSON' }],
    },
  });

  test('are named, and read with one click', async () => {
    const { user, callsOf } = openWindow({ hash, house: house() });
    expect(await screen.findByText('The file of 1 post was edited.')).toBeTruthy();
    expect(screen.getByText('posts/2026/08/broken.json: it is no JSON')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Read edited files' }));
    await waitFor(() => expect(screen.queryByText('The file of 1 post was edited.')).toBeNull());
    expect(callsOf('posts.readFiles')).toEqual([{}]);
  });

  test('that are gone are written again, or their posts are deleted after a question', async () => {
    const { user, callsOf } = openWindow({ hash, house: house() });
    await user.click(await screen.findByRole('button', { name: 'Delete the posts…' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(await steady(dialog.getByRole('button', { name: 'Delete' })));
    await waitFor(() => expect(callsOf('posts.readFiles').at(0)).toEqual({ missing: 'delete' }));
  });

  test('that are older than their posts bring them back one by one', async () => {
    const { user, callsOf } = openWindow({ hash, house: house() });
    await user.click(await screen.findByRole('button', { name: 'Bring back 2025/01/old.json' }));
    await waitFor(() => expect(callsOf('posts.readFiles')).toEqual([{ bringBack: ['2025/01/old.json'] }]));
  });
});
