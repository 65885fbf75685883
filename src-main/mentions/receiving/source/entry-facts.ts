import { oneLine } from '../../../posts/values.ts';
import { attributeIn, scanHtml, visibleText } from '../../../untrusted/pages/html-scan.ts';
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
  const files = filesOf(entry);
  const hasFiles = files.photo.length + files.video.length + files.audio.length > 0;
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
      ...(hasFiles || content ? files : filesInContent(entry, page.url)),
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
    // The text of HTML with nothing but pictures is their alt text.
    const isFile = /<(?:img|video|audio)\b/i.test(html) && oneLine(visibleText(content?.html ?? '')) === '';
    if (content && content.value !== '' && !isFile) return content;
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

interface Files {
  readonly photo: string[];
  readonly photoAlt: string;
  readonly video: string[];
  readonly audio: string[];
}

/** Returns the files in an entry's properties. */
function filesOf(entry: Item): Files {
  const first = itemValues(entry, 'photo').find((value) => asWebAddress(value) !== undefined);
  const alt = isRecord(first) ? own(first, 'alt') : undefined;
  return {
    photo: addresses(entry, 'photo'),
    photoAlt: typeof alt === 'string' ? alt : '',
    video: addresses(entry, 'video'),
    audio: addresses(entry, 'audio'),
  };
}

/** Returns the files in the HTML of an entry's first content. */
function filesInContent(entry: Item, base: string): Files {
  const files = { photo: [] as string[], video: [] as string[], audio: [] as string[] };
  let photoAlt = '';
  let player: 'video' | 'audio' = 'video';
  const [content] = itemValues(entry, 'content');
  const html = isRecord(content) ? own(content, 'html') : undefined;
  scanHtml(typeof html === 'string' ? html : '', {
    element(name, attributes) {
      if (name === 'video' || name === 'audio') player = name;
      const kind = name === 'img' ? 'photo' : name === 'source' || name === player ? player : undefined;
      const src = attributeIn(attributes, 'src');
      if (kind === undefined || src === undefined || !URL.canParse(src, base)) return;
      if (kind === 'photo' && files.photo.length === 0) photoAlt = attributeIn(attributes, 'alt') ?? '';
      files[kind].push(new URL(src, base).href);
    },
  });
  return { ...files, photoAlt };
}
