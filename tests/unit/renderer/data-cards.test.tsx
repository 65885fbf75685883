import { screen, waitFor, within } from '@testing-library/react';
import { act } from 'react';
import { expect, test } from 'vitest';
import type { DataProgress } from '../../../src-main/contract/data.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, type OpenWindow } from './open-window.tsx';

const hash = '#/data';
const card = async (name: string) => within(await screen.findByRole('region', { name }));
const openTab = async ({ user }: OpenWindow, name: string) =>
  user.click(await screen.findByRole('tab', { name }));
const cards = async () => {
  await screen.findByRole('tabpanel');
  return screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
};

/** A fresh installation: set up, but without posts or mentions. */
const newComputer = () => {
  const house = livedInHouse(Date.now());
  return { ...house, posts: [], mentions: [] };
};

function progress({ client }: OpenWindow, data: Partial<DataProgress>): void {
  act(() => {
    client.emit({
      name: 'data.progress',
      data: { task: 'backup', state: 'running', done: 0, total: 0, words: 'Writing the copy.', ...data },
    });
  });
}

test('each tab has one task, and the address names the open one', async () => {
  const opened = openWindow({ hash });
  expect(await cards()).toEqual(['Back up', 'Weekly backups', 'Restore']);
  await openTab(opened, 'Import');
  expect(await cards()).toEqual(['Import posts']);
  expect(window.location.hash).toBe('#/data?tab=import');
  await openTab(opened, 'Export');
  expect(await cards()).toEqual(['Export']);
  await openTab(opened, 'Move');
  expect(await cards()).toEqual(['Move to another computer', 'Data folder']);
});

test('an address that names no tab shows the backup', async () => {
  openWindow({ hash: '#/data?tab=constructor' });
  expect((await cards())[0]).toBe('Back up');
});

test('on a new computer the restore comes first, and the screen says why', async () => {
  openWindow({ hash, house: newComputer() });
  expect((await cards()).slice(0, 2)).toEqual(['Restore', 'Back up']);
  expect(screen.getByText(/start with Restore/)).toBeTruthy();
});

test('a backup shows its size, its contents and its path, and can be shown in its folder', async () => {
  const { user, callsOf } = openWindow({ hash });
  const backUp = await card('Back up');
  expect(backUp.getByText('You haven’t made a backup yet.')).toBeTruthy();
  await user.type(backUp.getByLabelText('Save the backup to'), '/disk/b.zip{Enter}');
  expect(await backUp.findByText(/512 MB \(128 posts, 64 files, 312 mentions\)/)).toBeTruthy();
  expect(backUp.getByText(/It contains no secrets\./)).toBeTruthy();
  expect(backUp.getByText('/disk/b.zip')).toBeTruthy();
  await user.click(backUp.getByRole('button', { name: 'Show in folder: the last backup' }));
  expect(callsOf('desktop.showInFolder')).toEqual([{ what: 'backup' }]);
});

test('a backup that was moved away is reported at its own button', async () => {
  const handlers = { 'desktop.showInFolder': failing('The file is no longer there.') };
  const { user } = openWindow({ hash: '#/data?tab=move', handlers });
  const folder = await card('Data folder');
  await user.click(folder.getByRole('button', { name: 'Show in folder: the data folder' }));
  expect((await folder.findByRole('alert')).textContent).toContain('The file is no longer there.');
});

test('a browser shows the path to copy, and no button for a folder', async () => {
  openWindow({ hash: '#/data?tab=move', home: 'browser' });
  const folder = await card('Data folder');
  expect(folder.getByRole('button', { name: 'Copy the path of the data folder' })).toBeTruthy();
  expect(screen.queryByText('Show in folder')).toBeNull();
});

test('each card shows its own progress, in bytes, and the other tabs show it above', async () => {
  const opened = openWindow({ hash });
  const backUp = await card('Back up');
  progress(opened, { done: 120_000_000, total: 734_000_000 });
  expect(await backUp.findByText('120 MB of 734 MB')).toBeTruthy();
  const bar = await screen.findByRole('progressbar');
  await openTab(opened, 'Export');
  await waitFor(() => expect(screen.getByRole('progressbar')).not.toBe(bar));
  progress(opened, { task: 'export', done: 3_400_000, words: '12 files written.' });
  const out = await card('Export');
  expect(await out.findByText('12 files written.')).toBeTruthy();
  expect(out.getByText('3.4 MB so far')).toBeTruthy();
  expect(screen.queryByText('120 MB of 734 MB')).toBeNull();
});

test('the move begins with a backup that includes secrets', async () => {
  const { user } = openWindow({ hash: '#/data?tab=move' });
  const move = await card('Move to another computer');
  expect(move.getByRole('link', { name: 'Restore a backup here…' }).getAttribute('href')).toBe('#/restore');
  await user.click(move.getByRole('button', { name: 'Back up with secrets…' }));
  const backUp = await card('Back up');
  const path = backUp.getByLabelText('Save the backup to');
  await waitFor(() => expect(document.activeElement).toBe(path));
  expect(backUp.getByRole<HTMLInputElement>('checkbox', { name: /^Include secrets/ }).checked).toBe(true);
});

test('a checked backup is offered again after the owner looked elsewhere', async () => {
  const { user } = openWindow({ hash: '#/restore' });
  await user.type(await screen.findByLabelText('Backup file'), '/disk/b.zip{Enter}');
  await screen.findByRole('button', { name: 'Restore this backup…' });
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect((await card('Restore')).getByRole('link', { name: 'Continue the restore…' })).toBeTruthy();
});

test('weekly backups are set up beside the backup', async () => {
  const { user, callsOf } = openWindow({ hash, home: 'browser' });
  const weekly = await card('Weekly backups');
  const folder = await weekly.findByLabelText('Folder for weekly backups');
  await user.clear(folder);
  await user.type(folder, '/disk/weekly{Enter}');
  await weekly.findByText('Saved.');
  expect(callsOf('settings.update')).toMatchObject([{ backup: { folder: '/disk/weekly' } }]);
});
