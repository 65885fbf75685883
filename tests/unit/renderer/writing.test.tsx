import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { bookmarklet } from '../../../src-renderer/features/write/bookmarklets.tsx';
import { writeHash } from '../../../src-renderer/routes.ts';
import { mediaItem } from '../../support/window-media.ts';
import { sourceOf } from '../../support/window-posts.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = writeHash();
const picture = (name: string) => new File(['pixels'], name, { type: 'image/png' });
const data = Buffer.from('pixels').toString('base64');
const text = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' });
const postAt = (slug: string) => `https://porch.marlow.example/posts/2026/11/${slug}`;

/** Chooses files for the photos of a post, or for another field. */
function chooseFor(label: string, ...files: File[]): void {
  fireEvent.change(screen.getByLabelText(label, { selector: 'input' }), { target: { files } });
}
const choose = (...files: File[]) => chooseFor('Photos', ...files);

/** Makes the window wide enough for the text and the preview side by side. */
function beWide(): void {
  const query = window.matchMedia('(min-width: 1px)');
  const narrow = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    media === '(min-width: 1280px)' ? query : narrow(media),
  );
  onTestFinished(() => void vi.restoreAllMocks());
}

describe('a new post', () => {
  test('is saved as a draft while the owner types, published with Ctrl and Enter, and then shown', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.type(await text(), 'Hello, porch');
    expect(await screen.findByText(/^Draft saved at/)).toBeTruthy();
    expect(callsOf('posts.create')).toMatchObject([{ text: 'Hello, porch', status: 'draft' }]);
    expect(window.location.hash).toContain('post=');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await screen.findByText(/^Published\./)).toBeTruthy();
    expect(callsOf('posts.update').at(-1)).toMatchObject({
      text: 'Hello, porch',
      status: 'published',
      format: 'plain',
      ifVersion: 'first',
    });
    expect(await screen.findByRole('heading', { name: 'Posts' })).toBeTruthy();
  });

  test('without a word or a photo is not published', async () => {
    const { user, callsOf } = openWindow({ hash });
    await text();
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Write something, or add a photo.');
    expect(callsOf('posts.create')).toEqual([]);
  });

  test('is still there after a look at another screen', async () => {
    const { user } = openWindow({ hash });
    await user.type(await text(), 'Half a tho');
    window.location.hash = '#/apps';
    await screen.findByRole('heading', { name: 'Apps' });
    window.location.hash = hash;
    await user.click(await screen.findByRole('link', { name: 'Half a tho' }));
    window.location.hash = writeHash({ post: postAt('new-10') });
    await waitFor(async () => expect((await text()).value).toBe('Half a tho'));
  });

  test.each([
    ['another screen', '#/posts', () => screen.findByRole('heading', { name: 'Posts' })],
    ['another post', writeHash({ post: postAt('oops') }), () => screen.findByText('This post is deleted')],
  ])('does not lead back when it changes while the owner leaves for %s', async (_, next, shown) => {
    const { user } = openWindow({ hash });
    await user.type(await text(), 'Half a tho');
    await screen.findByText(/^Draft saved at/);
    const field = await text();
    // The address has changed, but what it asks for is not drawn yet.
    window.history.replaceState(null, '', next);
    fireEvent.change(field, { target: { value: 'Half a thought' } });
    expect(window.location.hash).toBe(next);
    expect(await shown()).toBeTruthy();
  });

  test('that could not be saved says so, and keeps the text on the screen and after leaving it', async () => {
    const { user } = openWindow({ hash, handlers: { 'posts.create': failing('The disk is full.') } });
    await user.type(await text(), 'Snow');
    expect((await screen.findByTestId('save-state')).textContent).toContain('Not saved yet');
    await waitFor(() =>
      expect(screen.getByTestId('save-state').textContent).toBe(
        'Not saved: The disk is full. Porchlight tries again.',
      ),
    );
    window.location.hash = '#/apps';
    await screen.findByRole('heading', { name: 'Apps' });
    window.location.hash = hash;
    expect((await text()).value).toBe('Snow');
  });

  test('shows only the fields of its kind, and keeps the address when the kind changes', async () => {
    const { user, callsOf } = openWindow({ hash: writeHash({ reply: 'https://wren.example/cats' }) });
    const address = await screen.findByLabelText<HTMLInputElement>('Address of the page');
    expect(address.value).toBe('https://wren.example/cats');
    await user.click(screen.getByRole('radio', { name: 'Like' }));
    expect(screen.getByLabelText<HTMLInputElement>('Address of the page').value).toBe(
      'https://wren.example/cats',
    );
    expect(screen.queryByRole('textbox', { name: 'Text' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/^Published\./)).toBeTruthy();
    const sent = [...callsOf('posts.create'), ...callsOf('posts.update')].at(-1);
    expect(sent).toMatchObject({ likeOf: 'https://wren.example/cats', inReplyTo: '', status: 'published' });
  });

  test('keeps its text on the screen when the owner passes over a kind without text', async () => {
    const { user, callsOf } = openWindow({ hash: `${hash}?kind=note` });
    await user.type(await text(), 'A long text');
    await user.click(screen.getByRole('radio', { name: 'Respond…' }));
    await user.click(screen.getByRole('radio', { name: 'Like' }));
    expect((await text()).value).toBe('A long text');
    await user.click(screen.getByRole('radio', { name: 'Note' }));
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/^Published\./)).toBeTruthy();
    const sent = [...callsOf('posts.create'), ...callsOf('posts.update')].at(-1);
    expect(sent).toMatchObject({ text: 'A long text', status: 'published' });
  });

  test('with a date in the future is scheduled', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.type(await text(), 'Later');
    await user.click(screen.getByRole('button', { name: 'Details' }));
    fireEvent.change(screen.getByLabelText('Date and time'), { target: { value: '2099-01-02T03:04' } });
    await user.click(await screen.findByRole('button', { name: 'Schedule' }));
    await waitFor(() => {
      const sent = [...callsOf('posts.create'), ...callsOf('posts.update')].at(-1);
      expect(sent).toMatchObject({ status: 'published' });
      expect((sent as { published: string }).published).toMatch(/^2099-01-02T03:04:00[+-]\d\d:\d\d$/);
    });
  });

  test('has categories that are offered while the owner types, readers, and targets for cross-posting', async () => {
    const house = livedInHouse(Date.now());
    house.settings.micropub.syndicateTo = [
      { uid: 'https://social.example/@ada', name: 'Ada’s friends' },
      { uid: 'shelf', name: 'Only for apps' },
    ];
    const { user, callsOf } = openWindow({ hash, house });
    await user.type(await text(), 'First frost');
    await user.click(screen.getByRole('button', { name: 'Details' }));
    await user.type(screen.getByRole('combobox', { name: 'Categories' }), 'win');
    await user.click(await screen.findByRole('option', { name: 'winter' }));
    await user.type(screen.getByRole('combobox', { name: 'Categories' }), 'frost{Enter}');
    // The chips are not in the field that has the focus, so a screen reader hears of them here.
    const heard = () => screen.getAllByRole('status').map(({ textContent }) => textContent);
    expect(heard()).toContain('Categories: winter, frost.');
    await user.type(screen.getByRole('combobox', { name: 'Categories' }), 'snow{Enter}{Backspace}');
    expect(heard()).toContain('Categories: winter, frost.');
    // The targets stand at the buttons, not among the fields that are folded away.
    const publishing = within(screen.getByRole('group', { name: 'Save and publish' }));
    const targets = within(publishing.getByRole('group', { name: 'Cross-post to' }));
    expect(targets.getAllByRole('checkbox')).toHaveLength(1);
    expect(screen.queryByText(/cross-posts only posts that everyone can read/)).toBeNull();
    await user.selectOptions(screen.getByLabelText('Who can read this post'), 'unlisted');
    expect(screen.getByText(/cross-posts only posts that everyone can read/)).toBeTruthy();
    expect(screen.queryByRole('checkbox', { name: 'Only for apps' })).toBeNull();
    await user.click(screen.getByRole('checkbox', { name: 'Ada’s friends' }));
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/^Published\./)).toBeTruthy();
    expect([...callsOf('posts.create'), ...callsOf('posts.update')].at(-1)).toMatchObject({
      categories: ['winter', 'frost'],
      visibility: 'unlisted',
      status: 'published',
      syndicateTo: ['https://social.example/@ada'],
    });
  });

  test('says before it is published if the owner’s own site lists it although it is unlisted', async () => {
    const house = livedInHouse(Date.now());
    house.settings.siteFolder = { ...house.settings.siteFolder, on: true, generator: 'astro' };
    const { user } = openWindow({ hash, house });
    await text();
    await user.click(screen.getByRole('button', { name: 'Details' }));
    expect(screen.queryByText(/lists this post/)).toBeNull();
    await user.selectOptions(screen.getByLabelText('Who can read this post'), 'unlisted');
    expect(screen.getByText(/^Your site lists this post, unless its templates/)).toBeTruthy();
  });

  test('is deleted after a question when its draft is discarded', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.type(await text(), 'No.');
    await screen.findByText(/^Draft saved at/);
    await user.click(screen.getByRole('button', { name: 'More actions' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Discard…' }));
    expect(callsOf('posts.delete')).toEqual([]);
    await user.click(await steady(await screen.findByRole('button', { name: 'Discard draft' })));
    await waitFor(() => expect(callsOf('posts.delete')).toEqual([{ url: postAt('new-3') }]));
    expect(await screen.findByRole('heading', { name: 'Posts' })).toBeTruthy();
  });
});

