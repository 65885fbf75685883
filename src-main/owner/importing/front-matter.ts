import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { isRecord } from '../../storage/json-value.ts';

/** The maximum length of front matter, in characters. */
const longest = 100_000;
/**
 * The maximum number of aliases in YAML. An alias repeats a part of the file, so a small file with many aliases could
 * use a lot of memory.
 */
const mostReferences = 50;

/** The front matter and the text of a file. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * Reads front matter: YAML (`---`), TOML (`+++`), or JSON in braces or between `---json` and `---`. A file without front
 * matter has no fields. Returns undefined if the front matter can't be read.
 */
export function frontMatterIn(file: string): FrontMatter | undefined {
  const text = file.replaceAll('\r\n', '\n');
  const braces = /^\s*\{\s*"/.test(text) ? jsonFrontMatter(text) : undefined;
  if (braces) return braces;
  const fence = /^(---|\+\+\+)(json)?[ \t]*\n/.exec(text);
  if (fence === null) return { fields: {}, body: text };
  const [opening, marks = '', language] = fence;
  // The search below finds a closing mark only after a line break. Empty front matter has no line break of its own
  // before the closing mark, so add one.
  const end = `\n${text.slice(opening.length)}`.indexOf(`\n${marks}`);
  if (end === -1 || end > longest) return undefined;
  const front = text.slice(opening.length, opening.length + end);
  const body = text.slice(opening.length + end + marks.length).replace(/^[^\n]*\n?/, '');
  try {
    const fields: unknown =
      language === 'json'
        ? (JSON.parse(front) as unknown)
        : marks === '---'
          ? (parseYaml(front, { maxAliasCount: mostReferences, logLevel: 'error' }) as unknown)
          : parseToml(front);
    if (fields !== null && !isRecord(fields)) return undefined;
    return { fields: fields ?? {}, body };
  } catch {
    return undefined;
  }
}

/** Reads a JSON object at the start of a file; undefined if there is none, as in text that begins with a brace. */
function jsonFrontMatter(text: string): FrontMatter | undefined {
  const end = endOfObject(text.slice(0, longest));
  if (end === undefined) return undefined;
  try {
    const fields: unknown = JSON.parse(text.slice(0, end));
    return isRecord(fields) ? { fields, body: text.slice(end) } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns where the first JSON object in a text ends; undefined if it doesn't end. */
function endOfObject(text: string): number | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}]/g)) {
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    if (found === '}' && depth === 0) return index + 1;
  }
  return undefined;
}
