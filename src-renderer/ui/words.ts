/** Words that several components share. */
export const commonWords = {
  cancel: 'Cancel',
  close: 'Close',
  tryAgain: 'Try again',
  /** At a button that ignored a click because it moved or appeared less than a second before. */
  ignoredClick: 'This just appeared or moved. Check it, then click again.',
};

/** The "…" button beside a primary one. */
export const moreWords = { name: 'More actions' };

/** What happens only after a restart. */
export const restartWords = {
  restart: 'Restart Porchlight',
  inBrowser: 'Stop Porchlight, then start it again.',
};

/** The states before and instead of an answer. */
export const stateWords = {
  loading: (what: string) => `Loading ${what}…`,
  failed: (what: string) => `Porchlight couldn’t load ${what}.`,
  unknownReason: 'The reason is unknown.',
};

/** A part of the window that failed. */
export const brokenWords = {
  title: 'Something went wrong',
  doing:
    'Porchlight couldn’t show this screen. The server is still running, and everything you saved is safe.',
  again: 'Reload this screen',
};

/** Buttons that copy a text. `what`: "the address". */
export const publicAddressWords = {
  label: 'Public address',
  name: 'the public address',
};

export const copyWords = {
  ready: 'Copy',
  copied: 'Copied',
  failed: 'Couldn’t copy. Select the text and copy it yourself.',
  name: (what: string) => `Copy ${what}`,
  outcome: (outcome: string, what: string) => `${outcome}: ${what}`,
};

/** Files that the owner chooses. */
export const fileWords = {
  choose: 'Choose…',
  chooseName: (what: string) => `Choose: ${what}`,
  unreadable: 'Porchlight couldn’t read the file. Check that it hasn’t been moved or deleted.',
};

/** Which permissions an app gets. */
export const scopeWords = {
  legend: 'Permissions',
  needsProfile: 'Needs your profile too.',
};

export const searchWords = { clear: 'Clear the search' };

/** How long an app keeps its access. */
export const lifetimeWords = { hour: '1 hour', day: '1 day', month: '30 days', year: '1 year' };

/** Moments and waits. */
export const timeWords = {
  now: 'just now',
  soon: 'in less than a minute',
  timeUp: 'time’s up',
  lastMinute: 'less than a minute left',
  minutesLeft: (minutes: number) => `${minutes} minutes left`,
};

/** Problems with the domain that the owner typed. */
export const domainWords = {
  empty: 'Enter your domain, for example example.com.',
  notAnAddress: 'This isn’t a web address. Enter a domain such as example.com.',
  notWeb: 'Enter a web address that starts with https:// or http://.',
  email: 'This looks like an email address. Enter only your domain, such as example.com.',
  port: 'Leave out the port number. Your address can’t have one.',
  fragment: 'Leave out the # and everything after it.',
  notADomain: 'Enter a domain name, such as example.com.',
};

/** Names a site whose address isn’t known yet. */
export const unnamedSite = 'your site';
