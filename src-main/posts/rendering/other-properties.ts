import type { Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import { isRecord } from '../../storage/json-value.ts';
import { otherProperties } from '../kind.ts';
import {
  altOf,
  asLink,
  asNested,
  asText,
  htmlOf,
  propertyText,
  propertyValues,
  shownLink,
} from '../values.ts';
import type { SiteView } from './author.ts';
import { momentMarkup, momentWords } from './moment.ts';
import { contentLine, excerpt } from './rich-text.ts';

const longestName = 100;
/** The maximum length of a text in a list, in characters. */
const longestInList = 300;
const mostInList = 6;
/** A date is at most this long. */
const longestMoment = 40;
/** Objects deeper inside a value than this are left out. No real value has so many levels. */
const deepestObject = 5;

interface ValueView extends Pick<SiteView, 'base' | 'zone'> {
  readonly place: 'page' | 'list';
}

/**
 * Returns the properties that no other part of a page shows, each value as `name: value` with its microformats class, so
 * that no post is an empty page. A list shows only the first values, and the beginnings of their texts.
 */
export function otherPropertiesMarkup(properties: Properties, view: ValueView): Html | null {
  const lines = otherProperties(properties).flatMap((name) =>
    propertyValues(properties, name).flatMap((value) => {
      const shown = valueMarkup(value, name, view, 1);
      return shown === null ? [] : [html`<p><span class="soft">${labelOf(name)}</span> ${shown}</p> `];
    }),
  );
  return lines.length === 0 ? null : html`${view.place === 'list' ? lines.slice(0, mostInList) : lines}`;
}

const labelOf = (name: string) => html`<bdi>${excerpt(name, longestName)}</bdi>:`;

/**
 * Returns the markup of a value; null if there is nothing to show. `name`: the microformats property; undefined for the
 * value of an object that isn't a microformats object. `depth`: the number of objects that the value is in.
 */
function valueMarkup(value: unknown, name: string | undefined, view: ValueView, depth: number): Html | null {
  const nested = asNested(value);
  // Some apps send the properties of an object without lists.
  if (nested && isRecord(value))
    return objectMarkup(listsOf(value['properties']), classesOf(name, nested.type), view, depth);
  const text = typeof value === 'boolean' ? String(value) : valueWords(value);
  if (text === undefined)
    return isRecord(value)
      ? objectMarkup(listsOf(value), { own: classOf('p', name), hasProperties: false }, view, depth)
      : null;
  const url = /^https?:\/\/\S+$/i.test(text.trim()) ? asLink(text, view.base) : undefined;
  if (url !== undefined)
    return html`<a${classOf('u', name)} href="${url}" dir="auto">${shortened(altOf(value) || shownLink(url), view)}</a>`;
  if (text.length <= longestMoment && momentWords(text) !== undefined)
    return momentMarkup(name !== undefined && isClassName(name) ? `dt-${name}` : '', text, view.zone);
  return html`<span${classOf('p', name)} dir="auto">${shortened(text, view)}</span>`;
}

/** Returns the values of an object, each with its name, in one line. A name with an address is a link. */
function objectMarkup(
  properties: Properties,
  { own, hasProperties }: { readonly own: Html | null; readonly hasProperties: boolean },
  view: ValueView,
  depth: number,
): Html | null {
  if (depth > deepestObject) return null;
  const url = asLink(propertyText(properties, 'url'), view.base);
  const title = url === undefined ? undefined : propertyText(properties, 'name');
  const heading =
    title === undefined
      ? []
      : [
          html`<a${hasProperties && html` class="p-name u-url"`} href="${url}" dir="auto">${shortened(title, view)}</a>`,
        ];
  const others = Object.keys(properties).filter(
    (name) => title === undefined || (name !== 'name' && name !== 'url'),
  );
  const parts = others.flatMap((name) =>
    propertyValues(properties, name).flatMap((value) => {
      const shown = valueMarkup(value, hasProperties ? name : undefined, view, depth + 1);
      return shown === null ? [] : [html`${labelOf(name)} ${shown}`];
    }),
  );
  const all = [...heading, ...parts];
  if (all.length === 0) return null;
  return html`<span${own} dir="auto">${all.map((part, index) => html`${index > 0 && ', '}${part}`)}</span>`;
}

/** Returns a plain object as properties, whose values are lists. */
const listsOf = (value: unknown): Properties =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).map(([name, one]): [string, unknown[]] => [
      name,
      Array.isArray(one) ? one : [one],
    ]),
  );

/** Returns a value's text: that of HTML, too. */
const valueWords = (value: unknown): string | undefined =>
  htmlOf(value) === undefined ? asText(value) : contentLine(value) || undefined;

const shortened = (text: string, { place }: ValueView) =>
  place === 'list' ? excerpt(text, longestInList) : text;

/**
 * Returns whether a name can be part of a class. Clients choose the names, so any other name could be several classes.
 */
const isClassName = (name: string): boolean => /^[a-z][a-z0-9-]{0,99}$/.test(name);

const classOf = (prefix: 'p' | 'u', name: string | undefined): Html | null =>
  name === undefined || !isClassName(name) ? null : html` class="${prefix}-${name}"`;

/** Returns the class of a microformats object, and whether its own properties have classes, too. */
function classesOf(name: string | undefined, types: readonly string[]) {
  const own = types.filter((type) => /^h-[a-z0-9-]{1,100}$/.test(type)).slice(0, 10);
  const property = name === undefined || !isClassName(name) ? [] : [`p-${name}`];
  const all = [...property, ...own];
  return {
    own: all.length === 0 ? null : html` class="${all.join(' ')}"`,
    hasProperties: own.length > 0,
  };
}