describe('an article', () => {
  const last = (callsOf: ReturnType<typeof openWindow>['callsOf']) =>
    [...callsOf('posts.create'), ...callsOf('posts.update')].at(-1) as PostText | undefined;
  const urlOf = (name: string) => mediaItem(`n3Wf-${name}`, '').url;
  async function openArticle(options: Partial<Parameters<typeof openWindow>[0]> = {}) {
    const opened = openWindow({ hash, ...options });
    await text();
    await opened.user.click(screen.getByRole('radio', { name: 'Article' }));
    await opened.user.type(await screen.findByLabelText('Title'), 'A porch');
    return { ...opened, field: await text() };
  }

  test('has its photo as a cover, so that it stays an article', async () => {
    const { user, callsOf } = await openArticle();
    await user.click(screen.getByRole('button', { name: 'Details' }));
    chooseFor('Cover', picture('a.png'));
    expect(await screen.findByText('Cover')).toBeTruthy();
    await waitFor(() =>
      expect(last(callsOf)).toMatchObject({ photos: [], featured: [{ url: urlOf('a.png'), alt: '' }] }),
    );
  });

  test('inserts pictures into its text where they are dropped or pasted, and from its list and Media', async () => {
    const { user, callsOf, field } = await openArticle();
    await user.type(field, 'One.');
    fireEvent.paste(field, { clipboardData: { files: [picture('b.png')], getData: () => '' } });
    await waitFor(() => expect(field.value).toBe(`One.\n\n![](${urlOf('b.png')})\n\n`));
    fireEvent.drop(field, { dataTransfer: { files: [picture('c.png')], types: ['Files'] } });
    await waitFor(() => expect(field.value).toContain(`![](${urlOf('c.png')})`));
    expect(screen.queryByLabelText(/Alt text for/)).toBeNull();

    await user.click(screen.getByRole('button', { name: 'Details' }));
    chooseFor('Cover', picture('d.png'));
    await user.type(await screen.findByLabelText(/Alt text for d\.png/), 'A lamp');
    await user.click(await screen.findByRole('button', { name: 'Insert d.png into the text' }));
    await waitFor(() => expect(field.value).toContain(`![A lamp](${urlOf('d.png')})`));
    expect(screen.queryByLabelText(/Alt text for/)).toBeNull();

    await user.click(screen.getByRole('button', { name: 'Insert a picture from Media' }));
    const pictures = await within(await screen.findByRole('dialog')).findByRole('list');
    await user.click(within(pictures).getAllByRole('button')[0]!);
    await waitFor(() => expect(field.value.match(/!\[/g)).toHaveLength(4));
    await waitFor(() => expect(last(callsOf)).toMatchObject({ photos: [], featured: [], text: field.value }));
  });

  test('puts the cursor into the alt text of a pasted picture, and counts those without one', async () => {
    const { user, field } = await openArticle();
    await user.type(field, 'One.');
    fireEvent.paste(field, { clipboardData: { files: [picture('b.png')], getData: () => '' } });
    expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('Uploading b.png…');
    fireEvent(field, new Event('selectionchange'));
    await waitFor(() => expect(field.value).toBe(`One.\n\n![](${urlOf('b.png')})\n\n`));
    expect([field.selectionStart, field.selectionEnd]).toEqual([8, 8]);
    expect(screen.getByText('1 picture without alt text')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Details' }));
    chooseFor('Cover', picture('d.png'));
    expect(await screen.findByText('2 pictures without alt text')).toBeTruthy();
    await user.type(await screen.findByLabelText(/Alt text for d\.png/), 'A lamp');
    fireEvent.change(field, { target: { value: `![A door](${urlOf('b.png')})` } });
    await waitFor(() => expect(screen.queryByText(/without alt text/)).toBeNull());
  });

  test('whose picture was refused shows it in the list, and its mark is removed with it', async () => {
    const { user, field } = await openArticle({
      handlers: { 'media.upload': failing('The disk is full.') },
    });
    await user.type(field, 'One.');
    fireEvent.paste(field, { clipboardData: { files: [picture('b.png')], getData: () => '' } });
    await waitFor(() => expect(field.value).toContain('![Uploading b.png…]'));
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
    await user.click(await screen.findByRole('button', { name: 'Remove b.png' }));
    expect(field.value.trim()).toBe('One.');
  });

  test('takes the pictures of one file chooser into its text, one after the other', async () => {
    const { user, field } = await openArticle();
    await user.type(field, 'One.');
    chooseFor('Pictures for the text', picture('a.png'), picture('b.png'));
    await waitFor(() =>
      expect(field.value).toBe(`One.\n\n![](${urlOf('a.png')})\n\n![](${urlOf('b.png')})\n\n`),
    );
  });

  test('links selected words to an address that is pasted over them', async () => {
    const { user, field } = await openArticle();
    await user.type(field, 'See my porch');
    field.setSelectionRange(4, 12);
    fireEvent.paste(field, { clipboardData: { files: [], getData: () => 'https://porch.example/' } });
    expect(field.value).toBe('See [my porch](https://porch.example/)');
  });
});

describe('the text', () => {
  test('is formatted with the keyboard and with buttons, and becomes Markdown by that', async () => {
    const { user, callsOf } = openWindow({ hash });
    const field = await text();
    await user.type(field, 'A warm day');
    field.setSelectionRange(2, 6);
    await user.keyboard('{Control>}b{/Control}');
    expect(field.value).toBe('A **warm** day');
    field.setSelectionRange(11, 14);
    await user.click(screen.getByRole('button', { name: 'Italic' }));
    expect(field.value).toBe('A **warm** *day*');
    field.setSelectionRange(0, 1);
    await user.keyboard('{Control>}k{/Control}');
    expect(field.value).toBe('[A]() **warm** *day*');
    expect(screen.getByText('3 words')).toBeTruthy();
    await waitFor(() => expect(callsOf('posts.create')).toMatchObject([{ format: 'markdown' }]));
  });

  test('continues a list with Enter', async () => {
    const { user } = openWindow({ hash });
    const field = await text();
    await user.type(field, '- One');
    await user.keyboard('{Enter}');
    expect(field.value).toBe('- One\n- ');
    await user.keyboard('{Enter}');
    expect(field.value).toBe('- One\n');
  });

  test('is the only field of a new post; the preview and the details have buttons', async () => {
    beWide();
    const { user, callsOf } = openWindow({ hash });
    await user.type(await text(), 'Hello');
    expect(screen.queryByRole('combobox', { name: 'Categories' })).toBeNull();
    expect(screen.queryByRole('region', { name: 'Preview' })).toBeNull();
    expect(callsOf('posts.preview')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Preview' }));
    expect(await screen.findByRole('region', { name: 'Preview' })).toBeTruthy();
    await waitFor(() => expect(callsOf('posts.preview').length).toBeGreaterThan(0));
    // This tab remembers it for the next post.
    window.location.hash = writeHash({ post: postAt('the-lamp-is-on') });
    expect(await screen.findByRole('region', { name: 'Preview' })).toBeTruthy();
  });
});

describe('a post that a link filled in', () => {
  const cats = 'https://wren.example/cats';

  test('saves, sends and fetches nothing until the owner does something', async () => {
    beWide();
    window.sessionStorage.setItem('porchlight.preview', 'shown');
    const { user, callsOf } = openWindow({ hash: writeHash({ like: cats }) });
    const address = await screen.findByLabelText<HTMLInputElement>('Address of the page');
    expect(address.value).toBe(cats);
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Like' }).checked).toBe(true);
    await user.click(address);
    await user.tab();
    document.dispatchEvent(new Event('visibilitychange'));
    window.location.hash = '#/apps';
    await screen.findByRole('heading', { name: 'Apps' });
    for (const method of ['posts.create', 'posts.preview', 'posts.citedPage'] as const)
      expect(callsOf(method)).toEqual([]);
  });

  test('shows the title of the page when the owner asks, or enters another address', async () => {
    const { user, callsOf } = openWindow({ hash: writeHash({ reply: cats }) });
    await user.click(await screen.findByRole('button', { name: 'Show its title' }));
    expect(await screen.findByText('“Cats on porches” by Wren')).toBeTruthy();
    const address = screen.getByLabelText('Address of the page');
    await user.clear(address);
    await user.type(address, 'https://wren.example/dogs{Enter}');
    expect(await screen.findByText(/^Porchlight found no title/)).toBeTruthy();
    expect(callsOf('posts.citedPage')).toEqual([{ url: cats }, { url: 'https://wren.example/dogs' }]);
  });

  test('never takes the place of text that isn’t saved', async () => {
    const { user } = openWindow({ hash, handlers: { 'posts.create': failing('The disk is full.') } });
    await user.type(await text(), 'Not saved anywhere');
    window.location.hash = writeHash({ reply: cats });
    await screen.findByLabelText('Address of the page');
    expect((await text()).value).toBe('');
    window.location.hash = hash;
    await waitFor(async () => expect((await text()).value).toBe('Not saved anywhere'));
  });

  test('answers an invitation', async () => {
    const { user, callsOf } = openWindow({ hash: writeHash({ rsvp: cats }) });
    await user.selectOptions(await screen.findByLabelText('Your answer'), 'yes');
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    await waitFor(() =>
      expect(callsOf('posts.update').at(-1)).toMatchObject({ inReplyTo: cats, rsvp: 'yes' }),
    );
  });
});

test('bookmarks for the browser are offered in the desktop app only', async () => {
  const { user } = openWindow({ hash });
  await text();
  await user.click(screen.getByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Bookmarklets…' }));
  const list = await screen.findByRole('list', { name: 'Bookmarks for your browser' });
  expect(within(list).getAllByRole('button')).toHaveLength(5);
  expect(bookmarklet('reply')).toBe(
    "javascript:location.href='porchlight:write?reply='+encodeURIComponent(location.href)",
  );
});

describe('photos', () => {
  test('are uploaded at once, dropped or pasted too, moved, and removed', async () => {
    const { user, callsOf } = openWindow({ hash });
    const field = await text();
    choose(picture('a.png'));
    fireEvent.drop(field, { dataTransfer: { files: [picture('b.png')], types: ['Files'] } });
    fireEvent.paste(field, { clipboardData: { files: [picture('c.png')] } });
    await screen.findByLabelText(/Alt text for c\.png/);
    const heard = () => screen.getAllByRole('status').map(({ textContent }) => textContent);
    await waitFor(() =>
      expect(heard()).toContain('Uploaded. This post has 3 photos. Each has a field for its alt text.'),
    );
    await user.type(await screen.findByLabelText(/Alt text for a\.png/), 'A white garden');
    await user.click(await screen.findByRole('button', { name: 'Move a.png later' }));
    expect(await screen.findByText('a.png is now photo 2 of 3.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Remove c.png' }));
    expect(heard()).toContain('c.png is removed. This post has 2 photos.');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove a.png');
    const urlOf = (name: string) => mediaItem(`n3Wf-${name}`, '').url;
    await waitFor(() => {
      const saved = [...callsOf('posts.create'), ...callsOf('posts.update')].at(-1);
      expect(saved).toMatchObject({
        photos: [
          { url: urlOf('b.png'), alt: '' },
          { url: urlOf('a.png'), alt: 'A white garden' },
        ],
      });
    });
    expect(callsOf('media.upload')).toContainEqual({ name: 'a.png', data });
    await user.click(screen.getByRole('button', { name: 'Remove b.png' }));
    await user.click(screen.getByRole('button', { name: 'Remove a.png' }));
    expect(heard()).toContain('a.png is removed. This post has no photos.');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Add photos');
  });

  test('that are too large or no pictures are refused by name, and 500 at once with one message', async () => {
    const { callsOf } = openWindow({ hash });
    await text();
    const huge = picture('huge.png');
    Object.defineProperty(huge, 'size', { value: windowUploadBytes + 1 });
    choose(huge, new File(['x'], 'notes.txt', { type: 'text/plain' }));
    const words = (await screen.findByRole('alert')).textContent;
    expect(words).toContain('“huge.png” is larger than 20 MB');
    expect(words).toContain('“notes.txt” isn’t a picture.');
    choose(...Array.from({ length: 500 }, (_, index) => picture(`${index}.png`)));
    await waitFor(() =>
      expect(screen.getByRole('alert').textContent).toBe(
        'A post can have up to 100 photos. You chose 500, so Porchlight added none of them.',
      ),
    );
    expect(screen.queryByRole('list', { name: 'Photos in this post' })).toBeNull();
    expect(callsOf('media.upload')).toEqual([]);
  });

  test('that are pictures by their name only are deleted again, and keep the post from being published', async () => {
    const file = mediaItem('notes.txt', '2026-11-21T08:00:00.000Z', { kind: 'document', type: 'text/plain' });
    const { user, callsOf } = openWindow({ hash, handlers: { 'media.upload': () => Promise.resolve(file) } });
    await user.type(await text(), 'Look');
    choose(picture('notes.png'));
    expect(await screen.findByText(/whatever its name says/)).toBeTruthy();
    expect(callsOf('media.delete')).toEqual([{ url: file.url }]);
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/Check the photos/)).toBeTruthy();
    expect(screen.queryByText('Published.')).toBeNull();
  });

  test('that the browser no longer has after a reload are named, and keep the post from being published', async () => {
    const waiting = [{ kept: 'nothing', name: 'lost.png', alt: 'A white garden', index: 0 }];
    const post = { text: 'Look', format: 'plain', photos: [], categories: [], visibility: 'public' };
    const unsaved = {
      post: { ...post, status: 'draft' },
      waiting,
      kind: 'note',
      version: null,
      keptAt: null,
    };
    sessionStorage.setItem(
      'porchlight.unsaved {}',
      JSON.stringify({ ...unsaved, at: '2026-11-22T12:00:00.000Z' }),
    );
    const { user } = openWindow({ hash });
    expect(await screen.findByText(/^This browser no longer has “lost\.png”/)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/Alt text for lost\.png/).value).toBe('A white garden');
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/Check the photos/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Remove lost.png' }));
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText(/^Published\./)).toBeTruthy();
    expect(sessionStorage.getItem('porchlight.unsaved {}')).toBeNull();
  });
});

