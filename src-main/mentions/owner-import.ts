import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Import } from './import/import.ts';
import { importSummary, type CountedRun } from './import/import-runs.ts';
import type { Mention } from './mention.ts';
import type { MentionStore } from './mention-store.ts';
import type { Activity } from '../storage/records/activity.ts';
import { aggregatorTokenName } from '../platform/secret-names.ts';

interface MentionImportDeps {
  readonly mentions: Pick<MentionStore, 'get'>;
  readonly importer: Pick<Import, 'run' | 'runs' | 'removals'>;
  /** Returns the progress of the current import, or of the last one since Porchlight started; null if none ran. */
  readonly progress: () => ImportProgress | null;
  readonly secrets: Secrets;
  readonly activity: Activity;
  /** Converts a mention to the record that the window gets. */
  readonly forOwner: (mention: Mention) => MentionRecord;
}

/** The maximum number of mentions that the window lists for each kind of change. */
const mostListed = 100;

/** Creates the handlers for the window's calls about imports of mentions. */
export function mentionImportHandlers(deps: MentionImportDeps) {
  const { mentions, importer, progress, secrets, activity, forOwner } = deps;

  /** Returns the aggregator's token: the given token, or else the stored token. */
  async function aggregatorToken(given: string | undefined): Promise<string> {
    const token = given ?? (await secrets.get(aggregatorTokenName));
    if (token === null)
      throw new PorchlightError(
        'no_aggregator_token',
        'Paste the API key from your webmention.io settings first.',
      );
    return token;
  }

  async function listed(run: CountedRun, what: 'updated' | 'removed' | 'missing') {
    const records: MentionRecord[] = [];
    let read = 0;
    for await (const id of importer.runs.ids(run.id, what)) {
      const mention = await mentions.get(id);
      if (mention) records.push(forOwner(mention));
      read += 1;
      if (read === mostListed) break;
    }
    return { count: run[what], mentions: records };
  }

  return {
    'webmentions.import': async ({ aggregatorToken: given }) => {
      const token = await aggregatorToken(given);
      const { broken, refused, ...counts } = await importer.run({
        token,
        full: true,
        // A new token replaces the stored one once the aggregator accepts it, even if the import fails later.
        ...(given !== undefined && { accepted: () => secrets.set(aggregatorTokenName, given) }),
      });
      if (broken !== undefined)
        throw new PorchlightError(refused === true ? 'aggregator_refused' : 'aggregator_failed', broken, 502);
      await activity.tell(
        'webmention.imported',
        `You imported from webmention.io: ${counts.imported.toLocaleString('en')} new, ${counts.updated.toLocaleString('en')} changed.`,
      );
      return counts;
    },

    'webmentions.importState': async () => {
      const last = importer.runs.last();
      return {
        tokenStored: (await secrets.get(aggregatorTokenName)) !== null,
        progress: progress(),
        last: last ? importSummary(last) : null,
      };
    },

    'webmentions.importChanges': async ({ id }) => {
      const run = importer.runs.find(id);
      if (!run)
        throw new PorchlightError('not_found', 'Porchlight no longer has the details of this import.', 404);
      return {
        updated: await listed(run, 'updated'),
        removed: await listed(run, 'removed'),
        wouldRemove: await listed(run, 'missing'),
      };
    },

    'webmentions.applyRemovals': async ({ id }) => {
      const removed = await importer.removals.apply(id);
      await activity.tell('webmention.compared', `You removed ${counted(removed)} after an import.`);
      return { removed };
    },
    'webmentions.undoImport': async ({ id }) => {
      const restored = await importer.removals.undo(id);
      await activity.tell('webmention.compared', `You brought back ${counted(restored)} after an import.`);
      return { restored };
    },

    'secrets.setAggregatorToken': async ({ token }) => {
      await (token === '' ? secrets.delete(aggregatorTokenName) : secrets.set(aggregatorTokenName, token));
      return { stored: token !== '' };
    },
  } satisfies Partial<Handlers>;
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'mention' : 'mentions'}`;
