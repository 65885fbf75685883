import type { Common } from '../http/common.ts';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { MentionedPage, MentionRecord } from '../contract/webmentions.ts';
import { aggregatorTokenName } from '../platform/secrets.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { BlockList, Blocks } from './blocked.ts';
import { type CountedRun, importSummary } from './import/import-runs.ts';
import type { MentionImport } from './import/import.ts';
import type { MentionStore } from './mention-store.ts';
import type { Decided } from './moderation.ts';
import type { Mention } from './mention.ts';
import { recordOf } from './mention-record.ts';
import { type MentionExportDeps, mentionExportHandlers } from './owner-export.ts';
import type { OwnSites } from './own-sites.ts';
import type { MentionPictures } from './receiving/pictures.ts';
import type { Webmention } from './receiving/webmention.ts';
import type { Sender } from './sending/send.ts';

/** Creates the handlers for all calls of the window about mentions. */
export const mentionsHandlers = (owned: OwnerWebmentionDeps & MentionImportDeps & MentionExportDeps) => ({
  ...webmentionHandlers(owned),
  ...mentionImportHandlers(owned),
  ...mentionExportHandlers(owned),
});

interface OwnerWebmentionDeps {
  readonly mentions: MentionStore;
  readonly blocks: Blocks;
  readonly webmention: Pick<Webmention, 'processNow'>;
  readonly sender: Pick<Sender, 'deliveriesOf' | 'failures' | 'retry'>;
  readonly picture: MentionPictures['dataUrl'];
  readonly activity: Activity;
  readonly changed: (mention: Mention) => void;
  /** Converts a mention to the record that the window gets. */
  readonly forOwner: (mention: Mention) => MentionRecord;
  /** Ends the state in which mentions are held until the owner has looked. */
  readonly ownerLooked: () => Promise<void>;
}

const usualPage = 50;
/** How many titles are looked up before other work runs. */
const titlesAtOnce = 200;

/** Creates the handlers for the window's calls about webmentions. */
function webmentionHandlers(deps: OwnerWebmentionDeps) {
  const { mentions, blocks, webmention, sender, picture, activity, forOwner } = deps;
  const undoList = createUndoList();

  /** Adds the title of the page, if it is a post. */
  function withTitle<T extends { readonly target: string }>(page: T): T & { title?: string } {
    const title = mentions.pageRules.titleOf(page.target);
    return title === undefined ? page : { ...page, title };
  }

  /** Tells the windows which mentions the owner changed, and returns the records of these mentions. */
  function report(changed: readonly Mention[]) {
    for (const mention of changed) deps.changed(mention);
    return changed.map(forOwner);
  }

  /** Waits until a mention has changed, then notifies the windows and returns the mention's record. */
  async function changing(work: Promise<Mention>) {
    const mention = await work;
    deps.changed(mention);
    return forOwner(mention);
  }

  /** Blocks a person or a site, and hides its mentions. Returns the list. */
  async function block(list: BlockList, entry: string): Promise<string[]> {
    const entries = await list.add(entry);
    await mentions.applyBlocks();
    await activity.record('webmention.blocked', `You blocked ${entry}. Porchlight refuses its mentions.`);
    return entries;
  }

  /** Unblocks a person or a site, and shows the mentions again that the block has hidden. Returns the list. */
  async function unblock(list: BlockList, entry: string): Promise<string[]> {
    const entries = await list.remove(entry);
    await mentions.applyBlocks();
    await activity.record('webmention.unblocked', `You unblocked ${entry}.`);
    return entries;
  }

  return {
    'webmentions.list': async ({ query: text, limit = usualPage, cursor, target, ...rest }) => {
      const page = target === undefined ? undefined : mentions.pageRules.pageOf(target);
      const filter = { ...rest, page, text };
      const { items, nextCursor } = await mentions.list({ limit, cursor, filter });
      return { items: items.map(forOwner), ...(nextCursor !== undefined && { nextCursor }) };
    },
    'webmentions.get': async ({ id }) => {
      const mention = await mentions.get(id);
      if (!mention) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
      const { snapshot = null, history } = mention;
      return { mention: forOwner(mention), snapshot, history };
    },
    'webmentions.pages': async () => {
      const titled: MentionedPage[] = [];
      for (const page of await mentions.pages()) {
        titled.push(withTitle(page));
        // Each title is a query.
        if (titled.length % titlesAtOnce === 0) await nextTurn();
      }
      return titled;
    },
    'webmentions.counts': () => mentions.counts(),
    'webmentions.topPages': async ({ year }) => (await mentions.topPages(year)).map(withTitle),
    'webmentions.setStatus': ({ id, status }) => changing(mentions.setStatus(id, status, 'owner')),
    'webmentions.delete': ({ id }) => changing(mentions.setStatus(id, 'deleted', 'owner')),
    'webmentions.releaseHeld': async () => {
      const released = await mentions.releaseHeld();
      await deps.ownerLooked();
      if (released > 0) await activity.record('webmention.released', releasedWords(released));
      return { released };
    },
    'webmentions.restore': ({ id }) => changing(mentions.restore(id)),
    'webmentions.decide': async ({ ids, decision }) => {
      const { changed, refused } = await mentions.decideAll(ids, decision);
      const records = report(changed.map(({ mention }) => mention));
      const undo = undoList.add(changed.map(({ decided }) => decided));
      return { changed: records, refused, undo };
    },
    'webmentions.undo': async ({ id }) => ({
      changed: report(await mentions.undoAll(undoList.take(id))),
    }),
    'webmentions.picture': async ({ url, kind }) => ({ dataUrl: await picture(url, kind) }),
    'webmentions.process': () => webmention.processNow(),

    'webmentions.blockDomain': ({ domain }) => block(blocks.sites, domain),
    'webmentions.unblockDomain': ({ domain }) => unblock(blocks.sites, domain),
    'webmentions.blockedDomains': () => blocks.sites.list(),
    'webmentions.blockPerson': ({ author }) => block(blocks.people, author),
    'webmentions.unblockPerson': ({ author }) => unblock(blocks.people, author),
    'webmentions.blockedPeople': () => blocks.people.list(),
    'webmentions.deliveries': ({ source }) => sender.deliveriesOf(source),
    'webmentions.failedDeliveries': () => sender.failures(),
    'webmentions.retryDelivery': ({ source, target }) => sender.retry(source, target),
  } satisfies Partial<Handlers>;
}

