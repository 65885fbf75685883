import type { Decision } from '../contract/webmentions.ts';
import { PorchlightError } from '../contract/error.ts';
import type { EndingRegister } from '../storage/endings.ts';
import type { Versions } from '../storage/caches.ts';
import { decided, decisionBetween } from './moderation.ts';
import type { Decided, DecidedAll, MentionFilter, MentionStore } from './mention-store.ts';
import { mentionsOf, type Mention } from './mention.ts';

/** The decisions that take a mention from the public. */
type HidingDecision = Exclude<Decision, 'approved' | 'restored'>;

/** The owner's decisions about one mention that aren't on disk yet, oldest first. */
interface Hidden {
  readonly target: string;
  readonly source: string;
  readonly decisions: readonly { readonly decision: HidingDecision; readonly at: string }[];
}

interface HoldOptions {
  readonly endings: EndingRegister;
  readonly versions: Pick<Versions, 'changed'>;
  /** Returns the current time in ms. */
  readonly now: () => number;
  /** Called with a mention whose decision could not be saved at first, once it is on disk. */
  readonly saved: (mention: Mention) => void;
}

/**
 * Makes the owner's decisions to hide, hold or delete mentions apply at once, even if they can't be saved now. Counts
 * (`pages`, `counts`, `topPages`) and the addresses of known authors follow when they are saved.
 */
