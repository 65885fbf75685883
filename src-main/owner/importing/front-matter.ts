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
 * Reads YAML (`---`) or TOML (`+++`) front matter. A file without front matter has no fields. Returns undefined if the
 * front matter can't be read.
 */
export function frontMatterIn(file: string): FrontMatter | undefined {
  const text = file.replaceAll('\r\n', '\n');
  const fence = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (fence === null) return { fields: {}, body: text };
  const [opening, marks = ''] = fence;
  // The search below finds a closing mark only after a line break. Empty front matter has no line break of its own
  // before the closing mark, so add one.
  const end = `\n${text.slice(opening.length)}`.indexOf(`\n${marks}`);
  if (end === -1 || end > longest) return undefined;
  const front = text.slice(opening.length, opening.length + end);
  const body = text.slice(opening.length + end + marks.length).replace(/^[^\n]*\n?/, '');
  try {
    const fields: unknown =
      marks === '---'
        ? (parseYaml(front, { maxAliasCount: mostReferences, logLevel: 'error' }) as unknown)
        : parseToml(front);
    if (fields !== null && !isRecord(fields)) return undefined;
    return { fields: fields ?? {}, body };
  } catch {
    return undefined;
  }
}
