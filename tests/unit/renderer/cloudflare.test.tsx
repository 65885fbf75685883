import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { cloudflarePermissions } from '../../../src-main/contract/reach.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { apiTokenTyped, nameTyped, tokenPage } from '../../../src-renderer/features/cloudflare/token-page.ts';
import {
  goodToken,
  readySetup,
  someZones,
  unfinishedSetup,
  weakToken,
  withMailbox,
  type CloudflareHouse,
} from '../../support/window-cloudflare-handlers.ts';
import { livedInHouse, type House } from '../../support/window-fixtures.ts';
import { unreachedHouse } from '../../support/window-houses.ts';
import { openWindow, steady, type OpenWindow } from './open-window.tsx';

const now = Date.now();
const hash = '#/settings/reach';
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const card = async () => within(await screen.findByRole('group', { name: 'Setup at Cloudflare' }));
const dialog = async () => within(await screen.findByRole('dialog'));
const zone = someZones.zones[1];

/** Returns a house, and how to let the task at Cloudflare that waits there continue. */
function gatedHouse(part: Partial<CloudflareHouse> = {}): { house: House; open: () => void } {
  const house = livedInHouse(now);
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { status } = withMailbox(house, null, now).cloudflare ?? {};
  if (status === undefined) throw new Error('The house has no setup.');
  house.cloudflare = { ...noSetup(), gate, ...part };
  return { house, open };
}

/** What a house has at Cloudflare before a setup. */
function noSetup(): CloudflareHouse {
  const { mailbox } = withMailbox(livedInHouse(now), null, now).cloudflare as CloudflareHouse;
  const status = readySetup('', { mailbox: false, created: [] });
  return { mailbox, status: { ...status, state: 'none', words: 'Nothing.', hostname: null } };
}

function houseWith(status: CloudflareHouse['status']): House {
  const house = withMailbox(livedInHouse(now), 'ready', now);
  return { ...house, cloudflare: { ...(house.cloudflare as CloudflareHouse), status } };
}

/** Chooses the way with a token, among those that the form doesn't show. */
async function chooseCloudflare({ user }: Pick<OpenWindow, 'user'>): Promise<void> {
  const others = await screen.findByText('Other ways');
  if (others.closest('details')?.open === false) await user.click(others);
  await user.click(await button(/^Cloudflare with your own domain/));
}

async function pasteToken({ user }: OpenWindow, token = goodToken): Promise<void> {
  await user.click(await screen.findByLabelText('API token'));
  await user.paste(token);
  await user.click(await button('Continue'));
}

/** Goes to the choice of an address, with a token that works. */
async function toAddress(options: { house?: House } = {}): Promise<OpenWindow> {
  const opened = openWindow({ hash, ...options });
  await chooseCloudflare(opened);
  await pasteToken(opened);
  await screen.findByLabelText('Domain');
  return opened;
}

describe('the token', () => {
  test('the link opens Cloudflare’s page with every permission filled in, and each has its reason', async () => {
    const { user } = openWindow({ hash });
    await chooseCloudflare({ user });
    const link = await screen.findByRole('link', { name: 'Open Cloudflare’s token page' });
    expect(link.getAttribute('href')).toBe(tokenPage);
    expect(link.getAttribute('target')).toBe('_blank');
    const { origin, pathname, searchParams } = new URL(tokenPage);
    expect(`${origin}${pathname}`).toBe('https://dash.cloudflare.com/profile/api-tokens');
    expect(searchParams.get('name')).toBe('Porchlight');
    expect(JSON.parse(searchParams.get('permissionGroupKeys') ?? '')).toEqual(
      cloudflarePermissions.map(({ key, type }) => ({ key, type })),
    );
    for (const { name } of cloudflarePermissions) {
      const item = screen.getByText(name).closest('li');
      expect(item?.textContent.length).toBeGreaterThan(name.length + 10);
    }
  });

  test('a token that lacks a permission is refused in the server’s words, and can be corrected', async () => {
    const opened = openWindow({ hash });
    await chooseCloudflare(opened);
    await pasteToken(opened, weakToken);
    expect((await screen.findByRole('alert')).textContent).toContain(
      'The token lacks the permission “Zone · DNS · Edit”.',
    );
    await opened.user.clear(screen.getByLabelText('API token'));
    await pasteToken(opened);
    expect(await screen.findByLabelText('Domain')).toBeTruthy();
  });

  test('nothing and what can’t be a token aren’t sent', async () => {
    const opened = openWindow({ hash });
    await chooseCloudflare(opened);
    await opened.user.click(await button('Continue'));
    expect(screen.getByText('Paste your API token.')).toBeTruthy();
    await pasteToken(opened, 'curl -H "Authorization: Bearer x"');
    expect(screen.getByText(/isn’t an API token/)).toBeTruthy();
    expect(opened.callsOf('cloudflare.connect')).toEqual([]);
  });

  test('the token is hidden while it is pasted, and gone afterwards', async () => {
    const { user } = await toAddress();
    expect(document.body.innerHTML).not.toContain(goodToken);
    await user.click(await button('Use another token'));
    const field = await screen.findByLabelText<HTMLInputElement>('API token');
    expect([field.value, field.type]).toEqual(['', 'password']);
  });

  test('a token without a domain that is active says what to do', async () => {
    const inactive = someZones.zones.filter(({ active }) => !active);
    const opened = openWindow({
      hash,
      handlers: { 'cloudflare.connect': () => Promise.resolve({ ...someZones, zones: inactive }) },
    });
    await chooseCloudflare(opened);
    await pasteToken(opened);
    expect(await screen.findByText(/Your token covers no domain/)).toBeTruthy();
    await opened.user.click(await button('Use another token'));
    expect(await screen.findByLabelText('API token')).toBeTruthy();
  });
});

