import type { Screen } from '../src-main/contract/screens.ts';

/** The sidebar: the screens' names, and the server's state below the app's name. */
export const sidebarWords = {
  name: 'Screens',
  screens: {
    porch: 'Porch',
    'sign-ins': 'Sign-ins',
    apps: 'Apps',
    webmentions: 'Webmentions',
    posts: 'Posts',
    media: 'Media',
    activity: 'Activity',
    data: 'Your data',
    settings: 'Settings',
    setup: 'Set-up',
  } satisfies Record<Screen, string>,
  on: 'Light on',
  off: 'Light off',
  stopped: 'Not running',
  unreachable: 'On, but not reachable',
  waiting: 'waiting',
  version: (version: string) => `Version ${version}`,
  /** The window's title. A number in front says how many sign-ins wait. */
  title: (screen: string, waiting: number) => `${waiting > 0 ? `(${waiting}) ` : ''}${screen} · Porchlight`,
};

/** What stands around every screen. */
export const shellWords = {
  settings: 'your settings',
  notResponding: 'Porchlight isn’t responding.',
  notRespondingMore: 'What you see may be out of date. This window keeps trying to reconnect.',
};

/** What screen readers announce by themselves. */
export const announcerWords = {
  name: 'Announcements',
  asked: (app: string, host: string, code: string) => `New sign-in: ${app} at ${host}, code ${code}.`,
  ended: (ending: string, app: string, host: string, code: string) =>
    `${ending}: ${app} at ${host}, code ${code}.`,
};

/** The page in a browser, without a valid key. */
export const lockedOutWords = {
  heading: 'Open Porchlight with its full address',
  noKey: 'This tab has no key. The address that Porchlight prints when it starts contains the key.',
  oldKey: 'Porchlight restarted, so this page’s key no longer works.',
  howTo:
    'Copy the full address from the terminal or log where Porchlight runs, including the part after the #. ' +
    'Then open it here.',
  noAddress: 'If you can’t find the address, restart Porchlight. It then prints a new one.',
  serverRuns: 'Your server is still running. Only this page is locked.',
};
