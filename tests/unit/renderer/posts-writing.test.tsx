// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { mediaItem } from '../../support/window-media.ts';
import { newPost } from '../../support/window-posts.ts';
import { failing, openWindow } from './open-window.tsx';

const hash = '#/posts';
const dialog = () => within(screen.getByRole('dialog'));
const picture = (name: string) => new File(['pixels'], name, { type: 'image/png' });
const data = Buffer.from('pixels').toString('base64');

async function begin(user: UserEvent): Promise<void> {
  await user.click(await screen.findByRole('button', { name: 'New note' }));
  await waitFor(() => expect(screen.getByRole('dialog')).toBeTruthy());
}

function choose(...files: File[]): void {
  fireEvent.change(dialog().getByLabelText('Photos', { selector: 'input' }), { target: { files } });
}

describe('a note', () => {
  test('is posted with Ctrl and Enter, and is then in the list', async () => {
    const { user, callsOf } = openWindow({ hash });
    await begin(user);
    await user.type(dialog().getByLabelText('Your note'), 'Hello, porch');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await screen.findByText('Posted your note.')).toBeTruthy();
    expect(callsOf('posts.create')).toEqual([
      { content: 'Hello, porch', photos: [], categories: [], visibility: 'public', status: 'published' },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(await screen.findByRole('button', { name: /Hello, porch/ })).toBeTruthy();
  });

  test('has the categories, the readers and the state that were chosen', async () => {
    const { user, callsOf } = openWindow({ hash });
    await begin(user);
    await user.type(dialog().getByLabelText('Your note'), 'Soup');
    await user.type(dialog().getByRole('combobox', { name: 'Categories' }), 'food{Enter}');
    await user.selectOptions(dialog().getByLabelText('Who can read this note'), 'Only you (private)');
    await user.click(dialog().getByLabelText('Save as draft'));
    expect(callsOf('posts.create')).toEqual([]);
    await user.click(dialog().getByRole('button', { name: 'Save draft' }));
    expect(await screen.findByText('Saved your draft.')).toBeTruthy();
    expect(callsOf('posts.create')).toEqual([
      { content: 'Soup', photos: [], categories: ['food'], visibility: 'private', status: 'draft' },
    ]);
  });

  test('without a word or a photo is not posted', async () => {
    const { user, callsOf } = openWindow({ hash });
    await begin(user);
    await user.click(dialog().getByRole('button', { name: 'Post' }));
    expect(dialog().getByText('Write something, or add a photo.')).toBeTruthy();
    expect(callsOf('posts.create')).toEqual([]);
  });

  test('that was begun is still there after closing and after a look at another screen', async () => {
    const { user } = openWindow({ hash });
    await begin(user);
    await user.type(dialog().getByLabelText('Your note'), 'Half a tho');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(screen.getByRole('link', { name: 'Apps' }));
    window.location.hash = '#/apps';
    await screen.findByRole('heading', { name: 'Apps' });
    window.location.hash = hash;
    await user.click(await screen.findByRole('button', { name: 'Continue your note' }));
    expect(dialog().getByLabelText<HTMLTextAreaElement>('Your note').value).toBe('Half a tho');
  });

  test('that could not be posted keeps everything, and does not send its photos twice', async () => {
    let tries = 0;
    const { user, callsOf } = openWindow({
      hash,
      handlers: {
        'posts.create': (written) => {
          tries += 1;
          if (tries === 1) throw new PorchlightError('server_error', 'The disk is full.');
          return newPost(written, '2026-11-21T08:00:00.000Z');
        },
      },
    });
    await begin(user);
    await user.type(dialog().getByLabelText('Your note'), 'Snow');
    choose(picture('snow.png'));
    await user.type(await dialog().findByLabelText(/Alt text for snow\.png/), 'A white garden');
    await user.click(dialog().getByRole('button', { name: 'Post' }));
    expect((await dialog().findByRole('alert')).textContent).toContain('The disk is full.');
    expect(dialog().getByLabelText<HTMLTextAreaElement>('Your note').value).toBe('Snow');
    await user.click(dialog().getByRole('button', { name: 'Post' }));
    expect(await screen.findByText('Posted your note.')).toBeTruthy();
    expect(callsOf('media.upload')).toEqual([{ name: 'snow.png', data }]);
    const { url } = mediaItem('n3Wf-snow.png', '');
    expect(callsOf('posts.create').at(-1)).toMatchObject({ photos: [{ url, alt: 'A white garden' }] });
    expect(callsOf('media.delete')).toEqual([]);
  });
});

describe('the photos of a note', () => {
  test('are dropped or pasted too, and taken out again', async () => {
    const { user } = openWindow({ hash });
    await begin(user);
    const field = dialog().getByLabelText('Your note');
    fireEvent.drop(field, { dataTransfer: { files: [picture('a.png')], types: ['Files'] } });
    fireEvent.paste(field, { clipboardData: { files: [picture('b.png')] } });
    expect(await dialog().findByLabelText(/Alt text for a\.png/)).toBeTruthy();
    await user.click(await dialog().findByRole('button', { name: 'Remove b.png' }));
    expect(dialog().queryByLabelText(/Alt text for b\.png/)).toBeNull();
    expect(dialog().getByLabelText(/Alt text for a\.png/)).toBeTruthy();
  });

  test('that are too large or no pictures are refused by name', async () => {
    const { user, callsOf } = openWindow({ hash });
    await begin(user);
    const huge = picture('huge.png');
    Object.defineProperty(huge, 'size', { value: windowUploadBytes + 1 });
    choose(huge, new File(['x'], 'notes.txt', { type: 'text/plain' }));
    const words = (await dialog().findByRole('alert')).textContent;
    expect(words).toContain('“huge.png” is larger than 20 MB');
    expect(words).toContain('“notes.txt” isn’t a picture.');
    expect(callsOf('media.upload')).toEqual([]);
  });

  test('that are pictures by their name only are refused, deleted, and not posted', async () => {
    const file = mediaItem('notes.txt', '2026-11-21T08:00:00.000Z', { kind: 'document', type: 'text/plain' });
    const { user, callsOf } = openWindow({ hash, handlers: { 'media.upload': () => Promise.resolve(file) } });
    await begin(user);
    choose(picture('notes.png'));
    await user.click(dialog().getByRole('button', { name: 'Post' }));
    expect((await dialog().findByRole('alert')).textContent).toContain('“notes.png” isn’t a picture');
    expect(callsOf('posts.create')).toEqual([]);
    expect(callsOf('media.delete')).toEqual([{ url: file.url }]);
    expect(dialog().getByLabelText('Alt text for notes.png')).toBeTruthy();
  });

  test('that were sent for a note that is discarded are deleted', async () => {
    const { user, callsOf } = openWindow({ hash, handlers: { 'posts.create': failing('No room.') } });
    await begin(user);
    choose(picture('snow.png'));
    await dialog().findByLabelText(/Alt text for snow\.png/);
    await user.click(dialog().getByRole('button', { name: 'Post' }));
    await dialog().findByRole('alert');
    await user.click(dialog().getByRole('button', { name: 'Discard…' }));
    expect(callsOf('media.delete')).toEqual([]);
    await user.click(dialog().getByRole('button', { name: 'Discard' }));
    await waitFor(() =>
      expect(callsOf('media.delete')).toEqual([{ url: mediaItem('n3Wf-snow.png', '').url }]),
    );
    expect(await screen.findByRole('button', { name: 'New note' })).toBeTruthy();
  });
});