describe('the address', () => {
  test('domains that aren’t active can’t be chosen, and the first active one is', async () => {
    await toAddress();
    const select = screen.getByLabelText<HTMLSelectElement>('Domain');
    expect(select.selectedOptions[0]?.textContent).toBe('marlow.example');
    expect(document.activeElement).toBe(select);
    const inactive = screen.getByRole<HTMLOptionElement>('option', { name: /old\.example/ });
    expect([inactive.disabled, inactive.textContent]).toEqual([true, 'old.example (not active yet)']);
    expect(screen.getByText(/once its name servers are Cloudflare’s/)).toBeTruthy();
  });

  test('the whole address is shown, and its name is checked politely once typing pauses', async () => {
    const { user, callsOf } = await toAddress();
    expect(screen.getByText('https://porch.marlow.example')).toBeTruthy();
    const available = await screen.findByText('porch.marlow.example is available.');
    expect(available.closest('[role=status]')).toBeTruthy();
    await user.clear(screen.getByLabelText('Name'));
    await user.type(screen.getByLabelText('Name'), 'veranda');
    await user.selectOptions(screen.getByLabelText('Domain'), 'robin.example');
    expect(await screen.findByText('veranda.robin.example is available.')).toBeTruthy();
    expect(callsOf('cloudflare.checkName').at(-1)).toEqual({
      zoneId: someZones.zones[2]?.id,
      hostname: 'veranda.robin.example',
    });
  });

  test('a name that is taken says so at its field, and can’t be set up', async () => {
    const { user, callsOf } = await toAddress();
    const name = screen.getByLabelText('Name');
    await user.clear(name);
    await user.type(name, 'taken');
    await screen.findByText('taken.marlow.example is already used for something else.');
    expect(name.getAttribute('aria-invalid')).toBe('true');
    await user.type(name, '{Enter}');
    expect(callsOf('cloudflare.setUp')).toEqual([]);
  });

  test('a name that can’t be one is refused without a question', async () => {
    const { user, callsOf } = await toAddress();
    const name = screen.getByLabelText('Name');
    await user.clear(name);
    await user.type(name, 'my porch{Enter}');
    expect(screen.getByText(/Use only letters, digits and hyphens/)).toBeTruthy();
    expect(callsOf('cloudflare.setUp')).toEqual([]);
  });

  test.each([
    ['porch', 'porch.marlow.example'],
    [' Porch ', 'porch.marlow.example'],
    ['https://porch.marlow.example/', 'porch.marlow.example'],
    ['https://Marlow.example/', 'marlow.example'],
    ['a.b', undefined],
    ['-porch', undefined],
    ['', undefined],
  ])('a name typed as %j', (typed, name) => expect(nameTyped(typed, 'marlow.example')).toBe(name));

  test.each([
    [`  ${goodToken}\n`, goodToken],
    ['two words', undefined],
    ['', undefined],
    ['x'.repeat(201), undefined],
  ])('a token typed as %j', (typed, token) => expect(apiTokenTyped(typed)).toBe(token));
});

