/** Every sentence of the home screen. */
export const porchWords = {
  title: 'Porch',
  status: 'the server’s status',
  problems: 'Needs your attention',
  openPosts: 'Open Posts',
  dismiss: 'Dismiss',
  dismissOf: (message: string) => `Dismiss: ${message}`,
  dismissFailed: 'Porchlight couldn’t dismiss the message.',
  showMentions: 'Show mentions again',
  showMentionsFailed: 'Porchlight couldn’t show the mentions again.',
  hint: 'When an app asks to sign you in, the request appears at the top of this page.',
};

export const waitingWords = {
  title: 'Waiting for your approval',
  list: 'the waiting sign-ins',
  question: 'Sign in to {app} ({host})?',
  questionOfHost: 'Sign in to {host}?',
  from: (device: string) => `From ${device}`,
  code: 'Code',
  review: 'Review',
  reviewOf: (app: string) => `Review ${app}`,
};

export const lightWords = {
  on: 'The light is on',
  off: 'The light is off',
  stuck: 'The light can’t turn on',
  hidden: 'The light is on, but the web can’t reach it',
  offMeans: 'While the light is off, no app can sign you in and nobody can reach your server.',
  switch: 'Porch light',
  onFailed: 'The light didn’t turn on.',
  offFailed: 'The light didn’t turn off.',
  portFailed: 'Porchlight couldn’t change the port.',
  newPort: (port: number) => `Porchlight now uses port ${port}.`,
  newPortFollows: 'If you use a named tunnel or a reverse proxy, point it at {address}.',
  tryAgain: 'Try again',
  otherPort: 'Use another port',
  reach: 'Check how the web reaches you',
  publicAddress: 'Public address',
  localAddress: 'Address on this computer',
  publishesTo: 'Your posts appear on',
  copyPublic: 'the public address',
  copyLocal: 'the address',
  signsInAs: 'You sign in as {me}',
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

export const folderWords = {
  /** The host comes in place of {host}, and the state in words in place of {words}. */
  trouble: 'Publishing to {host} needs your attention. {words}',
  link: 'Show the details',
};

export const mailboxWords = {
  /** The state comes in place of {words}. */
  trouble: 'The mailbox needs your attention. {words}',
  link: 'Show the mailbox',
};

export const arrivedWords = {
  arrived: (count: number) =>
    `${count.toLocaleString('en')} ${count === 1 ? 'thing' : 'things'} arrived while you were away.`,
  link: 'Show mentions',
  dismiss: 'Dismiss',
};

export const recentWords = {
  title: 'Recent activity',
  list: 'the recent activity',
  empty: 'Nothing has happened yet. Sign-ins, posts, mentions and changes to your server appear here.',
  more: 'Show more',
};
