/**
 * The lists of what a restore may change. Every setting belongs in `harmlessSettings` or in `guardedSettings`
 * (tests/unit/owner/restored-settings.test.ts). The owner is asked about a setting that is in neither.
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
] as const;

/** Settings that keep this computer's value unless the owner accepts the backup's value. */
export const guardedSettings = [
  'profile.me',
  'profile.url',
  'profile.photo',
  'profile.email',
  'signIn.accessTokenSeconds',
  'signIn.refreshTokenSeconds',
  'signIn.allowWithoutPkce',
  'micropub.syndicateTo',
  'micropub.mediaLimitBytes',
  'micropub.removePhotoMetadata',
  'webmention.hosts',
  'webmention.hold',
  'webmention.trustedDomains',
  'webmention.aggregatorUrl',
  'webmention.catchUp',
  'tunnel.mode',
  'tunnel.hostname',
  'tunnel.publicUrl',
  'desktop.startAtLogin',
  'desktop.notifications',
  'backup.folder',
  'backup.keep',
] as const;

/** Other state in a data folder that affects trust, reach or privacy. */
export const guardedState = [
  /** The port that the server listens on. */
  'server.port',
  /**
   * Sites whose mentions are refused. Unless the owner accepts the backup's list, every site on either list is blocked.
   */
  'webmention.blockedDomains',
  /** Received mentions in the backup that are still to be verified. */
  'webmention.queue',
  /** Webmentions in the backup that are still to be sent. */
  'webmention.outbox',
  /** Pictures that the backup would have this computer fetch from other sites. */
  'pictures.waiting',
  /** Posts that were deleted or made less public on this computer, and that the backup would publish again. */
  'posts.withdrawn',
  /** Files that were deleted on this computer, and that the backup would bring back. */
  'media.deleted',
  /** Mentions that were removed, hidden or held on this computer, and that the backup would show again. */
  'webmention.withdrawn',
] as const;

/** The secrets in a backup, which need its passphrase. */
export const guardedSecrets = [
  /** The key that signs access tokens. Anyone who has it can sign in. */
  'secrets.signingKey',
  'secrets.managementToken',
  'secrets.aggregatorToken',
  'secrets.tunnelToken',
  /** The apps that are signed in. */
  'apps.signedIn',
] as const;

export type GuardedSetting =
  (typeof guardedSettings)[number] | (typeof guardedState)[number] | (typeof guardedSecrets)[number];
