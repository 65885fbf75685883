import type { Screen } from '../src-main/contract/window.ts';

/** The sidebar: the screens' names, and the server's state. */
export const sidebarWords = {
  name: 'Screens',
  app: 'Porchlight',
  skip: 'Skip to the screen',
  search: 'Search',
  /** In a narrow window: the menu with the screens that its bar has no room for. */
  more: 'More',
  screens: {
    overview: 'Overview',
    'sign-ins': 'Sign-ins',
    apps: 'Apps',
    webmentions: 'Webmentions',
    write: 'Write',
    posts: 'Posts',
    media: 'Media',
    activity: 'Activity',
    data: 'Your data',
    settings: 'Settings',
    setup: 'Set-up',
  } satisfies Record<Screen, string>,
  on: 'Porchlight is on',
  off: 'Porchlight is off',
  stopped: 'Porchlight isn’t running',
  unreachable: 'Porchlight is on, but not reachable',
  waiting: (screen: string, count: string) => `${screen}, ${count} waiting`,
  version: (version: string) => `Version ${version}`,
  /** The window's title. A number in front says how many sign-ins wait. */
  title: (screen: string, waiting: number, demo: boolean) =>
    `${waiting > 0 ? `(${waiting}) ` : ''}${screen} · Porchlight${demo ? ' (demo)' : ''}`,
};

/** The search that Ctrl+K opens. */
export const paletteWords = {
  title: 'Go to',
  field: 'Search Porchlight',
  placeholder: 'Search screens, posts, apps and settings',
  results: 'Results',
  screens: 'Screens',
  posts: 'Posts',
  apps: 'Apps',
  settings: 'Settings',
  untitled: 'Post without text',
  none: 'Nothing matches. Try another word.',
  count: (count: number) => (count === 0 ? 'No results' : count === 1 ? '1 result' : `${count} results`),
};

/** What stands around every screen. */
export const shellWords = {
  settings: 'your settings',
  notResponding: 'Porchlight isn’t responding.',
  notRespondingMore: 'What you see may be out of date. This window keeps trying to reconnect.',
};

/** After an action whose result isn't on disk yet, if the server doesn't say why. */
export const unsavedWords = 'Not saved yet.';

/** What screen readers announce by themselves. */
export const announcerWords = {
  name: 'Announcements',
  asked: (app: string, host: string, code: string) => `New sign-in: ${app} at ${host}, code ${code}.`,
  ended: (ending: string, app: string, host: string, code: string) =>
    `${ending}: ${app} at ${host}, code ${code}.`,
};

/** The page in a browser, without a valid key. */
export const lockedOutWords = {
  title: 'This window is locked',
  reasons: {
    noKey: 'A tab has access only if you opened it with Porchlight’s full link, and only until you close it.',
    oldKey: 'Porchlight has restarted since you opened this tab. The old link no longer works.',
    usedLink: 'This link was already used, or it is more than two minutes old.',
  },
  wayIn: 'To get a new link, run “porchlight open” on the computer where Porchlight runs.',
  otherWayIn:
    'The link that Porchlight printed in the terminal when it started also works. Copy all of it, including the part after the #.',
  calm: 'Your server is still running. Only this window is locked.',
};

/** In the demo, on every screen: a badge, and what it means. */
export const demoWords = {
  name: 'Demo',
  text: 'This is a demo. Nothing here is real. Porchlight deletes it when you close it.',
};
