import type { Handlers, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { readTailscale, startFunnel } from '../platform/other-programs.ts';
import type { Cloudflare } from './cloudflare/cloudflare.ts';
import { linkTagsOf } from './public-address.ts';
import type { SelfTester } from './self-test/self-test.ts';

/** What follows in the mailbox when the owner changes the setup at Cloudflare. */
interface MailboxAtCloudflare {
  /** Fetches all requests before a task removes the mailbox. Rejects if requests would be lost. */
  readonly empty: (request: Params<'cloudflare.resume'>) => Promise<void>;
  /** Called after the setup may have changed. */
  readonly changed: () => Promise<void>;
}

/** Creates the handlers for the window's calls about the setup at Cloudflare. */
export function cloudflareHandlers(cloudflare: Cloudflare, { empty, changed }: MailboxAtCloudflare) {
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

interface OwnSetup {
  readonly base: () => string;
  readonly selfTest: SelfTester;
  /** Returns the port of this server; null while it is off. */
  readonly port: () => number | null;
}

/** Creates the handlers for the window's calls about the public address and its self-test. */
export function setupHandlers({ base, selfTest, port }: OwnSetup) {
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
