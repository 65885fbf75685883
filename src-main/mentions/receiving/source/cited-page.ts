import { readPage } from '../../../untrusted/pages/web-page.ts';
import { cleanLine, cleanText } from '../../plain-text.ts';
import type { CitedPage } from '../../../posts/cited-page.ts';
import { entryAuthor, representativeAuthor } from './authorship.ts';
import { entryFacts } from './entry-facts.ts';
import { pageText } from './page-text.ts';
import { primaryEntry } from './primary-entry.ts';
import { pageKindOf, type SourcePage } from './source-page.ts';

const longestName = 200;
const longestText = 600;

/**
 * Returns a page's own name, author, text and date, for a citation. Returns undefined if the page has none of them, or
 * isn't HTML.
 */
export function readCited(page: SourcePage): CitedPage | undefined {
  if (pageKindOf(page) !== 'html') return undefined;
  const { url, linkHeader } = page;
  const { items, rels, title } = readPage({ url, linkHeader, text: pageText(page.body, page.contentType) });
  const place = { source: url, url, target: '' };
  const primary = primaryEntry(items, place);
  const authored = { url, items, rels };
  const author = primary ? entryAuthor(primary, authored).author : representativeAuthor(authored);
  const { name, content, published } = entryFacts(primary?.entry, place);
  const text = cleanText(content?.value ?? '', longestText);
  const heading = cleanLine(name ?? (text === '' ? (title ?? '') : ''), longestName);
  const cited: CitedPage = {
    ...(heading !== '' && { name: heading }),
    ...(author && author.name !== '' && { author: { name: author.name, url: author.url } }),
    ...(text !== '' && { text }),
    ...(published !== undefined && { published }),
  };
  return Object.keys(cited).length === 0 ? undefined : cited;
}
