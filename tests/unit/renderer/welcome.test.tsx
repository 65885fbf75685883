import { screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { newHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const now = Date.now();
const first = (handlers = {}) => openWindow({ house: newHouse(now), handlers });
const typeDomain = async (user: ReturnType<typeof first>['user'], domain: string) => {
  await user.type(await screen.findByLabelText('Your domain'), domain);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
};

describe('the first start', () => {
  test('saves the domain, reads the site, shows its content, and continues with the next step', async () => {
    const { user, client } = first();
    await typeDomain(user, 'marlow.example');
    expect(await screen.findByRole('heading', { name: 'Is this you?' })).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Robin Marlow');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'How can the web reach you?' })).toBeTruthy();
    expect(window.location.hash).toBe('#/welcome?step=reach');
    const calls = client.calls.filter(({ method }) => /^(settings\.update|profile\.read)$/.test(method));
    expect(calls).toEqual([
      { method: 'settings.update', params: { profile: { me: 'https://marlow.example/' } } },
      { method: 'profile.read', params: { url: 'https://marlow.example/' } },
      {
        method: 'settings.update',
        params: {
          profile: {
            name: 'Robin Marlow',
            photo: 'https://marlow.example/robin.jpg',
            url: 'https://marlow.example/',
            email: '',
          },
        },
      },
    ]);
  });

  test('continues if the site can’t be read, and says so', async () => {
    const { user } = first({ 'profile.read': failing('marlow.example does not answer.') });
    await typeDomain(user, 'marlow.example');
    expect(await screen.findByText(/marlow.example does not answer/)).toBeTruthy();
    await user.type(screen.getByLabelText('Name'), 'Robin');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'How can the web reach you?' })).toBeTruthy();
  });

  test('shows the email address on the site, and keeps the owner’s changes to it', async () => {
    const house = newHouse(now);
    house.readProfile = { ...house.readProfile, email: 'robin@marlow.example' };
    const { user, callsOf } = openWindow({ house });
    await typeDomain(user, 'marlow.example');
    await user.clear(await screen.findByLabelText('Email address'));
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByRole('heading', { level: 1, name: 'How can the web reach you?' });
    expect(callsOf('settings.update')).toContainEqual({
      profile: expect.objectContaining({ name: 'Robin Marlow', email: '' }) as object,
    });
  });

  test('asks for the domain again if it belongs to somebody else', async () => {
    const { user, callsOf } = first();
    await typeDomain(user, 'marlowe.example');
    await user.click(await screen.findByRole('button', { name: 'Back' }));
    const domain = await screen.findByLabelText<HTMLInputElement>('Your domain');
    expect(domain.value).toBe('marlowe.example');
    await user.clear(domain);
    await typeDomain(user, 'marlow.example');
    await user.click(await screen.findByRole('button', { name: 'Continue' }));
    await screen.findByRole('heading', { level: 1, name: 'How can the web reach you?' });
    expect(callsOf('settings.update')).toContainEqual({ profile: { me: 'https://marlow.example/' } });
  });

  test('says why a domain was not saved, and lets the owner fix it', async () => {
    const { user } = first({ 'settings.update': failing('This address has a port.') });
    await typeDomain(user, 'marlow.example');
    expect((await screen.findByRole('alert')).textContent).toContain('This address has a port.');
    expect(screen.getByLabelText<HTMLInputElement>('Your domain').value).toBe('marlow.example');
  });

  test('asks again without a call if the text isn’t a domain', async () => {
    const { user, callsOf } = first();
    await typeDomain(user, 'robin@marlow.example');
    expect(await screen.findByText(/looks like an email address/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('a site without a name counts as read', async () => {
    const refused = new PorchlightError('no_profile', 'It has no h-card.');
    const { user } = first({ 'profile.read': () => Promise.reject(refused) });
    await typeDomain(user, 'marlow.example');
    expect(await screen.findByText(/doesn’t say who you are/)).toBeTruthy();
    expect(screen.queryByText(/couldn’t read/)).toBeNull();
  });

  test('shows nothing of the house before it is known whose it is', async () => {
    first();
    await screen.findByRole('heading', { name: 'Welcome to Porchlight' });
    expect(screen.queryByRole('navigation')).toBeNull();
  });

  test('says so if the settings can’t be read', async () => {
    first({ 'settings.get': failing('The file is damaged.') });
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('The file is damaged.'));
  });
});
