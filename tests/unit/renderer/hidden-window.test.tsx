import { render, screen, waitFor, within } from '@testing-library/react';
import { act } from 'react';
import { describe, expect, test, vi } from 'vitest';
import type { WindowSignal } from '../../../src-main/contract/window.ts';
import { Appearance } from '../../../src-renderer/appearance.tsx';
import { DesktopTools } from '../../../src-renderer/desktop/desktop-tools.tsx';
import { restoreHash, welcomeHash, writeHash } from '../../../src-renderer/routes.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady, type OpenWindow } from './open-window.tsx';

/** Opens the window as the desktop app does. `mayRest`: asks its page whether the hidden window may be closed. */
function openDesktopWindow(
  options: Parameters<typeof openWindow>[0],
): OpenWindow & { readonly mayRest: () => boolean } {
  const opened = openWindow(options);
  const restWindow = vi.fn();
  let tell: (signal: WindowSignal) => void = () => undefined;
  const watchWindow = (listener: typeof tell) => {
    tell = listener;
    return () => undefined;
  };
  render(
    <Appearance env="test">
      <DesktopTools bridge={{ watchWindow, restWindow, closeWindow: () => undefined }} />
    </Appearance>,
  );
  const mayRest = () => {
    restWindow.mockClear();
    act(() => tell({ name: 'rest' }));
    return restWindow.mock.calls.length > 0;
  };
  return { ...opened, mayRest };
}

const part = async (name: string) => within(await screen.findByRole('region', { name }));

describe('a hidden window may be closed', () => {
  test('while it shows a list', async () => {
    const { mayRest } = openDesktopWindow({ hash: '#/posts' });
    await screen.findByRole('heading', { name: 'Posts' });
    expect(mayRest()).toBe(true);
  });

  test('again once a changed form is saved', async () => {
    const { user, mayRest } = openDesktopWindow({ hash: '#/settings/profile' });
    const profile = await part('Profile');
    expect(mayRest()).toBe(true);
    await user.type(profile.getByLabelText('Name'), 'Robin');
    expect(mayRest()).toBe(false);
    await user.click(profile.getByRole('button', { name: 'Save' }));
    await profile.findByText('Saved.');
    expect(mayRest()).toBe(true);
  });

  test('again once a post is saved as a draft', async () => {
    const { user, mayRest } = openDesktopWindow({ hash: writeHash() });
    await user.type(await screen.findByRole('textbox', { name: 'Text' }), 'Half a thought');
    expect(mayRest()).toBe(false);
    await screen.findByText(/^Draft saved at/);
    await waitFor(() => expect(mayRest()).toBe(true));
  });
});

describe('a hidden window stays', () => {
  test.each([
    ['a backup', 'back-up', 'Back up', 'Save the backup to'],
    ['an import', 'import', 'Import posts', 'Archive'],
    ['an export', 'export', 'Export', 'Save the export to'],
  ])('while the owner fills in the form for %s', async (_what, tab, card, label) => {
    const { user, mayRest } = openDesktopWindow({ hash: `#/data?tab=${tab}` });
    await user.type(await (await part(card)).findByLabelText(label), '/disk/file');
    expect(mayRest()).toBe(false);
  });

  test('while an action is running', async () => {
    let finish = (): void => undefined;
    const { user, mayRest } = openDesktopWindow({
      hash: '#/porch',
      handlers: {
        'server.turnOff': () =>
          new Promise((_resolve, reject) => (finish = () => reject(new Error('It stays on.')))),
      },
    });
    await user.click(await screen.findByRole('switch'));
    expect(mayRest()).toBe(false);
    finish();
    await waitFor(() => expect(mayRest()).toBe(true));
  });

  test('while a dialog is open', async () => {
    const { user, mayRest } = openDesktopWindow({ hash: '#/apps' });
    const [button] = await screen.findAllByRole('button', { name: /token/i });
    await user.click(await steady(button!));
    await screen.findByRole('dialog');
    expect(mayRest()).toBe(false);
  });

  test.each([
    ['the welcome', welcomeHash('who')],
    ['the restore of a backup', restoreHash],
  ])('during %s', async (_what, hash) => {
    const { mayRest } = openDesktopWindow({ hash });
    await screen.findAllByRole('heading');
    expect(mayRest()).toBe(false);
  });

  test('before the owner has an address', async () => {
    const house = livedInHouse(Date.now());
    house.settings = { ...house.settings, profile: { ...house.settings.profile, me: null } };
    const { mayRest } = openDesktopWindow({ house });
    await screen.findAllByRole('heading');
    expect(mayRest()).toBe(false);
  });

  // Last: the next window of this browser would open with the kept text.
  test('with text that could not be saved, on another screen too', async () => {
    const { user, mayRest } = openDesktopWindow({
      hash: writeHash(),
      handlers: { 'posts.create': failing('The disk is full.') },
    });
    await user.type(await screen.findByRole('textbox', { name: 'Text' }), 'Half a thought');
    await screen.findAllByText(/The disk is full\./);
    window.location.hash = '#/apps';
    await screen.findByRole('heading', { name: 'Apps' });
    expect(mayRest()).toBe(false);
  });
});
