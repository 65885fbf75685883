import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { isValid } from '../storage/schema-check.ts';
import { PostEntry } from './post-entry.ts';

/** A post's document is about to change: what the lines above say of it may be outdated. */
const Dirty = closed({ slug: Type.String(), dirty: Type.Literal(true) });
/** There is a redirect. */
const Moved = closed({ slug: Type.String(), moved: Type.Literal(true) });
/** There is no document after all. */
const Gone = closed({ slug: Type.String(), gone: Type.Literal(true) });

/** What an index holds of a document: of a post, or of a redirect. */
export type IndexRow = PostEntry | Static<typeof Moved>;

const IndexLine = Type.Union([PostEntry, Moved, Dirty, Gone]);
export type IndexLine = Static<typeof IndexLine>;

export const isEntry = (row: IndexRow): row is PostEntry => !('moved' in row);

export interface Folded {
  /** What is known, by slug. */
  rows: Map<string, IndexRow>;
  /** Slugs whose documents must be read to know. */
  dirty: Set<string>;
  /** False where a line was not one of ours. */
  whole: boolean;
}

/** What the lines of a month's journal say in the end: the last line of a slug wins. */
export function folded(lines: readonly unknown[]): Folded {
  const rows = new Map<string, IndexRow>();
  const dirty = new Set<string>();
  let whole = true;
  for (const line of lines) {
    if (!isValid(IndexLine, line)) {
      whole = false;
      continue;
    }
    const { slug } = line;
    rows.delete(slug);
    dirty.delete(slug);
    if ('dirty' in line) dirty.add(slug);
    else if (!('gone' in line)) rows.set(slug, line);
  }
  return { rows, dirty, whole };
}
