import { escapedHtml } from '../html.ts';
import { outsideCodeBlocks } from './parts.ts';

/** Matches a heading, with its id in braces if it has one. */
const heading =
  /^( {0,3}#{1,6}[ \t]{1,20})(?=\S)([^\n]{1,500}?)[ \t]{0,20}(?:\{#([\w:.-]{1,100})[^{}\n]{0,200}\})?[ \t]{0,20}$/gm;
/** Matches the fragments to which a text links. */
const links = /(?:\]\(<?|\]:[ \t]{0,5}<?|href=["'])#([^\s()<>"']{1,200})/g;

/**
 * Replaces the ids of headings by anchors if the text links to them, and removes the others. Site generators make ids
 * from the words of a heading, or take them from braces: `## About {#about}`.
 */
export function withAnchors(text: string): string {
  const wanted = new Set([...text.matchAll(links)].map(([, fragment = '']) => decodedFragment(fragment)));
  if (wanted.size === 0 && !text.includes('{#')) return text;
  const used = new Map<string, number>();
  return outsideCodeBlocks(text, (part) =>
    part.replace(heading, (_whole, start: string, words: string, id?: string) => {
      const ids = id === undefined ? usualIds(words) : [id];
      const numbered = ids.map((each) => {
        const count = used.get(each) ?? 0;
        used.set(each, count + 1);
        return count === 0 ? each : `${each}-${count}`;
      });
      const linked = numbered.find((each) => wanted.has(each));
      return linked === undefined ? start + words : `${start}<a id="${escapedHtml(linked)}"></a>${words}`;
    }),
  );
}

/** Returns the ids that site generators make from the words of a heading: as GitHub does, and as Zola does. */
function usualIds(heading: string): string[] {
  const words = heading
    .replace(/!?\[([^\]]{0,500})\]\([^()]{0,1000}\)/g, '$1')
    .replace(/<[^<>]{0,500}>|[*`]|[ \t]#+$/g, '')
    .trim()
    .toLowerCase();
  const hyphens = words.replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
  const plain = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return [...new Set([hyphens, plain])];
}

function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
