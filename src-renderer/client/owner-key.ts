/** The key in a URL fragment (`#key=...` or `#...`); null where the fragment is a route or empty. */
export function ownerKeyIn(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  if (text === '' || text.startsWith('/')) return null;
  const key = text.startsWith('key=') ? text.slice('key='.length) : text;
  return /^[\w.~-]+$/.test(key) ? key : null;
}

/**
 * Takes the key out of the address bar, so that it stays in neither the history nor a bookmark.
 * Null where there is none.
 */
export function takeOwnerKey(): string | null {
  const key = ownerKeyIn(window.location.hash);
  if (key !== null) {
    window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/`);
  }
  return key;
}
