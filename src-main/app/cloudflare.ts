import { readFile } from 'node:fs/promises';
import type { Handlers, Params } from '../contract/contract.ts';
import { createCloudflare } from '../address/cloudflare/cloudflare.ts';
import type { SettingsAccess } from '../contract/settings.ts';
import { cloudflareApiBase } from '../platform/cloudflare-request.ts';
import type { Common } from '../http/common.ts';
import type { MailboxPart } from '../mailbox/part.ts';
import type { Reaching } from '../address/part.ts';

interface CloudflareDeps extends Pick<
  Common,
  'documents' | 'secrets' | 'fetch' | 'hub' | 'activity' | 'log' | 'background'
> {
  readonly settings: SettingsAccess;
  readonly reaching: Pick<Reaching, 'listener' | 'tunnelControl'>;
  readonly mailbox: MailboxPart;
  /** The public origin from the command line. If present, it takes precedence over the address set up at Cloudflare. */
  readonly fixedBase: string | undefined;
}

/** Opens the part of the service that sets up the public address and the mailbox at Cloudflare. */
export async function openCloudflare(deps: CloudflareDeps) {
  const { documents, secrets, fetch, hub, activity, settings, background, mailbox } = deps;
  const { listener, tunnelControl } = deps.reaching;
  const cloudflare = await createCloudflare({
    documents,
    secrets,
    settings,
    fetch,
    hub,
    activity,
    apiBase: cloudflareApiBase(process.env),
    port: () => listener.port,
    tunnel: {
      setToken: (token) => tunnelControl.setToken(token),
      follow: () => tunnelControl.follow(),
    },
    workerScript: () => readFile(new URL('../edge/worker.js', import.meta.url), 'utf8'),
    mailboxKeys: () => mailbox.edgeKeys(),
    forgetMailboxKeys: () => mailbox.forgetKeys(),
    async mailboxChanged(on) {
      // After the mailbox has been set up, don't wait until it responds, because a new public address takes a while to
      // work. Before the mailbox is removed, fetch the requests that have arrived since the last fetch.
      if (on) background(mailbox.changedAtCloudflare());
      else await mailbox.fetchKept();
    },
  });
  mailbox.connect({
    isOn: () => cloudflare.mailbox.exists(),
    address() {
      const hostname = cloudflare.record()?.hostname;
      return deps.fixedBase ?? (hostname === undefined ? undefined : `https://${hostname}`);
    },
    upload: (apiToken, prepare) => cloudflare.mailbox.upload(apiToken, prepare),
    isRouted: (apiToken) => cloudflare.mailbox.isRouted(apiToken),
    remove: (apiToken) => cloudflare.mailbox.remove(apiToken),
  });

  /** Empties the mailbox before a task removes it. Does nothing if the owner has agreed to lose its content. */
  async function empty({ apiToken, discardKept = false }: Params<'cloudflare.resume'>): Promise<void> {
    if (cloudflare.mailbox.exists() && !discardKept) await mailbox.empty(apiToken);
  }

  async function setUp(params: Params<'cloudflare.setUp'>) {
    if (!params.mailbox) await empty({});
    return await cloudflare.handlers['cloudflare.setUp'](params);
  }

  async function resume(params: Params<'cloudflare.resume'>) {
    try {
      const setup = cloudflare.record();
      if (setup?.task === 'disconnect' || setup?.mailbox === false) await empty(params);
      return await cloudflare.handlers['cloudflare.resume'](params);
    } finally {
      await mailbox.changedAtCloudflare();
    }
  }

  async function disconnect(params: Params<'cloudflare.disconnect'>) {
    try {
      await empty(params);
      return await cloudflare.handlers['cloudflare.disconnect'](params);
    } finally {
      await mailbox.changedAtCloudflare();
    }
  }

  return {
    handlers: {
      ...cloudflare.handlers,
      'cloudflare.setUp': setUp,
      'cloudflare.resume': resume,
      'cloudflare.disconnect': disconnect,
    } satisfies Partial<Handlers>,
    /** Returns the port to which the tunnel forwards requests; null if no tunnel was set up. */
    tunnelPort: () => cloudflare.record()?.port ?? null,
    start: () => cloudflare.start(),
    stop: () => cloudflare.stop(),
  };
}
