import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shortcutOf, shownShortcut } from '../../../src-renderer/features/settings/shortcut-keys.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const none = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };

test.each([
  ['Control+Alt+N', { key: 'n', code: 'KeyN', ctrlKey: true, altKey: true }],
  ['Alt+N', { key: '˜', code: 'KeyN', altKey: true }],
  // The letter on the key counts, wherever the layout has it.
  ['Control+A', { key: 'a', code: 'KeyQ', ctrlKey: true }],
  ['Shift+Meta+F5', { key: 'F5', code: 'F5', metaKey: true, shiftKey: true }],
  ['Control+Up', { key: 'ArrowUp', code: 'ArrowUp', ctrlKey: true }],
  ['Control+1', { key: '1', code: 'Digit1', ctrlKey: true }],
  [undefined, { key: 'N', code: 'KeyN', shiftKey: true }],
  [undefined, { key: 'n', code: 'KeyN' }],
  [undefined, { key: 'AudioVolumeUp', code: 'AudioVolumeUp', ctrlKey: true }],
])('%s is what these keys are: %o', (shortcut, keys) => {
  expect(shortcutOf({ ...none, ...keys })).toBe(shortcut);
});

test('a shortcut reads as the keys are named', () => {
  expect(shownShortcut('Control+Alt+Meta+N', false)).toBe('Ctrl + Alt + Super + N');
  expect(shownShortcut('Alt+Meta+N', true)).toBe('⌥ + ⌘ + N');
});

describe('the shortcut for writing a post', () => {
  const hash = '#/settings/computer';
  const field = () => screen.findByLabelText<HTMLInputElement>('Shortcut for writing a post');
  const press = { key: 'n', code: 'KeyN', ctrlKey: true, altKey: true };

  test('is recorded from the keys, saved, and removed', async () => {
    const { user, callsOf } = openWindow({ hash });
    expect((await field()).value).toBe('');
    fireEvent.keyDown(await field(), press);
    expect((await field()).value).toBe('Ctrl + Alt + N');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(callsOf('settings.update')).toEqual([{ desktop: { writeShortcut: 'Control+Alt+N' } }]),
    );
    await user.click(await screen.findByRole('button', { name: 'Remove shortcut' }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(callsOf('settings.update').at(-1)).toEqual({ desktop: { writeShortcut: '' } }),
    );
  });

  test('that is no shortcut is not recorded, and the field says what to press', async () => {
    openWindow({ hash });
    fireEvent.keyDown(await field(), { key: 'n', code: 'KeyN' });
    expect((await field()).value).toBe('');
    expect(screen.getByText(/^Hold Ctrl, Alt or ⌘/)).toBeTruthy();
  });

  test('leaves Tab and Escape alone', async () => {
    openWindow({ hash });
    expect(fireEvent.keyDown(await field(), { key: 'Tab', code: 'Tab' })).toBe(true);
    expect(fireEvent.keyDown(await field(), { key: 'Escape', code: 'Escape' })).toBe(true);
  });

  test('that the system refuses is not saved, and the page says why', async () => {
    const { user } = openWindow({ hash, handlers: { 'settings.update': failing('Another app uses it.') } });
    fireEvent.keyDown(await field(), press);
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Another app uses it.');
  });

  test('is not offered in a browser', async () => {
    openWindow({ hash, home: 'browser' });
    await screen.findByRole('heading', { name: 'Profile' });
    expect(screen.queryByLabelText('Shortcut for writing a post')).toBeNull();
  });
});

test('notifications that the system doesn’t show are named beside their setting, and not on Overview', async () => {
  const house = livedInHouse(Date.now());
  const message = 'macOS doesn’t show Porchlight’s notifications.';
  house.status = { ...house.status, problems: [{ code: 'no_notifications', message }] };
  openWindow({ hash: '#/settings/computer', house });
  expect(await screen.findByText(message)).toBeTruthy();
  window.location.hash = '#/';
  expect(await screen.findByRole('heading', { name: 'Porchlight is on' })).toBeTruthy();
  expect(screen.queryByText(message)).toBeNull();
});
