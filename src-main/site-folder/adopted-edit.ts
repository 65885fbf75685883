import { isDeepStrictEqual } from 'node:util';
import type { Post } from '../contract/posts.ts';
import type { AdoptedContent } from '../posts/post-store.ts';
import { htmlOf } from '../posts/values.ts';
import {
  bodyKind,
  type Field,
  fieldProperties,
  fieldsOf,
  keyIn,
  newField,
  topField,
} from './adopted-file.ts';
import { readFields, readFrontMatter, type FrontMatter } from '../untrusted/front-matter.ts';
import { movesPost } from './adopted-address.ts';
import {
  type AdoptionRules,
  claimOfAdopted,
  fieldValue,
  readAdopted,
  type ReadPost,
  readValues,
} from './adopted-post.ts';
import { editField } from '../posts/files/front-matter-edit.ts';
import type { FieldEdit, Refusal } from '../posts/files/front-matter.ts';

/** The new text of a file after a change. */
export interface Edited {
  readonly text: string;
}

/**
 * Returns a file's text with a post's new content. Changes only the parts of the file whose content differs, and keeps
 * all other bytes. Refuses a change that the file can't represent, or that would move the post to another URL.
 */
export function editAdopted(
  text: string,
  file: string,
  requested: AdoptedContent,
  rules: AdoptionRules,
): Edited | Refusal {
  const post = readAdopted(text, file, rules);
  const front = readFrontMatter(text);
  if ('problem' in post) return { refused: `Porchlight can’t read the post’s file. ${post.problem}` };
  if ('problem' in front) return { refused: `Porchlight can’t read the post’s file. ${front.problem}` };
  const changed = changedNames(post, requested);
  if (changed.length === 0 && post.status === requested.status) return { text };
  if (bodyKind(file) === 'mdx')
    return { refused: 'Porchlight doesn’t change MDX files. Edit the file itself.' };
  const edits = editsFor(changed, front, post, requested, rules);
  if ('refused' in edits) return edits;
  const head = editedFields(text.slice(front.start, front.end), front, edits, lineEndOf(text));
  if (typeof head !== 'string') return head;
  const body = changed.includes('content')
    ? editedBody(text.slice(front.body), file, requested, rules)
    : undefined;
  if (typeof body === 'object') return body;
  const next =
    text.slice(0, front.start) + head + text.slice(front.end, front.body) + (body ?? text.slice(front.body));
  const [before, after] = [text, next].map((one) => claimOfAdopted(one, file, rules));
  const stays = before && after && !('problem' in before) && !('problem' in after);
  if (stays && movesPost(before, after, rules.url, rules.baseUrl))
    return { refused: 'This change would move the post to another URL. Edit the file itself.' };
  return checked(next, file, { requested, changed }, rules);
}

const changedNames = (post: ReadPost, { properties }: AdoptedContent) =>
  [...new Set([...Object.keys(post.properties), ...Object.keys(properties)])].filter(
    (name) => !isDeepStrictEqual(post.properties[name] ?? [], properties[name] ?? []),
  );

function editsFor(
  changed: readonly string[],
  { values }: FrontMatter,
  post: ReadPost,
  requested: AdoptedContent,
  rules: AdoptionRules,
): FieldEdit[] | Refusal {
  const edits: FieldEdit[] = [];
  for (const name of changed) {
    if (name === 'content') continue;
    if (!fieldProperties.includes(name))
      return { refused: `Porchlight can’t write “${name}” into a file that it didn’t create.` };
    const fields = fieldsOf(values, name, rules.generator);
    const next = requested.properties[name] ?? [];
    const made =
      name === 'category'
        ? categoryEdits(fields, next, rules)
        : propertyEdit(name, fields, next, post, rules);
    if ('refused' in made) return made;
    edits.push(...made);
  }
  if (post.status !== requested.status) edits.push(...statusEdits(values, requested.status, rules));
  return edits;
}

function propertyEdit(
  name: string,
  [field]: readonly Field[],
  values: readonly unknown[],
  { url }: ReadPost,
  { generator }: AdoptionRules,
): FieldEdit[] | Refusal {
  const path = field?.path ?? newField(name, generator);
  if (values.length === 0) return [{ path, value: undefined }];
  const known = field ? readValues(name, field, generator, url) : [];
  const isOne = ['name', 'summary', 'published', 'updated', 'rsvp', 'start', 'end', 'read-status'].includes(
    name,
  );
  const wasList = Array.isArray(field?.value);
  const isPlain =
    values.length === 1 && typeof values[0] === 'string' && !['photo', 'featured', 'video'].includes(name);
  const value = fieldValue(name, values, { known, isList: wasList || (!isOne && !(field && isPlain)) });
  return value === undefined || (isOne && Array.isArray(value))
    ? { refused: `Porchlight can’t write this value of “${name}” into the post’s file.` }
    : [{ path, value }];
}

