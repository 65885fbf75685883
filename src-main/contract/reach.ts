import { type Static, Type } from 'typebox';
import { TunnelMode } from './settings.ts';
import { choice, closed, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

/**
 * The reason why a tunnel does not work, as a code for programs. `words` in the status explains the reason to people.
 */
export const TunnelReason = Type.Union([
  Type.Literal('rate_limited'),
  Type.Literal('bad_token'),
  Type.Literal('no_token'),
  /** The keychain can't be read now, so Porchlight can't tell whether a token is stored. */
  Type.Literal('token_unreadable'),
  Type.Literal('no_network'),
  /** Something on the way to Cloudflare shows a certificate of its own, so it could read the connection. */
  Type.Literal('intercepted'),
  /** A certificate isn't valid at the time that this computer's clock shows. */
  Type.Literal('wrong_clock'),
  /** The file with the owner's certificate for cloudflared can't be used. */
  Type.Literal('bad_certificate'),
  Type.Literal('binary_missing'),
  Type.Literal('download_failed'),
  /** The cloudflared program is installed, but this computer can't run it. */
  Type.Literal('not_executable'),
  /** cloudflared hangs, or the public address no longer leads to this server. */
  Type.Literal('not_responding'),
  Type.Literal('crashed'),
]);
export type TunnelReason = Static<typeof TunnelReason>;

export const TunnelStatus = closed({
  mode: TunnelMode,
  /** `downloading`: the cloudflared program is being downloaded. `progress`: the progress of this download. */
  state: choice('off', 'downloading', 'starting', 'connected', 'reconnecting', 'failed'),
  words: Type.String(),
  /** The public address; null if there is none. */
  url: Maybe(),
  /** The number of open connections to Cloudflare's edge. */
  connections: Type.Integer({ minimum: 0 }),
  /** The reason why the tunnel does not work; null if it works, or if the reason is unknown. */
  reason: orNull(TunnelReason),
  /** What cloudflared itself printed about the trouble, as one line; absent if it printed nothing. */
  message: Type.Optional(Type.String()),
  /** The number of bytes downloaded. `total` is null while unknown. */
  progress: Type.Union([closed({ received: Type.Integer(), total: orNull(Type.Integer()) }), Type.Null()]),
});
export type TunnelStatus = Static<typeof TunnelStatus>;

export const tunnelMethods = {
  'tunnel.status': method(Nothing, TunnelStatus),
  'tunnel.start': method(Nothing, TunnelStatus),
  'tunnel.stop': method(Nothing, TunnelStatus),
};

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

export const LinkTag = closed({ rel: Type.String(), href: Type.String() });
export type LinkTag = Static<typeof LinkTag>;

/** The link elements for the head of the owner's site: as data (`tags`), and as HTML to paste (`html`). */
const LinkTags = closed({ tags: Type.Array(LinkTag), html: Type.String() });

/** The result of one check. `fix`: instructions for solving the problem. */
export const Finding = closed({
  id: Type.String(),
  /** Where the owner can fix the problem: at the public address, on their site, or on this computer. */
  area: choice('address', 'site', 'computer'),
  level: choice('pass', 'warning', 'fail'),
  title: Type.String(),
  detail: Type.String(),
  fix: Type.Optional(Type.String()),
});
export type Finding = Static<typeof Finding>;

/**
 * The result of a self-test of the public origin `base`. The findings are in the order in which the owner should fix
 * them.
 */
export const SelfTest = closed({ findings: Type.Array(Finding), at: Type.String(), base: Type.String() });
export type SelfTest = Static<typeof SelfTest>;

/**
 * What Bridgy Fed needs of the owner's site. `site`: the host of the site, which becomes the account's name. `lines`: the
 * lines for the redirects file of the site's host, which the owner has to paste; null if there is nothing to paste.
 */
export const BridgeCheck = closed({
  site: Type.String(),
  findings: Type.Array(Finding),
  lines: Maybe(),
});
export type BridgeCheck = Static<typeof BridgeCheck>;

/** The state of Tailscale. `name`: this computer's host name in the tailnet; null if Funnel can't use the name. */
const Tailscale = closed({
  state: choice('running', 'stopped', 'missing'),
  name: Maybe(253),
});
export type Tailscale = Static<typeof Tailscale>;

/** What became of starting Funnel. `url`: the public address, or the page on which the owner allows Funnel first. */
const Funnel = closed({
  state: choice('started', 'consent'),
  url: Type.String({ maxLength: 600, pattern: '^https://' }),
});
export type Funnel = Static<typeof Funnel>;

export const setupMethods = {
  'setup.linkTags': method(Nothing, LinkTags),
  /**
   * Tests the public address and the owner's site. `only` tests the site, or whether assistants can connect, and doesn't
   * store the result.
   */
  'setup.check': method(closed({ only: Type.Optional(choice('site', 'assistants')) }), SelfTest),
  /** Returns the result of the last full check; null if there was none. */
  'setup.lastCheck': method(Nothing, orNull(SelfTest)),
  /** Checks what Bridgy Fed needs of the owner's site: an h-card with name and photo, and two redirects. */
  'setup.checkBridge': method(Nothing, BridgeCheck),
  /** Returns the state of Tailscale, as the `tailscale` command on this computer reports it. */
  'setup.tailscale': method(Nothing, Tailscale),
  /**
   * Publishes this server's port with Tailscale Funnel. Doesn't change the settings.
   * @throws server_off; funnel_failed with Tailscale's own words
   */
  'setup.startFunnel': method(Nothing, Funnel),
  /**
   * Starts a test sign-in. `url`: the page to open in the owner's browser. The URL works only once, and expires at
   * `expiresAt`.
   */
  'setup.testSignIn': method(Nothing, closed({ url: Type.String(), expiresAt: Moment })),
};
