import { focusManager } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Finding } from '../../../src-main/contract/reach.ts';
import {
  livedInHouse,
  newHouse,
  quietHouse,
  waitingSignIn,
  type House,
} from '../../support/window-fixtures.ts';
import { goodToken } from '../../support/window-cloudflare-handlers.ts';
import { tailscaleHouse, unreachedHouse } from '../../support/window-houses.ts';
import { openWindow } from './open-window.tsx';

const now = Date.now();
const timers = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
const title = (name: string) => screen.findByRole('heading', { level: 1, name });
const current = () => document.querySelector('[aria-current=step]')?.textContent;
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const missing: Finding = {
  id: 'link.micropub',
  area: 'site',
  level: 'fail',
  title: 'Apps find where to post',
  detail: 'Your page has no link to micropub.',
};
const reachable = (part: Partial<House> = {}): House => ({ ...quietHouse(now), ...part });

describe('the set-up, step by step', () => {
  test('goes from the first step to Overview, the focus on each title', async () => {
    const { user } = openWindow({ house: newHouse(now) });
    await user.type(await screen.findByLabelText('Your domain'), 'marlow.example');
    expect(current()).toContain('About you');
    await user.click(await button('Continue'));
    await title('Is this you?');
    await user.click(await button('Continue'));
    expect(document.activeElement).toBe(await title('How can the web reach you?'));
    expect(current()).toContain('Public address');
    await user.click(await button('Continue'));
    expect(document.activeElement).toBe(await title('Connect your home page'));
    await user.click(await button('Continue'));
    expect(document.activeElement).toBe(await title('Done'));
    expect(await screen.findByText(/From now on, use your address/)).toBeTruthy();
    await user.click(await button('Go to Overview'));
    expect(await title('Overview')).toBeTruthy();
  });

  test('every step can be skipped, the first too, and Overview then says what is missing', async () => {
    const { user, callsOf } = openWindow({ house: newHouse(now) });
    await user.click(await button('Skip for now'));
    await title('How can the web reach you?');
    expect(callsOf('settings.update')).toEqual([]);
    for (const step of ['Connect your home page', 'Done']) {
      await user.click(await screen.findByRole('button', { name: /^(Continue|Skip for now)$/ }));
      await title(step);
    }
    await user.click(await button('Go to Overview'));
    const link = await screen.findByRole('link', { name: 'Enter your domain' });
    expect(link.getAttribute('href')).toBe('#/welcome?step=who');
  });

  test('asks whether to hold mentions by new people, and proposes it', async () => {
    const { user, callsOf } = openWindow({ house: newHouse(now), hash: '#/welcome?step=reach' });
    const hold = await screen.findByRole<HTMLInputElement>('checkbox', {
      name: 'Hold mentions by new people',
    });
    expect(hold.checked).toBe(true);
    await user.click(await screen.findByRole('button', { name: /^(Continue|Skip for now)$/ }));
    await title('Connect your home page');
    expect(callsOf('settings.update')).toEqual([{ webmention: { hold: 'strangers' } }]);
    await user.click(await button('Back'));
    await user.click(await screen.findByRole('checkbox', { name: 'Hold mentions by new people' }));
    await user.click(await screen.findByRole('button', { name: /^(Continue|Skip for now)$/ }));
    await title('Connect your home page');
    expect(callsOf('settings.update').at(-1)).toEqual({ webmention: { hold: 'nothing' } });
  });

  test('proposes no change to an owner who shows mentions at once already', async () => {
    const house = livedInHouse(now);
    house.settings.webmention = { ...house.settings.webmention, hold: 'nothing' };
    const { callsOf, user } = openWindow({ house, hash: '#/welcome?step=reach' });
    const hold = await screen.findByRole<HTMLInputElement>('checkbox', {
      name: 'Hold mentions by new people',
    });
    await waitFor(() => expect(hold.checked).toBe(false));
    await user.click(await screen.findByRole('button', { name: /^(Continue|Skip for now)$/ }));
    await title('Connect your home page');
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('goes back a step, and the earlier answers are still there', async () => {
    const { user } = openWindow({ house: reachable(), hash: '#/welcome?step=links' });
    await title('Connect your home page');
    await user.click(await button('Back'));
    await title('How can the web reach you?');
    await user.click(await button('Back'));
    const domain = await screen.findByLabelText<HTMLInputElement>('Your domain');
    expect(domain.value).toBe('https://marlow.example/');
  });

  test('a window that is opened again in the middle continues at the same step', async () => {
    openWindow({ house: reachable(), hash: '#/welcome?step=reach' });
    expect(await title('How can the web reach you?')).toBeTruthy();
    expect(screen.queryByRole('navigation', { name: 'Screens' })).toBeNull();
  });

  test('without a public address, the second step asks for one way at a time, and can be skipped', async () => {
    const { user, callsOf } = openWindow({ house: unreachedHouse(now), hash: '#/welcome?step=reach' });
    expect(await screen.findByRole('heading', { level: 2 })).toHaveProperty(
      'textContent',
      'Cloudflare with your own domain',
    );
    await user.click(await button('Skip for now'));
    await title('Connect your home page');
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('one button saves the owner’s proxy and continues', async () => {
    const { user, callsOf } = openWindow({ house: unreachedHouse(now), hash: '#/welcome?step=reach' });
    await user.click(await screen.findByText('Other ways'));
    await user.click(await button(/^Your own reverse proxy/));
    await user.type(screen.getByLabelText('Your public address'), 'https://porch.example.com');
    await user.click(await button('Continue'));
    await title('Connect your home page');
    expect(callsOf('settings.update')).toEqual([
      { tunnel: { mode: 'off', publicUrl: 'https://porch.example.com' } },
    ]);
  });

  test('one button starts Tailscale Funnel, saves its address and continues', async () => {
    const house = { ...tailscaleHouse(now), settings: newHouse(now).settings };
    const { user, callsOf } = openWindow({ house, hash: '#/welcome?step=reach&website=none' });
    await screen.findByDisplayValue('https://den.tail1a2b3.ts.net');
    await user.click(await button('Continue'));
    await title('Done');
    expect(callsOf('setup.startFunnel')).toEqual([{}]);
    expect(callsOf('settings.update')).toEqual([
      { tunnel: { mode: 'off', publicUrl: 'https://den.tail1a2b3.ts.net' } },
      {
        profile: { me: 'https://den.tail1a2b3.ts.net/', url: '' },
        webmention: { hold: 'strangers' },
      },
    ]);
  });

  /** A house without a domain in which the owner has chosen the quick tunnel, which is connected. */
  async function atQuickTunnel() {
    const url = 'https://warm-light.trycloudflare.com';
    const house = { ...unreachedHouse(now), settings: newHouse(now).settings };
    const opened = openWindow({ house, hash: '#/welcome?step=reach&website=none' });
    await screen.findByRole('heading', { level: 2, name: 'Quick tunnel' });
    await opened.user.click(await button('Continue'));
    const connected = {
      ...house.tunnel,
      mode: 'quick' as const,
      state: 'connected' as const,
      connections: 1,
      url,
    };
    act(() => {
      house.tunnel = connected;
      house.status = { ...house.status, baseUrl: url };
      opened.client.emit({ name: 'tunnel.changed', data: connected });
      opened.client.emit({ name: 'status.changed', data: house.status });
    });
    expect(await screen.findByText(/New addresses take up to a minute\./)).toBeTruthy();
    const tested = (level: Finding['level']) =>
      act(() =>
        opened.client.emit({
          name: 'setup.checked',
          data: {
            findings: [{ ...missing, id: 'reach', area: 'address', level }],
            at: new Date(now).toISOString(),
            base: url,
          },
        }),
      );
    return { ...opened, url, tested };
  }

  test('waits until the address of a new quick tunnel answers, and then continues', async () => {
    const { url, tested, callsOf } = await atQuickTunnel();
    expect(await title('How can the web reach you?')).toBeTruthy();
    tested('pass');
    await title('Done');
    expect(callsOf('settings.update')).toEqual([
      { tunnel: { mode: 'quick' } },
      { profile: { me: `${url}/`, url: '' }, webmention: { hold: 'strangers' } },
    ]);
  });

  test('an address that doesn’t answer in time is reported, and Continue works then', async () => {
    const { user, tested } = await atQuickTunnel();
    tested('fail');
    expect(await screen.findByText(/Your new address doesn’t answer yet\./)).toBeTruthy();
    await user.click(await button('Continue'));
    await title('Done');
  });

  test('reads the site while the step is open, and continues once the lines are on it', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: [...timers] });
    try {
      const house = reachable({ findings: [missing] });
      const { callsOf } = openWindow({ house, hash: '#/welcome?step=links' });
      expect(await screen.findByText('One thing needs your attention.')).toBeTruthy();
      expect(await button('Skip for now')).toBeTruthy();
      house.findings = [{ ...missing, level: 'pass', detail: 'Your page links here.' }];
      await act(() => vi.advanceTimersByTimeAsync(10_500));
      expect(await button('Continue')).toBeTruthy();
      expect(callsOf('setup.check').length).toBeGreaterThanOrEqual(2);
      expect(callsOf('setup.check')).toEqual(callsOf('setup.check').map(() => ({ only: 'site' })));
    } finally {
      vi.useRealTimers();
    }
  });

  test('doesn’t read the site while the window is hidden', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: [...timers] });
    try {
      const { callsOf } = openWindow({
        house: reachable({ findings: [missing] }),
        hash: '#/welcome?step=links',
      });
      await screen.findByText('One thing needs your attention.');
      act(() => focusManager.setFocused(false));
      const before = callsOf('setup.check').length;
      await act(() => vi.advanceTimersByTimeAsync(60_000));
      expect(callsOf('setup.check')).toHaveLength(before);
    } finally {
      focusManager.setFocused(undefined);
      vi.useRealTimers();
    }
  });

  test('looks again when asked to', async () => {
    const house = reachable({ findings: [missing] });
    const { user } = openWindow({ house, hash: '#/welcome?step=links' });
    await screen.findByText('One thing needs your attention.');
    house.findings = [];
    await user.click(await button('Check now'));
    expect(await screen.findByText(/Everything works/)).toBeTruthy();
  });

  test('the last step tests everything at once, and only there', async () => {
    const house = { ...livedInHouse(now), lastCheck: null };
    const { callsOf } = openWindow({ house, hash: '#/welcome?step=done' });
    expect(await screen.findByText('One thing needs your attention.')).toBeTruthy();
    expect(callsOf('setup.check')).toEqual([{}]);
  });

  test('starts with the computer if the owner wants it, in the desktop app only', async () => {
    const { user, callsOf } = openWindow({ house: reachable(), hash: '#/welcome?step=done' });
    await user.click(await screen.findByRole('switch', { name: /Start Porchlight when I log in/ }));
    await waitFor(() => expect(callsOf('settings.update')).toEqual([{ desktop: { startAtLogin: true } }]));
  });

  test('a browser can’t start it at login, and does not offer it', async () => {
    openWindow({ house: reachable(), hash: '#/welcome?step=done', home: 'browser' });
    await title('Done');
    expect(screen.queryByRole('switch')).toBeNull();
  });

  test('the last step is called Check while something has failed, and offers no sign-in', async () => {
    const house = { ...livedInHouse(now), lastCheck: null };
    const { callsOf } = openWindow({ house, hash: '#/welcome?step=done' });
    await screen.findByText('One thing needs your attention.');
    expect(await title('Check')).toBeTruthy();
    expect(current()).toContain('Check');
    expect(screen.queryByRole('link', { name: 'Start the test sign-in' })).toBeNull();
    expect(callsOf('setup.testSignIn')).toEqual([]);
  });

  test('once nothing has failed, it is done and offers a test sign-in, each link for one', async () => {
    const { user, callsOf } = openWindow({ house: reachable(), hash: '#/welcome?step=done' });
    await title('Done');
    expect(current()).toContain('Done');
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Start the test sign-in' });
    expect(link.href).toBe('https://porch.marlow.example/auth?state=one-time');
    expect([link.target, link.rel]).toEqual(['_blank', 'noopener noreferrer']);
    link.addEventListener('click', (event) => event.preventDefault()); // there is no browser to open
    await user.click(link);
    await waitFor(() => expect(callsOf('setup.testSignIn')).toHaveLength(2));
  });

  test('names what could be better there, and explains it on request', async () => {
    const visitors: Finding = {
      id: 'visitors',
      area: 'address',
      level: 'warning',
      title: 'Porchlight can’t tell visitors apart',
      detail: 'All visitors look like one.',
      fix: 'Set CF-Connecting-IP.',
    };
    const house = reachable({ findings: [visitors, { ...missing, level: 'pass' }] });
    const { user } = openWindow({ house, hash: '#/welcome?step=done' });
    await title('Done');
    expect(screen.getByText('Everything works. Apps can find your sign-in.')).toBeTruthy();
    const line = screen.getByText('Porchlight can’t tell visitors apart').closest('details');
    expect(line?.textContent).toContain('Set CF-Connecting-IP.');
    expect(line?.open).toBe(false);
    await user.click(screen.getByText('Could be better:'));
    expect(line?.open).toBe(true);
  });

  test('a sign-in that waits is named there, with the way to its approval', async () => {
    const signIns = [waitingSignIn(now, { clientName: 'Porchlight test app' })];
    openWindow({ house: reachable({ signIns }), hash: '#/welcome?step=done' });
    expect(await screen.findByText('Porchlight test app is waiting for your approval.')).toBeTruthy();
    const review = screen.getByRole('link', { name: 'Review this sign-in' });
    expect(review.getAttribute('href')).toBe('#/sign-ins?id=sign-in-1');
  });
});

