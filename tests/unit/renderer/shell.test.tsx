import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { demoHouse } from '../../support/window-houses.ts';
import { openWindow } from './open-window.tsx';

const now = Date.now();
const title = (name: string) => screen.findByRole('heading', { level: 1, name });
const field = () => screen.findByRole('combobox', { name: 'Search Porchlight' });

describe('the sidebar', () => {
  test('shows how many sign-ins wait, in words too', async () => {
    openWindow();
    expect(await screen.findByRole('link', { name: 'Sign-ins, 2 waiting' })).toBeTruthy();
    await waitFor(() => expect(document.title).toBe('(2) Overview · Porchlight'));
  });

  test('says that Porchlight is on, except on Overview, which says it', async () => {
    openWindow({ house: quietHouse(now), hash: '#/apps' });
    expect(await screen.findByText('Porchlight is on')).toBeTruthy();
    expect(
      within(screen.getByRole('navigation', { name: 'Screens' })).getByText('Porchlight is on'),
    ).toBeTruthy();
    act(() => void (window.location.hash = '#/overview'));
    await waitFor(() =>
      expect(
        within(screen.getByRole('navigation', { name: 'Screens' })).queryByText('Porchlight is on'),
      ).toBeNull(),
    );
  });

  test('has a badge in the demo, which says what a demo is', async () => {
    const { user } = openWindow({ house: demoHouse(now), hash: '#/apps' });
    // Until the settings are there, the badge stands alone.
    await title('Apps');
    const badge = await screen.findByRole('button', { name: 'Demo' });
    expect(badge.title).toMatch(/^This is a demo\. Nothing here is real\./);
    await user.click(badge);
    expect(await screen.findByText(/^This is a demo\. Nothing here is real\./)).toBeTruthy();
  });

  test('shows no badge outside the demo', async () => {
    openWindow({ house: quietHouse(now), hash: '#/apps' });
    await screen.findByText('Porchlight is on');
    expect(screen.queryByRole('button', { name: 'Demo' })).toBeNull();
  });
});

