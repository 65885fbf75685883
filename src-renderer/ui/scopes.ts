/** The scopes that can be granted of `scopes`: `email` goes only with `profile` (IndieAuth 5.2). */
export function grantable(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== 'email' || scopes.includes('profile'));
}
