import type { ChangeValue, RestoreChange } from '../../../src-main/contract/data.ts';
import { restoreLabel, type GuardedSetting } from '../../../src-main/contract/restore-settings.ts';
import { spanOf } from '../../ui/span.ts';

/** What a change means beside its label, and how its values are shown. */
interface ChangeWords {
  /** What accepting it means, where the label does not say so. */
  readonly about?: string;
  readonly value?: (value: ChangeValue) => string;
}

const count = (noun: string) => (value: ChangeValue) => `${String(value)} ${noun}${value === 1 ? '' : 's'}`;
const onOff = (value: ChangeValue) => (value === true ? 'on' : 'off');
const presence = (value: ChangeValue) => (value === true ? 'set' : 'not set');
const another = 'The backup holds another one. Values are not shown.';

function span(value: ChangeValue): string {
  if (typeof value !== 'number') return text(value);
  const { amount, unit } = spanOf(value);
  return `${amount.toLocaleString('en')} ${amount === 1 ? unit.slice(0, -1) : unit}`;
}

const held: Readonly<Record<string, string>> = {
  nothing: 'nothing',
  strangers: 'mentions by new people',
  everything: 'every mention',
};

const tunnels: Readonly<Record<string, string>> = {
  off: 'no tunnel',
  quick: 'a quick tunnel',
  named: 'a named tunnel',
};

const oneOf = (words: Readonly<Record<string, string>>) => (value: ChangeValue) =>
  words[String(value)] ?? text(value);

/** Settings whose label and plain value are not enough. */
const words: Readonly<Partial<Record<GuardedSetting, ChangeWords>>> = {
  'profile.me': { about: 'Apps sign you in as the owner of this domain.' },
  'profile.photo': { about: 'Its address may be fetched from another site.' },
  'profile.email': { about: 'Apps that may read it get it.' },
  'signIn.accessTokenSeconds': { value: span },
  'signIn.refreshTokenSeconds': { value: span },
  'signIn.allowWithoutPkce': {
    about: 'Without PKCE, somebody who intercepts a sign-in can use it.',
    value: onOff,
  },
  'micropub.mediaLimitBytes': {
    value: (value) => (typeof value === 'number' ? `${(value / 1e6).toLocaleString('en')} MB` : text(value)),
  },
  'micropub.removePhotoMetadata': {
    about: 'If this is off, photos may reveal where you live.',
    value: onOff,
  },
  'webmention.hold': { value: oneOf(held) },
  'webmention.trustedDomains': {
    about: 'Mentions from these sites are shown at once.',
  },
  'webmention.aggregatorUrl': {
    about: 'Your token for the aggregator is sent to this address.',
  },
  'webmention.catchUp': { value: onOff },
  'tunnel.mode': { value: oneOf(tunnels) },
  'tunnel.publicUrl': {
    about: 'Porchlight tells apps to sign in and get their access at this address.',
  },
  'desktop.startAtLogin': { value: onOff },
  'desktop.notifications': { value: onOff },
  'backup.folder': {
    about: 'Without a folder, there are no weekly backups.',
  },
  'backup.keep': { about: 'Porchlight deletes older ones.' },
  'server.port': {
    value: (value) => (value === null ? 'the usual port' : String(value)),
  },
  'webmention.blockedDomains': {
    about:
      'Some people or sites that you block are not blocked in the backup. If you don’t tick this, both lists apply.',
  },
  'webmention.queue': {
    about: 'Porchlight would read these pages.',
    value: count('mention'),
  },
  'webmention.outbox': {
    about: 'Porchlight would send these to other sites.',
    value: count('webmention'),
  },
  'cloudflare.setup': {
    about: 'Porchlight would change and remove what the backup names at Cloudflare, with a token of yours.',
  },
  'phones.on': { value: onOff },
  'phones.paired': { about: 'They could approve sign-ins, if your public address is the same.' },
  'posts.withdrawn': {
    about: 'They would be as public as they were.',
    value: count('post'),
  },
  'media.deleted': {
    about: 'They would return.',
    value: count('file'),
  },
  'webmention.withdrawn': {
    about: 'They would be shown again.',
    value: count('mention'),
  },
  'secrets.signingKey': {
    about:
      'Anyone who has the key in the backup can sign in as you. Accept it only if the backup is your own.',
    value: presence,
  },
  'secrets.managementToken': { about: another, value: presence },
  'secrets.aggregatorToken': { about: another, value: presence },
  'secrets.tunnelToken': { about: another, value: presence },
  'secrets.phonePush': { about: another, value: presence },
  'secrets.ntfy': { about: another, value: presence },
  'secrets.mailboxKeys': {
    about: 'They belong to the mailbox that the backup’s computer uses.',
    value: presence,
  },
  'apps.signedIn': {
    about: 'These apps could act for you. Apps that you signed out stay signed out.',
  },
};

/** Returns the words for a change. A setting that this window does not know yet is shown by its name. */
export function wordsOf({ setting }: RestoreChange): {
  readonly label: string;
  readonly about: string | undefined;
  readonly value: (value: ChangeValue) => string;
} {
  const known = Object.hasOwn(words, setting) ? words[setting as GuardedSetting] : undefined;
  return { label: restoreLabel(setting), about: known?.about, value: known?.value ?? text };
}

function text(value: ChangeValue): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return onOff(value);
  return value === null || value === '' ? 'none' : String(value);
}
