import type { Handlers, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { readTailscale, startFunnel } from '../platform/other-programs.ts';
import type { Cloudflare } from './cloudflare/cloudflare.ts';
import { linkTagsOf } from './public-address.ts';
import type { SelfTester } from './self-test/self-test.ts';

/**
 * Creates the handlers for the window's calls about the setup at Cloudflare. `empty`: fetches all requests before a task
 * removes the mailbox. Rejects if requests would be lost. `changed`: called after the setup may have changed.
 */
export function cloudflareHandlers(
  cloudflare: Cloudflare,
  empty: (request: Params<'cloudflare.resume'>) => Promise<void>,
  changed: () => Promise<void>,
) {
  return {
    'cloudflare.status': () => cloudflare.status(),
    'cloudflare.connect': ({ apiToken }) => cloudflare.connect(apiToken),
    'cloudflare.checkName': ({ zoneId, hostname }) => cloudflare.checkName(zoneId, hostname),
    'cloudflare.setUp': async (requested) => {
      if (!requested.mailbox) await empty({});
      return cloudflare.setUp(requested);
    },
    'cloudflare.resume': async (request) => {
      try {
        const setup = cloudflare.record();
        if (setup?.task === 'disconnect' || setup?.mailbox === false) await empty(request);
        return await cloudflare.resume(request.apiToken);
      } finally {
        await changed();
      }
    },
    'cloudflare.disconnect': async (request) => {
      try {
        await empty(request);
        return await cloudflare.remove(request.apiToken);
      } finally {
        await changed();
      }
    },
  } satisfies Partial<Handlers>;
}

/**
 * Creates the handlers for the window's calls about the public address and its self-test. `port`: returns the port of this
 * server; null while it is off.
 */
export function setupHandlers(base: () => string, selfTest: SelfTester, port: () => number | null) {
  return {
    'setup.linkTags': () => {
      const tags = linkTagsOf(base());
      return { tags, html: tags.map(({ rel, href }) => `<link rel="${rel}" href="${href}">`).join('\n') };
    },
    'setup.check': ({ only }) => (only === undefined ? selfTest.run() : selfTest.runOnly(only)),
    'setup.lastCheck': () => selfTest.last(),
    'setup.tailscale': () => readTailscale(),
    'setup.startFunnel': () => {
      const published = port();
      if (published === null)
        throw new PorchlightError('server_off', 'The server is off. Turn it on first, then start Funnel.');
      return startFunnel(published);
    },
  } satisfies Partial<Handlers>;
}
