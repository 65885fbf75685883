import type { Handlers } from '../contract/contract.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { MailboxKeys, openMailboxKeys } from './keys.ts';
import type { MailboxClient } from './mailbox-client.ts';
import type { Mailbox } from './mailbox.ts';

/** The mailbox that was set up at Cloudflare. */
export interface CloudflareMailbox {
  /** Returns whether the mailbox was created. */
  readonly isOn: () => boolean;
  /**
   * Uploads the mailbox with its current keys; creates the mailbox if there is none. Calls `prepare` once the API token
   * is verified, before changing anything.
   * @throws PorchlightError `cloudflare_…`
   */
  readonly upload: (apiToken: string | undefined, prepare?: () => Promise<void>) => Promise<void>;
  /** Returns the mailbox's origin; undefined if no address was set up. */
  readonly address: () => string | undefined;
  /** Returns whether Cloudflare still routes requests to the mailbox. @throws PorchlightError `cloudflare_…` */
  readonly isRouted: (apiToken: string | undefined) => Promise<boolean>;
  /** Removes the mailbox, and deletes its keys from this computer. @throws PorchlightError `cloudflare_…` */
  readonly remove: (apiToken: string | undefined) => Promise<void>;
}

interface OwnerMailbox {
  readonly client: Pick<MailboxClient, 'call'>;
  readonly keys: Pick<ReturnType<typeof openMailboxKeys>, 'read' | 'rotate' | 'takeBack'>;
  readonly mailbox: Pick<Mailbox, 'status' | 'retry'>;
  readonly activity: Pick<Activity, 'record'>;
  readonly cloudflare: () => CloudflareMailbox;
  /** Fetches the requests in the mailbox. Never rejects. */
  readonly fetchKept: () => Promise<void>;
  /** Fetches all requests before the mailbox is removed. Rejects if requests would be lost. */
  readonly empty: (apiToken: string | undefined) => Promise<void>;
  /** Called after a change to the mailbox at Cloudflare. */
  readonly changed: () => Promise<void>;
}

/** Creates the handlers for the window's calls about the mailbox. */
export function mailboxHandlers(owned: OwnerMailbox) {
  const { client, keys, mailbox, activity, cloudflare, fetchKept, empty, changed } = owned;
  return {
    'mailbox.status': () => mailbox.status(),
    'mailbox.retry': async () => {
      await mailbox.retry();
      return mailbox.status();
    },
    'mailbox.turnOn': async ({ apiToken, takeOver = false }) => {
      if (takeOver) await client.call('claim', {});
      else await cloudflare().upload(apiToken);
      await changed();
      await activity.record('mailbox.on', 'You turned the mailbox on.');
      return mailbox.status();
    },
    'mailbox.turnOff': async ({ apiToken, discardKept = false }) => {
      await (discardKept ? fetchKept() : empty(apiToken));
      await cloudflare().remove(apiToken);
      await changed();
      await activity.record('mailbox.off', 'You turned the mailbox off.');
      return mailbox.status();
    },
    'mailbox.rotateKeys': async ({ apiToken }) => {
      // The keys are changed even if fetching failed, because the old key can still decrypt requests later.
      await fetchKept();
      const before = await keys.read().catch(() => undefined);
      let replaced: MailboxKeys | undefined;
      try {
        await cloudflare().upload(apiToken, async () => {
          replaced = await keys.rotate();
        });
      } catch (error) {
        // If the upload failed, the mailbox most likely still uses the old keys. If the new keys arrived despite the
        // error, the owner can click Resume, which uploads the old keys again.
        if (before && replaced) await keys.takeBack(before, replaced);
        throw error;
      } finally {
        await changed();
      }
      await activity.record('mailbox.keys', 'You replaced the keys of the mailbox.');
      return mailbox.status();
    },
  } satisfies Partial<Handlers>;
}