describe('the window around a screen', () => {
  test('goes to another screen by its hash, with the focus on its heading', async () => {
    const { user } = openWindow();
    await user.click(await screen.findByRole('link', { name: 'Settings' }));
    const heading = await title('Settings');
    expect(window.location.hash).toBe('#/settings');
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test('opens the overview by its former name', async () => {
    openWindow({ hash: '#/porch' });
    const link = await screen.findByRole('link', { name: 'Overview' });
    expect(link.getAttribute('aria-current')).toBe('page');
  });

  test('has a link that leads past the sidebar, and keeps the address', async () => {
    const { user } = openWindow({ hash: '#/apps' });
    await user.click(await screen.findByRole('link', { name: 'Skip to the screen' }));
    expect(document.activeElement).toBe(screen.getByRole('main'));
    expect(window.location.hash).toBe('#/apps');
  });

  test('says so while the service does not answer, and asks again when it does', async () => {
    const { client, callsOf } = openWindow({ house: livedInHouse(now), hash: '#/apps', home: 'browser' });
    await title('Apps');
    act(() => client.connect('lost'));
    expect(await screen.findByText('Porchlight isn’t responding.')).toBeTruthy();
    const before = callsOf('status.get').length;
    act(() => client.connect('open'));
    await waitFor(() => expect(callsOf('status.get').length).toBeGreaterThan(before));
    expect(screen.queryByText('Porchlight isn’t responding.')).toBeNull();
  });
});

describe('the search', () => {
  const press = (key: string, more = {}) => fireEvent.keyDown(document.body, { key, ctrlKey: true, ...more });

  test('opens on Ctrl+K, and goes to a screen', async () => {
    const { user } = openWindow({ house: quietHouse(now) });
    await screen.findByRole('link', { name: 'Apps' });
    press('k');
    await user.type(await field(), 'your data{Enter}');
    expect(await title('Your data')).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('finds posts, apps and settings', async () => {
    const { user, callsOf } = openWindow({ hash: '#/media' });
    await user.click(await screen.findByRole('button', { name: 'Search' }));
    await user.type(await field(), 'fog');
    expect(await screen.findByRole('option', { name: /^Fog over the harbour/ })).toBeTruthy();
    await waitFor(() => expect(callsOf('posts.list')).toContainEqual({ query: 'fog', limit: 6 }));
    await user.clear(await field());
    await user.type(await field(), 'wiki');
    expect(await screen.findByRole('option', { name: /^Wiki on my phone/ })).toBeTruthy();
    await user.clear(await field());
    await user.type(await field(), 'old apps{Enter}');
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/settings\/sign-in\?id=/));
  });

  test('moves with the arrow keys, around both ends, and names the option to screen readers', async () => {
    const { user } = openWindow({ house: quietHouse(now), hash: '#/media' });
    await user.click(await screen.findByRole('button', { name: 'Search' }));
    const input = await field();
    const current = () => {
      const id = input.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(id)?.textContent;
    };
    expect(current()).toMatch(/^Overview/);
    await user.keyboard('{ArrowDown}');
    expect(current()).toMatch(/^Sign-ins/);
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect(screen.getAllByRole('option').at(-1)?.id).toBe(input.getAttribute('aria-activedescendant'));
  });

  test('says at once that nothing matches, and Enter then opens no post of the words before', async () => {
    const { user } = openWindow({ hash: '#/media' });
    await user.click(await screen.findByRole('button', { name: 'Search' }));
    await screen.findByRole('option', { name: /^Fog over the harbour/ });
    await user.type(await field(), 'zzz');
    expect(screen.getByText('Nothing matches. Try another word.')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect(window.location.hash).toBe('#/media');
  });

  test('gives the focus back when it closes', async () => {
    const { user } = openWindow({ house: quietHouse(now), hash: '#/media' });
    const opener = await screen.findByRole('button', { name: 'Search' });
    await user.click(opener);
    await field();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  test('shows a stranger’s words as text', async () => {
    const house = livedInHouse(now);
    house.posts = house.posts.slice(0, 1).map((post) => ({ ...post, name: '<b>\u202Ebold</b>' }));
    const { user } = openWindow({ house, hash: '#/media' });
    await user.click(await screen.findByRole('button', { name: 'Search' }));
    expect((await screen.findByRole('option', { name: /bold/ })).textContent).toBe('<b>bold</b>');
  });

  test('stays closed over a dialog, and while an editor uses the keys', async () => {
    const { user } = openWindow({ hash: '#/apps' });
    press('k', { altKey: true });
    const prevent = (event: Event) => event.preventDefault();
    document.body.addEventListener('keydown', prevent, { once: true });
    press('k');
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    await screen.findByRole('dialog');
    press('k');
    expect(screen.queryByRole('combobox', { name: 'Search Porchlight' })).toBeNull();
  });
});

describe('Ctrl and a digit', () => {
  const press = (digit: number) =>
    fireEvent.keyDown(document.body, { key: String(digit), code: `Digit${digit}`, ctrlKey: true });

  test('opens a screen of the desktop app, in the order of the sidebar', async () => {
    openWindow({ house: quietHouse(now), hash: '#/media' });
    await title('Media');
    press(5);
    expect(await title('Posts')).toBeTruthy();
    press(1);
    await waitFor(() => expect(window.location.hash).toBe('#/overview'));
  });

  test('stays with the browser’s tabs in a browser', async () => {
    openWindow({ house: quietHouse(now), hash: '#/media', home: 'browser' });
    await title('Media');
    expect(press(5)).toBe(true);
    expect(window.location.hash).toBe('#/media');
  });

  test('changes nothing while a dialog waits for its answer', async () => {
    const { user } = openWindow({ hash: '#/apps' });
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    await screen.findByRole('dialog');
    press(5);
    expect(window.location.hash).toBe('#/apps');
  });
});
