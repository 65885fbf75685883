import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import type { Result } from '../../../src-main/contract/contract.ts';
import { failing, openWindow } from './open-window.tsx';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';

describe('the screen of what happened', () => {
  test('lists it newest first, filters it by subject, and stores the filter in the address', async () => {
    const { user, callsOf } = openWindow({ hash: '#/activity' });
    const list = await screen.findByRole('list', { name: 'Activity' });
    await within(list).findByText('You approved a sign-in to Quill (quill.example).');
    await user.click(screen.getByText('Server'));
    await waitFor(() =>
      expect(screen.queryByText('You approved a sign-in to Quill (quill.example).')).toBeNull(),
    );
    await screen.findByText('You turned Porchlight on.');
    expect(window.location.hash).toBe('#/activity?area=server');
    expect(callsOf('activity.list')).toContainEqual({ area: 'server', limit: 100 });
  });

  test('shows addresses in short, and the whole one in the title', async () => {
    const url = 'https://porch.marlow.example/posts/2026/11/fog-over-the-harbour-at-dawn';
    const words = `Jo Wren replied to ${url}. It is waiting for your approval.`;
    const item = { id: 'a1', at: new Date().toISOString(), kind: 'webmention.received', words };
    openWindow({ hash: '#/activity', handlers: { 'activity.list': () => ({ items: [item] }) } });
    const address = await screen.findByTitle(url);
    expect(address.textContent).toBe('porch.marlow.example/…/11/fog-over-the-harbour-at-dawn');
    expect(address.parentElement?.textContent).toMatch(/^Jo Wren replied to .*dawn\. It is waiting/);
  });

  test('has more than the overview, which leads to it', async () => {
    const items = Array.from({ length: 30 }, (_, index) => ({
      id: `a${index}`,
      at: new Date().toISOString(),
      kind: 'server.on',
      words: `thing ${index}`,
    }));
    const { user } = openWindow({
      house: livedInHouse(Date.now()),
      handlers: {
        'activity.list': ({ limit = 100 }) => ({
          items: items.slice(0, limit),
          ...(limit < items.length && { nextCursor: 'more' }),
        }),
      },
    });
    await screen.findByText('thing 11');
    expect(screen.queryByText('thing 12')).toBeNull();
    await user.click(screen.getByRole('link', { name: 'Show all activity' }));
    await screen.findByRole('heading', { level: 1, name: 'Activity' });
    // Only the rows near the window are drawn, and each knows how many there are.
    await waitFor(() => expect(document.querySelector('[aria-setsize="30"]')).not.toBeNull());
  });

  test('that fails leaves the rest of the window, and can be opened again', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined); // React tells of it there too
    let isBroken = true;
    const broken = { items: null } as unknown as Result<'activity.list'>;
    const { user } = openWindow({
      house: livedInHouse(Date.now()),
      hash: '#/activity',
      handlers: { 'activity.list': () => (isBroken ? broken : { items: [] }) },
    });
    await screen.findByRole('heading', { level: 1, name: 'Something went wrong' });
    expect(screen.getByRole('navigation')).toBeTruthy();
    isBroken = false;
    await user.click(screen.getByRole('button', { name: 'Reload this screen' }));
    await screen.findByRole('heading', { level: 1, name: 'Activity' });
  });

  test('describes the screen while nothing has happened', async () => {
    openWindow({ house: quietHouse(Date.now()), hash: '#/activity' });
    await screen.findByText(/Nothing has happened yet/);
  });

  test('shows the support file before it goes anywhere', async () => {
    const { user } = openWindow({ house: livedInHouse(Date.now()), hash: '#/activity' });
    await user.click(await screen.findByRole('button', { name: 'Create a support file' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText(/Porchlight 0\.1\.0 on linux/);
    within(dialog).getByRole('button', { name: 'Save file' });
    within(dialog).getByRole('button', { name: 'Copy the support file' });
  });

  test('says why no support file could be made', async () => {
    const { user } = openWindow({
      hash: '#/activity',
      handlers: { 'support.file': failing('The keychain does not answer.') },
    });
    await user.click(await screen.findByRole('button', { name: 'Create a support file' }));
    await screen.findByText('The keychain does not answer.');
  });
});
