import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const now = Date.now();
const light = () => screen.findByRole<HTMLInputElement>('switch', { name: 'Porchlight' });

describe('the overview', () => {
  test('says that Porchlight is on, and at which address', async () => {
    openWindow();
    expect(await screen.findByRole('heading', { name: 'Porchlight is on' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'https://porch.marlow.example' })).toBeTruthy();
    expect(screen.queryByText(/^On, reachable/)).toBeNull();
    expect(screen.getByRole('button', { name: 'Copy the public address' })).toBeTruthy();
  });

  test.each([
    ['On, but the tunnel is reconnecting', 'The tunnel is reconnecting'],
    [
      'On, reachable at https://porch.marlow.example. Reading posts from their files: 3 of 9',
      'Reading posts from their files: 3 of 9',
    ],
  ])('says once that Porchlight is on: %s', async (words, shown) => {
    const house = quietHouse(now);
    openWindow({ house: { ...house, status: { ...house.status, words } } });
    expect(await screen.findByText(shown)).toBeTruthy();
    expect(screen.queryByText(/^On\b/)).toBeNull();
  });

  test('turns Porchlight off and on again', async () => {
    const { user, callsOf } = openWindow();
    await user.click(await light());
    expect(await screen.findByRole('heading', { name: 'Porchlight is off' })).toBeTruthy();
    await user.click(await light());
    expect(await screen.findByRole('heading', { name: 'Porchlight is on' })).toBeTruthy();
    expect([callsOf('server.turnOff'), callsOf('server.turnOn')]).toEqual([[{}], [{}]]);
  });

  test('stays on, with the reason beside it, if it can’t be turned off', async () => {
    const { user } = openWindow({ handlers: { 'server.turnOff': failing('A post is being saved.') } });
    await user.click(await light());
    expect((await screen.findByRole('alert')).textContent).toContain('A post is being saved.');
    expect((await light()).checked).toBe(true);
  });

  test('tells a server that only this computer can reach from one that can’t turn on', async () => {
    const house = quietHouse(now);
    const words = 'On, but not reachable: Cloudflare no longer knows this tunnel.';
    openWindow({ house: { ...house, status: { ...house.status, server: 'trouble', words } } });
    expect(
      await screen.findByRole('heading', { name: 'Porchlight is on, but the web can’t reach it' }),
    ).toBeTruthy();
    expect(screen.getByText('Cloudflare no longer knows this tunnel.')).toBeTruthy();
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
    expect(await screen.findByRole('heading', { name: 'Porchlight is on' })).toBeTruthy();
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

  test('the first sign-in is answered in place, and the next one takes its turn', async () => {
    const { user, callsOf } = openWindow();
    const waiting = within(await screen.findByRole('region', { name: 'Waiting sign-ins' }));
    expect(await waiting.findByText('42')).toBeTruthy();
    expect(waiting.getByText(/^One more sign-in is waiting\./)).toBeTruthy();
    expect(waiting.getByRole('link', { name: 'Show all sign-ins' }).getAttribute('href')).toBe('#/sign-ins');
    await user.click(await steady(waiting.getByRole('button', { name: 'Deny' })));
    expect(await waiting.findByText(/^Denied/)).toBeTruthy();
    expect(callsOf('signIns.deny')).toEqual([{ id: 'sign-in-1' }]);
    expect(await waiting.findByText('07')).toBeTruthy();
    expect(waiting.getAllByRole('button', { name: 'Approve' })).toHaveLength(1);
  });

  test('an address is called public only if it is', async () => {
    const { client, house } = openWindow();
    await screen.findByText(/Public address/);
    const status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
    act(() => client.emit({ name: 'status.changed', data: status }));
    expect(await screen.findByText(/Address on this computer/)).toBeTruthy();
    expect(screen.queryByText(/Public address/)).toBeNull();
  });

  test('offers a restart if a problem needs it, and explains it in a browser', async () => {
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

  test('shows problems until they are fixed', async () => {
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

  test('shows a changed status at once', async () => {
    const { client, house } = openWindow();
    await screen.findByRole('heading', { name: 'Porchlight is on' });
    const status = { ...house.status, server: 'off' as const, words: 'Off', waiting: 0 };
    act(() => client.emit({ name: 'status.changed', data: status }));
    expect(await screen.findByRole('heading', { name: 'Porchlight is off' })).toBeTruthy();
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
    expect(await screen.findByText(/Nothing has happened yet/)).toBeTruthy();
  });
});

describe('the set-up', () => {
  test('shows the next step while the set-up isn’t finished, and leads there', async () => {
    const house = quietHouse(now);
    house.lastCheck = null;
    openWindow({ house });
    const link = await screen.findByRole('link', { name: 'Test it now' });
    expect(link.getAttribute('href')).toBe('#/welcome?step=done');
  });

  test('says so if only this computer can reach it', async () => {
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

  test('names the owner’s domain, and shows the photo beside the line for a note', async () => {
    const house = quietHouse(now);
    house.photo = 'data:image/png;base64,iVBORw0KGgo=';
    openWindow({ house });
    expect(await screen.findByText('https://marlow.example/')).toBeTruthy();
    const form = screen.getByRole('textbox', { name: 'Write a note' }).closest('form');
    await waitFor(() => expect(form?.querySelector('img')?.getAttribute('src')).toBe(house.photo));
  });

  test('says the state first, then what needs the owner, then what happened', async () => {
    openWindow({ house: livedInHouse(now) });
    await screen.findByRole('region', { name: 'Waiting sign-ins' });
    await screen.findByRole('list', { name: 'Items that need you' });
    await screen.findByText(/You approved a sign-in to Quill/);
    const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(headings.filter((title) => !title.startsWith('Sign in to'))).toEqual([
      'Porchlight is on',
      'Needs your attention',
      'The last days',
    ]);
  });

  test('has no next step if the last self-test found nothing', async () => {
    openWindow({ house: quietHouse(now) });
    await screen.findByRole('heading', { name: 'Porchlight is on' });
    await screen.findByText(/Nothing has happened yet/);
    expect(screen.queryByText(/self-test|can reach Porchlight|link to Porchlight/)).toBeNull();
  });
});

const needs = async () => within(await screen.findByRole('list', { name: 'Items that need you' }));

describe('what needs the owner', () => {
  test('a waiting mention names the post by its title, and is approved with one click', async () => {
    const { user, callsOf } = openWindow();
    const list = await needs();
    const title = list.getAllByText('“On porches”')[0];
    expect(title?.getAttribute('title')).toBe('https://porch.marlow.example/posts/2026/11/on-porches');
    const [approve] = list.getAllByRole('button', { name: 'Approve' });
    await user.click(await steady(approve as HTMLElement));
    expect(await screen.findByText(/^Approved:/)).toBeTruthy();
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-3'], decision: 'approved' }]);
    await waitFor(() => expect(list.queryByText('ليلى')).toBeNull());
  });

  test('a waiting mention is replied to in Write', async () => {
    openWindow();
    const [reply] = (await needs()).getAllByRole('link', { name: 'Reply' });
    expect(reply?.getAttribute('href')).toBe('#/write?reply=https%3A%2F%2Fnew-here.example%2Fhello');
  });

  test('a mention that couldn’t be sent is tried again, or dismissed for good', async () => {
    const { user, callsOf } = openWindow();
    const list = await needs();
    const lines = await list.findAllByText(/^Couldn’t send a mention of/);
    expect(lines[0]!.textContent).toContain('“Fog over the harbour, before anybody was up” to sol.example');
    await user.click(list.getAllByRole('button', { name: 'Try again' })[0] as HTMLElement);
    await waitFor(() => expect(list.getAllByRole('button', { name: 'Try again' })).toHaveLength(1));
    expect(callsOf('webmentions.retryDelivery')).toEqual([
      expect.objectContaining({ source: 'https://porch.marlow.example/posts/2026/11/fog' }),
    ]);
    await user.click(list.getByRole('button', { name: 'Dismiss' }));
    expect(list.queryByText(/^Couldn’t send/)).toBeNull();
    window.location.hash = '#/activity';
    await screen.findByRole('heading', { level: 1, name: 'Activity' });
    window.location.hash = '#/';
    await needs();
    expect(screen.queryByText(/^Couldn’t send/)).toBeNull();
  });

  test('a draft is continued in Write', async () => {
    openWindow();
    const list = await needs();
    await list.findByText('Unfinished');
    expect(list.getByRole('link', { name: 'Continue' }).getAttribute('href')).toContain('unfinished');
  });

  describe('drafts of an app', () => {
    const withDrafts = () => {
      const house = livedInHouse(now);
      const draft = house.posts.find(({ status }) => status === 'draft');
      if (!draft) throw new Error('The house has no draft.');
      const ofApp = ['one', 'two', 'three'].map((name) => ({
        ...draft,
        name,
        url: `${draft.url}-${name}`,
        createdBy: 'Claude Code',
      }));
      return { ...house, posts: [...ofApp, ...house.posts] };
    };

    test('are counted, and each names the app', async () => {
      openWindow({ house: withDrafts() });
      const list = await needs();
      expect(await list.findByText('3 drafts from', { exact: false })).toBeTruthy();
      const lines = list.getAllByText(/^Draft from/).map((line) => line.textContent);
      expect(lines).toEqual(['one', 'two', 'three'].map((name) => `Draft from Claude Code: ${name}`));
      // The owner's own draft.
      expect(list.getByText('Unfinished')).toBeTruthy();
    });

    test('are read in their place, and one click publishes the version that is shown', async () => {
      const { user, callsOf } = openWindow({ house: withDrafts() });
      const list = await needs();
      await user.click((await list.findAllByRole('button', { name: 'Read' }))[0]!);
      const publish = await list.findByRole('button', { name: 'Publish' });
      await steady(publish);
      await user.click(publish);
      await waitFor(() =>
        expect(callsOf('posts.update')).toEqual([
          { url: expect.stringMatching(/-one$/) as string, status: 'published', ifVersion: 'first' },
        ]),
      );
      await waitFor(() => expect(list.queryByText(/: one$/)).toBeNull());
    });

    test('a post that changed in the meantime isn’t published, and the message says why', async () => {
      const words = 'This post has changed since you opened it.';
      const { user } = openWindow({ house: withDrafts(), handlers: { 'posts.update': failing(words) } });
      const list = await needs();
      await user.click((await list.findAllByRole('button', { name: 'Read' }))[0]!);
      const publish = await list.findByRole('button', { name: 'Publish' });
      await steady(publish);
      await user.click(publish);
      expect(await screen.findByText(words, { exact: false })).toBeTruthy();
      expect(list.getAllByText(/^Draft from/)).toHaveLength(3);
    });
  });

  test('nothing is listed while nothing needs the owner', async () => {
    openWindow({ house: quietHouse(now) });
    await screen.findByRole('heading', { name: 'Porchlight is on' });
    await screen.findByText(/Nothing has happened yet/);
    expect(screen.queryByRole('heading', { name: 'Needs your attention' })).toBeNull();
  });
});

describe('the line for a note', () => {
  const line = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Write a note' });

  test('publishes the text, and is empty again', async () => {
    const { user, callsOf } = openWindow({ house: quietHouse(now) });
    await user.type(await line(), 'Tea is ready.');
    expect(screen.getByText(/Everyone can read it on/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText('Published.', { exact: false })).toBeTruthy();
    expect(callsOf('posts.create')).toEqual([
      expect.objectContaining({ text: 'Tea is ready.', status: 'published', visibility: 'public' }),
    ]);
    expect((await line()).value).toBe('');
  });

  test('keeps its text while another screen is open, and when it can’t be published', async () => {
    const { user } = openWindow({
      house: quietHouse(now),
      handlers: { 'posts.create': failing('The disk is full.') },
    });
    await user.type(await line(), 'Tea');
    window.location.hash = '#/activity';
    await screen.findByRole('heading', { level: 1, name: 'Activity' });
    window.location.hash = '#/';
    expect((await line()).value).toBe('Tea');
    await user.click(screen.getByRole('button', { name: 'Publish' }));
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
    expect((await line()).value).toBe('Tea');
  });

  test('continues in Write as a draft', async () => {
    const { user, callsOf } = openWindow({ house: quietHouse(now) });
    await user.type(await line(), 'A longer story');
    await user.click(screen.getByRole('button', { name: 'Continue in Write' }));
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/write\?post=/));
    expect(callsOf('posts.create')).toEqual([expect.objectContaining({ status: 'draft' })]);
  });
});

describe('the first steps', () => {
  const step = async (title: string) => (await screen.findByText(title)).closest('li')?.textContent;

  test('of a new server are ticked as they are done', async () => {
    openWindow({ house: quietHouse(now) });
    expect(await step('Your first post')).not.toContain('Done');
    expect(screen.getByRole('link', { name: 'Back up' }).getAttribute('href')).toBe('#/data');
    cleanup();
    const [first] = livedInHouse(now).posts;
    openWindow({ house: { ...quietHouse(now), posts: first ? [first] : [] } });
    expect(await step('Your first post')).toContain('Done');
  });

  test('stay hidden once the owner hides them, and the next step of the set-up stands alone', async () => {
    const house = quietHouse(now);
    house.lastCheck = null;
    const { user } = openWindow({ house });
    await user.click(await screen.findByRole('button', { name: 'Hide these steps' }));
    expect(screen.queryByRole('heading', { name: 'First steps' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Test it now' })).toBeTruthy();
    cleanup();
    openWindow({ house });
    expect(await screen.findByRole('link', { name: 'Test it now' })).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'First steps' })).toBeNull();
  });
});
