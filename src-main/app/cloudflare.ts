import { readFile } from 'node:fs/promises';
import { Cloudflare } from '../address/cloudflare/cloudflare.ts';
import { openCloudflareRecord } from '../address/cloudflare/record.ts';
import { cloudflareHandlers } from '../address/owner.ts';
import type { Params } from '../contract/contract.ts';
import type { SettingsAccess } from '../contract/settings.ts';
import { cloudflareApiBase } from '../address/cloudflare/requests.ts';
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
  const options = {
    secrets,
    settings,
    fetch,
    hub,
    activity,
    apiBase: cloudflareApiBase(process.env),
    port: () => deps.reaching.listener.port,
    tunnel: deps.reaching.tunnelControl,
    workerScript: () => readFile(new URL('../edge/worker.js', import.meta.url), 'utf8'),
    mailboxKeys: () => mailbox.edgeKeys(),
    forgetMailboxKeys: () => mailbox.forgetKeys(),
    async mailboxChanged(on: boolean) {
      // After the mailbox has been set up, don't wait until it responds, because a new public address takes a while to
      // work. Before the mailbox is removed, fetch the requests that have arrived since the last fetch.
      if (on) background(mailbox.changedAtCloudflare());
      else await mailbox.fetchKept();
    },
  };
  const cloudflare = new Cloudflare(options, await openCloudflareRecord(documents));
  mailbox.connect({
    isOn: () => cloudflare.mailboxExists(),
    address() {
      const hostname = cloudflare.record()?.hostname;
      return deps.fixedBase ?? (hostname === undefined ? undefined : `https://${hostname}`);
    },
    upload: (apiToken, prepare) => cloudflare.uploadMailbox(apiToken, prepare),
    isRouted: (apiToken) => cloudflare.isMailboxRouted(apiToken),
    remove: (apiToken) => cloudflare.removeMailbox(apiToken),
  });

  async function empty({ apiToken, discardKept = false }: Params<'cloudflare.resume'>): Promise<void> {
    // If the owner has agreed to lose its content, the mailbox isn't emptied.
    if (cloudflare.mailboxExists() && !discardKept) await mailbox.empty(apiToken);
  }

  return {
    handlers: cloudflareHandlers(cloudflare, empty, () => mailbox.changedAtCloudflare()),
    /** Returns the port to which the tunnel forwards requests; null if no tunnel was set up. */
    tunnelPort: () => cloudflare.record()?.port ?? null,
    start: () => cloudflare.start(),
    stop: () => cloudflare.stop(),
  };
}
