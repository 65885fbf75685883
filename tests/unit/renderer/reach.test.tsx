import { act, screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { hostnameTyped, originTyped, tokenTyped } from '../../../src-renderer/features/reach/reach-choice.ts';
import { livedInHouse, type House } from '../../support/window-fixtures.ts';
import { tunnelOff } from '../../support/window-reach-handlers.ts';
import { failing, openWindow } from './open-window.tsx';

const hash = '#/settings/reach';
const part = async () => within(await screen.findByRole('region', { name: 'Public address' }));
const save = { name: 'Save' };
const token = 'eyJhIjoiYWNjb3VudCIsInQiOiJ0dW5uZWwifQ==';

/** Chooses another way than the one that the form shows. */
async function choose(user: UserEvent, form: Awaited<ReturnType<typeof part>>, way: RegExp): Promise<void> {
  const others = await form.findByText('Other ways');
  if (others.closest('details')?.open === false) await user.click(others);
  await user.click(await form.findByRole('button', { name: way }));
}

function houseWith(
  tunnel: Partial<House['tunnel']>,
  settings: Partial<House['settings']['tunnel']> = {},
): House {
  const house = livedInHouse(Date.now());
  const mode = settings.mode ?? 'named';
  return {
    ...house,
    settings: { ...house.settings, tunnel: { hostname: '', publicUrl: '', ...settings, mode } },
    tunnel: { ...tunnelOff, mode, ...tunnel },
    tunnelTokenKept: true,
  };
}

describe('how the web can reach you', () => {
  test('a named tunnel takes a pasted address and a whole command, and the token goes first', async () => {
    const { user, client } = openWindow({ hash });
    const form = await part();
    await choose(user, form, /by hand/);
    expect(form.getByText(/127\.0\.0\.1:4711/)).toBeTruthy();
    await user.type(form.getByLabelText('Host name'), 'https://Porch.example.com/');
    await user.click(form.getByLabelText('Token'));
    await user.paste(`sudo cloudflared service install ${token}`);
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    const made = client.calls.filter(({ method }) => /setTunnelToken|settings\.update/.test(method));
    expect(made.map(({ params }) => params)).toEqual([
      { token },
      { tunnel: { mode: 'named', hostname: 'porch.example.com' } },
    ]);
    expect(await form.findByText(/A token is stored/)).toBeTruthy();
    expect(screen.queryByDisplayValue(new RegExp(token.slice(0, 10)))).toBeNull();
  });

  test('a flag that decides is named, and what it chose is what is shown to run', async () => {
    const house = houseWith({ mode: 'quick', state: 'connected', connections: 1 }, { mode: 'off' });
    const flags = { baseUrl: false, tunnel: 'quick' as const };
    openWindow({ hash, house: { ...house, status: { ...house.status, flags } } });
    const form = await part();
    expect((await form.findByText(/Porchlight was started/)).textContent).toContain(
      'with a quick tunnel (--tunnel quick)',
    );
    expect(form.getByText('Connected (1 connection)')).toBeTruthy();
  });

  test('without a flag there is no word of one', async () => {
    openWindow({ hash });
    const form = await part();
    await form.findByText('Other ways');
    expect(form.queryByText(/option decides/)).toBeNull();
  });

  test('missing or wrong input is named, and nothing is sent', async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    await choose(user, form, /by hand/);
    await user.type(form.getByLabelText('Host name'), 'porch');
    await user.click(form.getByRole('button', save));
    expect(form.getByText('Enter a host name like porch.example.com.')).toBeTruthy();
    expect(form.getByText('Paste your tunnel’s token.')).toBeTruthy();
    await choose(user, form, /reverse proxy/);
    await user.type(form.getByLabelText('Your public address'), 'https://porch.example.com/path');
    await user.click(form.getByRole('button', save));
    expect(form.getByText(/without a path/)).toBeTruthy();
    expect([...callsOf('settings.update'), ...callsOf('secrets.setTunnelToken')]).toEqual([]);
  });

  test("one's own proxy is saved as an origin", async () => {
    const { user, callsOf } = openWindow({ hash });
    const form = await part();
    await choose(user, form, /reverse proxy/);
    await user.type(form.getByLabelText('Your public address'), 'porch.example.com/');
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      { tunnel: { mode: 'off', publicUrl: 'https://porch.example.com' } },
    ]);
  });

  test('shows one way at a time, and the others under “Other ways”, which are open until one is chosen', async () => {
    const { user } = openWindow({ hash });
    const form = await part();
    expect(await form.findByRole('heading', { name: 'Not yet (this computer only)' })).toBeTruthy();
    const others = () => form.getByText('Other ways').closest('details')?.open;
    expect(others()).toBe(true);
    expect(form.queryByRole('heading', { name: 'Tailscale Funnel' })).toBeNull();
    await choose(user, form, /^Tailscale Funnel/);
    expect(document.activeElement).toBe(form.getByRole('heading', { name: 'Tailscale Funnel' }));
    expect(form.queryByRole('heading', { name: 'Not yet (this computer only)' })).toBeNull();
    expect(others()).toBe(false);
  });

  test('Tailscale: fills in the address, starts Funnel, and saves', async () => {
    const house = livedInHouse(Date.now());
    house.tailscale = { state: 'running', name: 'den.tail1a2b3.ts.net' };
    const { user, client } = openWindow({ hash, house });
    const form = await part();
    await choose(user, form, /^Tailscale Funnel/);
    expect(await form.findByDisplayValue('https://den.tail1a2b3.ts.net')).toBeTruthy();
    expect(form.getByText(/Porchlight starts Funnel for you/)).toBeTruthy();
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    const made = client.calls.filter(({ method }) => /startFunnel|settings\.update/.test(method));
    expect(made).toEqual([
      { method: 'setup.startFunnel', params: {} },
      {
        method: 'settings.update',
        params: { tunnel: { mode: 'off', publicUrl: 'https://den.tail1a2b3.ts.net' } },
      },
    ]);
    expect(form.getByRole('heading', { name: 'Tailscale Funnel' })).toBeTruthy();
  });

  test('Tailscale: leads to its page if the owner has to allow Funnel first, and saves nothing yet', async () => {
    const house = livedInHouse(Date.now());
    house.tailscale = { state: 'running', name: 'den.tail1a2b3.ts.net' };
    const url = 'https://login.tailscale.com/f/funnel?node=n1';
    const handlers = { 'setup.startFunnel': () => Promise.resolve({ state: 'consent' as const, url }) };
    const { user, callsOf } = openWindow({ hash, house, handlers });
    const form = await part();
    await choose(user, form, /^Tailscale Funnel/);
    await form.findByDisplayValue('https://den.tail1a2b3.ts.net');
    await user.click(form.getByRole('button', save));
    const link = await form.findByRole('link', { name: 'Allow Funnel at Tailscale' });
    expect(link.getAttribute('href')).toBe(url);
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('Tailscale: if Funnel can’t start, shows the commands, and the address can still be saved', async () => {
    const house = livedInHouse(Date.now());
    house.tailscale = { state: 'running', name: 'den.tail1a2b3.ts.net' };
    const handlers = { 'setup.startFunnel': failing('Access denied.') };
    const { user, callsOf } = openWindow({ hash, house, handlers });
    const form = await part();
    await choose(user, form, /^Tailscale Funnel/);
    await form.findByDisplayValue('https://den.tail1a2b3.ts.net');
    await user.click(form.getByRole('button', save));
    expect(await form.findByText(/Access denied\./)).toBeTruthy();
    expect(form.getByText('tailscale funnel --bg 4711')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('setup.startFunnel')).toHaveLength(1);
  });

  test('without Tailscale it says so, looks again when asked to, and takes only its addresses', async () => {
    const house = livedInHouse(Date.now());
    const { user, callsOf } = openWindow({ hash, house });
    const form = await part();
    await choose(user, form, /^Tailscale Funnel/);
    expect(await form.findByText(/didn’t find Tailscale/)).toBeTruthy();
    await user.type(form.getByLabelText('Your Tailscale address'), 'https://porch.example.com');
    await user.click(form.getByRole('button', save));
    expect(form.getByText(/like https:\/\/den/)).toBeTruthy();
    house.tailscale = { state: 'stopped', name: null };
    await user.click(form.getByRole('button', { name: 'Check again' }));
    expect(await form.findByText(/installed but not connected/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('a token that cannot be kept stops the rest', async () => {
    const { user, callsOf } = openWindow({
      hash,
      handlers: { 'secrets.setTunnelToken': failing('The keychain is locked.') },
    });
    const form = await part();
    await choose(user, form, /by hand/);
    await user.type(form.getByLabelText('Host name'), 'porch.example.com');
    await user.type(form.getByLabelText('Token'), token);
    await user.click(form.getByRole('button', save));
    expect(await form.findByText('The keychain is locked.')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('options for cloudflared may be written as in a terminal; an unknown one is refused', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseWith({}, { hostname: 'porch.example.com' }) });
    const form = await part();
    await user.click(await form.findByText('Options for cloudflared'));
    const options = form.getByLabelText('Options');
    await user.type(options, '--logfile /home/ada/.bashrc');
    await user.click(form.getByRole('button', save));
    expect(await form.findByText(/“--logfile=\/home\/ada\/.bashrc” isn’t one of the options/)).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.clear(options);
    await user.type(options, '--protocol http2 --post-quantum');
    await user.type(form.getByLabelText('Certificate file'), ' /etc/ssl/company.pem ');
    await user.click(form.getByRole('button', save));
    await form.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      {
        tunnel: { mode: 'named', hostname: 'porch.example.com' },
        cloudflared: { options: ['--protocol=http2', '--post-quantum'], certificate: '/etc/ssl/company.pem' },
      },
    ]);
  });

  test('a tunnel in trouble shows cloudflared’s own message', async () => {
    const message = 'Failed to dial a quic connection error="timeout"';
    openWindow({
      hash,
      house: houseWith({ state: 'reconnecting', reason: 'no_network', words: 'It broke.', message }),
    });
    const form = await part();
    expect((await form.findByText(/^cloudflared’s message:/)).textContent).toContain(message);
  });

  test('the tunnel now: connections and address, live, and a stop', async () => {
    const house = houseWith({
      state: 'connected',
      connections: 4,
      url: 'https://porch.example.com',
      words: 'Connected',
    });
    const { user, client, callsOf } = openWindow({ hash, house });
    const form = await part();
    expect(await form.findByText('Connected (4 connections)')).toBeTruthy();
    act(() =>
      client.emit({
        name: 'tunnel.changed',
        data: {
          ...house.tunnel,
          state: 'reconnecting',
          connections: 0,
          reason: 'no_network',
          words: 'It broke.',
        },
      }),
    );
    expect(await form.findByText('The tunnel is reconnecting')).toBeTruthy();
    expect(form.getByText(/that this computer is online/)).toBeTruthy();
    await user.click(form.getByRole('button', { name: 'Stop the tunnel' }));
    expect(await form.findByText('The tunnel is off')).toBeTruthy();
    await user.click(form.getByRole('button', { name: 'Start the tunnel' }));
    expect((await form.findAllByText('Starting')).length).toBeGreaterThan(0);
    expect([callsOf('tunnel.stop'), callsOf('tunnel.start')]).toEqual([[{}], [{}]]);
  });

  test('a download shows how far it is, and can be cancelled', async () => {
    const progress = { received: 10_000_000, total: 40_000_000 };
    openWindow({
      hash,
      house: houseWith({ state: 'downloading', words: 'Downloading cloudflared.', progress }),
    });
    const form = await part();
    expect(await form.findByText('10.0 of 40.0 MB')).toBeTruthy();
    expect(form.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    expect(form.getByRole('button', { name: 'Cancel the download' })).toBeTruthy();
  });

  test.each([
    ['rate_limited', /Wait a few minutes/],
    ['bad_token', /dashboard again/],
    ['no_token', /Paste your tunnel’s token/],
    ['no_network', /port 7844/],
    ['intercepted', /antivirus/],
    ['wrong_clock', /date and time/],
    ['bad_certificate', /path of the certificate/],
    ['binary_missing', /Install cloudflared/],
    ['download_failed', /free disk space/],
    ['not_executable', /Install cloudflared/],
    ['not_responding', /is online/],
    ['crashed', /log/],
  ] as const)('a tunnel that failed says what to do: %s', async (reason, words) => {
    openWindow({ hash, house: houseWith({ state: 'failed', reason, words: 'It failed.' }) });
    const form = await part();
    expect(await form.findByText(words)).toBeTruthy();
    expect(form.getByRole('button', { name: 'Try again' })).toBeTruthy();
  });
});

describe('what people type as an address', () => {
  test.each([
    ['porch.example.com', 'porch.example.com'],
    [' https://Porch.Example.com/ ', 'porch.example.com'],
    ['porch', undefined],
    ['127.0.0.1', undefined],
    ['porch.example.com/path', undefined],
    ['porch.example.com:8080', undefined],
  ])('host name %s', (typed, name) => expect(hostnameTyped(typed)).toBe(name));

  test.each([
    ['https://porch.example.com/', 'https://porch.example.com'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['https://me:pass@porch.example.com', undefined],
    ['ftp://porch.example.com', undefined],
    ['a b', undefined],
  ])('origin %s', (typed, origin) => expect(originTyped(typed)).toBe(origin));

  test.each([
    [token, token],
    [`cloudflared.exe service install ${token}`, token],
    ['short', undefined],
  ])('token %s', (typed, found) => expect(tokenTyped(typed)).toBe(found));
});
