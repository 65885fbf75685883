import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

/** A Cloudflare API token, pasted by the owner. */
const ApiToken = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7E]+$' });
/**
 * The parameters of a task that can remove the mailbox (a Cloudflare Worker that responds while this computer is
 * asleep). `discardKept`: whether to remove the mailbox even if some of the requests that it kept for this server can't
 * be fetched. These requests are then lost.
 */
const MayRemoveMailbox = closed({
  apiToken: Type.Optional(ApiToken),
  discardKept: Type.Optional(Type.Boolean()),
});
/** An ID assigned by Cloudflare: 32 hex digits. */
const CloudflareId = Type.String({ pattern: '^[0-9a-f]{32}$' });

/** The permissions that the token needs, as Cloudflare's token page names them. */
export const cloudflarePermissions = [
  { name: 'Account · Cloudflare Tunnel · Edit', key: 'argotunnel', type: 'edit' },
  { name: 'Account · Workers Scripts · Edit', key: 'workers_scripts', type: 'edit' },
  { name: 'Zone · DNS · Edit', key: 'dns', type: 'edit' },
  { name: 'Zone · Workers Routes · Edit', key: 'workers_routes', type: 'edit' },
  { name: 'Zone · Zone · Read', key: 'zone', type: 'read' },
] as const;

const Account = closed({ id: CloudflareId, name: Type.String() });
/** A domain at Cloudflare. Only an `active` domain can be used. */
const Zone = closed({
  id: CloudflareId,
  name: Type.String(),
  accountId: CloudflareId,
  active: Type.Boolean(),
});

/** A resource that Porchlight created at Cloudflare. */
const Created = closed({
  what: choice('tunnel', 'record', 'worker', 'route'),
  name: Type.String(),
});

export const CloudflareStatus = closed({
  /**
   * `none`: nothing was set up. `working`: a setup or a removal is running. `unfinished`: a setup or a removal was
   * interrupted or failed. The owner can resume the task, or remove the resources that still exist at Cloudflare.
   * `ready`: the public address works.
   */
  state: choice('none', 'working', 'unfinished', 'ready'),
  words: Type.String(),
  /** The task that is not finished; null if there is none. */
  task: orNull(choice('setUp', 'disconnect')),
  hostname: Maybe(),
  mailbox: Type.Boolean(),
  created: Type.Array(Created),
  /** Whether a Cloudflare API token is stored on this computer. */
  tokenKept: Type.Boolean(),
});
export type CloudflareStatus = Static<typeof CloudflareStatus>;

/** The progress of a setup, of a removal, or of a change to the mailbox. */
export const CloudflareProgress = closed({
  task: choice('setUp', 'disconnect', 'mailbox'),
  /** A description of the running step, for the owner. */
  words: Type.String(),
  done: Type.Integer(),
  total: Type.Integer(),
});
export type CloudflareProgress = Static<typeof CloudflareProgress>;

export const cloudflareMethods = {
  'cloudflare.status': method(Nothing, CloudflareStatus),
  /**
   * Checks a token, and returns the accounts and domains that the token can access. Keeps the token in memory until
   * Porchlight quits.
   * @throws cloudflare_token if the token is not valid or lacks a permission. The message names the permission.
   */
  'cloudflare.connect': method(
    closed({ apiToken: ApiToken }),
    closed({ accounts: Type.Array(Account), zones: Type.Array(Zone) }),
  ),
  /**
   * Returns whether a host name is available. If it is not, `words` gives the reason. @throws cloudflare_token_needed
   */
  'cloudflare.checkName': method(
    closed({ zoneId: CloudflareId, hostname: Type.String({ maxLength: 253 }) }),
    closed({ available: Type.Boolean(), words: Type.String() }),
  ),
  /**
   * Creates a tunnel and its DNS record, and the mailbox if requested, and starts to use them. Resumes an unfinished
   * setup of the same host name. Sends `cloudflare.progress` events.
   * @throws cloudflare_token, cloudflare_token_needed, cloudflare_name_taken, cloudflare_limit, cloudflare_failed;
   * mailbox_not_empty if no mailbox is requested, but one exists and can't be emptied
   */
  'cloudflare.setUp': method(
    closed({
      accountId: CloudflareId,
      zoneId: CloudflareId,
      hostname: Type.String({ maxLength: 253 }),
      mailbox: Type.Boolean(),
      keepToken: Type.Optional(Type.Boolean()),
    }),
    CloudflareStatus,
  ),
  /**
   * Resumes an interrupted setup or removal, with the given token or the stored token.
   * @throws mailbox_not_empty for the same reason as cloudflare.disconnect
   */
  'cloudflare.resume': method(MayRemoveMailbox, CloudflareStatus),
  /**
   * Fetches all kept requests from the mailbox, then removes only the resources that the setup created. `apiToken` is
   * required if no token is stored.
   * @throws mailbox_not_empty if a kept request can't be fetched and `discardKept` isn't true. In that case, nothing is
   * removed.
   */
  'cloudflare.disconnect': method(MayRemoveMailbox, CloudflareStatus),
};

export const MailboxStatus = closed({
  /**
   * `off`: there is no mailbox. `awake`: the mailbox can't respond in place of this server yet, because some pages
   * aren't copied or the owner has turned the server off. `asleep-ready`: all pages are copied, so this computer can
   * sleep. `trouble`: the owner must fix a problem with the mailbox, or the mailbox can't be reached.
   */
  state: choice('off', 'awake', 'asleep-ready', 'trouble'),
  words: Type.String(),
  /** The action that can solve the `trouble`; null if there is none. */
  remedy: orNull(choice('retry', 'takeOver', 'update')),
  /** The number of requests that the mailbox keeps for this server, as the mailbox last reported it. */
  kept: Type.Integer(),
  /** The number of copies of pages and files in the mailbox. */
  copies: Type.Integer(),
  /** The number of pages and files that are not copied because they are too large or the mailbox is full. */
  leftOut: Type.Integer(),
  /** The number of pages and files whose current version has yet to be copied. */
  toCopy: Type.Integer(),
  /** The number of pages and files that are no longer public but may still have a copy in the mailbox. */
  toRemove: Type.Integer(),
  lastDrain: orNull(closed({ at: Moment, arrived: Type.Integer() })),
});
export type MailboxStatus = Static<typeof MailboxStatus>;

export const mailboxMethods = {
  'mailbox.status': method(Nothing, MailboxStatus),
  /**
   * Turns the mailbox on, or uploads the current version of its program. If `takeOver` is true, uploads nothing.
   * Instead, takes over the mailbox from another computer that uses the same keys.
   */
  'mailbox.turnOn': method(
    closed({ apiToken: Type.Optional(ApiToken), takeOver: Type.Optional(Type.Boolean()) }),
    MailboxStatus,
  ),
  /**
   * Fetches all kept requests from the mailbox, then deletes the mailbox and its contents at Cloudflare.
   * @throws mailbox_not_empty for the same reason as cloudflare.disconnect
   */
  'mailbox.turnOff': method(MayRemoveMailbox, MailboxStatus),
  /** Replaces all keys of the mailbox. Requests that were encrypted with the old keys can still be decrypted. */
  'mailbox.rotateKeys': method(closed({ apiToken: Type.Optional(ApiToken) }), MailboxStatus),
  /**
   * Retries all failed work with the mailbox, such as copying pages to it, and fetches the requests that it has kept.
   */
  'mailbox.retry': method(Nothing, MailboxStatus),
};

/** The data of the `mailbox.arrived` event, which is sent after kept requests were fetched from the mailbox. */
export const MailArrived = closed({ arrived: Type.Integer({ minimum: 1 }) });
