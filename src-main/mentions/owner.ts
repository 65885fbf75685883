import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { BlockedDomains } from './blocked.ts';
import type { MentionStore } from './mention-store.ts';
import type { Mention } from './mention.ts';
import type { Sender } from './sending/send.ts';
import type { Webmention } from './receiving/webmention.ts';
import type { Activity } from '../storage/records/activity.ts';
import { createUndoList } from './undo-list.ts';

interface OwnerWebmentionDeps {
  readonly mentions: MentionStore;
  readonly blocked: BlockedDomains;
  readonly webmention: Pick<Webmention, 'processNow'>;
  readonly sender: Pick<Sender, 'deliveriesOf' | 'retry'>;
  readonly picture: (url: string) => Promise<string | null>;
  readonly activity: Activity;
  readonly changed: (mention: Mention) => void;
  /** Converts a mention to the record that the window gets. */
  readonly forOwner: (mention: Mention) => MentionRecord;
}

const usualPage = 50;

/** Creates the handlers for the window's calls about webmentions. */
export function webmentionHandlers(deps: OwnerWebmentionDeps) {
  const { mentions, blocked, webmention, sender, picture, activity, forOwner } = deps;
  const undoList = createUndoList();

  /** Tells the windows which mentions the owner changed, and returns the records of these mentions. */
  function told(changed: readonly Mention[]) {
    for (const mention of changed) deps.changed(mention);
    return changed.map(forOwner);
  }

  /** Waits until a mention has changed, then notifies the windows and returns the mention's record. */
  async function changing(work: Promise<Mention>) {
    const mention = await work;
    deps.changed(mention);
    return forOwner(mention);
  }

  async function deciding(work: Promise<Mention>) {
    const record = await changing(work);
    return { ...record, saved: mentions.isSaved(record.id) };
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
    'webmentions.pages': () => mentions.pages(),
    'webmentions.counts': () => mentions.counts(),
    'webmentions.topPages': ({ year }) => mentions.topPages(year),
    'webmentions.setStatus': ({ id, status }) => deciding(mentions.setStatus(id, status, 'owner')),
    'webmentions.delete': ({ id }) => deciding(mentions.setStatus(id, 'deleted', 'owner')),
    'webmentions.restore': ({ id }) => changing(mentions.restore(id)),
    'webmentions.decide': async ({ ids, decision }) => {
      const { changed, refused } = await mentions.decideAll(ids, decision);
      const records = told(changed.map(({ mention }) => mention));
      const undo = undoList.add(changed.map(({ decided }) => decided));
      const saved = records.every(({ id }) => mentions.isSaved(id));
      return { changed: records, refused, undo, saved };
    },
    'webmentions.undo': async ({ id }) => ({
      changed: told(await mentions.undoAll(undoList.take(id))),
    }),
    'webmentions.picture': async ({ url }) => ({ dataUrl: await picture(url) }),
    'webmentions.process': () => webmention.processNow(),

    'webmentions.blockDomain': async ({ domain }) => {
      const domains = await blocked.add(domain);
      await activity.tell('webmention.blocked', `You blocked ${domain}. Porchlight refuses its mentions.`);
      return { domains, saved: blocked.isSaved(domain) };
    },
    'webmentions.unblockDomain': async ({ domain }) => {
      const domains = await blocked.remove(domain);
      await activity.tell('webmention.unblocked', `You unblocked ${domain}.`);
      return domains;
    },
    'webmentions.blockedDomains': () => blocked.list(),
    'webmentions.deliveries': ({ source }) => sender.deliveriesOf(source),
    'webmentions.retryDelivery': ({ source, target }) => sender.retry(source, target),
  } satisfies Partial<Handlers>;
}
