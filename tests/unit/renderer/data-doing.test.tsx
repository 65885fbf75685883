import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { livedInHouse, newHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const hash = '#/data';
const part = async (name: string) => within(await screen.findByRole('region', { name }));

test('Enter sends a form of the data screen, and only one that is filled in', async () => {
  const { user, callsOf } = openWindow({ hash });
  const form = await part('Back up');
  await user.type(form.getByLabelText('Save the backup to'), '{Enter}');
  expect(callsOf('data.backup')).toEqual([]);
  await user.type(form.getByLabelText('Save the backup to'), '/copies/mine.zip{Enter}');
  await waitFor(() => expect(callsOf('data.backup')).toEqual([{ path: '/copies/mine.zip' }]));
});

test('a failed backup says why at its own button', async () => {
  const { user } = openWindow({ hash, handlers: { 'data.backup': failing('The disk is full.') } });
  const form = await part('Back up');
  await user.type(form.getByLabelText('Save the backup to'), '/copies/mine.zip{Enter}');
  expect((await form.findByRole('alert')).textContent).toContain('The disk is full.');
});

test('an owner with a backup finds the restore on the first screen, before entering a domain', async () => {
  const { user } = openWindow({ house: newHouse(Date.now()), home: 'desktop' });
  await user.click(await screen.findByRole('button', { name: 'Restore a backup' }));
  const title = await screen.findByRole('heading', { level: 1, name: 'Restore a backup' });
  await waitFor(() => expect(document.activeElement).toBe(title));
  // Only the restore: no other part of the house, which is not set up yet.
  expect(screen.queryByRole('navigation')).toBeNull();
  expect(screen.queryByRole('region', { name: 'Back up' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await screen.findByLabelText('Your domain');
});

test('the restore is not offered there once the owner is known', async () => {
  openWindow({ house: livedInHouse(Date.now()), hash: '#/welcome?step=who' });
  await screen.findByLabelText('Your domain');
  expect(screen.queryByRole('button', { name: 'Restore a backup' })).toBeNull();
});
