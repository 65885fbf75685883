import type { Handlers } from '../../src-main/contract/contract.ts';
import type { SelfTest } from '../../src-main/contract/reach.ts';
import type { House } from './window-fixtures.ts';

type Setup = Pick<Handlers, Extract<keyof Handlers, `setup.${string}`>>;

/** How the set-up of `house` is answered: what its findings are is what a check finds. */
export function setupHandlersOf(house: House): Setup {
  const tagsNow = () =>
    Object.entries({
      'indieauth-metadata': '/.well-known/oauth-authorization-server',
      authorization_endpoint: '/auth',
      token_endpoint: '/token',
    }).map(([rel, path]) => ({ rel, href: house.status.baseUrl + path }));
  let last: SelfTest | null = house.lastCheck;
  return {
    'setup.linkTags': () => {
      const tags = tagsNow();
      const html = tags.map(({ rel, href }) => `<link rel="${rel}" href="${href}">`).join('\n');
      return Promise.resolve({ tags, html });
    },
    'setup.check': ({ only }) => {
      const findings = house.findings.filter(
        ({ area, id }) => only === undefined || [area, id].includes(only),
      );
      const test = { findings, at: '2026-11-21T08:00:00.000Z', base: house.status.baseUrl };
      if (only === undefined) last = test;
      return Promise.resolve(test);
    },
    'setup.lastCheck': () => Promise.resolve(last),
    'setup.checkBridge': () => Promise.resolve(house.bridge),
    'setup.tailscale': () => Promise.resolve(house.tailscale),
    'setup.startFunnel': () =>
      Promise.resolve({ state: 'started', url: `https://${house.tailscale.name ?? ''}` }),
    'setup.testSignIn': () =>
      Promise.resolve({
        url: `${house.status.baseUrl}/auth?state=one-time`,
        expiresAt: '2026-11-21T08:10:00.000Z',
      }),
  };
}