describe('a published post', () => {
  const url = postAt('the-lamp-is-on');

  test('keeps its edits beside it until the owner updates it, and the update can be undone', async () => {
    const earlier = { id: 'before', replacedAt: '2026-11-22T12:00:00.000Z', by: null, changes: ['content'] };
    const { user, callsOf } = openWindow({
      hash: writeHash({ post: url }),
      handlers: {
        'posts.history': () => Promise.resolve({ items: [{ ...earlier, name: '', summary: 'The lamp' }] }),
      },
    });
    await user.type(await text(), ' Come in.');
    expect(await screen.findByText(/^Edits saved at .*, not published yet$/)).toBeTruthy();
    const edits = { post: { text: 'The lamp is on, and the kettle too. Come in.' }, version: 'first' };
    expect(callsOf('posts.keepEdits').at(-1)).toMatchObject({ url, edits });
    expect(callsOf('posts.update')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Update' }));
    expect(await screen.findByText(/^Updated\./)).toBeTruthy();
    expect(callsOf('posts.update')).toMatchObject([{ url, ifVersion: 'first' }]);
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() =>
      expect(callsOf('posts.restoreVersion')).toEqual([{ url, id: 'before', ifVersion: 'next' }]),
    );
  });

  test('opens with its unpublished edits, which can be discarded', async () => {
    const house = livedInHouse(Date.now());
    const item = house.posts.find((post) => post.url === url);
    if (!item) throw new Error('no post');
    const { version, ...post } = sourceOf(item);
    const edits = {
      post: { ...post, text: 'Not yet' },
      version,
      savedAt: new Date().toISOString(),
    };
    const { user, callsOf } = openWindow({
      house,
      hash: writeHash({ post: url }),
      handlers: { 'posts.edits': () => Promise.resolve({ edits }) },
    });
    expect((await text()).value).toBe('Not yet');
    expect(screen.getByText(/^You have unsaved edits from \d\d:\d\d\./)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Discard edits…' }));
    await user.click(await steady(await screen.findByRole('button', { name: 'Discard edits' })));
    await waitFor(async () => expect((await text()).value).toBe(item.summary));
    expect(callsOf('posts.keepEdits').at(-1)).toEqual({ url, edits: null, ifKept: edits.savedAt });
  });

  test('that has changed in the meantime shows both versions, and keeps both', async () => {
    let version = 'first';
    const { user, callsOf, house } = openWindow({
      hash: writeHash({ post: postAt('unfinished') }),
      handlers: {
        'posts.source': ({ url: asked }) => {
          const item = house.posts.find((post) => post.url === asked);
          if (!item) throw new PorchlightError('not_found', 'No such post.');
          return Promise.resolve({
            ...sourceOf(item),
            ...(version !== 'first' && { text: 'Theirs' }),
            version,
          });
        },
        'posts.update': ({ url: asked, ifVersion, text: written = '' }) => {
          if (ifVersion !== version) throw new PorchlightError('conflict', 'This post has changed.');
          const item = house.posts.find((post) => post.url === asked);
          if (!item) throw new PorchlightError('not_found', 'No such post.');
          return Promise.resolve({ ...item, summary: written, version: `${version}+` });
        },
      },
    });
    await text();
    version = 'theirs';
    await user.type(await text(), 'Mine');
    const conflict = within(await screen.findByRole('alert', { name: 'This post was changed elsewhere' }));
    expect(conflict.getByRole('region', { name: 'Your version, in this window' }).textContent).toBe('Mine');
    expect(conflict.getByRole('region', { name: 'The saved version' }).textContent).toBe('Theirs');
    await user.click(await steady(conflict.getByRole('button', { name: 'Keep mine' })));
    await waitFor(() =>
      expect(callsOf('posts.update').at(-1)).toMatchObject({ text: 'Mine', ifVersion: 'theirs' }),
    );
    expect(callsOf('posts.create')).toMatchObject([{ text: 'Theirs', status: 'draft' }]);
  });

  test('whose edits another window has kept shows both, and keeps the other edits as a draft', async () => {
    const savedAt = '2026-11-22T12:00:00.000Z';
    let isKept = false;
    const { user, callsOf, house } = openWindow({
      hash: writeHash({ post: url }),
      handlers: {
        'posts.edits': () => {
          const item = house.posts.find((post) => post.url === url);
          if (!item || !isKept) return Promise.resolve({ edits: null });
          const { version, ...post } = sourceOf(item);
          return Promise.resolve({ edits: { post: { ...post, text: 'Theirs' }, version, savedAt } });
        },
        'posts.keepEdits': ({ ifKept }) => {
          if (ifKept !== savedAt) throw new PorchlightError('conflict', 'Other edits.');
          return Promise.resolve({ savedAt: '2026-11-22T12:00:01.000Z' });
        },
      },
    });
    const field = await text();
    isKept = true;
    await user.clear(field);
    await user.type(field, 'Mine');
    const conflict = within(await screen.findByRole('alert', { name: 'This post was changed elsewhere' }));
    expect(conflict.getByRole('region', { name: 'The saved version' }).textContent).toBe('Theirs');
    await user.click(await steady(conflict.getByRole('button', { name: 'Keep mine' })));
    await waitFor(() =>
      expect(callsOf('posts.keepEdits').at(-1)).toMatchObject({
        ifKept: savedAt,
        edits: { post: { text: 'Mine' } },
      }),
    );
    expect(callsOf('posts.create')).toMatchObject([{ text: 'Theirs', status: 'draft' }]);
    expect(await screen.findByText(/^Edits saved at/)).toBeTruthy();
  });

  test.each([
    ['not_editable', 'You can’t edit this post here'],
    ['not_found', 'This post doesn’t exist'],
  ] as const)('that is %s is not opened, and the screen says why', async (code, words) => {
    const refuse = () => Promise.reject(new PorchlightError(code, 'An app created it.'));
    openWindow({ hash: writeHash({ post: url }), handlers: { 'posts.source': refuse } });
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Back to your posts' })).toBeTruthy();
  });

  test('that is deleted is not opened, and the screen leads to the deleted posts', async () => {
    openWindow({ hash: writeHash({ post: postAt('oops') }) });
    expect(await screen.findByText('This post is deleted')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Show deleted posts' })).toBeTruthy();
  });
});
