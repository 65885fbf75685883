/**
 * What a restore may change. A setting belongs in one of these two lists (tests/unit/owner/restored-settings.test.ts): one that
 * stands in neither is listed for the owner as well.
 */

/** Settings that a backup may bring unasked: they change neither whom this computer trusts, nor its reach, nor privacy. */
export const harmlessSettings = [
  'profile.name',
  'micropub.categories',
  'micropub.channels',
  'desktop.sound',
] as const;

/** Settings that keep this computer's value unless the owner accepts that of the backup. */
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

/** What else in a data folder concerns trust, reach or privacy. */
export const guardedState = [
  /** The port that the server listens on. */
  'server.port',
  /** Sites of which no mentions are taken. Without the owner's word, those of both are blocked. */
  'webmention.blockedDomains',
  /** Mentions that were received, and would be verified. */
  'webmention.queue',
  /** Webmentions that would be sent. */
  'webmention.outbox',
  /** Pictures that would be fetched from other sites. */
  'pictures.waiting',
  /** Posts that were deleted or made private here, and would be public again. */
  'posts.withdrawn',
  /** Files that were deleted here, and would return. */
  'media.deleted',
  /** Mentions that were removed, hidden or held here, and would be shown again. */
  'webmention.withdrawn',
] as const;

/** What the passphrase of a backup opens. */
export const guardedSecrets = [
  /** The key that signs what apps show: whoever has it can sign in. */
  'secrets.signingKey',
  'secrets.managementToken',
  'secrets.aggregatorToken',
  'secrets.tunnelToken',
  /** The apps that are signed in. */
  'apps.signedIn',
] as const;

export type GuardedSetting =
  (typeof guardedSettings)[number] | (typeof guardedState)[number] | (typeof guardedSecrets)[number];
