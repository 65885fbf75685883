import type { GuardedSetting } from './restore-settings.ts';

/** The labels of what a restore may change, as the owner reads them before and after the restore. */
const labels: Readonly<Record<GuardedSetting, string>> = {
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
  'server.port': 'Port',
  'webmention.blockedDomains': 'Blocked sites',
  'webmention.queue': 'Received mentions that wait to be verified',
  'webmention.outbox': 'Webmentions that wait to be sent',
  'pictures.waiting': 'Pictures that wait to be fetched',
  'posts.withdrawn': 'Posts that you deleted or made less public',
  'media.deleted': 'Files that you deleted',
  'webmention.withdrawn': 'Mentions that are hidden, deleted or held here',
  'secrets.signingKey': 'Signing key',
  'secrets.managementToken': 'Management token',
  'secrets.aggregatorToken': 'Token for the aggregator',
  'secrets.tunnelToken': 'Token for the tunnel',
  'apps.signedIn': 'Apps that are signed in',
};

/** Returns the label of a setting that a restore may change; the setting's name if this version doesn't know it. */
export function restoreLabel(setting: string): string {
  return Object.hasOwn(labels, setting) ? labels[setting as GuardedSetting] : setting;
}
