import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { findSettings, pageWords } from '../../../src-renderer/features/settings/search.ts';
import { settingId } from '../../../src-renderer/features/settings/setting-field.tsx';
import { settingsHash, settingsPages } from '../../../src-renderer/routes.ts';
import { openWindow, steady } from './open-window.tsx';

const part = async (name: string) => within(await screen.findByRole('region', { name }));
const nav = () => within(screen.getByRole('navigation', { name: 'Pages of the settings' }));

describe('the pages of the settings', () => {
  test.each(settingsPages)('%s has an address of its own, and is marked in the list', async (page) => {
    openWindow({ hash: settingsHash(page) });
    const { title } = pageWords[page];
    const region = await part(title);
    expect(region.getByRole('heading', { level: 2, name: title })).toBeTruthy();
    expect(nav().getByRole('link', { name: title }).getAttribute('aria-current')).toBe('page');
    // These pages have buttons for each task, and nothing to save before something is chosen.
    const saves = ['about', 'advanced', 'mailbox', 'reach', 'site-folder'].includes(page) ? 0 : 1;
    await waitFor(() => expect(screen.queryAllByRole('button', { name: 'Save' }).length).toBe(saves));
  });

  test('a page that is opened takes the focus at its heading', async () => {
    const { user } = openWindow({ hash: '#/settings' });
    await part('Profile');
    await user.click(nav().getByRole('link', { name: 'Posting' }));
    const heading = await screen.findByRole('heading', { level: 2, name: 'Posting' });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test('an address of a page that does not exist shows the first one', async () => {
    openWindow({ hash: '#/settings/nothing' });
    expect(await part('Profile')).toBeTruthy();
  });
});

const everySetting = settingsPages.flatMap((page) =>
  Object.entries(pageWords[page].settings).map(([name, { label }]) => ({ page, name, label })),
);

describe('the search of the settings', () => {
  test.each(everySetting)('“$label” is found by its label, and its result focuses it', async (setting) => {
    const { page, name, label } = setting;
    const { user } = openWindow({ hash: '#/settings' });
    await user.click(await screen.findByRole('searchbox', { name: 'Search settings' }));
    await user.paste(label);
    const results = within(screen.getByRole('navigation', { name: 'Search results' }));
    const [first] = results.getAllByRole('link');
    expect(first?.textContent).toContain(label);
    await user.click(first!);
    await waitFor(() => expect(window.location.hash).toBe(settingsHash(page, name)));
    await waitFor(() => {
      const held = document.getElementById(settingId(page, name));
      expect(held?.contains(document.activeElement)).toBe(true);
    });
  });

  test.each([
    ['tags', 'Categories'],
    ['mastodon', 'Cross-posting targets'],
    ['GPS', 'Remove location and device details from photos'],
    ['autostart', 'Start at login'],
    ['cloudflare tunnel', 'How the web reaches you'],
    ['avatar', 'Photo'],
    ['dark mode', 'Theme'],
    // A choice is found by its own words.
    ['serif', 'Theme'],
    ['time zone', 'Time zone'],
    ["aren't can't", undefined],
    ["can't protect", 'Allow old apps that can’t protect their sign-in (no PKCE)'],
  ])('“%s” finds %s first', (query, label) => {
    expect(findSettings(query, settingsPages)[0]?.label).toBe(label);
  });

  test('Enter opens the first result, and the number of results is announced', async () => {
    const { user } = openWindow({ hash: '#/settings' });
    const search = await screen.findByRole('searchbox', { name: 'Search settings' });
    await user.type(search, 'blocked');
    expect(screen.getByText('1 setting found').getAttribute('role')).toBe('status');
    await user.type(search, '{Enter}');
    await waitFor(() => expect(window.location.hash).toBe('#/settings/webmentions?id=blocked'));
    await user.type(await screen.findByRole('searchbox', { name: 'Search settings' }), 'zzz');
    expect(screen.getByText('No settings match.')).toBeTruthy();
  });

  test('a browser finds nothing about the desktop', () => {
    const pages = settingsPages.filter((page) => page !== 'computer');
    expect(findSettings('start at login', pages)).toEqual([]);
  });
});

describe('unsaved changes', () => {
  const change = async () => {
    const opened = openWindow({ hash: '#/settings/profile' });
    const name = (await part('Profile')).getByLabelText<HTMLInputElement>('Name');
    await opened.user.type(name, '!');
    return { ...opened, name };
  };

  test('leaving asks first, and staying keeps the input', async () => {
    const { user, name } = await change();
    await user.click(nav().getByRole('link', { name: 'Posting' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Leave without saving?' }));
    expect(window.location.hash).toBe('#/settings/profile');
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(name.isConnected).toBe(true);
    expect(name.value).toBe('Robin Marlow!');
  });

  test('the owner can discard the changes and continue to another screen', async () => {
    const { user, callsOf } = await change();
    await user.click(screen.getByRole('link', { name: 'Apps' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Leave without saving?' }));
    await user.click(await steady(dialog.getByRole('button', { name: 'Discard changes' })));
    expect(await screen.findByRole('heading', { level: 1, name: 'Apps' })).toBeTruthy();
    expect(window.location.hash).toBe('#/apps');
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('after Save nothing is asked', async () => {
    const { user } = await change();
    const profile = await part('Profile');
    await user.click(profile.getByRole('button', { name: 'Save' }));
    await profile.findByText('Saved.');
    await user.click(nav().getByRole('link', { name: 'Posting' }));
    expect(await part('Posting')).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a browser asks before its page is closed, only while there are changes; a desktop window closes', async () => {
    const close = () => {
      const event = new Event('beforeunload', { cancelable: true });
      fireEvent(window, event);
      return event.defaultPrevented;
    };
    const { user } = openWindow({ hash: '#/settings/profile', home: 'browser' });
    const name = (await part('Profile')).getByLabelText('Name');
    expect(close()).toBe(false);
    await user.type(name, '!');
    expect(close()).toBe(true);
  });
});
