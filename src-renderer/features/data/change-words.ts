import type { ChangeValue, RestoreChange } from '../../../src-main/contract/data.ts';
import type { GuardedSetting } from '../../../src-main/contract/restore-settings.ts';
import { spanOf } from '../../ui/span.ts';

/** How a change is shown: what it is about, why it matters, and its values. */
interface ChangeWords {
  readonly label: string;
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
  strangers: 'mentions from new sites',
  everything: 'every mention',
};

const tunnels: Readonly<Record<string, string>> = {
  off: 'no tunnel',
  quick: 'a quick tunnel',
  named: 'a named tunnel',
};

const oneOf = (words: Readonly<Record<string, string>>) => (value: ChangeValue) =>
  words[String(value)] ?? text(value);

/** One entry for each change that a service lists: the compiler misses none. */
const words: Readonly<Record<GuardedSetting, ChangeWords>> = {
  'profile.me': { label: 'Your domain', about: 'Apps sign you in as the owner of this domain.' },
  'profile.url': { label: 'Website in your profile' },
  'profile.photo': { label: 'Photo in your profile', about: 'Its address may be fetched from another site.' },
  'profile.email': { label: 'Email address in your profile', about: 'Apps that may read it get it.' },
  'signIn.accessTokenSeconds': { label: 'App access expires after', value: span },
  'signIn.refreshTokenSeconds': { label: 'Unused apps are signed out after', value: span },
  'signIn.allowWithoutPkce': {
    label: 'Apps may sign in without PKCE',
    about: 'Without PKCE, somebody who intercepts a sign-in can use it.',
    value: onOff,
  },
  'micropub.syndicateTo': { label: 'Cross-posting targets' },
  'micropub.mediaLimitBytes': {
    label: 'Largest file that apps may upload',
    value: (value) => (typeof value === 'number' ? `${(value / 1e6).toLocaleString('en')} MB` : text(value)),
  },
  'micropub.removePhotoMetadata': {
    label: 'Remove location and device details from photos',
    about: 'If this is off, photos may reveal where you live.',
    value: onOff,
  },
  'webmention.hosts': { label: 'Other hosts whose mentions count as yours' },
  'webmention.hold': { label: 'Waits for your approval', value: oneOf(held) },
  'webmention.trustedDomains': {
    label: 'Trusted sites',
    about: 'Mentions from these sites are shown at once.',
  },
  'webmention.aggregatorUrl': {
    label: 'Where older mentions are imported from',
    about: 'Your token for the aggregator is sent to this address.',
  },
  'webmention.catchUp': { label: 'Fetch missed mentions from the aggregator', value: onOff },
  'tunnel.mode': { label: 'How the web reaches you', value: oneOf(tunnels) },
  'tunnel.hostname': { label: 'Host name of the tunnel' },
  'tunnel.publicUrl': {
    label: 'Public address',
    about: 'Porchlight tells apps to sign in and get their access at this address.',
  },
  'desktop.startAtLogin': { label: 'Start at login', value: onOff },
  'desktop.notifications': { label: 'Notifications', value: onOff },
  'backup.folder': {
    label: 'Folder for weekly backups',
    about: 'Without a folder, there are no weekly backups.',
  },
  'backup.keep': { label: 'Weekly backups to keep', about: 'Porchlight deletes older ones.' },
  'server.port': {
    label: 'Port',
    value: (value) => (value === null ? 'the usual port' : String(value)),
  },
  'webmention.blockedDomains': {
    label: 'Blocked sites',
    about:
      'Some sites that you block are not blocked in the backup. If you don’t tick this, both lists apply.',
  },
  'webmention.queue': {
    label: 'Received mentions that wait to be verified',
    about: 'Porchlight would read these pages.',
    value: count('mention'),
  },
  'webmention.outbox': {
    label: 'Webmentions that wait to be sent',
    about: 'Porchlight would send these to other sites.',
    value: count('webmention'),
  },
  'pictures.waiting': {
    label: 'Pictures that wait to be fetched',
    about: 'Porchlight would fetch these from other sites.',
    value: count('picture'),
  },
  'posts.withdrawn': {
    label: 'Posts that you deleted or made less public',
    about: 'They would be as public as they were.',
    value: count('post'),
  },
  'media.deleted': {
    label: 'Files that you deleted',
    about: 'They would return.',
    value: count('file'),
  },
  'webmention.withdrawn': {
    label: 'Mentions that are hidden, deleted or held here',
    about: 'They would be shown again.',
    value: count('mention'),
  },
  'secrets.signingKey': {
    label: 'Signing key',
    about: 'Whoever has the key in the backup can sign in as you. Accept it only if the backup is your own.',
    value: presence,
  },
  'secrets.managementToken': { label: 'Management token', about: another, value: presence },
  'secrets.aggregatorToken': { label: 'Token for the aggregator', about: another, value: presence },
  'secrets.tunnelToken': { label: 'Token for the tunnel', about: another, value: presence },
  'apps.signedIn': {
    label: 'Apps that are signed in',
    about: 'These apps could act for you. Apps that you signed out stay signed out.',
  },
};

/** Returns the words for a change. A setting that this window does not know yet is shown by its name. */
export function wordsOf({ setting }: RestoreChange): Required<Pick<ChangeWords, 'label' | 'value'>> & {
  readonly about: string | undefined;
} {
  const known = Object.hasOwn(words, setting) ? words[setting as GuardedSetting] : undefined;
  return { label: known?.label ?? setting, about: known?.about, value: known?.value ?? text };
}

function text(value: ChangeValue): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return onOff(value);
  return value === null || value === '' ? 'none' : String(value);
}
