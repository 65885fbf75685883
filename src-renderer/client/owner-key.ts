/** The key in a URL fragment (`#key=...` or `#...`); null where the fragment is a route or empty. */
export function ownerKeyIn(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  if (text === '' || text.startsWith('/')) return null;
  const key = text.startsWith('key=') ? text.slice('key='.length) : text;
  return /^[\w.~-]+$/.test(key) ? key : null;
}

/** The name of the key in what this tab keeps: the browser shows it to no other tab and no other origin. */
const keptAs = 'porchlight.ownerKey';

/**
 * Takes the key out of the address bar, so that it stays in neither the tab's history nor a bookmark, and keeps it for
 * reloads of this tab. Null where there is none.
 */
export function takeOwnerKey(): string | null {
  const key = ownerKeyIn(window.location.hash);
  if (key !== null) {
    window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/`);
    keep((storage) => storage.setItem(keptAs, key));
  }
  return key;
}

/** The key that this tab was opened with; null where there is none. */
export function keptOwnerKey(): string | null {
  return keep((storage) => storage.getItem(keptAs)) ?? null;
}

/** Forgets the key of this tab: each start of Porchlight makes a new one, and this one is not good any more. */
export function forgetOwnerKey(): void {
  keep((storage) => storage.removeItem(keptAs));
}

/** A browser that may keep nothing throws where it is asked to; the page works there too, until it is reloaded. */
function keep<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(window.sessionStorage);
  } catch {
    return undefined;
  }
}
