/**
 * Lists the settings and other state that a restore can change, with the labels that the owner reads. Every setting
 * belongs in `harmlessSettings` or in `guardedSettings`. A test checks this rule
 * (tests/unit/app/restoring/restored-settings.test.ts). A setting in neither list is treated as guarded: Porchlight asks the
 * owner about it.
 */

/**
 * Settings that a restore takes from the backup without asking. They don't affect trust, privacy, or access to this
 * computer.
 */
export const harmlessSettings = [
  'profile.name',
  'micropub.categories',
  'micropub.channels',
  'posting.appsMarkdown',
  'desktop.sound',
  'desktop.writeShortcut',
  'site.title',
  'site.tagline',
  'site.accent',
  'site.timeZone',
  'site.theme',
] as const;

/** Settings that a restore takes from the backup only if the owner accepts the change. */
export const guardedSettings = {
  'profile.me': 'Your domain',
  'profile.url': 'Website in your profile',
  'profile.photo': 'Photo in your profile',
  'profile.email': 'Email address in your profile',
  'signIn.accessTokenSeconds': 'App access expires after',
  'signIn.refreshTokenSeconds': 'Unused apps are signed out after',
  'signIn.allowWithoutPkce': 'Apps may sign in without PKCE',
  'micropub.syndicateTo': 'Cross-posting targets',
  'micropub.mediaLimitBytes': 'Largest file that apps may upload',
  'micropub.removePhotoMetadata': 'Remove location and device details from photos',
  'webmention.hosts': 'Other hosts whose mentions count as yours',
  'webmention.hold': 'Waits for your approval',
  'webmention.trustedDomains': 'Trusted sites',
  'webmention.aggregatorUrl': 'Where older mentions are imported from',
  'webmention.catchUp': 'Fetch missed mentions from the aggregator',
  'tunnel.mode': 'How the web reaches you',
  'tunnel.hostname': 'Host name of the tunnel',
  'tunnel.publicUrl': 'Public address',
  'desktop.startAtLogin': 'Start at login',
  'desktop.notifications': 'Notifications',
  'backup.folder': 'Folder for weekly backups',
  'backup.keep': 'Weekly backups to keep',
  'site.about': 'About you, on Porchlight’s site',
  'site.photo': 'Photo on Porchlight’s site',
  'site.links': 'Links on your home page',
  'site.pages': 'Pages of Porchlight’s site',
  'site.css': 'Your own CSS',
  'siteFolder.on': 'Publish to the folder of your own site',
  'siteFolder.path': 'Folder of your own site',
  'siteFolder.generator': 'Generator of your own site',
  'siteFolder.baseUrl': 'Address of your own site',
  'siteFolder.postFile': 'Files of posts in your site’s folder',
  'siteFolder.postUrl': 'Addresses of posts on your own site',
  'siteFolder.mediaFile': 'Media files in your site’s folder',
  'siteFolder.mediaUrl': 'Addresses of media files on your own site',
  'siteFolder.media': 'Where the media of your posts are',
  'siteFolder.mentions': 'Write mentions to your site’s folder',
  'siteFolder.commit': 'Commit changes of your site to git',
  'siteFolder.push': 'Push changes of your site',
  'siteFolder.branch': 'Branch of your own site',
  'siteFolder.remote': 'Remote to which your site is pushed',
  'siteFolder.adopt': 'Show older posts of your own site to apps',
};

/** Other state in a data folder that affects trust, privacy, or access to this computer. */
const guardedState = {
  'server.port': 'Port',
  /**
   * If the owner doesn't accept the backup's list of blocked sites, a restore merges that list with the list on this
   * computer. Every site on either list is then blocked.
   */
  'webmention.blockedDomains': 'Blocked sites',
  'webmention.queue': 'Received mentions that wait to be verified',
  'webmention.outbox': 'Webmentions that wait to be sent',
  /** The digests of what git may run for the folder. */
  'siteFolder.allowed': 'What git may run for your site’s folder',
  'cloudflare.setup': 'What Porchlight set up at Cloudflare',
  'websub.subscriptions': 'Subscriptions to your feeds',
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
  'siteFolder.allowed',
  'webmention.trustedDomains',
]);

export type GuardedSetting = keyof typeof guardedSettings | GuardedState | keyof typeof guardedSecrets;

const labels = new Map(Object.entries({ ...guardedSettings, ...guardedState, ...guardedSecrets }));

/** Returns the label of a setting that a restore can change. Returns the setting's name if there is no label for it. */
export function restoreLabel(setting: string): string {
  return labels.get(setting) ?? setting;
}
