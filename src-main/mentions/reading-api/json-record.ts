import type { MentionType } from '../../contract/webmentions.ts';
import { readSinceImport } from '../import/raw-mention.ts';
import { sourceUrl, type Mention } from '../mention.ts';
import { isRecord } from '../../storage/json-value.ts';
import { harmlessRecord } from './harmless.ts';
import { publishedText } from './jf2-record.ts';

/** The names of mention types in webmention.io's older format (PROTOCOLS 8.4). */
const activities: Readonly<Record<MentionType, string>> = {
  reply: 'reply',
  like: 'like',
  repost: 'repost',
  bookmark: 'bookmark',
  rsvp: 'rsvp',
  mention: 'link',
};

/**
 * Returns a mention in webmention.io's json format (PROTOCOLS 8.4). For an imported mention, copies every field of the
 * aggregator's record, without anything that would run code in a page. Builds the record from the mention's facts if
 * the aggregator's record isn't stored, or if this server has read the source since the import.
 */
export function jsonRecord(mention: Mention): Record<string, unknown> {
  const own = ownRecord(mention);
  const told = mention.imported?.json;
  if (!told || readSinceImport(mention)) return own;
  const record = { ...required(own), ...harmlessRecord(told, mention.source) };
  const { data } = record;
  return isRecord(data) && typeof data['url'] === 'string' && data['url'] !== ''
    ? { ...record, data: { ...data, url: sourceUrl(data['url'], mention) } }
    : record;
}

const always = ['source', 'target', 'verified', 'verified_date', 'id', 'private', 'data', 'activity'];

function required(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(always.map((name) => [name, record[name]]));
}

function ownRecord(mention: Mention): Record<string, unknown> {
  const { source, target, parsed, wmId, facts, private: isPrivate = false } = mention;
  const { type, author, name, content, rsvp } = facts;
  const published = publishedText(facts.published);
  return {
    source,
    verified: true,
    verified_date: parsed.replace(/(?:\.\d+)?Z$/, '+00:00'),
    id: wmId,
    private: isPrivate,
    data: {
      ...(author && { author }),
      url: sourceUrl(facts.url, mention),
      name: name ?? null,
      content: content?.html ?? content?.value ?? null,
      published,
      published_ts: secondsOf(published),
      ...(rsvp !== undefined && { rsvp }),
    },
    activity: { type: activities[type] },
    target,
  };
}

/** Converts a date to seconds since the epoch. A time without an offset counts as UTC. */
function secondsOf(published: string | null): number | null {
  if (published === null) return null;
  return Math.floor(Date.parse(published.length > 19 ? published : `${published}Z`) / 1000);
}
