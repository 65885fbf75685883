import type { cloudflarePermissions, CloudflareStatus } from '../../../src-main/contract/reach.ts';

/** The words of the setup at Cloudflare. Those of the mailbox are in mailbox-words.ts. */

/** Returns a number with its noun, such as “1 page” or “1,200 pages”. */
export function countedThings(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

type PermissionKey = (typeof cloudflarePermissions)[number]['key'];

/** Why the token needs each permission. */
export const permissionReasons: Record<PermissionKey, string> = {
  argotunnel: 'Creates the tunnel to this computer.',
  workers_scripts: 'Creates the mailbox.',
  dns: 'Points your address to the tunnel.',
  workers_routes: 'Puts the mailbox in front of your address.',
  zone: 'Lists your domains.',
};

export const tokenWords = {
  group: 'One Cloudflare token',
  create: '1. Create a token',
  aboutCreating:
    'Cloudflare’s page opens with everything filled in. Choose “Continue to summary”, then “Create Token”.',
  permissions: (count: number) => `${count} permissions, already filled in`,
  link: 'Open Cloudflare’s token page',
  paste: '2. Paste the token',
  label: 'API token',
  about:
    'Porchlight deletes it after use, unless you keep it. After a failure, it stays in the keychain until you resume or disconnect.',
  empty: 'Paste your API token.',
  notAToken: 'This isn’t an API token. A token is one long word from Cloudflare.',
  check: 'Continue',
  failed: 'Porchlight can’t use this token.',
};

export const addressWords = {
  title: '3. Choose your address',
  works: 'The token works.',
  otherToken: 'Use another token',
  noDomain: 'Your token covers no domain.',
  noDomainHelp: 'Add a domain at Cloudflare, or include it in the token. Then paste the token again.',
  domain: 'Domain',
  inactive: (domain: string) => `${domain} (not active yet)`,
  inactiveHelp: 'A domain is active once its name servers are Cloudflare’s.',
  account: (name: string) => `In the account “${name}”`,
  name: 'Name',
  aboutName: 'The part before your domain, such as porch, or the domain itself.',
  badName: 'Use only letters, digits and hyphens, or enter the domain itself.',
  preview: 'Your address: ',
  checking: 'Checking the name…',
  available: (hostname: string) => `${hostname} is available.`,
  notChecked: 'Porchlight couldn’t check the name.',
  mailbox: 'Keep a mailbox while I’m away',
  keepToken: 'Keep the token in the keychain',
  aboutKeeping: 'Porchlight then doesn’t ask for a token to change or remove this.',
  setUp: (hostname: string) => `Set up ${hostname}`,
  failed: 'The setup failed.',
};

/** What the mailbox keeps, and what it never stores. */
export const mailboxLines = [
  'Shows copies of your public pages while this computer sleeps.',
  'Keeps mentions until this computer wakes.',
  'Seals each mention when it arrives. Only this computer can open it.',
  'Never stores drafts, private posts or tokens. Requests of your apps only pass through it.',
];

export const progressWords = {
  titles: {
    setUp: 'Setting up your address',
    disconnect: 'Disconnecting from Cloudflare',
    mailbox: 'Changing the mailbox',
  },
  starting: 'Contacting Cloudflare…',
  bar: 'Progress at Cloudflare',
  steps: (done: number, total: number) => `${done} of ${total} steps`,
};

export const cardWords = {
  group: 'Setup at Cloudflare',
  loading: 'the state of your setup at Cloudflare',
  unfinished: {
    setUp: 'The setup isn’t finished',
    disconnect: 'The removal isn’t finished',
  },
  ready: 'Your address is set up at Cloudflare',
  failed: {
    setUp: 'The setup failed.',
    resume: 'Porchlight couldn’t resume.',
    disconnect: 'Porchlight couldn’t remove everything.',
  },
  created: 'Created at Cloudflare',
  what: {
    tunnel: 'Tunnel',
    record: 'DNS record',
    worker: 'Worker',
    route: 'Route',
  } satisfies Record<CloudflareStatus['created'][number]['what'], string>,
  tokenKept: 'The API token is in the keychain.',
  tokenForgotten: 'The API token isn’t stored.',
  mailboxOn: 'The mailbox is on.',
  mailboxOff: 'The mailbox is off.',
  mailboxLink: 'Show the mailbox',
  resume: 'Resume',
  remove: 'Remove…',
  disconnect: 'Disconnect…',
  removed: 'Disconnected. Everything that Porchlight created at Cloudflare is removed.',
  testTitle: 'Test of your address',
};

export const dialogWords = {
  resume: { title: 'Resume with a token', action: 'Resume' },
  disconnect: { title: 'Disconnect from Cloudflare?', action: 'Disconnect' },
  discard: { title: 'Delete what the mailbox keeps?', action: 'Delete it' },
  discards: 'Porchlight fetches what it can. The rest is then deleted for good, together with the mailbox.',
  removes: 'Porchlight removes exactly this from your Cloudflare account:',
  removesNothing: 'Porchlight has created nothing at Cloudflare yet.',
  stops: (hostname: string) => `Then ${hostname} no longer leads to this computer.`,
  tokenNeeded: 'Porchlight didn’t keep your API token, so paste it again or create a new one.',
};
