import { useSyncExternalStore } from 'react';
import type { WritingKind } from '../src-main/contract/post-kinds.ts';
import { screenNamed, type Screen } from '../src-main/contract/window.ts';

/** Where the window is. `id`: the item on the screen that the owner asked for. */
export interface Route {
  readonly screen: Screen;
  readonly id: string | null;
  /** The filters of the screen's lists, such as `kind` and `status`. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Reads a location hash such as `#/sign-ins?id=...`. Any other hash leads to the overview. */
export function routeIn(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [top] = path.split('/', 1);
  const screen = screenNamed(top ?? '') ?? 'overview';
  const { id = null, ...filters } = Object.fromEntries(new URLSearchParams(query)) as Record<
    string,
    string | undefined
  >;
  return { screen, id, filters: filters as Record<string, string> };
}

/** Returns the hash of a screen, or of one item on it, for links. It survives a reload. */
export function hashOf(screen: Screen, id?: string): string {
  return id === undefined ? `#/${screen}` : `#/${screen}?id=${encodeURIComponent(id)}`;
}

/**
 * Returns the hash of the editor. `about`: the post or the owner's page to edit (by its slug, or `new`), or the page that a
 * new post responds to.
 */
export function writeHash(about: Partial<Record<'post' | 'page' | WritingKind, string>> = {}): string {
  const query = new URLSearchParams(about).toString();
  return query === '' ? hashOf('write') : `${hashOf('write')}?${query}`;
}

/** Puts a screen's filters into the address, without adding to the history. Leaves out empty ones. */
export function setFilters(screen: Screen, filters: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  const hash = query === '' ? hashOf(screen) : `${hashOf(screen)}?${query}`;
  window.history.replaceState(null, '', hash);
  // replaceState fires no event.
  window.dispatchEvent(new Event('hashchange'));
}

/** Returns whether this page is in the desktop app's small window, which shows only the editor. */
export const isSmallWindow = () => window.location.search === '?small';

/** Returns where the window is now. */
export function useRoute(): Route {
  return routeIn(useHash());
}

export const welcomeSteps = ['who', 'reach', 'links', 'done'] as const;
export type WelcomeStep = (typeof welcomeSteps)[number];

/** Returns the step of the welcome that a hash such as `#/welcome?step=reach` names; null if it names none. */
function welcomeStepIn(hash: string): WelcomeStep | null {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  if (path !== 'welcome') return null;
  const requested = new URLSearchParams(query).get('step');
  return welcomeSteps.find((step) => step === requested) ?? 'who';
}

/** The hash of a step of the welcome, for links. `withoutWebsite`: for an owner who has none. */
export function welcomeHash(step: WelcomeStep, withoutWebsite = false): string {
  return `#/welcome?step=${step}${withoutWebsite ? '&website=none' : ''}`;
}

/** Goes to a step of the welcome, before anything else happens. */
export function goToWelcome(step: WelcomeStep, withoutWebsite = false): void {
  const hash = welcomeHash(step, withoutWebsite);
  if (window.location.hash === hash) return;
  window.history.pushState(null, '', hash);
  // pushState is silent; those who watch the hash want to know.
  window.dispatchEvent(new Event('hashchange'));
}

/** Notes in the address of the first step whether the owner has a website, without adding to the history. */
export function noteWebsite(withoutWebsite: boolean): void {
  window.history.replaceState(null, '', welcomeHash('who', withoutWebsite));
  // replaceState fires no event.
  window.dispatchEvent(new Event('hashchange'));
}

/** Returns whether the owner said in the welcome that they have no website. The address remembers it on a reload. */
export function useHasNoWebsite(): boolean {
  const hash = useHash();
  return welcomeStepIn(hash) !== null && new URLSearchParams(hash.split('?', 2)[1]).get('website') === 'none';
}

/** The step of the welcome where the window is; null where it is elsewhere. */
export function useWelcomeStep(): WelcomeStep | null {
  return welcomeStepIn(useHash());
}

export const settingsPages = [
  'profile',
  'site',
  'site-folder',
  'reach',
  'mailbox',
  'sign-in',
  'posting',
  'webmentions',
  'assistants',
  'phones',
  'computer',
  'advanced',
  'about',
] as const;
export type SettingsPage = (typeof settingsPages)[number];

/** Returns the address of a page of the settings, such as `#/settings/profile`. `id`: the setting that takes the focus. */
export function settingsHash(page: SettingsPage, id?: string): string {
  return `#/settings/${page}${id === undefined ? '' : `?id=${encodeURIComponent(id)}`}`;
}

/** Returns the page of the settings where the window is; null at their index. */
export function useSettingsPage(): SettingsPage | null {
  const [path] = useHash().split('?', 1);
  return settingsPages.find((page) => path === settingsHash(page)) ?? null;
}

/** The address of the restore of a backup, which stands alone: it is there before anything is set up. */
export const restoreHash = '#/restore';

/** Returns whether the window shows the restore of a backup. */
export function useIsRestoring(): boolean {
  return useHash() === restoreHash;
}

/** Decides whether the window stays where it is although its address has changed to `next`. It then restores the address. */
type Guard = (next: string) => boolean;

let guard: Guard | undefined;

/** Has `asked` decide about each change of the address from now on. Returns how to end that. */
export function guardLeaving(asked: Guard): () => void {
  guard = asked;
  return () => {
    if (guard === asked) guard = undefined;
  };
}

const watchers = new Set<() => void>();
let current = '';

function useHash(): string {
  return useSyncExternalStore(watchHash, currentHash);
}

/** A render between the change of the address and its event must not see the new one: the guard has not decided yet. */
function currentHash(): string {
  if (watchers.size === 0) current = window.location.hash;
  return current;
}

/** One listener for all, because browsers call the listeners of a window in no order that a guard could rely on. */
function hearOfHash(): void {
  const next = window.location.hash;
  if (guard?.(next)) return;
  current = next;
  for (const watcher of [...watchers]) watcher();
}

function watchHash(watcher: () => void): () => void {
  if (watchers.size === 0) window.addEventListener('hashchange', hearOfHash);
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) window.removeEventListener('hashchange', hearOfHash);
  };
}
