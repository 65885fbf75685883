/**
 * Works with the storage of this tab, which browsers show to no other tab and no other origin. Returns undefined in a
 * browser that forbids storage, or if the storage is full.
 */
export function inTab<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(window.sessionStorage);
  } catch {
    return undefined;
  }
}
