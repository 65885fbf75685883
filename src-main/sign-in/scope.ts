import type { Permission } from '../contract/sign-ins.ts';
import type { TokenResource } from '../http/server-metadata.ts';

const mostScopes = 100;
const longestScope = 100;
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Splits a scope parameter into its names, without duplicates (RFC 6749, 3.3). The separator is a space, or a literal
 * `+` from old clients that encode the space twice (D-14). Returns null if there is a disallowed character, or if there
 * are more names than an owner could review.
 */
export function parseScope(text: string | undefined): string[] | null {
  const names = (text ?? '').split(/[ +]/).filter((name) => name !== '');
  const fits = names.length <= mostScopes && names.every((name) => name.length <= longestScope);
  return fits && names.every((name) => scopeToken.test(name)) ? [...new Set(names)] : null;
}

/**
 * Descriptions of the known scopes. Each must state everything that its scope gives access to on this server
 * (tests/integration/posts/scopes.test.ts).
 */
const words: Record<string, string> = {
  profile: 'See your name, web address and photo',
  email: 'See your email address',
  create: 'Publish posts and drafts, upload files, and see the posts and files it added',
  post: 'Publish posts and drafts, upload files, and see the posts and files it added',
  draft: 'Save drafts, with files, and see the posts it added',
  update: 'See and change all posts, including private ones and drafts, and who sees them',
  delete: 'Delete and undelete posts; delete files too if it can see them',
  undelete: 'Undelete posts',
  media: 'Upload files, and see all uploaded files',
  read_mentions: 'Read the public mentions of your pages',
  ...elsewhere({
    read: 'Read the feeds you follow',
    follow: 'Change which feeds you follow',
    mute: 'Mute people for you',
    block: 'Block people for you',
    channels: 'Change your reading channels',
  }),
};

/**
 * Adds a note to the descriptions of Microsub scopes, because these scopes apply to another server. The feed reader's
 * server requests these scopes, and this server only confirms that the owner granted them.
 */
function elsewhere(scopes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(scopes).map(([scope, text]) => [
      scope,
      `${text} (on your feed reader’s server, not here)`,
    ]),
  );
}

/** What the scopes let an assistant do, whose tokens count only at its own endpoint. */
const assistantWords: Record<string, string> = {
  draft: 'See your public posts, write drafts, and change the drafts that it wrote',
  create: 'Publish posts',
  post: 'Publish posts',
  media: 'Upload photos',
  read_mentions: 'Read the public mentions of your pages',
};

/**
 * Returns descriptions of what scopes let an app do. An unknown scope gives access to nothing on this server.
 * `resource`: where the app's tokens count.
 */
export function permissionsOf(scopes: readonly string[], resource?: TokenResource): Permission[] {
  const known = resource === 'mcp' ? assistantWords : words;
  return scopes.map((scope) => ({
    scope,
    words: Object.hasOwn(known, scope)
      ? (known[scope] ?? scope)
      : 'Nothing on this server. Other servers may know this permission',
  }));
}

/** Returns whether the scopes include email but not profile, which is a meaningless combination (IndieAuth 5.2). */
export function isEmailWithoutProfile(scopes: readonly string[]): boolean {
  return scopes.includes('email') && !scopes.includes('profile');
}
