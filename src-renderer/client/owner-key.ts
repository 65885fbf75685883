import { inTab } from './tab-storage.ts';

/** Returns the key in a URL fragment (`#key=...` or `#...`); null if the fragment is a route or empty. */
export function ownerKeyIn(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  if (text === '' || text.startsWith('/')) return null;
  const key = text.startsWith('key=') ? text.slice('key='.length) : text;
  return /^[\w.~-]+$/.test(key) ? key : null;
}

/** The key's name in the storage of this tab. */
const keptAs = 'porchlight.ownerKey';

/**
 * Removes the key from the address bar, so that neither the history nor a bookmark holds it, and keeps it for reloads of
 * this tab. Returns the key; null if there is none.
 */
export function takeOwnerKey(): string | null {
  const key = ownerKeyIn(window.location.hash);
  if (key !== null) {
    clearFragment();
    keepOwnerKey(key);
  }
  return key;
}

/** Takes the single-use code of a link (`#code=...`) out of the address bar. Returns null if there is none. */
export function takeLinkCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(window.location.hash)?.[1] ?? null;
  if (code !== null) clearFragment();
  return code;
}

/** Exchanges the code of a link for the owner key, and keeps the key for this tab. Returns null if the code is not valid. */
export async function redeemLinkCode(code: string): Promise<string | null> {
  try {
    const response = await fetch('./link', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const answer: unknown = response.ok ? await response.json() : null;
    if (!isKeyAnswer(answer)) return null;
    keepOwnerKey(answer.ownerKey);
    return answer.ownerKey;
  } catch {
    return null;
  }
}

function isKeyAnswer(answer: unknown): answer is { ownerKey: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'ownerKey' in answer &&
    typeof answer.ownerKey === 'string'
  );
}

function clearFragment(): void {
  window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/`);
}

function keepOwnerKey(key: string): void {
  inTab((storage) => storage.setItem(keptAs, key));
}

/** Returns the key that this tab was opened with; null if there is none. */
export function keptOwnerKey(): string | null {
  return inTab((storage) => storage.getItem(keptAs)) ?? null;
}

/** Forgets the key of this tab. Each start of Porchlight makes a new key, which ends the old one. */
export function forgetOwnerKey(): void {
  inTab((storage) => storage.removeItem(keptAs));
}
