import { readSinceImport } from '../import/raw-mention.ts';
import { sourceUrl, type Mention } from '../mention.ts';
import { harmlessRecord } from './harmless.ts';
import { isRecord } from '../../storage/json-value.ts';

/**
 * Returns a mention in webmention.io's jf2 format (PROTOCOLS 8.3). For an imported mention, copies every field of the
 * aggregator's record, without anything that would run code in a page. Adds only missing fields that widgets rely on
 * (WI-40, WI-41). Builds the record from the mention's facts if the aggregator's record isn't stored, or if this server
 * has read the source since the import.
 */
export function jf2Record(mention: Mention): Record<string, unknown> {
  const own = ownRecord(mention);
  const told = mention.imported?.jf2;
  if (!told || readSinceImport(mention)) return own;
  const record: Record<string, unknown> = { ...required(own), ...harmlessRecord(told, mention.source) };
  record['url'] =
    typeof record['url'] === 'string' && record['url'] !== ''
      ? sourceUrl(record['url'], mention)
      : own['url'];
  if (!isRecord(record['author'])) record['author'] = own['author'];
  const { content } = record;
  if (isRecord(content) && typeof content['html'] !== 'string' && typeof content['text'] !== 'string')
    record['content'] = { ...content, text: mention.facts.content?.value ?? '' };
  return record;
}

const always = [
  'type author url published wm-received wm-id wm-source wm-target wm-protocol wm-property wm-private',
].flatMap((names) => names.split(' '));

function required(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(always.map((name) => [name, record[name]]));
}

function ownRecord(mention: Mention): Record<string, unknown> {
  const { source, target, received, wmId, facts, private: isPrivate = false } = mention;
  const { property, author, content, name, rsvp, syndication, photo, video, audio } = facts;
  return {
    type: 'entry',
    author: { type: 'card', name: author?.name ?? '', photo: author?.photo ?? '', url: author?.url ?? '' },
    url: sourceUrl(facts.url, mention),
    published: publishedText(facts.published),
    'wm-received': received.replace('.000Z', 'Z'),
    'wm-id': wmId,
    'wm-source': source,
    'wm-target': target,
    'wm-protocol': 'webmention',
    ...(name !== undefined && { name }),
    ...(syndication && { syndication }),
    ...(photo && { photo }),
    ...(video && { video }),
    ...(audio && { audio }),
    ...(content && {
      content: { ...(content.html !== undefined && { html: content.html }), text: content.value },
    }),
    ...(property === 'rsvp' ? { 'in-reply-to': target, rsvp: rsvp ?? '' } : { [property]: target }),
    'wm-property': property,
    'wm-private': isPrivate,
  };
}

/**
 * Returns a date as `YYYY-MM-DDTHH:MM:SS`, with an offset only if the source gave one; null if the date is unknown
 * (PROTOCOLS 8.3).
 */
export function publishedText(published: string | undefined): string | null {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$/i.exec(
    published ?? '',
  );
  if (!parts) return null;
  const [, date = '', time = '00:00', seconds = ':00', offset = ''] = parts;
  return `${date}T${time}${seconds}${offset.replace(/^z$/i, '+00:00')}`;
}
