import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import type { CheckedBackup, LastCopy, Leftover } from '../../src-main/contract/data.ts';
import type { Settings } from '../../src-main/contract/settings.ts';

type DataHandlers = Pick<Handlers, Extract<keyof Handlers, `data.${string}` | `desktop.${string}`>>;

const counts = { posts: 128, files: 64, mentions: 312, bytes: 734_000_000 };
const madeAt = '2026-11-14T09:30:00.000Z';

/** What the backup of the fixtures would change. */
const changes: CheckedBackup['changes'] = [
  { setting: 'profile.email', here: '', there: 'robin@marlow.example' },
  { setting: 'signIn.accessTokenSeconds', here: 3600, there: 315_360_000 },
  { setting: 'signIn.allowWithoutPkce', here: false, there: true },
  { setting: 'webmention.hold', here: 'strangers', there: 'nothing' },
  {
    setting: 'webmention.trustedDomains',
    here: ['friend.example'],
    there: ['evil.example', 'friend.example'],
  },
  { setting: 'tunnel.publicUrl', here: '', there: 'https://porch.evil.example' },
  { setting: 'backup.folder', here: '/media/robin/disk/weekly', there: '' },
  { setting: 'webmention.blockedDomains', here: ['spam.example'], there: [] },
  { setting: 'webmention.outbox', here: 0, there: 412 },
  { setting: 'posts.withdrawn', here: 0, there: 2 },
];

interface DataHouse {
  settings: Settings;
  posts: readonly unknown[];
  mentions: readonly unknown[];
  /** What restores left beside the data. */
  leftovers?: Leftover[];
}

/** What a service answers about its data: what is prepared waits, until it is cancelled. */
export function dataHandlers({ settings, posts, mentions, leftovers = [] }: DataHouse): DataHandlers {
  let left = leftovers;
  let lastBackup: LastCopy | null = null;
  let lastExport: LastCopy | null = null;
  let waiting: Result<'data.folder'>['waiting'] = null;
  let checked: CheckedBackup | null = null;
  const folder = (): Result<'data.folder'> => ({
    folder: '/home/robin/.local/share/porchlight',
    fixed: null,
    isNew: posts.length === 0 && mentions.length === 0,
    lastBackup,
    lastExport,
    lastWeekly: settings.backup.folder === '' ? null : madeAt,
    weeklyProblem: null,
    progress: null,
    checked,
    waiting,
  });
  return {
    'data.folder': folder,
    'data.backup': ({ path, passphrase }) => {
      lastBackup = { path, madeAt, bytes: 512_300_000, counts, secrets: passphrase !== undefined };
      return { path, counts, secrets: passphrase !== undefined, problems: [] };
    },
    'data.download': ({ what, passphrase }) => {
      const copy = { path: null, madeAt, bytes: 512_300_000, counts, secrets: passphrase !== undefined };
      if (what === 'backup') lastBackup = copy;
      else lastExport = copy;
      return { id: 'once', name: `porchlight-${what}-2026-11-21.zip`, problems: [] };
    },
    'data.restore': ({ passphrase }) => {
      checked = {
        me: 'https://marlow.example/',
        madeAt,
        counts,
        secrets: passphrase !== undefined,
        problems: [],
        changes,
      };
      return checked;
    },
    'data.applyRestore': () => {
      const words = `The backup of ${settings.profile.me ?? 'https://marlow.example/'} from 2026-11-14 takes the place of your data when Porchlight starts again.`;
      waiting = { task: 'restore', me: settings.profile.me, madeAt, folder: null, words };
      checked = null;
      return folder();
    },
    'data.export': ({ path }) => {
      lastExport = { path, madeAt, bytes: 498_000_000, counts, secrets: false };
      return { path, counts };
    },
    'data.move': ({ path }) => {
      const words = `Your data moves to “${path}” when Porchlight starts again.`;
      waiting = { task: 'move', me: null, madeAt: null, folder: path, words };
      return { folder: path };
    },
    'data.cancel': () => {
      waiting = null;
      checked = null;
      return folder();
    },
    'data.leftovers': () => left,
    'data.deleteLeftover': ({ name }) => {
      left = left.filter((leftover) => leftover.name !== name);
      return {};
    },
    'data.restart': () => ({ words: 'Porchlight starts again.' }),
    'desktop.showInFolder': () => ({}),
    'desktop.choosePath': ({ suggestion }) => ({ path: `/media/robin/disk/${suggestion ?? 'chosen'}` }),
  };
}
