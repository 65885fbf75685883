import type { Outcome } from './deliver.ts';
import type { Entry } from './outbox-document.ts';

const minute = 60_000;
const hour = 60 * minute;
/** After each try that failed: how long to wait for the next. */
const shortestPause = 5_000;
const pauses = [minute, 10 * minute, hour, 6 * hour, 24 * hour];
const longestPause = 24 * hour;
/** A page hears of new responses this long after the last that it heard of the post, and after a burst of them. */
const responseRest = 10 * minute;
const responseBurst = minute;
/** Pages that are not linked any more are remembered up to this many. */
const mostUnlinked = 1000;

export interface Change {
  /** What the post links now; nothing where nobody may read it. */
  readonly links: readonly string[];
  /** What it linked before, as far as anybody could read it. */
  readonly linkedBefore: readonly string[];
  /** When it is (or was) published, in ms: links are sent then, or now where that is past. */
  readonly publishedAt: number;
  readonly now: number;
}

/**
 * What is to be sent after a change of a post (Webmention 3.1.4, 3.1.5): to all pages that it links, and to those that
 * may know of it and are not linked any more.
 */
export function planned(entries: readonly Entry[], change: Change): Entry[] {
  const { links, linkedBefore, publishedAt, now } = change;
  const known = new Map(entries.map((entry) => [entry.target, entry]));
  const linked = links.map((target) =>
    waiting(known.get(target) ?? fresh(target), true, Math.max(now, publishedAt), now),
  );
  const current = new Set(links);
  const targets = new Set([...known.keys(), ...linkedBefore].filter((target) => !current.has(target)));
  const others = [...targets].flatMap((target) => {
    const entry = known.get(target) ?? { ...fresh(target), told: true };
    if (mayKnow(entry, now)) return [waiting(entry, false, now, now)];
    return entry.linked ? [] : [entry];
  });
  return [...linked, ...others.slice(-mostUnlinked)];
}

export interface ShownResponse {
  readonly source: string;
  /** The page is being told right now: it may have been looked at before the response was shown. */
  readonly isUnderWay: boolean;
  /** In ms. */
  readonly now: number;
}

/**
 * An entry after a response was newly shown on the page of its post (Salmention, Webmention 3.1.4): whoever was told of
 * that page is told again, once for all that comes within a while. What waits anyway will see the response too; who
 * does not know the page, or was not reached, is not bothered with it; and a response is nothing new to the page that
 * it comes from, or two pages that answer each other would never be quiet. The same entry where nothing is to be sent.
 */
export function respondedTo(entry: Entry, { source, isUnderWay, now }: ShownResponse): Entry {
  const { linked, told, state, target } = entry;
  if (!linked || !told || samePage(target, source)) return entry;
  if (state === 'sent') return responding(entry, now);
  const isMissed = state === 'waiting' && isUnderWay && !entry.moreResponses;
  return isMissed ? { ...entry, moreResponses: true } : entry;
}

function responding(entry: Entry, now: number): Entry {
  const next = Math.max(now + responseBurst, Date.parse(entry.at) + responseRest);
  const words = 'Waiting to report new responses.';
  return { ...waiting(entry, true, Math.min(next, now + responseRest), now), words, forResponses: true };
}

function samePage(one: string, other: string): boolean {
  const [a = '', b = ''] = [one, other].map((address) => address.replace(/^https?:|#.*$/g, ''));
  return a === b;
}

/** An entry after a try of its round. `now` in ms. */
export function settled(entry: Entry, outcome: Outcome, now: number): Entry {
  const { target, linked, told, round, attempts, forResponses, moreResponses } = entry;
  const tried = { target, linked, told, round, attempts: attempts + 1 };
  const done = { ...tried, due: null, at: moment(now), words: outcome.words };
  // A page that does not hear of new responses was told of the post all the same.
  const unheard = `Sent before, but new responses could not be reported. ${outcome.words}`;
  switch (outcome.kind) {
    case 'sent': {
      const sent: Entry = {
        ...done,
        state: 'sent',
        told: linked,
        words: linked ? outcome.words : goneWords,
        ...(outcome.statusPage !== undefined && { statusPage: outcome.statusPage }),
      };
      return moreResponses ? responding(sent, now) : sent;
    }
    case 'no-endpoint':
      return forResponses ? { ...done, state: 'sent', words: unheard } : { ...done, state: 'no-endpoint' };
    case 'failed': {
      // A page that is told of a link that is gone looks, finds none and says so: it has heard.
      if (outcome.refused && !linked) return { ...done, state: 'sent', told: false, words: goneWords };
      const mayHaveHeard = told || outcome.mayKnow;
      const why = linked ? outcome.words : `The removal of the link could not be reported. ${outcome.words}`;
      const pause = outcome.mayPass ? pauses[attempts] : undefined;
      if (pause === undefined) {
        if (forResponses) return { ...done, state: 'sent', words: unheard };
        return { ...done, state: 'failed', told: mayHaveHeard, words: why };
      }
      const wished = Math.min(outcome.notBefore ?? 0, now + longestPause);
      // The other server may know better when it can; once it was wrong, ours counts too.
      const least = attempts === 0 && outcome.notBefore !== undefined ? shortestPause : pause;
      const due = moment(Math.max(now + least, wished));
      const retried = { ...done, told: mayHaveHeard, due, words: `${why} Porchlight will try again.` };
      return { ...retried, state: 'waiting', ...(forResponses && { forResponses }) };
    }
  }
}

/** An entry that had its next round while it was sent: it still waits, and remembers who heard. */
export function overtaken(entry: Entry, outcome: Outcome): Entry {
  const heard = outcome.kind === 'sent' || (outcome.kind === 'failed' && outcome.mayKnow);
  return heard ? { ...entry, told: true } : entry;
}

/** An entry that the owner wants to be sent again. `now` in ms. */
export function again(entry: Entry, now: number): Entry {
  return waiting(entry, entry.linked, now, now);
}

/** True for an entry that waits for its post to be published. `now` in ms. */
export function isScheduled({ state, attempts, due, forResponses }: Entry, now: number): boolean {
  return !forResponses && state === 'waiting' && attempts === 0 && due !== null && Date.parse(due) > now;
}

const goneWords = 'Reported that the link was removed.';

/** Told, or perhaps just being told. */
export function mayKnow(entry: Entry, now: number): boolean {
  return entry.told || (entry.state === 'waiting' && !isScheduled(entry, now));
}

function fresh(target: string): Entry {
  return {
    target,
    state: 'waiting',
    words: '',
    at: '',
    linked: true,
    told: false,
    round: 0,
    attempts: 0,
    due: null,
  };
}

/** A new round of an entry. */
function waiting(
  { target, told, round, statusPage }: Entry,
  linked: boolean,
  due: number,
  now: number,
): Entry {
  const words = !linked
    ? 'Waiting to report that the link was removed.'
    : due > now
      ? 'Waiting until the post is published.'
      : 'Waiting to be sent.';
  return {
    target,
    state: 'waiting',
    words,
    at: moment(now),
    linked,
    told,
    round: round + 1,
    attempts: 0,
    due: moment(due),
    ...(statusPage !== undefined && { statusPage }),
  };
}

const moment = (ms: number) => new Date(ms).toISOString();
