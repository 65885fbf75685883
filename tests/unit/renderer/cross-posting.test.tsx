import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bridgyFed } from '../../../src-main/contract/posts.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const posting = '#/settings/posting';
const other = { uid: 'https://brid.gy/publish/mastodon', name: 'My toots' };
const bridge = { uid: bridgyFed.uid, name: bridgyFed.name };
const group = async () => within(await screen.findByRole('group', { name: bridgyFed.name }));

// A link to the web would be loaded from there.
const stay = (event: Event) => {
  if (event.target instanceof Element && event.target.closest('a[target="_blank"]')) event.preventDefault();
};
beforeEach(() => document.addEventListener('click', stay));
afterEach(() => document.removeEventListener('click', stay));

/** A house whose owner's site is at a public address. `on`: whether Bridgy Fed is one of its targets. */
function houseWith(on: boolean) {
  const house = livedInHouse(Date.now());
  house.settings.micropub.syndicateTo = on ? [other, bridge] : [other];
  return house;
}

describe('Bridgy Fed', () => {
  test('is turned on with one click, which opens fed.brid.gy, and says before what that means', async () => {
    const { user, callsOf } = openWindow({ hash: posting, house: houseWith(false) });
    const part = await group();
    expect(part.getByText(/public posts from the last two weeks/)).toBeTruthy();
    expect(part.getByText(/A nonprofit, A New Social, runs Bridgy Fed/)).toBeTruthy();
    expect(part.getByText(/^To leave, turn it off here/)).toBeTruthy();
    const link = part.getByRole('link', { name: 'Turn on and open fed.brid.gy' });
    expect(link.getAttribute('href')).toBe('https://fed.brid.gy/web-site');
    expect(link.getAttribute('target')).toBe('_blank');
    await user.click(link);
    expect(await part.findByText(/^Your site has everything that Bridgy Fed needs/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([{ micropub: { syndicateTo: [other, bridge] } }]);
    expect(part.getByText(/@porch\.marlow\.example@porch\.marlow\.example in the fediverse/)).toBeTruthy();
  });

  test('of a site elsewhere is turned on first, and shows the lines to paste', async () => {
    const house = houseWith(false);
    house.settings.siteFolder = { ...house.settings.siteFolder, on: true };
    house.bridge = {
      site: 'marlow.example',
      findings: [
        {
          id: 'bridge.redirect',
          area: 'site',
          level: 'fail',
          title: 'Not yet',
          detail: 'No.',
          fix: 'Paste.',
        },
      ],
      lines: '/.well-known/webfinger https://fed.brid.gy/.well-known/webfinger 301',
    };
    const { user, callsOf } = openWindow({ hash: posting, house });
    const part = await group();
    await user.click(await part.findByRole('button', { name: 'Turn on' }));
    expect(await part.findByText('One thing needs your attention.')).toBeTruthy();
    expect(part.getByText(house.bridge.lines!)).toBeTruthy();
    expect(part.getByRole('button', { name: 'Copy the lines for your web host' })).toBeTruthy();
    expect(part.getByRole('link', { name: 'Open fed.brid.gy' })).toBeTruthy();
    const before = callsOf('setup.checkBridge').length;
    await user.click(part.getByRole('button', { name: 'Check again' }));
    await waitFor(() => expect(callsOf('setup.checkBridge').length).toBe(before + 1));
  });

  test('of a site without a public address names no account and does not lead to fed.brid.gy', async () => {
    const house = houseWith(true);
    house.bridge = {
      ...house.bridge,
      findings: [{ id: 'bridge.address', area: 'address', level: 'fail', title: 'Not yet', detail: 'No.' }],
    };
    openWindow({ hash: posting, house });
    const part = await group();
    expect(await part.findByText('One thing needs your attention.')).toBeTruthy();
    expect(part.queryByText(/Your account:/)).toBeNull();
    expect(part.queryByRole('link')).toBeNull();
  });

  test('is turned off without losing the other targets', async () => {
    const { user, callsOf } = openWindow({ hash: posting, house: houseWith(true) });
    const part = await group();
    await user.click(part.getByRole('button', { name: 'Turn off' }));
    expect(await part.findByRole('link', { name: 'Turn on and open fed.brid.gy' })).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([{ micropub: { syndicateTo: [other] } }]);
  });

  test('stays on when the other targets are saved, and is no row among them', async () => {
    const { user, callsOf } = openWindow({ hash: posting, house: houseWith(true) });
    const form = within(await screen.findByRole('group', { name: 'Cross-posting targets' }));
    expect(form.queryByLabelText('Name of target 2')).toBeNull();
    expect(form.queryByRole('button', { name: `Add ${bridgyFed.name}` })).toBeNull();
    await user.click(form.getByRole('button', { name: 'Remove target My toots' }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ micropub: { syndicateTo: [bridge] } }]);
  });

  test('says that it could not be turned on', async () => {
    const handlers = { 'settings.update': failing('The disk is full.') };
    const { user } = openWindow({ hash: posting, house: houseWith(false), handlers });
    const part = await group();
    await user.click(part.getByRole('link', { name: 'Turn on and open fed.brid.gy' }));
    expect((await part.findByRole('alert')).textContent).toContain('The disk is full.');
  });
});

describe('the copies of a post', () => {
  const opened = `#/posts?id=${encodeURIComponent('https://porch.marlow.example/posts/2026/11/fog')}`;
  const rows = async () =>
    within((await screen.findByRole('heading', { name: 'Webmentions sent' })).parentElement!);

  test('names the targets as the owner does, else by the name of the service, and its copies by their hosts', async () => {
    openWindow({ hash: opened, house: houseWith(false) });
    const list = await rows();
    expect(await list.findByRole('link', { name: 'My toots' })).toBeTruthy();
    const news = list.getByRole('link', { name: 'IndieNews' });
    expect(news.getAttribute('href')).toBe('https://news.indieweb.org/en');
    expect(list.getByRole('link', { name: 'Open the copy on mastodon.example' })).toBeTruthy();
    expect(list.queryByText('https://brid.gy/publish/mastodon')).toBeNull();
  });

  test('is sent again to a service that made a copy if the owner asks', async () => {
    const { user, callsOf } = openWindow({ hash: opened, house: houseWith(false) });
    const list = await rows();
    await user.click(list.getByRole('button', { name: 'Send again' }));
    await waitFor(() =>
      expect(callsOf('webmentions.retryDelivery')).toMatchObject([
        { target: 'https://brid.gy/publish/mastodon' },
      ]),
    );
  });
});

test('the rule for new mentions leads to its setting', async () => {
  openWindow({ hash: '#/webmentions' });
  const link = await screen.findByRole('link', { name: 'Change in Settings' });
  expect(link.getAttribute('href')).toBe('#/settings/webmentions?id=hold');
});