const releasedWords = (count: number) =>
  `You showed ${counted(count)} again that Porchlight held after repairing its database.`;

/**
 * Returns a mention's record for the owner's window. In addition to the fields from `recordOf`, the record has the title of
 * the mentioned post, and says whether the mention is the owner's own or an imported comment, and whether a block hides
 * it. Until the owner decides about the mention, the record also says why the mention was shown or held.
 */
export function ownerRecordOf(mention: Mention, own: OwnSites, targetTitle?: string): MentionRecord {
  const { chosen, admission, source, status, blocked, comment } = mention;
  const stillHolds = !chosen && (status === 'approved' || status === 'held');
  return {
    ...recordOf(mention),
    ...(targetTitle !== undefined && { targetTitle }),
    ...(own.has(source) && comment === undefined && { own: true }),
    ...(comment && { comment }),
    ...(blocked !== undefined && { blocked: true }),
    ...(admission !== undefined && stillHolds && { admission }),
  };
}

interface MentionImportDeps extends Pick<Common, 'secrets' | 'activity'> {
  readonly mentions: Pick<MentionStore, 'get'>;
  readonly importer: Pick<MentionImport, 'run' | 'runs' | 'removals'>;
  /** Returns the progress of the current import, or of the last one since Porchlight started; null if none ran. */
  readonly progress: () => ImportProgress | null;
  /** Converts a mention to the record that the window gets. */
  readonly forOwner: (mention: Mention) => MentionRecord;
}

/** The maximum number of mentions that the window lists for each kind of change. */
const mostListed = 100;

/** Creates the handlers for the window's calls about imports of mentions. */
function mentionImportHandlers(deps: MentionImportDeps) {
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
      await activity.record(
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
      await activity.record('webmention.compared', `You removed ${counted(removed)} after an import.`);
      return { removed };
    },
    'webmentions.undoImport': async ({ id }) => {
      const restored = await importer.removals.undo(id);
      await activity.record('webmention.compared', `You brought back ${counted(restored)} after an import.`);
      return { restored };
    },

    'secrets.setAggregatorToken': async ({ token }) => {
      await (token === '' ? secrets.delete(aggregatorTokenName) : secrets.set(aggregatorTokenName, token));
      return { stored: token !== '' };
    },
  } satisfies Partial<Handlers>;
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'mention' : 'mentions'}`;

/**
 * The maximum number of actions that the owner can undo. Each action covers up to 200 mentions. The window offers each
 * undo for only a few seconds.
 */
const mostUndos = 50;

/** Creates a list of the decisions that the owner can still undo, in memory. */
function createUndoList() {
  const undos = new Map<string, readonly Decided[]>();
  return {
    /** Stores decisions that were made together. Returns an id for undoing them; null if nothing changed. */
    add(decided: readonly Decided[]): string | null {
      if (decided.length === 0) return null;
      const id = randomUUID();
      undos.set(id, decided);
      for (const oldest of undos.keys()) if (undos.size > mostUndos) undos.delete(oldest);
      return id;
    },
    /**
     * Returns the decisions with this id and forgets them.
     * @throws PorchlightError `not_found` (404).
     */
    take(id: string): readonly Decided[] {
      const decided = undos.get(id);
      if (!decided) throw new PorchlightError('not_found', 'It is too late to undo this.', 404);
      undos.delete(id);
      return decided;
    },
  };
}
