import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { act } from 'react';
import { expect, test } from 'vitest';
import { archiveUploadBytes } from '../../../src-main/contract/data.ts';
import type { PostImportProgress } from '../../../src-main/contract/post-import.ts';
import { openWindow, steady, type OpenWindow } from './open-window.tsx';

const hash = '#/data?tab=import';
const card = async () => within(await screen.findByRole('region', { name: 'Import posts' }));

async function checked(path: string, home: 'desktop' | 'browser' = 'desktop') {
  const opened = openWindow({ hash, home });
  const shown = await card();
  await opened.user.type(await shown.findByLabelText('Archive'), `${path}{Enter}`);
  return { ...opened, shown };
}

function progress({ client }: OpenWindow, data: Partial<PostImportProgress>): void {
  act(() => {
    client.emit({
      name: 'posts.importProgress',
      data: { id: 'import-1', state: 'importing', done: 0, total: 0, words: '', ...data },
    });
  });
}

test('a check shows the posts, their conversion, and the skipped files with the reason', async () => {
  const { shown, callsOf } = await checked('/disk/archive.zip');
  expect(await shown.findByText('Found 1,204 posts. 1,200 can be imported.')).toBeTruthy();
  expect(shown.getByText('812 notes, 240 replies, 96 photos, 52 reposts, 118 files')).toBeTruthy();
  expect(shown.getByText('It is empty: 4')).toBeTruthy();
  expect(shown.getByText('The porch in fog.')).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Mastodon archive');
  expect(callsOf('posts.import')).toEqual([{ path: '/disk/archive.zip', format: 'auto', dryRun: true }]);
});

test('a check and an import name the posts that lose something, and what', async () => {
  const { shown, user } = await checked('/disk/archive.zip');
  const names = async () => {
    expect(await shown.findByText('1 post loses something')).toBeTruthy();
    const item = shown.getByText('Write to us').closest('li');
    expect(item?.textContent).toBe('Write to us the shortcode [contact-form]');
  };
  await names();
  await user.click(shown.getByRole('button', { name: 'Import 1,200 posts' }));
  await shown.findByText('Imported 1,200 posts.');
  await names();
});

