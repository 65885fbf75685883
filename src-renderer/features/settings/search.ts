import { settingAreas } from '../../../src-main/contract/settings.ts';
import type { OptionWords } from '../../../src-main/contract/shapes.ts';
import { settingsHash, type SettingsPage } from '../../routes.ts';
import { mailboxPageWords } from '../cloudflare/mailbox-words.ts';

/** A setting, as the search finds it. */
interface FoundWords {
  readonly label: string;
  readonly help?: string;
  /** Other words that people search for. */
  readonly also?: string;
  readonly options?: Readonly<Record<string, OptionWords>>;
}

interface PageWords {
  readonly title: string;
  readonly about?: string;
  readonly settings: Readonly<Record<string, FoundWords>>;
}

/** What the owner can do on the page “Posting” beside its form. */
export const bridgeSetting = {
  label: 'Fediverse and Bluesky (Bridgy Fed)',
  help: 'People in the fediverse, such as on Mastodon, and on Bluesky can follow your site as an account.',
  also: 'activitypub mastodon follow followers bridge webfinger',
};

/** What the owner can do on the page “Webmentions” beside its form. */
export const blockedSetting = {
  label: 'Blocked people and sites',
  help: 'Porchlight accepts no mentions by these people or from these sites, and hides those that are here. To block a person or a site, open a mention.',
  also: 'spam ban block list unblock author',
};

/** What the owner pastes into an assistant. */
export const assistantAddress = {
  label: 'Address for assistants',
  help: 'Paste this address where the assistant asks for a server or a connector. It then asks to sign in, and you approve that here.',
  also: 'mcp url server connector claude chatgpt cursor code',
};

/** What the owner can do on the page “Phones” beside its form. */
export const pairedPhones = {
  label: 'Paired phones',
  help: 'A phone is paired once, at this computer. Its passkey approves a sign-in; removing it ends that.',
  also: 'pair qr code passkey remove lost device',
};
export const ntfySetting = {
  label: 'Your ntfy topic',
  help: 'Porchlight sends its notifications to this topic.',
  also: 'push notification server',
};

/** What the page “Advanced” holds. */
export const advancedSettings = {
  managementToken: {
    label: 'Management token',
    help: 'Your own programs use this token to manage the server. Anyone who has it can delete your data.',
    also: 'api key developer script',
  },
  secrets: { label: 'Where secrets are stored', also: 'keychain password token encryption file' },
};

/** What the page “About Porchlight” holds. */
export const aboutSettings = {
  version: { label: 'Version', also: 'release update' },
  licenses: {
    label: 'Licenses',
    help: 'Porchlight is free software under the MIT license. It contains the work of others, under their own licenses.',
    also: 'licences copyright open source third party notices',
  },
};

/** The title of each page of the settings, and the settings on it. The compiler misses no page. */
export const pageWords: Readonly<Record<SettingsPage, PageWords>> = {
  profile: {
    title: 'Profile',
    about: 'Who you are. Apps see this only if you allow it when you sign in.',
    settings: settingAreas.profile,
  },
  site: {
    title: 'Your site',
    about: 'What visitors see at your public address.',
    settings: settingAreas.site,
  },
  'site-folder': {
    title: 'Your own site',
    about: 'Publishes your posts on a site that Hugo, Jekyll, Eleventy, Astro or Zola builds from a folder.',
    // The other fields appear once a folder was checked.
    settings: { path: settingAreas.siteFolder.path },
  },
  reach: {
    title: 'Public address',
    about: 'Apps and other sites need a public address that leads to this computer.',
    settings: { way: settingAreas.tunnel.mode },
  },
  mailbox: mailboxPageWords,
  'sign-in': {
    title: 'Sign-in',
    about: 'How apps sign in, and how long their access lasts.',
    settings: settingAreas.signIn,
  },
  posting: {
    title: 'Posting',
    about: 'What Porchlight offers to apps that post for you, and what they may upload.',
    settings: { ...settingAreas.micropub, bridge: bridgeSetting },
  },
  webmentions: {
    title: 'Webmentions',
    about: 'What other sites say about your pages, and which mentions Porchlight shows.',
    settings: { ...settingAreas.webmention, blocked: blockedSetting },
  },
  assistants: {
    title: 'Assistants',
    about: 'Claude, ChatGPT and other assistants can read your public posts and write drafts (MCP).',
    settings: { ...settingAreas.assistants, address: assistantAddress },
  },
  phones: {
    title: 'Phones',
    about: 'Approve sign-ins on your phone, wherever you are.',
    settings: { ...settingAreas.phones, paired: pairedPhones },
  },
  computer: {
    title: 'This computer',
    about: 'How the Porchlight app behaves on this computer.',
    settings: settingAreas.desktop,
  },
  advanced: { title: 'Advanced', settings: advancedSettings },
  about: { title: 'About Porchlight', settings: aboutSettings },
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
    return Object.entries(settings).map(([name, { label, help = '', also = '', options = {} }]) => {
      const usual = `${label} ${title} ${also}`;
      const choices = Object.values(options).map((option) => `${option.label} ${option.help ?? ''}`);
      return {
        found: { page, hash: settingsHash(page, name), label, pageTitle: title },
        rank: [label, usual, `${usual} ${help} ${choices.join(' ')}`].findIndex(holdsAll),
      };
    });
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
