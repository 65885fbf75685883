import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../storage/json-value.ts';
import { readFields, type FrontMatterFormat } from '../../untrusted/front-matter.ts';
import { editToml } from './front-matter-edit-toml.ts';
import { editYaml } from './front-matter-edit-yaml.ts';
import { refusedField, type FieldEdit, type FieldValue, type Refusal } from './front-matter-field.ts';

/**
 * Changes one field of front matter and keeps all other bytes. `eol`: the file's line ending. Refuses a change that
 * would lose other content.
 */
export function editField(
  source: string,
  format: FrontMatterFormat,
  edit: FieldEdit,
  eol: string,
): string | Refusal {
  const before = readFields(source, format);
  if (before === undefined) return { refused: 'The front matter of the post’s file has an error.' };
  const after =
    format === 'toml'
      ? editToml(source, edit, eol)
      : editYaml(source, edit, { eol, isJson: format === 'json' });
  if (typeof after !== 'string') return after;
  const wanted = withField(before, edit.path, edit.value);
  return isDeepStrictEqual(readFields(after, format), wanted)
    ? after
    : refusedField(edit.path, 'can’t be changed without changing others');
}

/** Returns fields with one field changed. Keeps a table that becomes empty. */
function withField(
  fields: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  value: FieldValue | undefined,
): Record<string, unknown> {
  const entries = new Map(Object.entries(fields));
  if (rest.length > 0) {
    const inner = entries.get(name);
    if (inner !== undefined || value !== undefined)
      entries.set(name, withField(isRecord(inner) ? inner : {}, rest, value));
  } else if (value === undefined) entries.delete(name);
  else entries.set(name, value);
  return Object.fromEntries(entries);
}
