import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { houseHandlers, livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const part = async (name: string) => within(await screen.findByRole('region', { name }));

describe('the settings', () => {
  test('saves only the changed fields of the profile', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/profile' });
    const you = await part('Profile');
    await user.clear(you.getByLabelText('Name'));
    await user.type(you.getByLabelText('Name'), 'Robin');
    await user.click(you.getByRole('button', { name: 'Save' }));
    await you.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ profile: { name: 'Robin' } }]);
  });

  test('text that is typed during a save stays a draft', async () => {
    const usual = houseHandlers(livedInHouse(Date.now()));
    let finish: (ended: null) => void = () => undefined;
    const saved = new Promise<null>((resolve) => (finish = resolve));
    const { user, callsOf } = openWindow({
      hash: '#/settings/profile',
      handlers: {
        'settings.update': async (patch) => {
          await saved;
          return usual['settings.update'](patch);
        },
      },
    });
    const you = await part('Profile');
    const name = you.getByLabelText<HTMLInputElement>('Name');
    await user.clear(name);
    await user.type(name, 'Robin');
    await user.click(you.getByRole('button', { name: 'Save' }));
    await user.type(name, ' Marlow');
    finish(null);
    await waitFor(() =>
      expect(you.getByRole('button', { name: 'Discard changes' })).toHaveProperty('disabled', false),
    );
    expect(name.value).toBe('Robin Marlow');
    expect(you.queryByText('Saved.')).toBeNull();
    await user.click(you.getByRole('button', { name: 'Save' }));
    await you.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      { profile: { name: 'Robin' } },
      { profile: { name: 'Robin Marlow' } },
    ]);
  });

  test('the facts from the site are a draft until they are saved', async () => {
    const house = livedInHouse(Date.now());
    house.readProfile = {
      ...house.readProfile,
      me: 'https://elsewhere.example/',
      name: 'R. Marlow',
      email: '',
    };
    const { user, callsOf } = openWindow({ hash: '#/settings/profile', house });
    const you = await part('Profile');
    await user.click(you.getByRole('button', { name: 'Read from my site' }));
    await you.findByText('Found on marlow.example: name. Check the fields, then save.');
    expect(callsOf('profile.read')).toEqual([{ url: 'https://marlow.example/' }]);
    expect(callsOf('settings.update')).toEqual([]);
    await user.click(you.getByRole('button', { name: 'Save' }));
    await you.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ profile: { name: 'R. Marlow' } }]);
  });

  test('says so if the site can’t be read', async () => {
    const handlers = { 'profile.read': failing('marlow.example does not answer.') };
    const { user } = openWindow({ hash: '#/settings/profile', handlers });
    const you = await part('Profile');
    await user.click(you.getByRole('button', { name: 'Read from my site' }));
    expect((await you.findByRole('alert')).textContent).toContain('marlow.example does not answer.');
  });

  test('refuses a domain that can’t be one, beside its field', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/profile' });
    const you = await part('Profile');
    await user.clear(you.getByLabelText('Your domain'));
    await user.type(you.getByLabelText('Your domain'), 'https://marlow.example:8443/');
    await user.click(you.getByRole('button', { name: 'Save' }));
    expect(you.getByText(/Leave out the port number/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('keeps the input if saving fails, and can go back', async () => {
    const { user } = openWindow({
      hash: '#/settings/profile',
      handlers: { 'settings.update': failing('The disk is full.') },
    });
    const you = await part('Profile');
    const name = you.getByLabelText<HTMLInputElement>('Name');
    await user.type(name, ' the Second');
    await user.click(you.getByRole('button', { name: 'Save' }));
    expect((await you.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(name.value).toBe('Robin Marlow the Second');
    await user.click(you.getByRole('button', { name: 'Discard changes' }));
    expect(name.value).toBe('Robin Marlow');
    expect(you.queryByRole('alert')).toBeNull();
  });

  test('a domain that wasn’t changed is no error', async () => {
    const house = livedInHouse(Date.now());
    house.settings = {
      ...house.settings,
      profile: { ...house.settings.profile, me: 'http://localhost:4000/' },
    };
    const { user, callsOf } = openWindow({ hash: '#/settings/profile', house });
    const you = await part('Profile');
    await user.type(you.getByLabelText('Name'), '!');
    await user.click(you.getByRole('button', { name: 'Save' }));
    await you.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ profile: { name: 'Robin Marlow!' } }]);
  });

  test('takes lengths of time in the units that people use', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/sign-in' });
    const signingIn = await part('Sign-in');
    const amount = signingIn.getByLabelText<HTMLInputElement>(/Unused apps.*number/);
    expect(amount.value).toBe('30');
    await user.clear(amount);
    await user.type(amount, '2');
    await user.selectOptions(signingIn.getByLabelText(/access expires.*unit/), 'minute');
    await user.click(signingIn.getByRole('button', { name: 'Save' }));
    await signingIn.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      { signIn: { refreshTokenSeconds: 172_800, accessTokenSeconds: 60 } },
    ]);
  });

  test('warns before sign-ins without PKCE are let in', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/sign-in' });
    const signingIn = await part('Sign-in');
    expect(signingIn.queryByText(/intercepts/)).toBeNull();
    await user.click(signingIn.getByRole('switch', { name: /no PKCE/ }));
    expect(signingIn.getByText(/intercepts/)).toBeTruthy();
    await user.click(signingIn.getByRole('button', { name: 'Save' }));
    await signingIn.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ signIn: { allowWithoutPkce: true } }]);
  });

  test.each([
    ['Start at login', { startAtLogin: true }],
    ['Show notifications', { notifications: false }],
    ['Play a sound', { sound: true }],
  ])('“%s” takes effect with Save, as on every page', async (name, desktop) => {
    const { user, callsOf } = openWindow({ hash: '#/settings/computer' });
    const computer = await part('This computer');
    await user.click(computer.getByRole('switch', { name: new RegExp(name) }));
    expect(callsOf('settings.update')).toEqual([]);
    await user.click(computer.getByRole('button', { name: 'Save' }));
    await computer.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ desktop }]);
  });

  test('there is no sound to choose without notifications', async () => {
    const { user } = openWindow({ hash: '#/settings/computer' });
    const computer = await part('This computer');
    await user.click(computer.getByRole('switch', { name: /Show notifications/ }));
    expect(computer.getByRole('switch', { name: /Play a sound/ })).toHaveProperty('disabled', true);
  });

  test('a browser is asked nothing about a desktop', async () => {
    openWindow({ hash: '#/settings/computer', home: 'browser' });
    await part('Profile');
    expect(screen.queryByText('This computer')).toBeNull();
  });

  test('the management token is read only when asked for, and can be hidden again', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/advanced' });
    const token = await part('Advanced');
    expect(callsOf('secrets.managementToken')).toEqual([]);
    await user.click(token.getByRole('button', { name: 'Show the token' }));
    await token.findByText(/management-token-1/);
    await user.click(token.getByRole('button', { name: 'Hide the token' }));
    expect(document.body.textContent).not.toContain('management-token-1');
  });

  test('the management token is replaced only after a question', async () => {
    const { user, callsOf } = openWindow({ hash: '#/settings/advanced' });
    const token = await part('Advanced');
    await user.click(token.getByRole('button', { name: 'Replace the token' }));
    expect(callsOf('secrets.rotateManagementToken')).toEqual([]);
    const dialog = within(screen.getByRole('dialog', { name: 'Replace the management token?' }));
    await user.click(await steady(dialog.getByRole('button', { name: 'Replace the token' })));
    expect(await token.findByText(/management-token-2/)).toBeTruthy();
  });

  test.each([
    ['keychain', /this computer’s keychain\. Only your user account/],
    ['file', /In a file in the data folder/],
  ] as const)('says where secrets are stored: %s', async (secrets, words) => {
    const house = livedInHouse(Date.now());
    house.status = { ...house.status, secrets };
    openWindow({ hash: '#/settings/advanced', house });
    expect(await screen.findByText(words)).toBeTruthy();
  });
});
