import { act, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { phonesHouse } from '../../support/window-houses.ts';
import { openWindow, steady } from './open-window.tsx';

const now = Date.now();
const hash = '#/settings/phones';
const waiting = {
  ...{ id: 'phone-new', name: 'New phone', code: '123456', pairedAt: null, lastUsedAt: null },
  ...{ synced: false, usable: true, approved: [] },
};

test.each(['browser', 'desktop'] as const)('pairing in the %s shows the code of the phone', async (home) => {
  const house = phonesHouse(now);
  const { user, client, callsOf } = openWindow({ house, hash, home });
  await user.click(await screen.findByRole('button', { name: 'Pair a phone…' }));
  await screen.findByAltText(/QR code/);
  house.phones = [...(house.phones ?? []), waiting];
  act(() => client.emit({ name: 'phones.changed', data: house.phones ?? [] }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText('123 456')).toBeTruthy();
  expect(dialog.queryByAltText(/QR code/)).toBeNull();
  // In the desktop app, only its native dialog confirms.
  expect(dialog.queryByRole('button', { name: 'The codes are the same' }) === null).toBe(home === 'desktop');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(callsOf('phones.remove')).toEqual([{ id: 'phone-new' }]);
  expect(callsOf('phones.confirm')).toEqual([]);
});

test('removing a phone names what it approved, and signs that out too if asked', async () => {
  const { user, callsOf } = openWindow({ house: phonesHouse(now), hash });
  await user.click(await screen.findByRole('button', { name: 'Remove My iPhone' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('It approved: Quill.')).toBeTruthy();
  await user.click(dialog.getByRole('checkbox', { name: 'Sign these apps out too' }));
  await user.click(await steady(dialog.getByRole('button', { name: 'Remove' })));
  expect(callsOf('phones.remove')).toEqual([{ id: 'phone-1', revoke: true }]);
});

test('a phone of another address says so, and a change of the address says what it means before', async () => {
  openWindow({ house: phonesHouse(now), hash });
  expect(await screen.findByText(/Paired for another public address/)).toBeTruthy();
  act(() => void (window.location.hash = '#/settings/reach'));
  expect(
    await screen.findByText(/your phones can’t approve sign-ins until you pair them again/),
  ).toBeTruthy();
});

test('with a quick tunnel, the page says why no phone can be paired', async () => {
  const house = phonesHouse(now);
  const tunnel = { ...house.settings.tunnel, mode: 'quick' as const };
  openWindow({ house: { ...house, settings: { ...house.settings, tunnel } }, hash });
  expect(await screen.findByText(/The address of a quick tunnel changes/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Pair a phone…' })).toBeNull();
});

test('the history says who approved, and Undo ends it', async () => {
  const { user, callsOf } = openWindow({ hash: '#/sign-ins' });
  expect(await screen.findByText(/with Ada’s phone/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo the sign-in to Quill' }));
  expect(await screen.findByText('Quill has no access any more.')).toBeTruthy();
  expect(callsOf('signIns.undo')).toEqual([{ id: 'past-1' }]);
});
