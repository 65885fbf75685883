import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Handlers } from '../contract/contract.ts';
import type { Clock } from '../platform/clock.ts';
import { exportMentions } from './receiving/export-file.ts';
import type { MentionStore } from './mention-store.ts';
import type { Activity } from '../storage/records/activity.ts';

interface MentionExportDeps {
  readonly mentions: Pick<MentionStore, 'all'>;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly activity: Activity;
}

/** Creates the handlers that save all mentions as a file. */
export function mentionExportHandlers({ mentions, dataDir, clock, activity }: MentionExportDeps) {
  return {
    'webmentions.exportPlace': async () => {
      const day = new Date(clock()).toISOString().slice(0, 10);
      return { path: join(await usualFolder(), `webmentions-${day}.jf2`) };
    },
    'webmentions.exportTo': async ({ path }) => {
      const saved = await exportMentions({ store: mentions, dataDir, path });
      await activity.tell(
        'webmention.exported',
        `You saved ${saved.mentions} ${saved.mentions === 1 ? 'mention' : 'mentions'} as ${saved.path}.`,
      );
      return saved;
    },
  } satisfies Partial<Handlers>;
}

/** Returns the Downloads folder, where people look for saved files; the home folder if there is none. */
async function usualFolder(): Promise<string> {
  const downloads = join(homedir(), 'Downloads');
  const isThere = await stat(downloads).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? downloads : homedir();
}
