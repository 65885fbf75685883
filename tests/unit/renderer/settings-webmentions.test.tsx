import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/settings/webmentions';
/** The form, once all of it is loaded: until then, React may replace it. */
const part = async () => {
  await screen.findByRole('radio', { name: 'Every mention' });
  return within(screen.getByRole('region', { name: 'Webmentions' }));
};
const save = { name: 'Save' };

describe('the settings of webmentions', () => {
  test('what waits for approval is chosen in words', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    expect(form.getByRole<HTMLInputElement>('radio', { name: /new people/ }).checked).toBe(true);
    await user.click(form.getByRole('radio', { name: 'Every mention' }));
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ webmention: { hold: 'everything' } }]);
  });

  test('trusted sites and other sites of the owner are kept as hosts, each once', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    await user.type(
      form.getByRole('combobox', { name: 'Trusted sites' }),
      'https://Kit.example/about{Enter}kit.example{Enter}',
    );
    await user.type(form.getByRole('combobox', { name: 'Your other sites' }), 'photos.example{Enter}');
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      {
        webmention: {
          trustedDomains: ['wren.example', 'sol.example', 'kit.example'],
          hosts: ['old.marlow.example', 'photos.example'],
        },
      },
    ]);
  });

  test('an invalid site or address is not saved, and says why', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    await user.type(form.getByRole('combobox', { name: 'Trusted sites' }), 'my friend{Enter}');
    await user.clear(form.getByLabelText('Import mentions from'));
    await user.type(form.getByLabelText('Import mentions from'), 'webmention.io');
    await user.click(form.getByRole('button', save));
    expect(form.getByText(/“my friend” isn’t the name of a site/)).toBeTruthy();
    expect(form.getByText(/Enter a web address/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.click(form.getByRole('button', { name: 'Discard changes' }));
    expect(form.queryByText(/isn’t the name of a site/)).toBeNull();
    expect(form.getByLabelText<HTMLInputElement>('Import mentions from').value).toBe('https://webmention.io');
  });

  test('another place to import from, and whether to catch up, are kept', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    const address = form.getByLabelText('Import mentions from');
    await user.clear(address);
    await user.type(address, 'https://mentions.example');
    await user.click(form.getByRole('switch', { name: /Fetch missed mentions/ }));
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      { webmention: { aggregatorUrl: 'https://mentions.example', catchUp: false } },
    ]);
  });

  test('blocked people are unblocked', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    const author = 'https://social.example/@replyguy';
    await user.click(await steady(await form.findByRole('button', { name: `Unblock ${author}` })));
    expect(await form.findByText('No people are blocked.')).toBeTruthy();
    expect(callsOf('webmentions.unblockPerson')).toEqual([{ author }]);
  });

  test('blocked sites are unblocked', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    await user.click(await steady(await form.findByRole('button', { name: 'Unblock spam.example' })));
    await waitFor(() => expect(form.queryByText('spam.example')).toBeNull());
    expect(callsOf('webmentions.unblockDomain')).toEqual([{ domain: 'spam.example' }]);
    await user.click(await steady(form.getByRole('button', { name: 'Unblock free-followers.example' })));
    expect(await form.findByText('No sites are blocked.')).toBeTruthy();
  });

  test('a site that could not be unblocked stays, with the reason', async () => {
    const handlers = { 'webmentions.unblockDomain': failing('The disk is full.') };
    const { user } = openWindow({ hash, handlers });
    const form = await part();
    await user.click(await steady(await form.findByRole('button', { name: 'Unblock spam.example' })));
    expect((await form.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(form.getByText('spam.example')).toBeTruthy();
  });
});
