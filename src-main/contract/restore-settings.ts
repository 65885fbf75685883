/**
 * The lists of what a restore may change, with the labels that the owner reads. Every setting belongs in
 * `harmlessSettings` or in `guardedSettings` (tests/unit/owner/restored-settings.test.ts). The owner is asked about a
 * setting that is in neither.
 */

/**
 * Settings that a restore takes from the backup without asking. They don't affect whom this computer trusts, who can
 * reach it, or privacy.
 */
export const harmlessSettings = [
  'profile.name',
  'micropub.categories',
  'micropub.channels',
  'desktop.sound',
  'desktop.writeShortcut',
  'site.title',
  'site.tagline',
  'site.accent',
  'site.timeZone',
  'site.theme',
] as const;

/** Settings that keep this computer's value unless the owner accepts the backup's value. */
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

/** Other state in a data folder that affects trust, reach or privacy. */
const guardedState = {
  'server.port': 'Port',
  /** Unless the owner accepts the backup's list, every site on either list is blocked. */
  'webmention.blockedDomains': 'Blocked sites',
  'webmention.queue': 'Received mentions that wait to be verified',
  'webmention.outbox': 'Webmentions that wait to be sent',
  'siteFolder.waiting': 'Changes that wait to be published to your site’s folder',
  'websub.subscriptions': 'Subscriptions to your feeds',
  'pictures.waiting': 'Pictures that wait to be fetched',
  /** The backup would publish these posts again. */
  'posts.withdrawn': 'Posts that you deleted or made less public',
  /** The backup would bring these files back. */
  'media.deleted': 'Files that you deleted',
  /** The backup would show these mentions again. */
  'webmention.withdrawn': 'Mentions that are hidden, deleted or held here',
};
export type GuardedState = keyof typeof guardedState;

/** The secrets in a backup, which need its passphrase. */
const guardedSecrets = {
  /** The key that signs access tokens. Anyone who has it can sign in. */
  'secrets.signingKey': 'Signing key',
  'secrets.managementToken': 'Management token',
  'secrets.aggregatorToken': 'Token for the aggregator',
  'secrets.tunnelToken': 'Token for the tunnel',
  'apps.signedIn': 'Apps that are signed in',
};

export type GuardedSetting = keyof typeof guardedSettings | GuardedState | keyof typeof guardedSecrets;

const labels = new Map(Object.entries({ ...guardedSettings, ...guardedState, ...guardedSecrets }));

/** Returns the label of a setting that a restore may change; the setting's name if this version doesn't know it. */
export function restoreLabel(setting: string): string {
  return labels.get(setting) ?? setting;
}