/** Existing categories stay in the fields that contain them. New categories are added to the first field. */
function categoryEdits(
  fields: readonly Field[],
  values: readonly unknown[],
  { generator }: AdoptionRules,
): FieldEdit[] | Refusal {
  if (!values.every((value) => typeof value === 'string' && value.trim() !== ''))
    return { refused: 'A category of a post in a file must be text.' };
  const texts = [...new Set(values as readonly string[])];
  const lists = fields.map(({ path, value }) => ({
    path,
    before: readValues('category', { path, value }, generator, '').map((one) => String(one.value)),
  }));
  const known = new Set(lists.flatMap(({ before }) => before));
  const added = texts.filter((text) => !known.has(text));
  const all = lists.length > 0 ? lists : [{ path: newField('category', generator), before: [] }];
  return all.flatMap(({ path, before }, index) => {
    // If only one field has categories, its new value lists the categories in the order in which the app sent them.
    const kept = lists.length === 1 ? texts : before.filter((text) => texts.includes(text));
    const next = lists.length !== 1 && index === 0 ? [...kept, ...added] : kept;
    if (isDeepStrictEqual(next, before)) return [];
    return [{ path, value: next.length === 0 ? undefined : next }];
  });
}

function statusEdits(
  values: FrontMatter['values'],
  status: Post['status'],
  { generator }: AdoptionRules,
): FieldEdit[] {
  const isDraft = status === 'draft';
  const pathOf = (name: string) => [keyIn(values, name, generator) ?? name];
  const draft: FieldEdit = { path: pathOf('draft'), value: isDraft };
  const published: FieldEdit = { path: pathOf('published'), value: !isDraft };
  const hasPublished = typeof topField(values, 'published', generator) === 'boolean';
  if (generator !== 'jekyll' && !hasPublished) return [draft];
  const hasDraft = topField(values, 'draft', generator) !== undefined;
  return hasDraft && !isDraft ? [draft, published] : [published];
}

function editedFields(
  source: string,
  { format }: FrontMatter,
  edits: readonly FieldEdit[],
  eol: string,
): string | Refusal {
  let head = source;
  for (const edit of edits) {
    const next = editField(head, format, edit, eol);
    if (typeof next !== 'string') return next;
    head = next;
  }
  return readFields(head, format)
    ? head
    : { refused: 'Porchlight can’t change this file. Edit the file itself.' };
}

/** Replaces the text of a body without changing the whitespace before and after it. */
function editedBody(
  body: string,
  file: string,
  { properties }: AdoptedContent,
  { generator }: AdoptionRules,
): string | Refusal {
  const [value, ...more] = properties.content ?? [];
  const text = bodyKind(file) === 'html' ? htmlOf(value) : value;
  if (more.length > 0 || (value !== undefined && typeof text !== 'string'))
    return bodyKind(file) === 'html'
      ? { refused: 'The post’s file is HTML. Send its text as HTML.' }
      : { refused: 'The post’s file is Markdown. Send its text as Markdown, not as HTML.' };
  const eol = lineEndOf(body);
  const next = (typeof text === 'string' ? text : '').trim().replace(/\r\n|\r|\n/g, eol);
  const tags = templateTags(next, generator);
  if (tags.length > 0 && !isDeepStrictEqual(tags, templateTags(body, generator)))
    return {
      refused:
        'The text contains template code ({{ … }} or {% … %}) that Porchlight can’t check. Edit the file itself.',
    };
  const [before = ''] = /^\s*/.exec(body) ?? [];
  const isEmpty = body.trim() === '';
  const after = isEmpty ? eol : (/\s*$/.exec(body)?.[0] ?? '');
  return (isEmpty ? '' : before) + next + after;
}

/** Returns the template tags in a text, which the generator would run as code. */
function templateTags(text: string, generator: AdoptionRules['generator']): string[] {
  if (generator === 'astro') return [];
  const tags = /\{\{[^]*?(?:\}\}|$)|\{%[^]*?(?:%\}|$)|\{#[^]*?(?:#\}|$)/g;
  const all = text.match(tags) ?? [];
  // In Eleventy, `{#` begins a comment. In the other generators, `{#` begins a heading's id.
  return all.filter((tag) => generator === 'eleventy' || generator === 'custom' || !tag.startsWith('{#'));
}

/** Reads a changed file again. Refuses the change unless the file now has the requested values at the same URL. */
function checked(
  text: string,
  file: string,
  { requested, changed }: { requested: AdoptedContent; changed: readonly string[] },
  rules: AdoptionRules,
): Edited | Refusal {
  const next = readAdopted(text, file, rules);
  if ('problem' in next) return { refused: `The file could not be read after this change. ${next.problem}` };
  if (next.status !== requested.status)
    return {
      refused:
        'Another field, or the folder of the file, decides whether this post is a draft. Edit the file itself.',
    };
  const names = changed.filter((name) => name !== 'content' && name !== 'category');
  const isSaid = names.every(
    (name) => next.properties[name] !== undefined || requested.properties[name] === undefined,
  );
  return isSaid ? { text } : { refused: 'The post’s file can’t hold this value.' };
}

const lineEndOf = (text: string) => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n');
