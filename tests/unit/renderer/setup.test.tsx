import { act, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { welcomeHash } from '../../../src-renderer/routes.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const hash = '#/setup';

describe('the set-up', () => {
  test('copies all link elements as one text', async () => {
    const { user } = openWindow({ hash });
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const button = await screen.findByRole('button', { name: 'Copy the lines for your home page' });
    // Otherwise, screen readers would say “Copy” as soon as the button appears.
    expect(within(button).getByRole('status').textContent).toBe('');
    await user.click(button);
    expect(within(button).getByRole('status').textContent).toBe('Copied: the lines for your home page');
    expect(write.mock.calls).toEqual([
      [
        [
          '<link rel="indieauth-metadata" href="https://porch.marlow.example/.well-known/oauth-authorization-server">',
          '<link rel="authorization_endpoint" href="https://porch.marlow.example/auth">',
          '<link rel="token_endpoint" href="https://porch.marlow.example/token">',
        ].join('\n'),
      ],
    ]);
    expect(await screen.findByText('Copied')).toBeTruthy();
  });

  test('says so where copying is not allowed', async () => {
    const { user } = openWindow({ hash });
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'));
    await user.click(await screen.findByRole('button', { name: 'Copy the lines for your home page' }));
    expect(await screen.findByRole('button', { name: /^Couldn’t copy\./ })).toBeTruthy();
  });

  test('checks the site, and reports each finding with advice', async () => {
    const { user } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    expect(await screen.findByText('2 things need your attention.')).toBeTruthy();
    const words = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(words).toContainEqual(expect.stringContaining('OK: Apps find your sign-in'));
    expect(words).toContainEqual(
      expect.stringMatching(/Could be better: .*What to do: Configure your reverse proxy/),
    );
    expect(words).toContainEqual(expect.stringMatching(/Problem: .*What to do: Put <link/));
  });

  test('an answer that was on its way before the check ended does not replace its result', async () => {
    let answerEarlier: (last: null) => void = () => undefined;
    const earlier = new Promise<null>((resolve) => (answerEarlier = resolve));
    const { callsOf } = openWindow({
      hash: welcomeHash('done'),
      handlers: { 'setup.lastCheck': () => earlier },
    });
    expect(await screen.findByText(/your attention\.$/)).toBeTruthy();
    expect(callsOf('setup.lastCheck')).toHaveLength(1);
    await act(async () => {
      answerEarlier(null);
      await earlier;
    });
    expect(screen.getByText(/your attention\.$/)).toBeTruthy();
  });

  test('says so where all is well', async () => {
    const house = livedInHouse(Date.now());
    house.findings = house.findings.filter(({ level }) => level === 'pass');
    const { user } = openWindow({ hash, house });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    expect(await screen.findByText(/Everything works/)).toBeTruthy();
  });

  test('warns where its lines would lead to this computer only', async () => {
    const house = livedInHouse(Date.now());
    house.status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
    openWindow({ hash, house });
    expect(await screen.findByText(/no public address yet/)).toBeTruthy();
  });

  test('warns of nothing if there is a public address', async () => {
    openWindow({ hash });
    await screen.findByRole('button', { name: 'Copy the lines for your home page' });
    expect(screen.queryByText(/no public address yet/)).toBeNull();
  });

  test('a site without any of the lines is one thing to do, not many', async () => {
    const house = livedInHouse(Date.now());
    house.findings = ['link.micropub', 'link.token_endpoint'].map((id) => ({
      id,
      area: 'site' as const,
      level: 'fail' as const,
      title: 'Apps find it',
      detail: 'Your page has no such link.',
    }));
    const { user } = openWindow({ hash, house });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    expect(await screen.findByText(/doesn’t point to this Porchlight yet/)).toBeTruthy();
    expect(screen.queryByText(/Your page has no such link/)).toBeNull();
  });

  test('beside another problem, a site without any of the lines counts as one', async () => {
    const house = livedInHouse(Date.now());
    const [site, , link] = house.findings;
    house.findings = [
      { ...site!, id: 'clock', area: 'computer', level: 'fail', title: 'This computer’s clock is wrong' },
      ...['link.micropub', 'link.token_endpoint'].map((id) => ({ ...link!, id })),
    ];
    const { user } = openWindow({ hash, house });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    expect(await screen.findByText('2 things need your attention.')).toBeTruthy();
    expect(screen.getAllByText(/^(Problem|OK|Could be better):$/)).toHaveLength(2);
    expect(screen.getByText(/^Paste the lines into the head/)).toBeTruthy();
  });

  test('the checks that passed are behind a line that opens', async () => {
    const { user } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    const line = await screen.findByText('1 check passed');
    const details = line.closest('details')!;
    expect(details.open).toBe(false);
    expect(within(details).getAllByRole('listitem', { hidden: true })).toHaveLength(1);
    await user.click(line);
    expect(details.open).toBe(true);
  });

  test('groups the remaining steps by place', async () => {
    const { user } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    const site = await screen.findByRole('region', { name: 'Your home page' });
    expect(within(site).getAllByRole('listitem')).toHaveLength(1);
    const address = screen.getByRole('region', { name: 'Your public address' });
    expect(within(address).getAllByRole('listitem')).toHaveLength(1);
  });

  test('shows the last result without asking again, and its time', async () => {
    const house = livedInHouse(Date.now());
    house.lastCheck = {
      findings: house.findings,
      at: '2026-11-20T08:00:00.000Z',
      base: house.status.baseUrl,
    };
    const { callsOf } = openWindow({ hash, house });
    expect(await screen.findByText('2 things need your attention.')).toBeTruthy();
    expect(document.querySelector('time')?.dateTime).toBe('2026-11-20T08:00:00.000Z');
    expect(callsOf('setup.check')).toEqual([]);
  });

  test('says that the address has changed since the check', async () => {
    const house = livedInHouse(Date.now());
    house.lastCheck = {
      findings: house.findings,
      at: '2026-11-20T08:00:00.000Z',
      base: 'https://old.example',
    };
    openWindow({ hash, house });
    expect(await screen.findByText(/Your address has changed since/)).toBeTruthy();
  });

  test('shows a check that was made elsewhere, for example from the tray', async () => {
    const { client, house } = openWindow({ hash });
    await screen.findByRole('button', { name: 'Check again' });
    const data = { findings: house.findings, at: '2026-11-21T08:00:00.000Z', base: house.status.baseUrl };
    act(() => client.emit({ name: 'setup.checked', data }));
    expect(await screen.findByText('2 things need your attention.')).toBeTruthy();
  });

  test('says why the site could not be checked', async () => {
    const { user } = openWindow({ hash, handlers: { 'setup.check': failing('No network.') } });
    await user.click(await screen.findByRole('button', { name: 'Check again' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No network.');
  });
});
