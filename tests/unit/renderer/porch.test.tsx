import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const now = Date.now();
const light = () => screen.findByRole<HTMLInputElement>('switch', { name: 'Porch light' });

describe('the porch', () => {
  test('says in words that the light is on, and where', async () => {
    openWindow();
    expect(await screen.findByRole('heading', { name: 'The light is on' })).toBeTruthy();
    expect(screen.getByText('On, reachable at https://porch.marlow.example')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Copy the public address' })).toBeTruthy();
  });

  test('turns the light off and on again', async () => {
    const { user, callsOf } = openWindow();
    await user.click(await light());
    expect(await screen.findByRole('heading', { name: 'The light is off' })).toBeTruthy();
    await user.click(await light());
    expect(await screen.findByRole('heading', { name: 'The light is on' })).toBeTruthy();
    expect([callsOf('server.turnOff'), callsOf('server.turnOn')]).toEqual([[{}], [{}]]);
  });

  test('stays on, with the reason beside it, where it can’t be turned off', async () => {
    const { user } = openWindow({ handlers: { 'server.turnOff': failing('A post is being saved.') } });
    await user.click(await light());
    expect((await screen.findByRole('alert')).textContent).toContain('A post is being saved.');
    expect((await light()).checked).toBe(true);
  });

  test('tells a light that only this computer sees from one that can’t come on', async () => {
    const house = quietHouse(now);
    const words = 'On, but not reachable: Cloudflare no longer knows this tunnel.';
    openWindow({ house: { ...house, status: { ...house.status, server: 'trouble', words } } });
    expect(
      await screen.findByRole('heading', { name: 'The light is on, but the web can’t reach it' }),
    ).toBeTruthy();
    expect(screen.getByText('On, but not reachable')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Check how the web reaches you' }).getAttribute('href')).toBe(
      '#/settings/reach',
    );
    expect(screen.queryByRole('button', { name: 'Use another port' })).toBeNull();
  });

  test('tells trouble from off, and offers to try again', async () => {
    const house = quietHouse(now);
    const status = { ...house.status, server: 'trouble' as const, words: 'Port 4711 is taken.', port: null };
    const { user } = openWindow({ house: { ...house, status } });
    expect(await screen.findByText('Port 4711 is taken.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'The light is on' })).toBeTruthy();
  });

  test('says where to lead a tunnel once it listens on another port', async () => {
    const house = quietHouse(now);
    const status = { ...house.status, server: 'trouble' as const, words: 'Port 4711 is taken.', port: null };
    const { user } = openWindow({
      house: { ...house, status },
      handlers: { 'server.usePort': () => ({ ...house.status, port: 4712 }) },
    });
    await user.click(await screen.findByRole('button', { name: 'Use another port' }));
    expect(await screen.findByText(/Porchlight now uses port 4712\. .* point it at/)).toBeTruthy();
    expect(screen.getByText('http://127.0.0.1:4712')).toBeTruthy();
  });

  test('leads from what waits to its review with one click', async () => {
    openWindow();
    const review = await screen.findByRole('link', { name: 'Review Indigenous' });
    expect(review.getAttribute('href')).toBe('#/sign-ins?id=sign-in-1');
    expect(review.closest('li')?.textContent).toContain('42');
  });

  test('calls an address public only where it is', async () => {
    const { client, house } = openWindow();
    await screen.findByText('Public address');
    const status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
    act(() => client.emit({ name: 'status.changed', data: status }));
    expect(await screen.findByText('Address on this computer')).toBeTruthy();
    expect(screen.queryByText('Public address')).toBeNull();
  });

  test('restarts where a problem needs it, and says how in a browser', async () => {
    const house = quietHouse(now);
    const message = 'Other data is in the place of the data that Porchlight uses.';
    const problems = [{ code: 'restart_needed' as const, message }];
    const given = { house: { ...house, status: { ...house.status, problems } } };
    const { user, callsOf } = openWindow(given);
    await user.click(await screen.findByRole('button', { name: 'Restart Porchlight' }));
    expect(callsOf('data.restart')).toEqual([{}]);
    cleanup();
    openWindow({ ...given, home: 'browser' });
    expect(await screen.findByText('Stop Porchlight, then start it again.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Restart Porchlight' })).toBeNull();
  });

  test('shows problems until they are mended', async () => {
    const { client, house } = openWindow();
    await screen.findByText(/clock was two minutes off/);
    act(() => client.emit({ name: 'status.changed', data: { ...house.status, problems: [] } }));
    await waitFor(() => expect(screen.queryByText(/clock was two minutes off/)).toBeNull());
  });

  test('keeps the news of a damaged file until it is dismissed, and offers that for nothing else', async () => {
    const house = livedInHouse(now);
    const message = 'The file settings.json was missing.';
    const problems = [
      ...house.status.problems,
      { id: 'news-1', code: 'storage_recovered' as const, message },
    ];
    const { user, callsOf } = openWindow({ house: { ...house, status: { ...house.status, problems } } });
    await screen.findByText(message);
    const [button, ...others] = screen.getAllByRole('button', { name: /^Dismiss/ });
    expect(others).toEqual([]);
    await user.click(button as HTMLElement);
    await waitFor(() => expect(screen.queryByText(message)).toBeNull());
    expect(callsOf('status.dismiss')).toEqual([{ id: 'news-1' }]);
    expect(screen.getByText(/clock was two minutes off/)).toBeTruthy();
  });

  test('keeps the news of a damaged file if it can’t be dismissed, with the reason beside it', async () => {
    const house = livedInHouse(now);
    const problems = [{ id: 'news-1', code: 'storage_recovered' as const, message: 'A file was missing.' }];
    const { user } = openWindow({
      house: { ...house, status: { ...house.status, problems } },
      handlers: { 'status.dismiss': failing('The disk is full.') },
    });
    await user.click(await screen.findByRole('button', { name: /^Dismiss/ }));
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(screen.getByText('A file was missing.')).toBeTruthy();
  });

  test('mentions that a repair holds are shown again with one click', async () => {
    const house = livedInHouse(now);
    const message = 'The database records.sqlite was missing or empty.';
    const problems = [{ id: 'news-1', code: 'mentions_held' as const, message }];
    const { user, callsOf } = openWindow({ house: { ...house, status: { ...house.status, problems } } });
    const button = await screen.findByRole('button', { name: 'Show mentions again' });
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull(), patience);
    await user.click(button);
    await waitFor(() => expect(screen.queryByText(message)).toBeNull());
    expect(callsOf('webmentions.releaseHeld')).toEqual([{}]);
  });

  test('hears of a changed status at once', async () => {
    const { client, house } = openWindow();
    await screen.findByRole('heading', { name: 'The light is on' });
    const status = { ...house.status, server: 'off' as const, words: 'Off', waiting: 0 };
    act(() => client.emit({ name: 'status.changed', data: status }));
    expect(await screen.findByRole('heading', { name: 'The light is off' })).toBeTruthy();
  });

  test('lists what happens as it happens', async () => {
    const { client, house } = openWindow();
    await screen.findByText('You approved a sign-in to Quill (quill.example).');
    const item = { id: 'new', at: new Date(now).toISOString(), kind: 'x', words: 'Quill was signed out' };
    house.activity = { items: [item, ...house.activity.items] };
    client.emit({ name: 'activity.added', data: item });
    expect(await screen.findByText('Quill was signed out')).toBeTruthy();
  });

  test('says what each place is for while it is empty', async () => {
    openWindow({ house: quietHouse(now) });
    expect(await screen.findByText(/^When an app asks to sign you in/)).toBeTruthy();
    expect(await screen.findByText(/Nothing has happened yet/)).toBeTruthy();
  });
});

describe('the house around it', () => {
  test('shows how many sign-ins wait, in words too', async () => {
    openWindow();
    expect(await screen.findByRole('link', { name: 'Sign-ins, 2 waiting' })).toBeTruthy();
    await waitFor(() => expect(document.title).toBe('(2) Porch · Porchlight'));
  });

  test('goes to another screen by its hash, with the focus on its heading', async () => {
    const { user } = openWindow();
    await user.click(await screen.findByRole('link', { name: 'Settings' }));
    const heading = await screen.findByRole('heading', { level: 1, name: 'Settings' });
    expect(window.location.hash).toBe('#/settings');
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test('says so while the service does not answer, and asks anew when it does again', async () => {
    const { client, callsOf } = openWindow({ house: livedInHouse(now), home: 'browser' });
    await screen.findByRole('heading', { name: 'The light is on' });
    act(() => client.connect('lost'));
    expect(await screen.findByText('Porchlight isn’t responding.')).toBeTruthy();
    const before = callsOf('status.get').length;
    act(() => client.connect('open'));
    await waitFor(() => expect(callsOf('status.get').length).toBeGreaterThan(before));
    expect(screen.queryByText('Porchlight isn’t responding.')).toBeNull();
  });

  test('tells the one next step while the set-up is not finished, and leads there', async () => {
    const house = quietHouse(now);
    house.lastCheck = null;
    openWindow({ house });
    const link = await screen.findByRole('link', { name: 'Test it now' });
    expect(link.getAttribute('href')).toBe('#/welcome?step=done');
  });

  test('tells that only this computer reaches it, where that is so', async () => {
    const house = quietHouse(now);
    house.status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
    openWindow({ house });
    const link = await screen.findByRole('link', { name: 'Choose how the web can reach you' });
    expect(link.getAttribute('href')).toBe('#/welcome?step=reach');
  });

  test('tells how many things the last self-test left to do', async () => {
    const house = quietHouse(now);
    const { findings } = livedInHouse(now);
    house.lastCheck = { findings, at: '2026-11-21T08:00:00.000Z', base: house.status.baseUrl };
    house.lastCheck.findings = findings.map((one) => ({ ...one, area: 'address', id: `public.${one.id}` }));
    openWindow({ house });
    expect(await screen.findByText(/The last self-test found one problem\./)).toBeTruthy();
  });

  test('says that the site doesn’t link to Porchlight only while that is so', async () => {
    const house = quietHouse(now);
    const { findings } = livedInHouse(now);
    house.lastCheck = { findings, at: '2026-11-21T08:00:00.000Z', base: house.status.baseUrl };
    house.findings = findings;
    const { callsOf } = openWindow({ house });
    expect(await screen.findByText(/marlow\.example doesn’t link to Porchlight yet/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Connect marlow.example' }).getAttribute('href')).toBe(
      '#/welcome?step=links',
    );
    expect(callsOf('setup.check')).toEqual([{ only: 'site' }]);
    cleanup();

    // The owner has fixed the site since the last self-test, which found another problem as well. Only the window that
    // has read the site again says that one problem is left.
    const failed = findings.filter(({ level }) => level === 'fail');
    house.lastCheck.findings = [
      ...findings,
      ...failed.map((one) => ({ ...one, area: 'address' as const, id: `public.${one.id}` })),
    ];
    house.findings = findings.map((one) => ({ ...one, level: 'pass' }));
    openWindow({ house });
    expect(await screen.findByText(/The last self-test found one problem\./)).toBeTruthy();
    expect(screen.queryByText(/link to Porchlight/)).toBeNull();
  });

  test('shows whose porch it is, with the photo', async () => {
    const house = quietHouse(now);
    house.photo = 'data:image/png;base64,iVBORw0KGgo=';
    openWindow({ house });
    const name = await screen.findByText('Robin Marlow');
    expect(screen.getByText('https://marlow.example/')).toBeTruthy();
    await waitFor(() =>
      expect(name.closest('section')?.querySelector('img')?.getAttribute('src')).toBe(house.photo),
    );
  });

  test('puts what waits and problems before the light, and the light before the activity', async () => {
    openWindow({ house: livedInHouse(now) });
    await screen.findByRole('region', { name: 'Waiting for your approval' });
    await screen.findByText(/You approved a sign-in to Quill/);
    const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(headings).toEqual([
      'Waiting for your approval',
      'Needs your attention',
      'The light is on',
      'Recent activity',
    ]);
  });

  test('has no next step where the last self-test found nothing', async () => {
    openWindow({ house: quietHouse(now) });
    await screen.findByRole('heading', { name: 'The light is on' });
    await screen.findByText(/Nothing has happened yet/);
    expect(screen.queryByText(/self-test|can reach Porchlight|link to Porchlight/)).toBeNull();
  });
});
