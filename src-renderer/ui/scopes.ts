/** Returns the scopes that can be granted: `email` needs `profile` (IndieAuth 5.2). */
export function grantable(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== 'email' || scopes.includes('profile'));
}
