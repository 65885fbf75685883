import type { Setting } from './shapes.ts';
import { settingAreas, type SettingName } from './settings.ts';

/**
 * The settings and other state that a restore can change, with the labels that the owner reads. What a restore does
 * with a setting is part of the setting itself (contract/settings.ts).
 */

/** The label of each setting about which a restore asks the owner; undefined for one that it takes without asking. */
const settingLabels = Object.entries<Readonly<Record<string, Setting>>>(settingAreas).flatMap(
  ([area, rows]) =>
    Object.entries(rows).map(([name, row]): [string, string | undefined] => [
      `${area}.${name}`,
      row.taken ? undefined : (row.asks ?? row.label),
    ]),
);
const taken = new Set(settingLabels.flatMap(([name, label]) => (label === undefined ? [name] : [])));

/** Returns whether a restore takes a setting from the backup without asking. */
export const isTaken = (name: string): boolean => taken.has(name);

/** Other state in a data folder that affects trust, privacy, or access to this computer. */
const guardedState = {
  'server.port': 'Port',
  /**
   * If the owner doesn't accept the backup's lists of blocked people and sites, a restore merges them with the lists on
   * this computer. Everybody on either list is then blocked.
   */
  'webmention.blockedDomains': 'Blocked people and sites',
  'webmention.queue': 'Received mentions that wait to be verified',
  'webmention.outbox': 'Webmentions that wait to be sent',
  'cloudflare.setup': 'What Porchlight set up at Cloudflare',
  'websub.subscriptions': 'Subscriptions to your feeds',
  'phones.paired': 'Phones that may approve sign-ins',
  /** The posts that a restore would publish again. */
  'posts.withdrawn': 'Posts that you deleted or made less public',
  /** The deleted files that a restore would bring back. */
  'media.deleted': 'Files that you deleted',
  /** The mentions that a restore would show again. */
  'webmention.withdrawn': 'Mentions that are hidden, deleted or held here',
};
export type GuardedState = keyof typeof guardedState;

/** The secrets in a backup. They can be read only with the backup's passphrase. */
const guardedSecrets = {
  /** The key that signs access tokens. Anyone who has the key can forge access tokens. */
  'secrets.signingKey': 'Signing key',
  'secrets.managementToken': 'Management token',
  'secrets.aggregatorToken': 'Token for the aggregator',
  'secrets.tunnelToken': 'Token for the tunnel',
  'secrets.mailboxKeys': 'Keys of the mailbox',
  'secrets.phonePush': 'Notifications on phones',
  'secrets.ntfy': 'ntfy server and topic',
  'apps.signedIn': 'Apps that are signed in',
};

/**
 * Changes that give programs, apps or other sites access or trust. Even from their own backup, the owner takes only the
 * ones that they tick: a backup may be older than the moment when they withdrew one.
 */
export const accessChanges: ReadonlySet<string> = new Set<GuardedSetting>([
  'apps.signedIn',
  'secrets.signingKey',
  'secrets.managementToken',
  'webmention.trustedDomains',
  'phones.on',
  'phones.scopes',
  'phones.paired',
]);

export type GuardedSetting = SettingName | GuardedState | keyof typeof guardedSecrets;

const labels = new Map<string, string | undefined>([
  ...settingLabels,
  ...Object.entries({ ...guardedState, ...guardedSecrets }),
]);

/** Returns the label of a setting that a restore can change. Returns the setting's name if there is no label for it. */
export function restoreLabel(setting: string): string {
  return labels.get(setting) ?? setting;
}
