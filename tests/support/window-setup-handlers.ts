import type { Handlers } from '../../src-main/contract/contract.ts';
import type { SelfTest } from '../../src-main/contract/reach.ts';
import type { House } from './window-fixtures.ts';

type Setup = Pick<Handlers, Extract<keyof Handlers, `setup.${string}`>>;

/** How the set-up of `house` is answered: what its findings are is what a check finds. */
export function setupHandlersOf(house: House): Setup {
  const base = house.status.baseUrl;
  const tags = [
    { rel: 'indieauth-metadata', href: `${base}/.well-known/oauth-authorization-server` },
    { rel: 'authorization_endpoint', href: `${base}/auth` },
    { rel: 'token_endpoint', href: `${base}/token` },
  ];
  let last: SelfTest | null = house.lastCheck;
  return {
    'setup.linkTags': () =>
      Promise.resolve({
        tags,
        html: tags.map(({ rel, href }) => `<link rel="${rel}" href="${href}">`).join('\n'),
      }),
    'setup.check': ({ only }) => {
      const findings = house.findings.filter(({ area }) => only === undefined || area === only);
      const test = { findings, at: '2026-11-21T08:00:00.000Z', base };
      if (only === undefined) last = test;
      return Promise.resolve(test);
    },
    'setup.lastCheck': () => Promise.resolve(last),
    'setup.checkBridge': () => Promise.resolve(house.bridge),
    'setup.tailscale': () => Promise.resolve(house.tailscale),
    'setup.testSignIn': () =>
      Promise.resolve({ url: `${base}/auth?state=one-time`, expiresAt: '2026-11-21T08:10:00.000Z' }),
  };
}
