import { useSyncExternalStore } from 'react';

export const screens = ['porch', 'sign-ins', 'apps', 'settings', 'setup'] as const;
export type Screen = (typeof screens)[number];

/** Where the window is. `id`: the one thing on the screen that was asked for. */
export interface Route {
  readonly screen: Screen;
  readonly id: string | null;
}

/** Reads a location hash such as `#/sign-ins?id=...`; anything else is the porch. */
export function routeIn(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const screen = screens.find((name) => name === path) ?? 'porch';
  return { screen, id: new URLSearchParams(query).get('id') };
}

/** The hash of a place, for links; it survives a reload. */
export function hashOf(screen: Screen, id?: string): string {
  return id === undefined ? `#/${screen}` : `#/${screen}?id=${encodeURIComponent(id)}`;
}

/** Where the window is now. */
export function useRoute(): Route {
  return routeIn(useHash());
}

/** The location's hash, as it changes. */
function useHash(): string {
  return useSyncExternalStore(watchHash, () => window.location.hash);
}

function watchHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}
