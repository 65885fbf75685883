/** Every sentence of the overview. */
export const overviewWords = {
  title: 'Overview',
  status: 'the server’s status',
};

export const lightWords = {
  on: 'Porchlight is on',
  off: 'Porchlight is off',
  stuck: 'Porchlight can’t turn on',
  hidden: 'Porchlight is on, but the web can’t reach it',
  offMeans: 'While Porchlight is off, no app can sign you in and nobody can reach your server.',
  switch: 'Porchlight',
  onFailed: 'Porchlight didn’t turn on.',
  offFailed: 'Porchlight didn’t turn off.',
  portFailed: 'Porchlight couldn’t change the port.',
  newPort: (port: number) => `Porchlight now uses port ${port}.`,
  newPortFollows: 'If you use a named tunnel or a reverse proxy, point it at {address}.',
  tryAgain: 'Try again',
  otherPort: 'Use another port',
  reach: 'Check how the web reaches you',
  publicAddress: 'Public address',
  localAddress: 'Address on this computer',
  copyPublic: 'the public address',
  copyLocal: 'the address',
  signsInAs: 'You sign in as {me}.',
  publishesTo: 'Your posts appear on {site}.',
};

/** What needs the owner. */
export const needWords = {
  title: 'Needs your attention',
  signIns: 'Waiting sign-ins',
  signInList: 'the waiting sign-ins',
  moreSignIns: (count: number) =>
    count === 1 ? 'One more sign-in is waiting.' : `${count} more sign-ins are waiting.`,
  showSignIns: 'Show all sign-ins',
  list: 'Items that need you',
  moreMentions: (count: string) =>
    count === '1' ? '1 more mention is waiting.' : `${count} more mentions are waiting.`,
  showMentions: 'Show all waiting mentions',
  failed: 'Couldn’t send a mention of {post} to {target}',
  retry: 'Try again',
  dismiss: 'Dismiss',
  draft: 'Draft: {post}',
  draftBy: 'Draft from {app}: {post}',
  /** The app’s name comes in place of {app}. */
  draftsBy: (count: string) => `${count} drafts from {app}`,
  showDrafts: 'Show all drafts',
  read: 'Read',
  close: 'Close',
  draftLoads: 'the draft',
  publish: 'Publish',
  untitled: 'Untitled',
  continue: 'Continue',
};

/** Problems of the server. */
export const attentionWords = {
  openPosts: 'Open Posts',
  dismiss: 'Dismiss',
  dismissOf: (message: string) => `Dismiss: ${message}`,
  dismissFailed: 'Porchlight couldn’t dismiss the message.',
  showMentions: 'Show mentions again',
  showMentionsFailed: 'Porchlight couldn’t show the mentions again.',
  /** The host comes in place of {host}, and the state in words in place of {words}. */
  folder: 'Publishing to {host} needs your attention. {words}',
  folderLink: 'Show the details',
  /** The state comes in place of {words}. */
  mailbox: 'The mailbox needs your attention. {words}',
  mailboxLink: 'Show the mailbox',
};

export const newsWords = {
  arrived: (count: number) =>
    `${count.toLocaleString('en')} ${count === 1 ? 'thing' : 'things'} arrived while you were away.`,
  link: 'Show mentions',
  dismiss: 'Dismiss',
};

/** The one next step while the set-up isn’t finished. */
export const nextStepWords = {
  who: { words: 'Porchlight doesn’t know your domain yet.', link: 'Enter your domain' },
  reach: { words: 'Only this computer can reach Porchlight.', link: 'Choose how the web can reach you' },
  unchecked: { words: 'Porchlight hasn’t tested your public address yet.', link: 'Test it now' },
  site: (host: string) => ({
    words: `${host} doesn’t link to Porchlight yet, so apps can’t find your sign-in page.`,
    link: `Connect ${host}`,
  }),
  findings: (count: number) => ({
    words: `The last self-test found ${count === 1 ? 'one problem' : `${count} problems`}.`,
    link: count === 1 ? 'Fix the problem' : 'Fix the problems',
  }),
};

/** The first steps of a new server. */
export const firstStepWords = {
  title: 'First steps',
  done: 'Done',
  hide: 'Hide these steps',
  address: { title: 'Your address', off: 'Turn Porchlight on first.' },
  post: { title: 'Your first post', about: 'Write a note below, or an article.', link: 'Write' },
  look: {
    title: 'The look of your site',
    about: 'Choose a theme, a color and a title.',
    link: 'Choose a look',
  },
  backup: { title: 'A backup', about: 'Keep a copy of everything in another place.', link: 'Back up' },
};

export const composerWords = {
  label: 'Write a note',
  hint: 'What’s on your mind?',
  publish: 'Publish',
  more: 'Continue in Write',
  where: (site: string) => `Everyone can read it on ${site}.`,
  published: 'Published.',
  open: 'Open the post',
  failed: 'The note wasn’t published.',
  draftFailed: 'The note wasn’t saved as a draft.',
};

export const daysWords = {
  title: 'The last days',
  list: 'the recent activity',
  empty: 'Nothing has happened yet. Sign-ins, posts, mentions and changes to your server appear here.',
  write: 'Write a post',
  all: 'Show all activity',
  today: 'Today',
  yesterday: 'Yesterday',
};
