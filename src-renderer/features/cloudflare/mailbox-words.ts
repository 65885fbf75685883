import type { MailboxStatus } from '../../../src-main/contract/reach.ts';
import { countedThings } from './words.ts';

/** The words of the mailbox in the settings. The search reads `settings` too. */
export const mailboxPageWords = {
  title: 'Mailbox',
  about: 'Shows your public pages and keeps mentions while this computer sleeps.',
  settings: {
    state: {
      label: 'Keep a mailbox while I’m away',
      also: 'cloudflare worker sleep asleep offline copies always available keys',
    },
  },
};

type State = Exclude<MailboxStatus['state'], 'off'>;

export const mailboxWords = {
  loading: 'the state of the mailbox',
  group: 'Mailbox',
  titles: {
    awake: 'The mailbox is on',
    'asleep-ready': 'The mailbox is ready',
    trouble: 'The mailbox needs your attention',
  } satisfies Record<State, string>,
  off: 'The mailbox is off',
  needsAddress: 'The mailbox needs an address that Porchlight sets up at Cloudflare.',
  setUp: 'Set up your address',
  kept: 'Waiting in the mailbox',
  things: (count: number) => (count === 0 ? 'nothing' : countedThings(count, 'thing')),
  copies: 'Copied',
  copied: (count: number) =>
    count === 1 ? '1 page or file' : `${count.toLocaleString('en')} pages and files`,
  leftOut: 'Not copied',
  tooLarge: (count: number) =>
    `${countedThings(count, 'large file')}. A copy has at most 2 MB, and all copies 500 MB.`,
  lastDrain: 'Last fetched',
  arrived: (count: number) => (count === 0 ? 'nothing new' : countedThings(count, 'thing')),
  never: 'Never',
  copying: (done: number, total: number) =>
    `Copying your site: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  copyBar: 'Copies of your site',
  toRemove: (count: number) =>
    count === 1
      ? 'The copy of 1 page still shows something that is no longer public.'
      : `The copies of ${count.toLocaleString('en')} pages still show something that is no longer public.`,
  remedies: {
    retry: 'Porchlight tries again from time to time. You can also try now.',
    takeOver:
      'Another computer uses this mailbox with the same keys, for example after you restored a backup. Only one computer can use it.',
    update: 'Porchlight can upload its own version of the mailbox, with the keys of this computer.',
  } satisfies Record<NonNullable<MailboxStatus['remedy']>, string>,
};

/** What the owner can do with the mailbox. `action`: the button that does it. `done`: what is said afterwards. */
export const mailboxTasks = {
  turnOn: {
    label: 'Turn on',
    title: 'Turn on the mailbox',
    action: 'Turn on',
    about: '',
    done: 'The mailbox is on.',
    failed: 'The mailbox didn’t turn on.',
  },
  turnOff: {
    label: 'Turn off…',
    title: 'Turn off the mailbox?',
    action: 'Turn off',
    about:
      'Porchlight fetches what is in the mailbox, then deletes the mailbox and all copies at Cloudflare. Your address stays.',
    done: 'The mailbox is off, and all copies are deleted.',
    failed: 'The mailbox didn’t turn off.',
  },
  rotateKeys: {
    label: 'Replace the keys',
    title: 'Replace the keys of the mailbox',
    action: 'Replace the keys',
    about: 'What is already in the mailbox can still be opened.',
    done: 'The keys are replaced.',
    failed: 'The keys weren’t replaced.',
  },
  update: {
    label: 'Update the mailbox',
    title: 'Update the mailbox',
    action: 'Update',
    about: 'What is in the mailbox stays.',
    done: 'The mailbox is updated.',
    failed: 'The mailbox wasn’t updated.',
  },
  takeOver: {
    label: 'Use the mailbox on this computer…',
    title: 'Use the mailbox on this computer?',
    action: 'Use on this computer',
    about: 'The other computer can then no longer use it. What is in the mailbox goes to this computer.',
    done: 'This computer uses the mailbox.',
    failed: 'This computer can’t use the mailbox.',
  },
  retry: {
    label: 'Try again',
    title: '',
    action: '',
    about: '',
    done: '',
    failed: 'That didn’t work.',
  },
};
export type MailboxTask = keyof typeof mailboxTasks;