describe('the setup', () => {
  test('by keyboard alone: the choices are sent, progress is shown, and a test of the address ends it', async () => {
    const { house, open } = gatedHouse();
    const { user, client, callsOf } = await toAddress({ house });
    await screen.findByText('porch.marlow.example is available.');
    const mailbox = screen.getByRole<HTMLInputElement>('checkbox', { name: /Keep a mailbox/ });
    const keep = screen.getByRole<HTMLInputElement>('checkbox', { name: /Keep the token/ });
    expect([mailbox.checked, keep.checked]).toEqual([true, false]);
    for (const target of [screen.getByLabelText('Name'), mailbox, keep]) {
      await user.tab();
      expect(document.activeElement).toBe(target);
    }
    await user.keyboard(' ');
    await user.tab();
    expect(document.activeElement).toBe(await button('Set up porch.marlow.example'));
    await user.keyboard('{Enter}');
    const now = await card();
    expect(now.getByText('Setting up your address')).toBeTruthy();
    expect(document.activeElement?.contains(now.getByText('Setting up your address'))).toBe(true);
    act(() =>
      client.emit({
        name: 'cloudflare.progress',
        data: { task: 'setUp', words: 'Creating the DNS record', done: 2, total: 5 },
      }),
    );
    const step = await now.findByText('Creating the DNS record');
    expect(step.closest('[role=status]')).toBeTruthy();
    expect(now.getByText('2 of 5 steps')).toBeTruthy();
    expect(now.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
    open();
    expect(await now.findByText('Your address is set up at Cloudflare')).toBeTruthy();
    expect(document.activeElement?.textContent).toContain('Your address is set up at Cloudflare');
    expect(callsOf('cloudflare.setUp')).toEqual([
      {
        accountId: zone?.accountId,
        zoneId: zone?.id,
        hostname: 'porch.marlow.example',
        mailbox: true,
        keepToken: true,
      },
    ]);
    await waitFor(() => expect(callsOf('setup.check')).toEqual([{}]));
    expect(await screen.findByText('Connected (4 connections)')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Cloudflare with your own domain' })).toBeTruthy();
  });

  test('a name that is taken in the meantime leaves the choices unchanged, with the reason', async () => {
    const words = 'porch.marlow.example has a record that Porchlight didn’t create.';
    const { house, open } = gatedHouse({
      failure: { code: 'cloudflare_name_taken', words, leaves: 'none' },
    });
    const { user } = await toAddress({ house });
    await user.click(screen.getByRole('checkbox', { name: /Keep the token/ }));
    await user.click(await button('Set up porch.marlow.example'));
    await card();
    open();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain(words);
    expect(document.activeElement?.contains(alert)).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Keep the token/ }).checked).toBe(true);
    expect(await button('Set up porch.marlow.example')).toBeTruthy();
  });

  test('a setup that fails half-way shows what exists and why, and is resumed', async () => {
    const words = 'Cloudflare didn’t answer. Try again in a few minutes.';
    const { house, open } = gatedHouse({
      failure: { code: 'cloudflare_failed', words, leaves: 'unfinished' },
    });
    const { user, callsOf } = await toAddress({ house });
    await user.click(screen.getByRole('checkbox', { name: /Keep the token/ }));
    await user.click(await button('Set up porch.marlow.example'));
    await card();
    open();
    expect(await screen.findByText('The setup isn’t finished')).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    expect(screen.getByText('porchlight porch.marlow.example')).toBeTruthy();
    expect(screen.queryByLabelText('Domain')).toBeNull();
    await user.click(await button('Resume'));
    const asks = await dialog();
    await user.type(asks.getByLabelText('API token'), goodToken);
    await user.click(await steady(asks.getByRole('button', { name: 'Resume' })));
    expect(await screen.findByText('Your address is set up at Cloudflare')).toBeTruthy();
    expect(callsOf('cloudflare.resume')).toEqual([{ apiToken: goodToken }]);
  });

  test('a setup that was interrupted is resumed at once with the kept token', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseWith(unfinishedSetup('setUp', true)) });
    const now = await card();
    expect(now.getByText('Porchlight stopped before the DNS record was created.')).toBeTruthy();
    await user.click(now.getByRole('button', { name: 'Resume' }));
    expect(await now.findByText('Your address is set up at Cloudflare')).toBeTruthy();
    expect(callsOf('cloudflare.resume')).toEqual([{}]);
  });

  test('a setup that was interrupted can be removed, with what exists so far named', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseWith(unfinishedSetup('setUp', true)) });
    await user.click((await card()).getByRole('button', { name: 'Remove…' }));
    const asks = await dialog();
    expect(asks.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Tunnel: porchlight porch.marlow.example',
    ]);
    await user.click(await steady(asks.getByRole('button', { name: 'Disconnect' })));
    expect(await screen.findByText(/^Disconnected/)).toBeTruthy();
    expect(callsOf('cloudflare.disconnect')).toEqual([{}]);
  });

  test('a removal that was interrupted can only be resumed', async () => {
    const { user } = openWindow({ hash, house: houseWith(unfinishedSetup('disconnect', true)) });
    const now = await card();
    expect(now.getByText('The removal isn’t finished')).toBeTruthy();
    expect(now.queryByRole('button', { name: 'Remove…' })).toBeNull();
    await user.click(now.getByRole('button', { name: 'Resume' }));
    expect(await screen.findByText(/^Disconnected/)).toBeTruthy();
    expect(screen.queryByText('The removal isn’t finished')).toBeNull();
  });

  test('work that another window started is shown, and its end too', async () => {
    const house = houseWith(readySetup(undefined, { state: 'working', task: 'setUp' }));
    openWindow({ hash, house });
    const now = await card();
    expect(now.getByText('Setting up your address')).toBeTruthy();
    house.cloudflare = { ...(house.cloudflare as CloudflareHouse), status: readySetup() };
    expect(await now.findByText('Your address is set up at Cloudflare')).toBeTruthy();
  });
});

