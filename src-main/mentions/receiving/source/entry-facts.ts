import { visibleText } from '../../../untrusted/pages/html-scan.ts';
import type { SourceFacts } from '../../mention.ts';
import { mostBytes } from '../../mention-size.ts';
import { cleanHtml } from './clean-html.ts';
import { asWebAddress, itemText, itemValues, type Item } from './item.ts';
import { isoMoment } from './moment.ts';
import { cleanLine, cleanText } from '../../plain-text.ts';
import { responseOf } from './response-type.ts';
import type { Surroundings } from './primary-entry.ts';
import { isRecord, own } from '../../../storage/json-value.ts';
import { oneLine } from '../../../posts/content-text.ts';

const longestName = 500;
/** The maximum length of a mention's text. Longer text is shortened when it is stored, and marked as shortened. */
const longestText = mostBytes;
const mostAddresses = 20;

/**
 * Returns the facts that an entry states about a mention: all fields of SourceFacts except the author. Without an
 * entry, returns the fields of a plain mention.
 */
export function entryFacts(entry: Item | undefined, page: Surroundings): SourceFacts {
  const response = responseOf(entry, page.target);
  if (!entry) return response;
  const content = contentOf(entry, page.url);
  const name = nameOf(entry, content?.value ?? '');
  const published = itemValues(entry, 'published')
    .map(itemText)
    .map(isoMoment)
    .find((value) => value !== undefined);
  const url = addressOf(entry, page);
  return {
    ...response,
    ...(published !== undefined && { published }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(content && { content }),
    ...addresses(entry, 'syndication'),
    ...addresses(entry, 'photo'),
    ...addresses(entry, 'video'),
    ...addresses(entry, 'audio'),
  };
}

/**
 * Returns the entry's first content that has text, or else its first summary that has text (post type discovery, steps
 * 8 and 9).
 */
function contentOf(entry: Item, base: string): SourceFacts['content'] {
  for (const value of [...itemValues(entry, 'content'), ...itemValues(entry, 'summary')]) {
    const markup = isRecord(value) ? own(value, 'html') : undefined;
    const html = typeof markup === 'string' ? cleanHtml(markup, base) : '';
    const text = cleanText(itemText(value) || visibleText(html), longestText);
    if (text !== '') return { ...(html !== '' && { html }), value: text };
  }
  return undefined;
}

/**
 * Returns an entry's name; undefined if the name only repeats the start of the content, as implied names do (post type
 * discovery, step 12).
 */
function nameOf(entry: Item, content: string): string | undefined {
  const name = cleanLine(itemText(itemValues(entry, 'name')[0]), longestName);
  const said = oneLine(content);
  const repeated = name.replace(/\s*(?:…|\.{3})$/, '');
  return name === '' || (said !== '' && said.startsWith(repeated)) ? undefined : name;
}

/**
 * Returns the entry's own URL, as stated in the entry. If the entry states several URLs, prefers a URL on the host of
 * the page.
 */
function addressOf(entry: Item, page: Surroundings): string | undefined {
  const urls = itemValues(entry, 'url').flatMap((value) => asWebAddress(value) ?? []);
  const { host } = new URL(page.url);
  return urls.find((url) => new URL(url).host === host) ?? urls[0];
}

type Listed = 'syndication' | 'photo' | 'video' | 'audio';

function addresses(entry: Item, name: Listed): Partial<Record<Listed, string[]>> {
  const all = itemValues(entry, name).flatMap((value) => asWebAddress(value) ?? []);
  return all.length === 0 ? {} : { [name]: [...new Set(all)].slice(0, mostAddresses) };
}
