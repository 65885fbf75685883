import { oneLine } from '../../../posts/values.ts';
import { isRecord, own } from '../../../storage/json-value.ts';
import { cleanContent, cleanFacts, isoMoment } from '../../clean-facts.ts';
import { cleanLine } from '../../mention-limits.ts';
import type { SourceFacts } from '../../mention.ts';
import { asWebAddress, type Item, itemText, itemValues, responseOf, type Surroundings } from './item.ts';

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
  return cleanFacts(
    {
      ...response,
      ...(published !== undefined && { published }),
      ...(url !== undefined && { url }),
      ...(name !== undefined && { name }),
      ...(content && { content }),
      syndication: addresses(entry, 'syndication'),
      photo: addresses(entry, 'photo'),
      video: addresses(entry, 'video'),
      audio: addresses(entry, 'audio'),
    },
    page.url,
  );
}

/**
 * Returns the entry's first content that has text, or else its first summary that has text (post type discovery, steps
 * 8 and 9).
 */
function contentOf(entry: Item, base: string): SourceFacts['content'] {
  for (const value of [...itemValues(entry, 'content'), ...itemValues(entry, 'summary')]) {
    const markup = isRecord(value) ? own(value, 'html') : undefined;
    const html = typeof markup === 'string' ? markup : '';
    const content = cleanContent({ html, value: itemText(value) }, base);
    if (content && content.value !== '') return content;
  }
  return undefined;
}

/**
 * Returns an entry's name; undefined if the name only repeats the start of the content, as implied names do (post type
 * discovery, step 12).
 */
function nameOf(entry: Item, content: string): string | undefined {
  const name = cleanLine(itemText(itemValues(entry, 'name')[0]), 500);
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

const addresses = (entry: Item, name: 'syndication' | 'photo' | 'video' | 'audio'): string[] =>
  itemValues(entry, name).flatMap((value) => asWebAddress(value) ?? []);
