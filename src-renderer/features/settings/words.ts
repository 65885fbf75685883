/** The words of the settings. The search reads the same words, so both always agree. */

/** A setting, as the form and the search show it. */
export interface SettingWords {
  readonly label: string;
  readonly about?: string;
  /** Other words that people search for. */
  readonly also?: string;
}

export const settingsWords = {
  title: 'Settings',
  index: 'Pages of the settings',
  all: 'All settings',
  loading: 'your settings',
};

export const searchWords = {
  label: 'Search settings',
  placeholder: 'Search settings',
  results: 'Search results',
  none: 'No settings match.',
  count: (count: number) => `${count} ${count === 1 ? 'setting' : 'settings'} found`,
};

export const saveWords = {
  save: 'Save',
  saved: 'Saved.',
  discard: 'Discard changes',
  failed: 'Your changes weren’t saved.',
};

export const unsavedWords = {
  title: 'Leave without saving?',
  about: 'You changed settings on this page and haven’t saved them.',
  action: 'Discard changes',
};

export const profileWords = {
  title: 'Profile',
  about: 'Who you are. Apps see this only if you allow it when you sign in.',
  settings: {
    me: {
      label: 'Your domain',
      about: 'You sign in with this address. If you change it, apps treat you as a new person.',
      also: 'web address url me identity site indieauth',
    },
    name: { label: 'Name', also: 'author' },
    url: { label: 'Website', also: 'web address url link home page' },
    photo: { label: 'Photo', also: 'picture avatar image upload' },
    email: { label: 'Email address', also: 'mail contact' },
  },
  read: 'Read from my site',
  aboutRead: 'Fills in what your home page says about you. Nothing changes until you save.',
  nothingNew: (host: string) => `${host} says nothing new.`,
  found: (host: string, labels: readonly string[]) =>
    `Found on ${host}: ${labels.join(', ')}. Check the fields, then save.`,
  notRead: 'Porchlight couldn’t read your home page.',
};

export const reachWords = {
  title: 'Public address',
  about: 'Apps and other sites need a public address that leads to this computer.',
  settings: {
    way: {
      label: 'How the web reaches you',
      also: 'tunnel cloudflare cloudflared options certificate api token hostname domain reverse proxy port https reachable online',
    },
  },
};

export const signInWords = {
  title: 'Sign-in',
  about: 'How apps sign in, and how long their access lasts.',
  settings: {
    accessTokenSeconds: {
      label: 'App access expires after',
      about: 'Apps renew their access on their own. A shorter time limits the harm if somebody steals it.',
      also: 'token lifetime expiry pass',
    },
    refreshTokenSeconds: {
      label: 'Unused apps are signed out after',
      about: 'The time starts again each time the app is used.',
      also: 'token refresh lifetime expiry inactive log out',
    },
    allowWithoutPkce: {
      label: 'Allow old apps that can’t protect their sign-in (no PKCE)',
      also: 'security legacy code challenge',
    },
  },
  warning:
    'Without PKCE, somebody who intercepts a sign-in can use it. Turn this on only for an app that you need. Porchlight warns you each time such an app asks.',
  amount: (label: string) => `${label}: number`,
  unit: (label: string) => `${label}: unit`,
};

export const computerWords = {
  title: 'This computer',
  about: 'How the Porchlight app behaves on this computer.',
  settings: {
    startAtLogin: {
      label: 'Start at login',
      about: 'Porchlight starts without a window. You find it in the tray.',
      also: 'autostart launch boot startup',
    },
    notifications: {
      label: 'Show notifications',
      about: 'When an app asks to sign in, and when somebody mentions you.',
      also: 'alerts messages',
    },
    sound: { label: 'Play a sound with notifications', also: 'audio quiet mute' },
    writeShortcut: {
      label: 'Shortcut for writing a post',
      about: 'Opens a small editor while you use any app. Select the field, then press the keys.',
      also: 'global hotkey keyboard keys compose quick note editor',
    },
  },
};

export const shortcutWords = {
  none: 'No shortcut',
  clear: 'Remove shortcut',
  refused: 'Hold Ctrl, Alt or ⌘ and press a letter, a digit or a function key.',
};

export const advancedWords = {
  title: 'Advanced',
  settings: {
    managementToken: {
      label: 'Management token',
      about: 'Your own programs use this token to manage the server. Anyone who has it can delete your data.',
      also: 'api key developer script',
    },
    secrets: { label: 'Where secrets are stored', also: 'keychain password token encryption file' },
  },
};

export const tokenWords = {
  what: 'the management token',
  notRead: 'Porchlight couldn’t read the token.',
  show: 'Show the token',
  hide: 'Hide the token',
  replace: 'Replace the token',
  confirm: 'Replace the management token?',
  aboutReplacing:
    'Programs that use the old token stop working until you give them the new one. You can’t undo this.',
};

export const secretWords = {
  loading: 'where secrets are stored',
  keychain: 'In this computer’s keychain. Only your user account can read them.',
  file: 'In a file in the data folder, not in the keychain. Only your user account can read the file.',
};