export function holdDecisions(store: MentionStore, options: HoldOptions): MentionStore {
  const { endings, versions } = options;
  async function write(id: string, { decisions }: Pick<Hidden, 'decisions'>): Promise<void> {
    for (const { decision } of decisions) await store.setStatus(id, decision, 'owner');
  }
  const hidden = endings.kind<Hidden>({
    write,
    changed: (_id, { target }) => versions.changed(mentionsOf(store.pageRules.pageOf(target))),
    saved: (id) =>
      void store.get(id).then(
        (mention) => mention && options.saved(mention),
        () => undefined,
      ),
    words: (_id, { source, decisions }) =>
      `a mention from ${hostIn(source)} is ${decisions.at(-1)?.decision}`,
  });
  const moment = () => new Date(options.now()).toISOString();

  /** Returns a mention of the store as it counts now. */
  function current(mention: Mention): Mention {
    const decisions = hidden.get(mention.id)?.decisions ?? [];
    return decisions.reduce((before, { decision, at }) => attempted(before, decision, at), mention);
  }
  const currentOf = (mentions: readonly Mention[]) =>
    hidden.all.size === 0 ? mentions : mentions.map(current);

  async function get(id: string): Promise<Mention | undefined> {
    const mention = await store.get(id);
    return mention && current(mention);
  }

  async function known(id: string): Promise<Mention> {
    const mention = await get(id);
    if (mention === undefined) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
    return mention;
  }

  /** Applies a decision that hides mentions. `work` writes it. Returns undefined if it can't be written now. */
  async function hide<R>(
    mentions: readonly Mention[],
    decision: HidingDecision,
    work: () => Promise<R>,
  ): Promise<R | undefined> {
    const at = moment();
    const ofOne = ({ id, target, source }: Mention): [string, Hidden] => [
      id,
      { target, source, decisions: [...(hidden.get(id)?.decisions ?? []), { decision, at }] },
    ];
    return hidden.end(new Map(mentions.map(ofOne)), work);
  }

  async function hideSome(ids: readonly string[], decision: HidingDecision): Promise<DecidedAll> {
    const at = moment();
    const changed: DecidedAll['changed'][number][] = [];
    const before: Mention[] = [];
    let refused = 0;
    for (const id of new Set(ids)) {
      const mention = await get(id);
      const after = mention && attempted(mention, decision, at, () => undefined);
      if (mention === undefined || after === undefined) refused += 1;
      else if (after !== mention) {
        before.push(mention);
        changed.push({ mention: after, decided: decisionBetween(mention, after) });
      }
    }
    return (await hide(before, decision, () => store.decideAll(ids, decision))) ?? { changed, refused };
  }

  /** Applies a decision that shows mentions, which takes back what isn't on disk. */
  async function showSome(ids: readonly string[], decision: Decision): Promise<DecidedAll> {
    const before = await heldAmong(ids);
    const done = await hidden.takeBack([...before.keys()], () => store.decideAll(ids, decision));
    const reported = new Set(done.changed.map(({ mention }) => mention.id));
    const changed = [...done.changed];
    for (const [id, mention] of before) {
      const after = await store.get(id);
      // The store has nothing to change if it doesn't know of the hiding yet.
      if (after && !reported.has(id))
        changed.push({ mention: after, decided: decisionBetween(mention, after) });
    }
    return { ...done, changed };
  }

  async function heldAmong(ids: readonly string[]): Promise<Map<string, Mention>> {
    const found = new Map<string, Mention>();
    for (const id of ids) {
      const mention = hidden.get(id) && (await get(id));
      if (mention) found.set(id, mention);
    }
    return found;
  }

  /** Undoes the newest decision about a mention that isn't on disk. Returns the mention. */
  async function undoNewest(id: string, { decisions, ...about }: Hidden, all: readonly Decided[]) {
    const earlier = { ...about, decisions: decisions.slice(0, -1) };
    const undo = () => store.undoAll(all.filter((one) => one.id === id));
    if (earlier.decisions.length === 0) await hidden.takeBack([id], undo);
    // The earlier decisions still apply.
    else await hidden.end(new Map([[id, earlier]]), () => undo().then(() => write(id, earlier)));
    return get(id);
  }

  /** Returns the unsaved mentions that belong to a list, but aren't in the store's list yet. */
  async function newIn(filter: MentionFilter): Promise<Mention[]> {
    const found: Mention[] = [];
    for (const [id, { source }] of hidden.all) {
      const mention = await store.get(id);
      if (!mention || mention.status === filter.status || current(mention).status !== filter.status) continue;
      if (filter.source !== undefined && filter.source !== source) continue;
      const same = { ...filter, status: mention.status, source };
      const { items } = await store.list({ limit: mostOfSource, filter: same });
      if (items.some((one) => one.id === id)) found.push(current(mention));
    }
    return found;
  }

  return {
    ...store,
    isSaved: (id) => hidden.isSaved(id),
    async keep(mention, keepOptions) {
      const kept = await store.keep(mention, keepOptions);
      return { ...kept, mention: current(kept.mention) };
    },
    keepAll: async (mentions, keepOptions) =>
      (await store.keepAll(mentions, keepOptions)).map((kept) => ({
        ...kept,
        mention: current(kept.mention),
      })),
    get,
    async find(source, target) {
      const mention = await store.find(source, target);
      return mention && current(mention);
    },
    async byWmId(wmId) {
      const mention = await store.byWmId(wmId);
      return mention && current(mention);
    },

    async setStatus(id, status, by) {
      if (by === 'owner' && status !== 'approved' && status !== 'removed') {
        const mention = await known(id);
        return (await hide([mention], status, () => store.setStatus(id, status, by))) ?? known(id);
      }
      if (by !== 'owner' || hidden.get(id) === undefined) return store.setStatus(id, status, by);
      return hidden.takeBack([id], () => store.setStatus(id, status, by));
    },

    async restore(id) {
      if (hidden.get(id) === undefined) return store.restore(id);
      const mention = await known(id);
      return mention.status === 'deleted' ? hidden.takeBack([id], () => store.restore(id)) : mention;
    },

    decideAll: (ids, decision) =>
      decision === 'approved' || decision === 'restored' ? showSome(ids, decision) : hideSome(ids, decision),

    async undoAll(all) {
      const held = all.filter(({ id }) => hidden.get(id) !== undefined);
      const changed = await store.undoAll(all.filter(({ id }) => hidden.get(id) === undefined));
      for (const { id } of held) {
        const one = hidden.get(id);
        const mention = one && (await undoNewest(id, one, held));
        if (mention) changed.push(mention);
      }
      return changed;
    },

    ofPage: async (target) => currentOf(await store.ofPage(target)),
    recordsOf: async (target) => currentOf(await store.recordsOf(target)),
    neighbours: async (mention, limit) => [...currentOf(await store.neighbours(mention, limit))],
    async leader(mention) {
      const found = await store.leader(mention);
      return found && current(found);
    },

    async list(page) {
      const found = await store.list(page);
      if (hidden.all.size === 0) return found;
      const { status } = page.filter ?? {};
      const items = found.items.map(current);
      if (status === undefined) return { ...found, items };
      const more = page.cursor === undefined ? await newIn(page.filter ?? {}) : [];
      const all = [...items.filter((mention) => mention.status === status), ...more];
      return { ...found, items: all.sort((a, b) => Date.parse(b.received) - Date.parse(a.received)) };
    },

    async *all(which) {
      for await (const mention of store.all(which)) yield current(mention);
    },
  };
}

/** The most mentions of one source that are compared with a filter. A source rarely mentions several pages. */
const mostOfSource = 500;

/** Returns the mention after a decision. If the decision isn't possible, returns what `otherwise` returns. */
function attempted<T = Mention>(
  mention: Mention,
  decision: Decision,
  at: string,
  otherwise: () => T | Mention = () => mention,
): Mention | T {
  try {
    return decided(mention, decision, at);
  } catch {
    return otherwise();
  }
}

const hostIn = (url: string) => (URL.canParse(url) ? new URL(url).host : 'another site');
