import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import type { App } from '../src-main/contract/sign-ins.ts';
import type { PostItem } from '../src-main/contract/posts.ts';
import { screens } from '../src-main/contract/window.ts';
import { useAnswer, useClient } from './client/queries.ts';
import { nameOf } from './features/apps/names.ts';
import { kindIcons } from './features/posts/kind-icons.ts';
import { postTitle } from './features/posts/words.ts';
import { findSettings, pageWords } from './features/settings/search.ts';
import { hashOf, settingsHash, settingsPages } from './routes.ts';
import { screenIcons } from './screen-icons.ts';
import { screenKeys } from './shortcuts.ts';
import { IconApps, IconSettings, type Icon } from './ui/icons.ts';
import { hostIn, plainText } from './ui/plain-text.ts';
import { paletteWords, sidebarWords } from './words.ts';

/** Something that the search leads to. */
export interface Goal {
  readonly hash: string;
  readonly label: string;
  /** Tells it from others of the same name. */
  readonly about?: string | undefined;
  /** The keys that lead there too. */
  readonly keys?: string | undefined;
  readonly Icon: Icon;
}

export interface GoalGroup {
  readonly name: string;
  readonly goals: readonly Goal[];
}

/** As many of each kind as can be taken in at a glance. */
const most = 6;
/** Milliseconds without a key before the posts are searched. */
const pause = 150;

/** Finds the screens, posts, apps and settings that contain every word of `query`. Empty: all screens and the newest posts. */
export function useGoals(query: string): readonly GoalGroup[] {
  const { home } = useClient();
  const apps = useAnswer('apps.list', {}).data ?? [];
  const posts = usePosts(query);
  const words = plainWords(query);
  const groups = [
    { name: paletteWords.screens, goals: screenGoals(words, home === 'desktop') },
    { name: paletteWords.posts, goals: posts.map(postGoal) },
    ...(words.length === 0
      ? []
      : [
          { name: paletteWords.apps, goals: appGoals(apps, words) },
          { name: paletteWords.settings, goals: settingGoals(query, words, home === 'desktop') },
        ]),
  ];
  return groups.filter(({ goals }) => goals.length > 0);
}

/** The key isn't that of the lists, which hold their answers page by page. */
function usePosts(query: string): readonly PostItem[] {
  const client = useClient();
  const [asked] = useDebouncedValue(query.trim(), pause);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['palette.posts', { query: asked }],
    queryFn: () => client.call('posts.list', { ...(asked !== '' && { query: asked }), limit: most }),
    placeholderData: keepPreviousData,
  });
  const items = data?.items ?? [];
  if (!isPlaceholderData && asked === query.trim()) return items;
  // The answer to the words before: Enter must not open a post that no longer matches.
  return items.filter(({ name, summary }) => holdsAll(`${name} ${summary}`, plainWords(query)));
}

function screenGoals(words: readonly string[], hasKeys: boolean): readonly Goal[] {
  return screens
    .filter((screen) => holdsAll(sidebarWords.screens[screen], words))
    .map((screen) => ({
      hash: hashOf(screen),
      label: sidebarWords.screens[screen],
      keys: hasKeys ? screenKeys(screen) : undefined,
      Icon: screenIcons[screen],
    }));
}

function postGoal(post: PostItem): Goal {
  return {
    hash: hashOf('posts', post.url),
    label: plainText(postTitle(post)) || paletteWords.untitled,
    Icon: kindIcons[post.kind],
  };
}

function appGoals(apps: readonly App[], words: readonly string[]): readonly Goal[] {
  return apps
    .filter((app) => holdsAll(`${nameOf(app)} ${hostIn(app.clientId)}`, words))
    .slice(0, most)
    .map((app) => ({
      hash: hashOf('apps', app.id),
      label: nameOf(app),
      about: app.kind === 'app' ? hostIn(app.clientId) : undefined,
      Icon: IconApps,
    }));
}

function settingGoals(query: string, words: readonly string[], hasComputer: boolean): readonly Goal[] {
  const pages = settingsPages.filter((page) => page !== 'computer' || hasComputer);
  const found = findSettings(query, pages).map(({ hash, label, pageTitle }) => ({
    hash,
    label,
    about: pageTitle,
    Icon: IconSettings,
  }));
  const titles = pages
    .filter((page) => holdsAll(pageWords[page].title, words))
    .map((page) => ({ hash: settingsHash(page), label: pageWords[page].title, Icon: IconSettings }));
  return [...titles, ...found].slice(0, most);
}

/** Accents and capitals make no difference. */
function plainWords(text: string): string[] {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split(/\s+/u).filter(Boolean);
}

function holdsAll(text: string, words: readonly string[]): boolean {
  const plain = plainWords(text).join(' ');
  return words.every((word) => plain.includes(word));
}
