import type { Post } from '../contract/posts.ts';
import { fieldProperties, fieldsOf, topField } from './adopted-fields.ts';
import { bodyKind, largestPostFile } from './adopted-file.ts';
import { readFrontMatter, type FrontMatter, type Problem } from '../untrusted/front-matter.ts';
import type { AdoptionRules } from './adopted-path.ts';
import { adoptedUrl } from './adopted-url.ts';
import { readValues } from './adopted-values.ts';

/** A post that Porchlight read from a file in the owner's folder but didn't publish itself. */
export interface ReadPost extends Pick<Post, 'type' | 'properties' | 'status' | 'visibility'> {
  /** The post's URL on the owner's own site. */
  readonly url: string;
  /** The body as text; absent if the body is HTML. */
  readonly markdown?: string;
}

/**
 * Reads a post from a file in the owner's folder that Porchlight didn't publish. `file`: the path of the file, relative
 * to the folder, separated by `/`. Returns a problem if Porchlight can't read the file as a post, or can't determine
 * its URL with certainty.
 */
export function readAdopted(text: string, file: string, rules: AdoptionRules): ReadPost | Problem {
  if (Buffer.byteLength(text) > largestPostFile) return { problem: 'It is larger than 1 MB.' };
  const front = readFrontMatter(text);
  return 'problem' in front ? front : postOf(text, file, front, rules);
}

/** Returns the URL of the post in a file, or a problem, as `readAdopted` does. */
export function urlOfAdopted(
  text: string,
  file: string,
  rules: AdoptionRules,
): Pick<ReadPost, 'url'> | Problem {
  const read = readAdopted(text, file, rules);
  return 'problem' in read ? read : { url: read.url };
}

function postOf(text: string, file: string, front: FrontMatter, rules: AdoptionRules): ReadPost | Problem {
  const kind = bodyKind(file);
  if (kind === undefined) return { problem: 'It is neither Markdown nor HTML.' };
  const { values } = front;
  const { generator } = rules;
  const found = fieldsOf(values, 'published', generator).flatMap((field) =>
    readValues('published', field, generator, rules.baseUrl),
  );
  const [dated] = found.map(({ value }) => String(value));
  const published = dated ?? dateInName(file, rules);
  const address = adoptedUrl(file, values, published, rules);
  if ('problem' in address) return address;
  const { url } = address;
  const properties = Object.fromEntries(
    fieldProperties
      .map((property): [string, unknown[]] => [property, valuesOf(values, property, rules, url)])
      .filter(([, list]) => list.length > 0),
  );
  if (published !== undefined) properties['published'] = [published];
  const body = text.slice(front.body).trim();
  if (body !== '') properties['content'] = [kind === 'html' ? { html: body } : body];
  const visibility = topField(values, 'visibility', generator);
  return {
    ...{
      url,
      properties,
      type: [topField(values, 'microformat', generator) === 'h-event' ? 'h-event' : 'h-entry'],
    },
    status: isDraft(file, values, rules) ? 'draft' : 'published',
    visibility: visibility === 'unlisted' || visibility === 'private' ? visibility : 'public',
    ...(kind !== 'html' && { markdown: body }),
  };
}

function valuesOf(
  values: FrontMatter['values'],
  property: string,
  { generator }: AdoptionRules,
  url: string,
): unknown[] {
  const fields = fieldsOf(values, property, generator);
  // All fields for tags and categories count as categories. For any other property, generators use only one field.
  const used = property === 'category' ? fields : fields.slice(0, 1);
  const all = used.flatMap((field) => readValues(property, field, generator, url)).map(({ value }) => value);
  return property === 'category' ? [...new Set(all)] : all;
}

/** Returns whether the front matter or the path marks a post as a draft, for any generator or theme. */
function isDraft(file: string, values: FrontMatter['values'], { generator }: AdoptionRules): boolean {
  const isTrue = (name: string) => /^(true|yes|on|1)$/i.test(String(topField(values, name, generator)));
  const isFalse = (name: string) => /^(false|no|off|0)$/i.test(String(topField(values, name, generator)));
  return isTrue('draft') || isFalse('published') || /(^|\/)_drafts\//.test(file);
}

/** Jekyll and Eleventy read a post's date from its file name. */
function dateInName(file: string, { generator }: AdoptionRules): string | undefined {
  if (generator !== 'jekyll' && generator !== 'eleventy') return undefined;
  return /(?:^|\/)(\d{4}-\d\d-\d\d)-[^/]+$/.exec(file)?.[1];
}
