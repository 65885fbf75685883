import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import type { Settings } from '../../src-main/contract/settings.ts';

type DataHandlers = Pick<Handlers, Extract<keyof Handlers, `data.${string}`> | 'desktop.choosePath'>;

const counts = { posts: 128, files: 64, mentions: 312, bytes: 734_000_000 };
const madeAt = '2026-11-14T09:30:00.000Z';

/** What a service answers about its data: what is prepared waits, until it is given up. */
export function dataHandlers({ settings }: { settings: Settings }): DataHandlers {
  let waiting: Result<'data.folder'>['waiting'] = null;
  const folder = (): Result<'data.folder'> => ({
    folder: '/home/robin/.local/share/porchlight',
    fixed: null,
    lastWeekly: settings.backup.folder === '' ? null : madeAt,
    weeklyProblem: null,
    progress: null,
    waiting,
  });
  return {
    'data.folder': folder,
    'data.backup': ({ path, passphrase }) => ({
      path,
      counts,
      secrets: passphrase !== undefined,
      problems: [],
    }),
    'data.restore': ({ passphrase }) => {
      const words = `The backup of ${settings.profile.me} from 2026-11-14 takes the place of your data when Porchlight starts again.`;
      waiting = { task: 'restore', me: settings.profile.me, madeAt, folder: null, words };
      return { me: settings.profile.me, madeAt, counts, secrets: passphrase !== undefined, problems: [] };
    },
    'data.export': ({ path }) => ({ path, counts }),
    'data.move': ({ path }) => {
      const words = `Your data moves to “${path}” when Porchlight starts again.`;
      waiting = { task: 'move', me: null, madeAt: null, folder: path, words };
      return { folder: path };
    },
    'data.cancel': () => {
      waiting = null;
      return folder();
    },
    'data.restart': () => ({ words: 'Porchlight starts again.' }),
    'desktop.choosePath': ({ suggestion }) => ({ path: `/media/robin/disk/${suggestion ?? 'chosen'}` }),
  };
}
