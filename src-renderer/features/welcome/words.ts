import type { WelcomeStep } from '../../routes.ts';

/** The names of the steps in the list at the top. The last one is done only when every check has passed. */
export const stepNames: Record<WelcomeStep, string> = {
  who: 'About you',
  reach: 'Public address',
  links: 'Your home page',
  done: 'Check',
};

export const wizardWords = {
  pageTitle: (at: number, of: number) => `Set-up, step ${at} of ${of} · Porchlight`,
  progress: (at: number, of: number) => `Step ${at} of ${of}`,
  list: 'Set-up steps',
  passed: ' (completed)',
  finished: 'Done',
  continue: 'Continue',
  skip: 'Skip for now',
  back: 'Back',
};

export const welcomeWords = {
  title: 'Welcome to Porchlight',
  about:
    'Sign in to apps with your own web address instead of a password. Only you can approve a sign-in, on this computer.',
  question: 'Do you own a domain?',
  yes: 'Yes',
  yesAbout: 'Your site there stays as it is. You add a few lines to its home page.',
  no: 'No',
  noAbout: 'Porchlight gets you an address, which becomes your home page.',
  domain: 'Your domain',
  domainAbout: 'A site under another domain counts too, such as ada.github.io.',
  domainPlaceholder: 'example.com',
  name: 'Your name (optional)',
  nameAbout: 'It appears on your home page.',
  reading: 'Reading your home page…',
  domainNotSaved: 'Your domain wasn’t saved.',
  nameNotSaved: 'Your name wasn’t saved.',
  restore: 'Restore a backup',
};

export const introductionWords = {
  title: 'Is this you?',
  titleUnread: 'Your profile',
  unread: 'Porchlight couldn’t read your home page:',
  unreadHelp: 'You can enter your details here, or later in the settings.',
  nothing:
    'Your home page doesn’t say who you are in a form that apps can read. You can enter your name here.',
  found: 'This is what your home page says about you. Apps see it only if you approve.',
  name: 'Name',
  photo: 'Use the photo from your home page',
  email: 'Email address',
  notSaved: 'Your profile wasn’t saved.',
};

export const reachStepWords = {
  title: 'How can the web reach you?',
  about: 'Apps and other sites need a public address that leads to this computer.',
  addressBefore: 'Your public address is ',
  homeBefore: 'Your home page will be ',
  homeIsBefore: 'Your home page is ',
  homeAbout: 'You sign in with this address.',
  quickHome:
    'This address changes each time Porchlight starts. Your home page changes with it, so apps won’t recognize you the next time. It’s fine for trying things out.',
  quickLinks:
    'This address changes each time Porchlight starts. The lines on your home page then stop working. It’s fine for trying things out.',
  homeNotSaved: 'This address can’t be your home page.',
  notSaved: 'Your choice wasn’t saved.',
};

export const holdChoiceWords = {
  label: 'Hold mentions by new people',
  about:
    'When another site links to your pages, it appears there only after you approve it. You can change this in the settings.',
};

export const linksWords = {
  title: 'Connect your home page',
  aboutBefore: 'Paste these lines into the head of ',
  homePage: 'your home page',
  aboutAfter: ', between <head> and </head>.',
  name: 'the lines for your home page',
  localProblem: 'You have no public address yet.',
  local:
    'These lines work on this computer only. Before you paste them, go back a step and choose a public address.',
  site: 'your home page',
  check: 'Check now',
  often: 'Porchlight checks again every ten seconds.',
};

export const doneWords = {
  title: 'Check',
  about: 'Porchlight opens its own public address, as an app would, and reports what it finds.',
  finishedTitle: 'Done',
  finishedAbout: 'Apps can now sign you in.',
  next: 'Go to Overview',
  startAtLogin: 'Start Porchlight when I log in to this computer',
  startAtLoginAbout: 'While Porchlight isn’t running, nobody can sign in with your address.',
  notSaved: 'This setting wasn’t saved.',
};

export const testWords = {
  title: 'Try your first sign-in',
  about: 'Sign in to a test app in your browser. The app then explains what happened, and keeps nothing.',
  start: 'Start the test sign-in',
  failed: 'Porchlight couldn’t prepare the test sign-in.',
  waiting: (app: string) => `${app} is waiting for your approval.`,
  review: 'Review this sign-in',
  next: 'From now on, use your address wherever an app offers “Sign in with your domain”.',
};