test('the import starts with the checked archive, and can be undone', async () => {
  const { shown, user, callsOf } = await checked('/disk/archive.zip');
  await user.click(await shown.findByRole('button', { name: 'Import 1,200 posts' }));
  expect(await shown.findByText('Imported 1,200 posts.')).toBeTruthy();
  expect(callsOf('posts.import').at(-1)).toEqual({ path: '/disk/archive.zip', format: 'auto' });
  await user.click(shown.getByRole('button', { name: 'Undo this import…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(await steady(dialog.getByRole('button', { name: 'Undo import' })));
  expect(await shown.findByText('Undone: deleted 1,199 posts and 118 files.')).toBeTruthy();
  expect(shown.getByText('You have changed this post since.')).toBeTruthy();
  expect(callsOf('posts.undoImport')).toEqual([{ id: 'import-1' }]);
});

const ownExport = 'This is my own export: keep the status of its mentions';

test('the mentions of an export keep their status only if the owner says that it is their own', async () => {
  const path = '/disk/porchlight-export.zip';
  const { shown, user, callsOf } = await checked(path);
  const action = { name: 'Import 1,200 posts, 212 mentions and 2 pages' };
  expect(await shown.findByText(/118 files, 212 mentions and 2 pages$/)).toBeTruthy();
  const choice = shown.getByRole<HTMLInputElement>('checkbox', { name: ownExport });
  expect(choice.checked).toBe(false);
  await user.click(shown.getByRole('button', action));
  expect(await shown.findByText('Imported 1,200 posts, 212 mentions and 2 pages.')).toBeTruthy();
  expect(callsOf('posts.import').at(-1)).toEqual({ path, format: 'auto' });
  expect(shown.queryByRole('checkbox', { name: ownExport })).toBeNull();

  await user.click(shown.getByRole('button', { name: 'Check' }));
  await user.click(await shown.findByRole('checkbox', { name: ownExport }));
  await user.click(shown.getByRole('button', action));
  expect(await shown.findByText('Imported 1,200 posts, 212 mentions and 2 pages.')).toBeTruthy();
  expect(callsOf('posts.import').at(-1)).toEqual({ path, format: 'auto', ownExport: true });

  // The answer is for one import only.
  await user.click(shown.getByRole('button', { name: 'Check' }));
  expect((await shown.findByRole<HTMLInputElement>('checkbox', { name: ownExport })).checked).toBe(false);
  await user.type(shown.getByLabelText('Archive'), '2{Enter}');
  expect((await shown.findByRole<HTMLInputElement>('checkbox', { name: ownExport })).checked).toBe(false);
});

test('one button approves the comments of a WordPress export, after the import or later', async () => {
  const { shown, user, callsOf } = await checked('/disk/wordpress.xml');
  expect(await shown.findByText(/118 files, 212 comments$/)).toBeTruthy();
  expect(shown.queryByRole('checkbox')).toBeNull();
  await user.click(shown.getByRole('button', { name: 'Import 1,200 posts and 212 comments' }));
  expect(await shown.findByText('Imported 1,200 posts and 212 comments.')).toBeTruthy();
  expect(shown.getByText(/^212 comments wait for your approval/)).toBeTruthy();
  await user.click(shown.getByRole('button', { name: 'Approve its comments' }));
  expect(await shown.findByText('Approved 211 comments.')).toBeTruthy();
  expect(shown.queryByRole('button', { name: 'Approve its comments' })).toBeNull();
  const name = 'Approve its comments: WordPress export (WXR), /disk/wordpress.xml';
  await user.click(await shown.findByRole('button', { name }));
  await waitFor(() => expect(shown.queryByRole('button', { name })).toBeNull());
  expect(callsOf('posts.approveImport')).toEqual([{ id: 'import-1' }, { id: 'import-1' }]);
});

test('archives without mentions have no such choice', async () => {
  const { shown } = await checked('/disk/archive.zip');
  await shown.findByRole('button', { name: 'Import 1,200 posts' });
  expect(shown.queryByRole('checkbox')).toBeNull();
});

test('another archive or format discards the check', async () => {
  const { shown, user } = await checked('/disk/archive.zip');
  await shown.findByRole('button', { name: 'Import 1,200 posts' });
  await user.selectOptions(shown.getByLabelText('Format'), 'Twitter archive');
  expect(shown.queryByRole('button', { name: 'Import 1,200 posts' })).toBeNull();
});

test('a file that is no archive is reported', async () => {
  const { shown } = await checked('/disk/lamp.jpg');
  expect((await shown.findByRole('alert')).textContent).toContain('Porchlight can’t import this.');
});

test('a running import shows its progress, also in another window, and can be cancelled', async () => {
  const opened = openWindow({ hash });
  const shown = await card();
  await shown.findByLabelText('Archive');
  progress(opened, { done: 300, total: 1200, words: 'Imported 300 of 1,200 posts.' });
  expect(await shown.findByText('Imported 300 of 1,200 posts.')).toBeTruthy();
  expect(shown.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
  await opened.user.click(shown.getByRole('button', { name: 'Cancel import' }));
  expect(opened.callsOf('posts.cancelImport')).toEqual([{}]);
  progress(opened, { state: 'cancelled', done: 300, total: 1200 });
  await waitFor(() => expect(shown.queryByRole('progressbar')).toBeNull());
});

test('the desktop has a button for files and one for folders, and a browser has neither', async () => {
  const { user, callsOf } = openWindow({ hash });
  const shown = await card();
  await user.click(await shown.findByRole('button', { name: 'Choose file…' }));
  await user.click(shown.getByRole('button', { name: 'Choose folder…' }));
  expect(callsOf('desktop.choosePath')).toEqual([{ purpose: 'importFile' }, { purpose: 'importFolder' }]);
  cleanup();
  openWindow({ hash, home: 'browser' });
  await (await card()).findByRole('textbox', { name: 'Archive' });
  expect(screen.queryByRole('button', { name: 'Choose file…' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Choose folder…' })).toBeNull();
});

const fileInput = () => document.querySelector<HTMLInputElement>('input[type=file]')!;

test('a browser uploads the archive, and imports it from there', async () => {
  const { user, callsOf } = openWindow({ hash, home: 'browser' });
  const shown = await card();
  expect(await shown.findByRole('button', { name: 'Choose a file…' })).toBeTruthy();
  await user.upload(fileInput(), new File(['archive'], 'archive.zip'));
  expect((await shown.findByText(/^Uploaded:/)).textContent).toBe('Uploaded: archive.zip (7 bytes)');
  await user.click(shown.getByRole('button', { name: 'Check' }));
  await user.click(await shown.findByRole('button', { name: 'Import 1,200 posts' }));
  expect(await shown.findByText('Imported 1,200 posts.')).toBeTruthy();
  const path = '/uploads/archive.zip';
  expect(callsOf('posts.import')).toEqual([
    { path, format: 'auto', dryRun: true },
    { path, format: 'auto' },
  ]);
  // The upload is gone, so it can't be checked again.
  expect(shown.getByRole('button', { name: 'Check' })).toHaveProperty('disabled', true);
});

test('an archive that is too large for an upload is refused before it is sent', async () => {
  const { user, callsOf } = openWindow({ hash, home: 'browser' });
  const shown = await card();
  await shown.findByRole('button', { name: 'Choose a file…' });
  const large = new File(['x'], 'all.zip');
  Object.defineProperty(large, 'size', { value: archiveUploadBytes + 1 });
  await user.upload(fileInput(), large);
  expect((await shown.findByRole('alert')).textContent).toContain('A browser can upload up to 4 GB.');
  expect(shown.getByRole('button', { name: 'Check' })).toHaveProperty('disabled', true);
  expect(callsOf('posts.import')).toEqual([]);
});

test('an uploaded archive is named without its place, and can’t be continued', async () => {
  const past = {
    id: 'a',
    at: '2026-11-20T08:00:00.000Z',
    path: '/data/.porchlight-transfers/1f/tweets.zip',
    isUpload: true,
    format: 'twitter' as const,
    state: 'cancelled' as const,
    posts: 12,
    files: 0,
    mentions: 0,
    pages: 0,
    ownExport: false,
  };
  const handlers = { 'posts.imports': () => ({ items: [past], progress: null }) };
  openWindow({ hash, home: 'browser', handlers });
  const shown = await card();
  expect(await shown.findByText(/tweets\.zip$/)).toBeTruthy();
  expect(screen.queryByText(/porchlight-transfers/)).toBeNull();
  expect(shown.getByRole('button', { name: 'Undo…: Twitter archive, tweets.zip' })).toBeTruthy();
  expect(shown.queryByRole('button', { name: /^Continue/ })).toBeNull();
});

test('an interrupted import can be continued and undone later', async () => {
  const past = {
    id: 'a',
    at: '2026-11-20T08:00:00.000Z',
    path: '/disk/old.zip',
    format: 'twitter' as const,
    state: 'interrupted' as const,
    posts: 412,
    files: 3,
    mentions: 0,
    pages: 0,
    ownExport: false,
  };
  const handlers = { 'posts.imports': () => ({ items: [past], progress: null }) };
  const { user, callsOf } = openWindow({ hash, handlers });
  const shown = await card();
  expect(await shown.findByText('Twitter archive: 412 posts, 3 files, interrupted')).toBeTruthy();
  await user.click(shown.getByRole('button', { name: 'Continue: Twitter archive, /disk/old.zip' }));
  expect(callsOf('posts.import')).toEqual([{ path: '/disk/old.zip', format: 'twitter' }]);
});

test('an interrupted import of the owner’s own export is continued as one', async () => {
  const past = {
    id: 'a',
    at: '2026-11-20T08:00:00.000Z',
    path: '/disk/export',
    format: 'porchlight' as const,
    state: 'interrupted' as const,
    posts: 8,
    files: 2,
    mentions: 1,
    pages: 0,
    ownExport: true,
  };
  const handlers = { 'posts.imports': () => ({ items: [past], progress: null }) };
  const { user, callsOf } = openWindow({ hash, handlers });
  const shown = await card();
  expect(await shown.findByText('Porchlight export: 8 posts, 2 files, 1 mention, interrupted')).toBeTruthy();
  await user.click(shown.getByRole('button', { name: 'Continue: Porchlight export, /disk/export' }));
  expect(callsOf('posts.import')).toEqual([{ path: '/disk/export', format: 'porchlight', ownExport: true }]);
});