describe('a finished setup', () => {
  const created = [
    'Tunnel: porchlight porch.marlow.example',
    'DNS record: porch.marlow.example',
    'Worker: porchlight-mailbox',
    'Route: porch.marlow.example/*',
  ];

  test('is disconnected with the kept token, after a list of exactly the removed parts', async () => {
    const { user, callsOf } = openWindow({ hash, house: withMailbox(livedInHouse(now), 'ready', now) });
    const shown = await card();
    expect(shown.getAllByRole('listitem').map((item) => item.textContent)).toEqual(created);
    expect(shown.getByText('https://porch.marlow.example')).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Disconnect…' }));
    const asks = await dialog();
    expect(asks.getAllByRole('listitem').map((item) => item.textContent)).toEqual(created);
    expect(asks.queryByLabelText('API token')).toBeNull();
    await user.click(await steady(asks.getByRole('button', { name: 'Disconnect' })));
    const removed = await screen.findByText(/^Disconnected/);
    expect(document.activeElement?.contains(removed)).toBe(true);
    expect(callsOf('cloudflare.disconnect')).toEqual([{}]);
  });

  test('asks before it deletes what can’t be fetched from the mailbox, and says how much it is', async () => {
    const house = withMailbox(livedInHouse(now), 'ready', now);
    const words = 'The mailbox keeps 3 things that can’t be fetched now.';
    Object.assign(house.cloudflare!, { failure: { code: 'mailbox_not_empty', words, leaves: 'ready' } });
    const { user, callsOf } = openWindow({ hash, house });
    await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
    await user.click(await steady((await dialog()).getByRole('button', { name: 'Disconnect' })));
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
    const asks = await dialog();
    expect(asks.getByRole('heading', { name: 'Delete what the mailbox keeps?' })).toBeTruthy();
    expect(asks.getByText(words)).toBeTruthy();
    await user.click(await steady(asks.getByRole('button', { name: 'Delete it' })));
    expect(await screen.findByText(/^Disconnected/)).toBeTruthy();
    expect(callsOf('cloudflare.disconnect')).toEqual([{}, { discardKept: true }]);
  });

  test('a removal that is resumed asks for that too', async () => {
    const house = withMailbox(livedInHouse(now), 'ready', now);
    const failure = {
      code: 'mailbox_not_empty',
      words: 'The mailbox keeps one thing.',
      leaves: 'unfinished',
    };
    Object.assign(house.cloudflare!, { status: unfinishedSetup('disconnect', true), failure });
    const { user, callsOf } = openWindow({ hash, house });
    await user.click((await card()).getByRole('button', { name: 'Resume' }));
    expect((await screen.findByRole('alert')).textContent).toContain('keeps one thing');
    await user.click((await card()).getByRole('button', { name: 'Resume' }));
    await user.click(await steady((await dialog()).getByRole('button', { name: 'Delete it' })));
    expect(await screen.findByText(/^Disconnected/)).toBeTruthy();
    expect(callsOf('cloudflare.resume')).toEqual([{}, { discardKept: true }]);
  });

  test('asks for a token if none is kept, and sends nothing without one', async () => {
    const house = withMailbox(livedInHouse(now), 'ready', now, false);
    const { user, callsOf } = openWindow({ hash, house });
    await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
    const asks = await dialog();
    await user.click(await steady(asks.getByRole('button', { name: 'Disconnect' })));
    expect(asks.getByText('Paste your API token.')).toBeTruthy();
    expect(callsOf('cloudflare.disconnect')).toEqual([]);
    await user.type(asks.getByLabelText('API token'), `${goodToken}{Enter}`);
    expect(await screen.findByText(/^Disconnected/)).toBeTruthy();
    expect(callsOf('cloudflare.disconnect')).toEqual([{ apiToken: goodToken }]);
  });

  test('a token that is refused leaves everything, and the next try asks for another one', async () => {
    const house = withMailbox(livedInHouse(now), 'ready', now, false);
    const { user } = openWindow({ hash, house });
    await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
    await user.type((await dialog()).getByLabelText('API token'), `${weakToken}{Enter}`);
    expect((await screen.findByRole('alert')).textContent).toContain('lacks the permission');
    await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
    expect((await dialog()).getByLabelText('API token')).toBeTruthy();
  });

  test('a kept token that Cloudflare no longer knows is asked for again', async () => {
    const error = new PorchlightError('cloudflare_token', 'Cloudflare doesn’t know this token.');
    const { user, callsOf } = openWindow({
      hash,
      house: withMailbox(livedInHouse(now), 'ready', now),
      handlers: { 'cloudflare.disconnect': () => Promise.reject(error) },
    });
    const ask = async () => {
      await user.click((await card()).getByRole('button', { name: 'Disconnect…' }));
      return dialog();
    };
    await user.click(await steady((await ask()).getByRole('button', { name: 'Disconnect' })));
    expect((await screen.findByRole('alert')).textContent).toContain('Cloudflare doesn’t know this token.');
    await user.type((await ask()).getByLabelText('API token'), `${goodToken}{Enter}`);
    await waitFor(() => expect(callsOf('cloudflare.disconnect')).toEqual([{}, { apiToken: goodToken }]));
  });

  test('a tunnel that is gone is not repaired with a token that the owner never had', async () => {
    const house = withMailbox(livedInHouse(now), 'ready', now);
    house.tunnel = { ...house.tunnel, state: 'failed', reason: 'bad_token', words: 'It failed.', url: null };
    openWindow({ hash, house });
    expect(await screen.findByText(/Disconnect from Cloudflare above/)).toBeTruthy();
    expect(screen.queryByText(/paste it as the new token/)).toBeNull();
  });

  test('Cancel and Escape change nothing, and give the focus back', async () => {
    const { user, callsOf } = openWindow({ hash, house: withMailbox(livedInHouse(now), 'ready', now) });
    const open = (await card()).getByRole('button', { name: 'Disconnect…' });
    for (const leave of ['Cancel', '{Escape}']) {
      await user.click(open);
      const asks = await dialog();
      if (leave === 'Cancel') await user.click(asks.getByRole('button', { name: leave }));
      else await user.keyboard(leave);
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      expect(document.activeElement).toBe(open);
    }
    expect(callsOf('cloudflare.disconnect')).toEqual([]);
  });
});

describe('in the set-up', () => {
  test('one token is the suggested way, and the set-up continues by itself once the address works', async () => {
    const opened = openWindow({ house: unreachedHouse(now), hash: '#/welcome?step=reach' });
    expect(await button('Skip for now')).toBeTruthy();
    await pasteToken(opened);
    await screen.findByText('porch.marlow.example is available.');
    await opened.user.click(await button('Set up porch.marlow.example'));
    expect(await screen.findByRole('heading', { level: 1, name: 'Connect your home page' })).toBeTruthy();
    expect(opened.callsOf('settings.update')).toEqual([]);
  });

  test('a tunnel’s token can still be pasted by hand, and the owner can go back', async () => {
    const opened = openWindow({ house: unreachedHouse(now), hash: '#/welcome?step=reach' });
    await opened.user.click(await screen.findByText('Other ways'));
    await opened.user.click(await button(/^Cloudflare, set up by hand/));
    expect(await screen.findByLabelText('Host name')).toBeTruthy();
    expect(screen.queryByLabelText('API token')).toBeNull();
    await chooseCloudflare(opened);
    expect(await screen.findByLabelText('API token')).toBeTruthy();
  });
});
