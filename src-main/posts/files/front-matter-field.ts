/** A value that can be written to a front matter field. */
export type FieldValue = string | boolean | readonly (string | Readonly<Record<string, string>>)[];

/** A change to one field of front matter. */
export interface FieldEdit {
  /** The names of the tables that contain the field, followed by the field's own name. */
  readonly path: readonly string[];
  /** The new value; undefined removes the field. */
  readonly value: FieldValue | undefined;
}

/** The reason why a file isn't changed, as a message for the person who wants to change it. */
export interface Refusal {
  readonly refused: string;
}

/** A replacement for a part of a text. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export const noSplice: Splice = { from: 0, to: 0, text: '' };

export const spliced = (source: string, { from, to, text }: Splice) =>
  source.slice(0, from) + text + source.slice(to);

/** Returns a refusal. `why`: the rest of the sentence that begins with the name of the field. */
export const refusedField = (path: readonly string[], why: string): Refusal => ({
  refused: `The field “${path.join('.')}” in the post’s file ${why}. Edit the file itself.`,
});

/** Returns a string in double quotes, in a form that YAML, TOML and JSON read in the same way. */
export function quoted(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the position at which the line after `at` starts; `at` itself if a line starts there. */
export function lineEnd(source: string, at: number): number {
  if (at > 0 && source[at - 1] === '\n') return at;
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end + 1;
}

/** Returns the number of characters before a position on its line. */
export const column = (source: string, at: number) => at - (source.lastIndexOf('\n', at - 1) + 1);
