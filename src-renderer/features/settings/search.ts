import { settingsHash, type SettingsPage } from '../../routes.ts';
import { mailboxPageWords } from '../cloudflare/mailbox-words.ts';
import { postingWords, webmentionWords } from './publishing-words.ts';
import { folderWords } from './site-folder/words.ts';
import { siteWords } from './site/words.ts';
import {
  advancedWords,
  computerWords,
  profileWords,
  reachWords,
  signInWords,
  type SettingWords,
} from './words.ts';

interface PageWords {
  readonly title: string;
  readonly about?: string;
  readonly settings: Readonly<Record<string, SettingWords>>;
}

/** The words of every page of the settings. The compiler misses none. */
export const pageWords: Readonly<Record<SettingsPage, PageWords>> = {
  profile: profileWords,
  site: siteWords,
  'site-folder': folderWords,
  reach: reachWords,
  mailbox: mailboxPageWords,
  'sign-in': signInWords,
  posting: postingWords,
  webmentions: webmentionWords,
  computer: computerWords,
  advanced: advancedWords,
};

/** A setting that was found. */
export interface Found {
  readonly page: SettingsPage;
  readonly hash: string;
  readonly label: string;
  readonly pageTitle: string;
}

/** Returns the settings of these pages that contain every word of `query`, those with it in their label first. */
export function findSettings(query: string, pages: readonly SettingsPage[]): Found[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holdsAll = (text: string) => words.every((word) => plain(text).includes(word));
  const all = pages.flatMap((page) => {
    const { title, settings } = pageWords[page];
    return Object.entries(settings).map(([name, { label, about = '', also = '' }]) => ({
      found: { page, hash: settingsHash(page, name), label, pageTitle: title },
      rank: [label, `${label} ${title} ${also}`, `${label} ${title} ${also} ${about}`].findIndex(holdsAll),
    }));
  });
  return all
    .filter(({ rank }) => rank !== -1)
    .sort((a, b) => a.rank - b.rank)
    .map(({ found }) => found);
}

/** Accents and capitals make no difference; nor does a curly apostrophe. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase();
}
