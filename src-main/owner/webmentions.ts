import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { ImportProgress } from '../contract/webmentions.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { BlockedDomains } from '../webmention/blocked.ts';
import type { Import } from '../webmention/import/import.ts';
import type { MentionStore } from '../webmention/mention-store.ts';
import { recordOf, type Mention } from '../webmention/mention.ts';
import type { Sender } from '../webmention/send/send.ts';
import type { Webmention } from '../webmention/webmention.ts';
import type { Activity } from './activity.ts';
import { aggregatorTokenName } from './secret-names.ts';

export interface WebmentionDeps {
  readonly mentions: MentionStore;
  readonly blocked: BlockedDomains;
  readonly webmention: Pick<Webmention, 'processNow'>;
  readonly importer: Pick<Import, 'run'>;
  readonly sender: Pick<Sender, 'deliveriesOf' | 'retry'>;
  /** How the import that is under way, or the last one, goes. */
  readonly progress: () => ImportProgress | null;
  readonly picture: (url: string) => Promise<string | null>;
  readonly secrets: Secrets;
  readonly activity: Activity;
  readonly changed: (mention: Mention) => void;
}

const usualPage = 50;

type WebmentionHandlers = Pick<
  Handlers,
  | Exclude<Extract<keyof Handlers, `webmentions.${string}`>, `webmentions.export${string}`>
  | 'secrets.setAggregatorToken'
>;

/** What the window asks about webmentions. */
export function webmentionHandlers(deps: WebmentionDeps): WebmentionHandlers {
  const { mentions, blocked, webmention, importer, sender, progress, picture, secrets, activity } = deps;

  /** Does what the owner wants done with one mention, and tells the windows. */
  async function changing(work: Promise<Mention>) {
    const mention = await work;
    deps.changed(mention);
    return recordOf(mention);
  }

  /** The token of the aggregator: the one that is given, else the one that is kept. */
  async function aggregatorToken(given: string | undefined): Promise<string> {
    const token = given ?? (await secrets.get(aggregatorTokenName));
    if (token === null)
      throw new PorchlightError(
        'no_token',
        'Enter your webmention.io token first. You find it in your settings at webmention.io.',
      );
    return token;
  }

  return {
    'webmentions.list': async ({ query, limit = usualPage, cursor, ...filter }) => {
      const { items, nextCursor } = await mentions.list({
        limit,
        cursor,
        filter: { ...filter, text: query },
      });
      return { items: items.map(recordOf), ...(nextCursor !== undefined && { nextCursor }) };
    },
    'webmentions.get': async ({ id }) => {
      const mention = await mentions.get(id);
      if (!mention) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
      const { snapshot = null, history } = mention;
      return { mention: recordOf(mention), snapshot, history };
    },
    'webmentions.pages': () => mentions.pages(),
    'webmentions.counts': () => mentions.counts(),
    'webmentions.setStatus': ({ id, status }) => changing(mentions.setStatus(id, status, 'owner')),
    'webmentions.delete': ({ id }) => changing(mentions.setStatus(id, 'deleted', 'owner')),
    'webmentions.restore': ({ id }) => changing(mentions.restore(id)),
    'webmentions.picture': async ({ url }) => ({ dataUrl: await picture(url) }),
    'webmentions.process': () => webmention.processNow(),

    'webmentions.import': async ({ aggregatorToken: given }) => {
      const token = await aggregatorToken(given);
      const { broken, refused, ...counts } = await importer.run({
        token,
        full: true,
        // One that works must not make way for one that does not; and a long import may be cut off.
        ...(given !== undefined && { accepted: () => secrets.set(aggregatorTokenName, given) }),
      });
      if (broken !== undefined)
        throw new PorchlightError(refused === true ? 'aggregator_refused' : 'aggregator_failed', broken, 502);
      await activity.tell(
        'webmention.imported',
        `You imported from webmention.io: ${counts.imported} new, ${counts.updated} updated.`,
      );
      return counts;
    },
    'webmentions.importState': async () => ({
      tokenStored: (await secrets.get(aggregatorTokenName)) !== null,
      progress: progress(),
    }),
    'secrets.setAggregatorToken': async ({ token }) => {
      await (token === '' ? secrets.delete(aggregatorTokenName) : secrets.set(aggregatorTokenName, token));
      return { stored: token !== '' };
    },

    'webmentions.blockDomain': async ({ domain }) => {
      const domains = await blocked.add(domain);
      await activity.tell('webmention.blocked', `You blocked ${domain}. Porchlight refuses its mentions.`);
      return domains;
    },
    'webmentions.unblockDomain': async ({ domain }) => {
      const domains = await blocked.remove(domain);
      await activity.tell('webmention.unblocked', `You unblocked ${domain}.`);
      return domains;
    },
    'webmentions.blockedDomains': () => blocked.list(),
    'webmentions.deliveries': ({ source }) => sender.deliveriesOf(source),
    'webmentions.retryDelivery': ({ source, target }) => sender.retry(source, target),
  };
}
