/** A tag of a template language in a text. */
export interface TemplateTag {
  readonly kind: 'output' | 'tag';
  /** The tag as it is in the text. */
  readonly source: string;
  /** The code between its delimiters, trimmed. */
  readonly code: string;
  /** Where the tag begins in the text. */
  readonly at: number;
}

/** The delimiters of a template language: the end for each start. */
export type Delimiters = Readonly<
  Record<string, { readonly end: string; readonly kind: TemplateTag['kind'] }>
>;

/** The maximum length of a tag. Longer text between delimiters isn't template code. */
const longestTag = 5000;

/**
 * Finds the tags in a text. Callers must ask for later and later positions. So the time is proportional to the length of
 * the text, also if the text has many starts without an end.
 */
export function tagReader(text: string, delimiters: Delimiters) {
  const starts = Object.keys(delimiters).sort((a, b) => b.length - a.length);
  const mark = new RegExp(starts.map((start) => start.replace(/[{%<]/g, '\\$&')).join('|'), 'g');
  const places = new Map<string, number>();

  /** Returns where a fixed text occurs, at `from` or later. */
  function find(what: string, from: number): number {
    const known = places.get(what) ?? -1;
    if (known >= from) return known;
    const found = text.indexOf(what, from);
    places.set(what, found === -1 ? Infinity : found);
    return places.get(what) ?? Infinity;
  }

  return {
    /** Returns the first tag at `from` or later. */
    next(from: number): TemplateTag | undefined {
      mark.lastIndex = from;
      for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
        const { 0: start, index } = found;
        const delimiter = delimiters[start];
        const inside = index + start.length;
        const end = delimiter === undefined ? Infinity : find(delimiter.end, inside);
        if (delimiter === undefined || end - inside > longestTag) continue;
        const source = text.slice(index, end + delimiter.end.length);
        return { kind: delimiter.kind, source, code: text.slice(inside, end).trim(), at: index };
      }
      return undefined;
    },
  };
}

/**
 * Finds the end tags of blocks. `pattern`: matches each end tag, with the name of its block as the first group. Callers
 * must ask for later and later positions.
 */
export function endTags(text: string, pattern: RegExp) {
  const ends = new Map<string, { readonly at: number; readonly end: number }[]>();
  for (const { 0: source, 1: name = '', index } of text.matchAll(pattern)) {
    const places = ends.get(name) ?? [];
    places.push({ at: index, end: index + source.length });
    ends.set(name, places);
  }
  // Last first, because removing the last element of an array takes the least time.
  for (const places of ends.values()) places.reverse();
  /** Returns the first end tag of a block at `from` or later. */
  return (name: string, from: number): { readonly at: number; readonly end: number } | undefined => {
    const places = ends.get(name) ?? [];
    while ((places.at(-1)?.at ?? Infinity) < from) places.pop();
    return places.at(-1);
  };
}

/** Returns a tag for a report: on one line, and not too long. */
export function tagInReport(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
