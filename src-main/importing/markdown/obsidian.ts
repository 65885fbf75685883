import type { Archive } from '../archive.ts';
import { markdownParts, outsideCode } from './parts.ts';
import { originalSite } from './site.ts';

/** Matches a link to a note or the embedding of a file: `[[Note#Heading|words]]`, `![[picture.png|300]]`. */
const wikiLink = /(!?)\[\[([^[\]|#\n]{0,500})(#[^[\]|\n]{0,500})?(?:\|([^[\]\n]{0,500}))?\]\]/g;
const picture = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|hei[cf])$/i;
const callout =
  /^([ \t]{0,3}(?:>[ \t]?)+)\[!([\w-]{1,50})(?:\|[^\]\n]{0,100})?\][+-]?[ \t]*([^\n]{0,500})$/gm;

/** A file name without its folders and its extension. */
const plainName = (path: string) => (path.split('/').at(-1) ?? '').replace(/\.(?:md|markdown)$/i, '');

/**
 * Converts what only Obsidian understands into Markdown: links to notes, embedded files, callouts and highlights. Removes
 * comments, which are private. `mayBeVault`: whether nothing says that a site generator reads the files; otherwise, only a
 * text that contains links of Obsidian is converted. `lost`: called with the name of each embedded file that is missing.
 */
export async function withoutObsidian(
  archive: Archive,
  text: string,
  { mayBeVault, lost }: { readonly mayBeVault: boolean; readonly lost: (name: string) => void },
): Promise<string> {
  const { byName, filesByName } = await originalSite(archive);
  if (!mayBeVault && !outsideCode(text, (part) => part).match(wikiLink)) return text;
  return outsideCode(withoutComments(text), (part) =>
    part
      .replace(wikiLink, (_whole, mark: string, name: string, heading = '', words = '') => {
        const target = name.trim();
        const note = byName.get(plainName(target));
        const file = filesByName.get((target.split('/').at(-1) ?? '').toLowerCase());
        const shown = (words as string).trim() || plainName(target) || (heading as string).slice(1);
        if (mark === '!' && picture.test(target)) {
          if (file === undefined) {
            lost(target);
            return '';
          }
          // The words of a picture may be its width: 300, or 300x200.
          return `![${/^\d+(?:x\d+)?$/.test(shown) || words === '' ? '' : shown}](${urlOf(file)})`;
        }
        const path = note ?? file;
        return path === undefined ? shown : `[${shown}](${urlOf(path)})`;
      })
      .replace(callout, (_whole, quote: string, kind: string, title: string) => {
        const words = title.trim() || `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}`;
        return `${quote}**${words}**\n${quote.trimEnd()}`;
      })
      .replace(/==(?=\S)([^=\n]{1,1000}?)(?<=\S)==/g, '**$1**'),
  );
}

const urlOf = (path: string) =>
  `/${path.split('/').map(encodeURIComponent).join('/')}`.replace(/[()]/g, (sign) =>
    sign === '(' ? '%28' : '%29',
  );

/** Removes comments (`%%…%%`), also those that contain code. A mark that ends nothing stays. */
function withoutComments(text: string): string {
  const marks: number[] = [];
  let start = 0;
  for (const part of markdownParts(text)) {
    // A comment may contain code, but no comment begins in code.
    const isOpen = marks.length % 2 === 1;
    if (part.kind === 'text' || isOpen)
      for (const { index } of part.text.matchAll(/%%/g)) marks.push(start + index);
    start += part.text.length;
  }
  let kept = '';
  let end = 0;
  for (let index = 0; index + 1 < marks.length; index += 2) {
    kept += text.slice(end, marks[index]);
    end = (marks[index + 1] ?? 0) + 2;
  }
  return kept + text.slice(end);
}
