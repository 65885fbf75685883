export const appsWords = {
  title: 'Apps',
  about: 'Apps that are signed in as you, and what each of them can do.',
  list: 'your apps',
  empty:
    'No app is signed in yet. Open an app that offers “Sign in with your domain” and enter your domain. Porchlight then asks you.',
  find: 'Find apps',
  tokens: {
    title: 'For scripts and simple tools',
    about:
      'Some tools can’t ask to sign in. Create a token for them instead. It works like a password, but only for the permissions that you choose.',
    create: 'Create a token',
  },
};

export const appRowWords = {
  /** `deeds`: such as “read 4 posts, wrote 1 draft”. */
  calls: (deeds: string) => `Since the server started, it ${deeds}.`,
  signOut: 'Sign out',
  revoke: 'Revoke',
  remove: 'Remove',
  /** `verb`: one of the three above. */
  verbOf: (verb: string, app: string) => `${verb} ${app}`,
  moreOf: (app: string) => `More actions for ${app}`,
  address: 'the app’s address',
  question: '{verb} {app}?',
  signOutMeans:
    'The app stops working at once. You can’t undo this, but the app can ask you to sign in again.',
  revokeMeans:
    'Every tool that uses this token stops working at once. You can’t undo this, but you can create a new token.',
  signedOut: (app: string) => `${app} is signed out.`,
  revoked: (token: string) => `The token ${token} is revoked.`,
  token: 'Token for a tool',
  since: 'signed in {ago}',
  sinceFrom: 'signed in {ago} from {device}',
  created: 'created {ago}',
  lastUsed: 'last used {ago}',
  notUsed: 'not used yet',
  mustSignInAgain: 'Must sign in again',
  worksNoMore: 'Doesn’t work any more. Create a new token.',
  removeMeans: 'The entry disappears from this list. The app can ask you to sign in again.',
  removed: (app: string) => `${app} is removed.`,
  ownName: (app: string) => `The app calls itself ${app}.`,
};

export const appDetailWords = {
  onlyKnows: 'Can only see who you are',
  permissions: (count: number) => `Permissions (${count})`,
  ends: 'Access ends {when}.',
  endlessApp: 'Access ends when you sign the app out.',
  endlessToken: 'Access ends when you revoke the token.',
  address: 'The app’s address: {address}',
};

export const markdownWords = {
  label: { app: 'This app sends Markdown', manual: 'The program with this token sends Markdown' },
  labelOf: (app: string) => `${app} sends Markdown`,
  about: 'Turn this on if its posts show **bold** or [link](address) instead of formatted text.',
  failed: 'Porchlight couldn’t save this.',
};

export const renameWords = {
  open: 'Rename…',
  title: 'Rename {app}',
  label: 'Name',
  about: (app: string) => `Only you see this name. Leave it empty to use the app’s own name, ${app}.`,
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  failed: 'Porchlight couldn’t rename the app.',
  done: (app: string) => `Renamed to ${app}.`,
};

export const tokenWords = {
  title: 'Create a token',
  titleDone: 'Your new token',
  close: 'Close',
  label: 'What is the token for?',
  placeholder: 'Backup script',
  labelMissing: 'Enter a name that helps you recognize the token.',
  scopesMissing: 'Choose at least one permission.',
  permissions: 'the permissions',
  assistant: 'For an assistant',
  assistantMeans: 'The token works only at the address for assistants.',
  lifetime: 'Access ends',
  endless: 'When I revoke the token',
  failed: 'Porchlight couldn’t create the token.',
  create: 'Create token',
  once: 'Porchlight shows this token only once. Copy it to your tool now, and show it to nobody else.',
  copy: 'the token',
  allows: (scopes: readonly string[]) => `Permissions: ${scopes.join(', ')}.`,
  ends: 'Access ends {when}.',
  never: 'It works until you revoke it.',
  done: 'I have copied it',
};