describe('the set-up without a domain', () => {
  const base = 'https://porch.marlow.example';
  const start = async (house: House) => {
    const opened = openWindow({ house });
    await opened.user.click(await screen.findByRole('radio', { name: 'No' }));
    return opened;
  };

  test.each([
    ['a long one', 'Ada '.repeat(50).trim()],
    ['one from right to left', 'ليلى مارلو'],
    ['one of emoji', '🦊🏮'],
    ['none', ''],
  ])(
    'makes the public address the home page, in three steps, with nothing to paste; name: %s',
    async (_what, name) => {
      const { user, callsOf } = await start(newHouse(now));
      if (name !== '') await user.click(screen.getByLabelText('Your name (optional)'));
      if (name !== '') await user.paste(name);
      await user.click(await button('Continue'));
      await title('How can the web reach you?');
      expect(screen.getByText('Step 2 of 3')).toBeTruthy();
      expect(await screen.findByText(`${base}/`)).toBeTruthy();
      await user.click(await button('Continue'));
      expect(document.activeElement).toBe(await title('Done'));
      expect(screen.getByText('Step 3 of 3')).toBeTruthy();
      expect(callsOf('settings.update')).toEqual([
        { profile: { name } },
        { profile: { me: `${base}/`, url: '' }, webmention: { hold: 'strangers' } },
      ]);
    },
  );

  test('counts three steps as soon as the owner says so, and four when they change their mind', async () => {
    const { user } = await start(newHouse(now));
    expect(screen.getByText('Step 1 of 3')).toBeTruthy();
    expect(screen.queryByText('Your home page')).toBeNull();
    await user.click(screen.getByRole('radio', { name: 'Yes' }));
    expect(screen.getByText('Step 1 of 4')).toBeTruthy();
    expect(screen.getByText('Your home page')).toBeTruthy();
  });

  test('stopping it before there is an address saves nothing and returns to the question', async () => {
    const house = newHouse(now);
    house.status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
    const { user, callsOf } = await start(house);
    await user.type(screen.getByLabelText('Your name (optional)'), 'Ada');
    await user.click(await button('Continue'));
    expect(await button('Skip for now')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([{ profile: { name: 'Ada' } }]);
    cleanup();
    openWindow({ house });
    expect(await screen.findByRole<HTMLInputElement>('radio', { name: 'No' })).toHaveProperty(
      'checked',
      true,
    );
    expect(screen.getByLabelText<HTMLInputElement>('Your name (optional)').value).toBe('Ada');
  });

  test('with a quick tunnel it says that sign-ins do not last', async () => {
    const house = newHouse(now);
    house.status = { ...house.status, baseUrl: 'https://warm-light.trycloudflare.com' };
    openWindow({ house, hash: '#/welcome?step=reach&website=none' });
    expect(await screen.findByText(/apps won’t recognize you the next time/)).toBeTruthy();
  });

  test('an address that can’t be a home page is refused with a message, on the same step', async () => {
    const refused = () => Promise.reject(new PorchlightError('invalid_request', 'It has a port.'));
    const handlers = { 'settings.update': refused };
    const { user } = openWindow({
      house: newHouse(now),
      hash: '#/welcome?step=reach&website=none',
      handlers,
    });
    await screen.findByText(`${base}/`);
    await user.click(await button('Continue'));
    expect((await screen.findByRole('alert')).textContent).toContain('It has a port.');
    expect(await title('How can the web reach you?')).toBeTruthy();
  });

  test('skips the step for the lines when it is opened again later', async () => {
    const house = reachable();
    house.settings.profile = { ...house.settings.profile, me: `${base}/` };
    openWindow({ house, hash: '#/welcome?step=links' });
    expect(await title('Done')).toBeTruthy();
    expect(screen.getByText('Step 3 of 3')).toBeTruthy();
  });
});

describe('the clicks of the set-up', () => {
  /** Opens a new house that the web can't reach, and counts what the owner clicks. */
  function startCounting(house: House) {
    const { settings } = newHouse(now);
    const { user } = openWindow({ house: { ...house, settings, status: { ...house.status, me: null } } });
    let count = 0;
    const click = async (element: HTMLElement) => {
      count += 1;
      await user.click(element);
    };
    return { user, click, count: () => count };
  }

  test('with a domain at Cloudflare, ten clicks lead from the first question to Overview', async () => {
    const { user, click, count } = startCounting(unreachedHouse(now));
    await click(await screen.findByLabelText('Your domain'));
    await user.paste('marlow.example');
    await click(await button('Continue'));
    await title('Is this you?');
    await click(await button('Continue'));
    const tokenPage = await screen.findByRole('link', { name: 'Open Cloudflare’s token page' });
    tokenPage.addEventListener('click', (event) => event.preventDefault()); // there is no browser to open
    await click(tokenPage);
    await click(screen.getByLabelText('API token'));
    await user.paste(goodToken);
    await click(await button('Continue'));
    await screen.findByText('porch.marlow.example is available.');
    await click(await button('Set up porch.marlow.example'));
    await title('Connect your home page');
    await click(await button('Copy the lines for your home page'));
    await click(await button('Continue'));
    await title('Done');
    await click(await button('Go to Overview'));
    await title('Overview');
    expect(count()).toBeLessThanOrEqual(10);
  });

  test('without a domain, with Tailscale, six clicks at most lead there', async () => {
    const { click, count } = startCounting(tailscaleHouse(now));
    await click(await screen.findByRole('radio', { name: 'No' }));
    await click(await button('Continue'));
    await screen.findByDisplayValue('https://den.tail1a2b3.ts.net');
    await click(await button('Continue'));
    await title('Done');
    await click(await button('Go to Overview'));
    await title('Overview');
    expect(count()).toBeLessThanOrEqual(6);
  });
});
