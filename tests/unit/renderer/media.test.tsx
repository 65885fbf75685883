import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { mediaItem, thumbnailOf } from '../../support/window-media.ts';
import { watchSight } from '../../support/window-sight.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/media';
const origin = 'https://porch.marlow.example';
const porch = `${origin}/media/2026/11/b7Qm-porch.jpg`;
const tile = (name: string) => screen.findByRole('button', { name: new RegExp(name) });
const dialog = (name: RegExp) => within(screen.getByRole('dialog', { name }));
/** Chooses Delete under “…” of the open file. */
async function chooseDelete(user: UserEvent, name: RegExp): Promise<void> {
  await user.click(dialog(name).getByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await screen.findByRole('dialog', { name: /^Delete/ });
}
const fileInput = () => document.querySelector<HTMLInputElement>('input[type=file]')!;

let sight: ReturnType<typeof watchSight>;
beforeEach(() => {
  sight = watchSight();
});

describe('the files', () => {
  test('each says its name, its size and when it came', async () => {
    openWindow({ hash });
    expect((await tile('porch.jpg')).textContent).toContain('porch.jpg3.5 MB · 30 minutes ago');
    expect((await tile('walk.mp4')).textContent).toContain('MP4 video');
    expect((await tile('plan.pdf')).textContent).toContain('PDF document');
  });

  test('a thumbnail is asked for when its tile comes into sight, once', async () => {
    const { callsOf } = openWindow({ hash });
    const shown = await tile('porch.jpg');
    expect(callsOf('media.thumbnail')).toEqual([]);
    act(() => sight.show(shown));
    await waitFor(() =>
      expect(shown.querySelector('img')?.src).toBe(thumbnailOf(mediaItem('x', '', { name: 'porch.jpg' }))),
    );
    act(() => sight.hide(shown));
    act(() => sight.show(shown));
    act(() => sight.show(screen.getByRole('button', { name: /plan\.pdf/ })));
    expect(callsOf('media.thumbnail')).toEqual([{ url: porch }]);
  });

  test('a picture without a thumbnail shows its type', async () => {
    openWindow({ hash, handlers: { 'media.thumbnail': () => Promise.resolve({ dataUrl: null }) } });
    const shown = await tile('rain.png');
    act(() => sight.show(shown));
    await within(shown).findByText('PNG picture');
  });

  test('the owner sees how many pictures are being converted', async () => {
    const house = livedInHouse(Date.now());
    openWindow({
      hash,
      house,
      handlers: { 'media.list': () => Promise.resolve({ items: house.media, converting: 12 }) },
    });
    await screen.findByText(/smaller versions of 12 pictures for your site/);
  });

  test('a picture that can’t be converted says why visitors get the original', async () => {
    const item = mediaItem('porch.jpg', '2026-11-21T08:00:00.000Z');
    openWindow({
      hash: `#/media?id=${encodeURIComponent(item.url)}`,
      handlers: { 'media.get': () => Promise.resolve({ item, versions: 'failed', uses: [] }) },
    });
    await screen.findByText(/Visitors get the original, because Porchlight couldn’t make smaller versions/);
  });

  test('of 50,000, few are in the document, and they come in pages', async () => {
    const house = livedInHouse(Date.now());
    const at = new Date().toISOString();
    house.media = Array.from({ length: 50_000 }, (_, index) => mediaItem(`f-${index}.jpg`, at));
    const { callsOf } = openWindow({ hash, house });
    await tile('f-0.jpg');
    expect(document.querySelectorAll('[role=listitem]').length).toBeLessThan(200);
    expect(callsOf('media.list')[0]).toEqual({ limit: 100 });
    expect(callsOf('media.list')).toHaveLength(1);
    act(() => {
      window.scrollTo(0, 8000);
      fireEvent.scroll(window);
    });
    await tile('f-90.jpg');
    expect(screen.queryByRole('button', { name: /f-20\.jpg/ })).toBeNull();
    await waitFor(() => expect(callsOf('media.list')).toContainEqual({ limit: 100, cursor: '100' }));
    expect(document.querySelectorAll('[role=listitem]').length).toBeLessThan(200);
    expect(callsOf('media.thumbnail')).toEqual([]);
  });

  test('are found by kind and by name', async () => {
    const { user, callsOf } = openWindow({ hash });
    await tile('porch.jpg');
    await user.click(screen.getByRole('radio', { name: 'Audio' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /porch\.jpg/ })).toBeNull());
    await tile('birds.mp3');
    await user.type(screen.getByRole('searchbox', { name: 'Search by name' }), 'zzz');
    await screen.findByText('No files match these filters.');
    expect(callsOf('media.list').at(-1)).toEqual({ limit: 100, kind: 'audio', query: 'zzz' });
    await user.click(screen.getByRole('button', { name: 'Show all files' }));
    await tile('porch.jpg');
  });

  test('an empty screen describes its purpose', async () => {
    openWindow({ hash, house: quietHouse(Date.now()) });
    expect(await screen.findByText(/^No files yet\./)).toBeTruthy();
  });

  test('that can’t be read say so', async () => {
    openWindow({ hash, handlers: { 'media.list': failing('The disk is gone.') } });
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is gone.');
  });

  test('are walked with the arrows; Enter opens, Escape closes and gives the focus back', async () => {
    const { user } = openWindow({ hash });
    const first = await tile('porch.jpg');
    act(() => first.focus());
    await user.keyboard('{ArrowRight}');
    expect(document.activeElement).toBe(await tile('rain.png'));
    await user.keyboard('{ArrowDown}{ArrowLeft}');
    expect(document.activeElement).toBe(await tile('walk.mp4'));
    await user.keyboard('{Enter}');
    await screen.findByRole('dialog', { name: 'walk.mp4' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(await tile('walk.mp4'));
  });
});

describe('one file', () => {
  test('shows its type, its uses, and which post has no alt text for it', async () => {
    const { user } = openWindow({ hash });
    await user.click(await tile('porch.jpg'));
    const drawer = dialog(/porch\.jpg/);
    expect(drawer.getByText('JPEG picture')).toBeTruthy();
    expect(drawer.getByText('3.5 MB, 4000 × 3000 pixels')).toBeTruthy();
    expect(drawer.getByText(porch)).toBeTruthy();
    expect(drawer.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(porch);
    await user.click(drawer.getByRole('button', { name: 'More actions' }));
    const items = await within(await screen.findByRole('menu')).findAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['Copy address', 'Delete']);
    const used = await drawer.findByRole('link', { name: 'On porches' });
    expect(used.getAttribute('href')).toBe(
      `#/posts?id=${encodeURIComponent(`${origin}/posts/2026/11/on-porches`)}`,
    );
    expect(used.closest('li')?.textContent).toContain('This post has no alt text for the picture.');
    expect(drawer.getByText(/The porch at dusk/).closest('li')?.textContent).not.toContain('no alt text');
  });

  test('shows the address that it was copied from', async () => {
    const { user } = openWindow({ hash });
    await user.click(await tile('kettle.jpg'));
    expect(dialog(/kettle/).getByText('https://photos.example/kettle.jpg')).toBeTruthy();
    expect(await dialog(/kettle/).findByText('No posts use this file.')).toBeTruthy();
  });

  test('is opened by its address, which stays in the window’s own, and closed', async () => {
    const { user } = openWindow({ hash: `${hash}?id=${encodeURIComponent(porch)}` });
    const drawer = within(await screen.findByRole('dialog', { name: /porch\.jpg/ }));
    expect(drawer.getByText('3.5 MB, 4000 × 3000 pixels')).toBeTruthy();
    await user.click(drawer.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(window.location.hash).toBe(hash);
    await user.click(await tile('rain.png'));
    expect(window.location.hash).toMatch(/^#\/media\?id=.*rain\.png$/);
  });

  test('that is not there says so', async () => {
    openWindow({ hash: `${hash}?id=${encodeURIComponent(`${origin}/media/2026/11/none.jpg`)}` });
    const drawer = within(await screen.findByRole('dialog', { name: 'File' }));
    expect((await drawer.findByRole('alert')).textContent).toContain('Porchlight couldn’t load this file.');
  });

  test('is deleted only after a question that names the loss; the focus moves to the next one', async () => {
    const { user, callsOf } = openWindow({ hash });
    const shown = await tile('porch.jpg');
    act(() => shown.focus());
    await user.keyboard('{Delete}');
    const question = dialog(/^Delete\s+porch\.jpg\s*\?$/);
    await question.findByText(/2 posts use this file and will no longer show it\./);
    expect(callsOf('media.delete')).toEqual([]);
    await user.click(await steady(question.getByRole('button', { name: 'Delete' })));
    await screen.findByText('Deleted: porch.jpg');
    expect(callsOf('media.delete')).toEqual([{ url: porch }]);
    await waitFor(() => expect(screen.queryByRole('button', { name: /porch\.jpg/ })).toBeNull());
    expect(document.activeElement).toBe(await tile('rain.png'));
  });

  test('stays if the owner cancels', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await tile('porch.jpg'));
    await chooseDelete(user, /porch\.jpg/);
    await user.click(dialog(/^Delete/).getByRole('button', { name: 'Cancel' }));
    expect(callsOf('media.delete')).toEqual([]);
    expect(dialog(/porch\.jpg/).getByText('JPEG picture')).toBeTruthy();
  });

  test('that could not be deleted says why, in the question', async () => {
    const { user } = openWindow({ hash, handlers: { 'media.delete': failing('The disk is full.') } });
    await user.click(await tile('rain.png'));
    await chooseDelete(user, /rain\.png/);
    const question = dialog(/^Delete/);
    await question.findByText(/No posts use this file\./);
    await user.click(await steady(question.getByRole('button', { name: 'Delete' })));
    expect((await question.findByRole('alert')).textContent).toContain('The disk is full.');
  });
});

describe('adding files', () => {
  /** Adds two files, whose uploads end when `letGo` is called. */
  async function heldUploads() {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const upload = async ({ name }: { name: string }) => {
      await gate;
      return mediaItem(name, new Date().toISOString());
    };
    const { user, callsOf } = openWindow({ hash, handlers: { 'media.upload': upload } });
    await tile('porch.jpg');
    await user.upload(fileInput(), [new File(['a'], 'one.txt'), new File(['b'], 'two.txt')]);
    return { user, callsOf, letGo };
  }

  test('sends their bytes, one after the other, and says how far it is', async () => {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const house = livedInHouse(Date.now());
    const upload = async ({ name }: { name: string }) => {
      await gate;
      const item = mediaItem(`new-${name}`, new Date().toISOString(), { name });
      house.media = [item, ...house.media];
      return item;
    };
    const { user, callsOf } = openWindow({ hash, house, handlers: { 'media.upload': upload } });
    await tile('porch.jpg');
    await user.upload(fileInput(), [new File(['hello'], 'one.txt'), new File(['you'], 'two.txt')]);
    await screen.findByText('one.txt');
    expect(screen.getByText(/Adding 1 of 2/)).toBeTruthy();
    await waitFor(() => expect(callsOf('media.upload')).toEqual([{ name: 'one.txt', data: btoa('hello') }]));
    letGo();
    await screen.findByText('Added 2 files.');
    expect(callsOf('media.upload')).toContainEqual({ name: 'two.txt', data: btoa('you') });
    await tile('two.txt');
    expect(screen.queryByText(/Adding/)).toBeNull();
  });

  test('continues on another screen, and shows its progress when the owner comes back', async () => {
    const { user, callsOf, letGo } = await heldUploads();
    await screen.findByText(/Adding 1 of 2/);
    await user.click(screen.getByRole('link', { name: /Posts/ }));
    await screen.findByRole('heading', { level: 1, name: 'Posts' });
    await user.click(screen.getByRole('link', { name: /Media/ }));
    expect(await screen.findByText(/Adding 1 of 2/)).toBeTruthy();
    letGo();
    await screen.findByText('Added 2 files.');
    expect(callsOf('media.upload')).toHaveLength(2);
  });

  test('can be stopped after the one on its way', async () => {
    const { user, callsOf, letGo } = await heldUploads();
    await user.click(await screen.findByRole('button', { name: 'Stop after this file' }));
    letGo();
    await screen.findByText('Added 1 file.');
    expect(callsOf('media.upload')).toHaveLength(1);
  });

  test('names those that failed, and why; a large one is not even sent', async () => {
    const refuse = failing('It is not of a type that is taken.');
    const { user, callsOf } = openWindow({ hash, handlers: { 'media.upload': refuse } });
    await tile('porch.jpg');
    const large = new File(['x'], 'film.mp4');
    Object.defineProperty(large, 'size', { value: windowUploadBytes + 1_000_000 });
    await user.upload(fileInput(), [large, new File([], 'empty.txt'), new File(['x'], 'odd.bin')]);
    const note = within(await screen.findByRole('alert'));
    await note.findByText(/not of a type that is taken/);
    expect(note.getByText('film.mp4').closest('p')?.textContent).toContain(
      'The file is 21 MB. The limit in this window is 20 MB, but apps can send larger files.',
    );
    expect(note.getByText('empty.txt').closest('p')?.textContent).toContain('The file is empty.');
    expect(callsOf('media.upload')).toEqual([{ name: 'odd.bin', data: btoa('x') }]);
    await user.click(note.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('works by dropping them anywhere on the window', async () => {
    const { callsOf } = openWindow({ hash });
    await tile('porch.jpg');
    const dataTransfer = { types: ['Files'], files: [new File(['hello'], 'dropped.txt')] };
    fireEvent.dragOver(document.body, { dataTransfer });
    expect(screen.getByText('Drop the files to add them')).toBeTruthy();
    fireEvent.drop(document.body, { dataTransfer });
    expect(screen.queryByText('Drop the files to add them')).toBeNull();
    await screen.findByText('Added 1 file.');
    expect(callsOf('media.upload')).toEqual([{ name: 'dropped.txt', data: btoa('hello') }]);
  });
});
