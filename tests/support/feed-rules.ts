import { Window, type Element } from 'happy-dom';
import { isRecord } from '../../src-main/storage/json-value.ts';

/** A feed as a reader fetched it. */
export interface FetchedFeed {
  readonly url: string;
  readonly contentType: string | null;
  readonly text: string;
}

const rfc3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const rfc822 =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} ([01]\d|2[0-3]):[0-5]\d:[0-5]\d [+-]\d{4}$/;
const mimeType = /^[\w.+-]+\/[\w.+-]+$/;
const language = /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/;

/**
 * Returns what the W3C feed validation service would report about a feed, as an error or as a warning. Its rules are
 * those of RFC 4287, the RSS Advisory Board's profile and jsonfeed.org.
 */
export function feedProblems(feed: FetchedFeed): string[] {
  if (feed.url.includes('.json')) return jsonProblems(feed);
  const isAtom = feed.url.includes('.atom');
  const type = isAtom ? 'application/atom+xml' : 'application/rss+xml';
  const report = reporter();
  report.expect(feed.contentType === `${type}; charset=utf-8`, `Content-Type is ${feed.contentType ?? ''}`);
  report.expect(feed.text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n'), 'no XML declaration');
  report.expect(
    !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(feed.text),
    'forbidden characters',
  );
  const window = new Window();
  try {
    const document = new window.DOMParser().parseFromString(feed.text, 'application/xml');
    report.expect(document.querySelector('parsererror') === null, 'not well-formed');
    const root = document.documentElement;
    if (isAtom) atomProblems(root, feed.url, report);
    else rssProblems(root, feed.url, report);
  } finally {
    window.close();
  }
  return report.problems;
}

interface Report {
  readonly problems: string[];
  expect(holds: boolean, problem: string): void;
}

function reporter(): Report {
  const problems: string[] = [];
  return {
    problems,
    expect(holds, problem) {
      if (!holds) problems.push(problem);
    },
  };
}

const childrenOf = (element: Element, name: string) =>
  [...element.children].filter(({ tagName }) => tagName === name);
const textOf = (element: Element, name: string) => childrenOf(element, name)[0]?.textContent ?? '';

function isAbsolute(url: string | null): boolean {
  return url !== null && /^https?:\/\/[^\s<>"]+$/.test(url) && URL.canParse(url);
}

function expectOne(element: Element, report: Report, ...names: readonly string[]): void {
  for (const name of names) {
    const found = childrenOf(element, name);
    report.expect(found.length === 1, `${found.length} ${name} in ${element.tagName}`);
    report.expect((found[0]?.textContent.trim() ?? '') !== '', `empty ${name} in ${element.tagName}`);
  }
}

function expectAtMostOne(element: Element, report: Report, ...names: readonly string[]): void {
  for (const name of names)
    report.expect(childrenOf(element, name).length <= 1, `more than one ${name} in ${element.tagName}`);
}

function expectUnique(values: readonly string[], report: Report, what: string): void {
  report.expect(new Set(values).size === values.length, `${what} are not unique`);
}

/** Checks links of Atom, which RSS uses too. */
function linkProblems(links: readonly Element[], url: string, report: Report): void {
  const withRel = (rel: string) => links.filter((link) => link.getAttribute('rel') === rel);
  for (const link of links) {
    const href = link.getAttribute('href');
    report.expect(isAbsolute(href), `link to ${href ?? 'nothing'}`);
    const type = link.getAttribute('type');
    report.expect(type === null || mimeType.test(type), `link with type ${type ?? ''}`);
    report.expect(/^\d*$/.test(link.getAttribute('length') ?? ''), 'link with a length that is no number');
  }
  expectUnique(
    links.map((link) =>
      [link.getAttribute('rel'), link.getAttribute('type'), link.getAttribute('href')].join(' '),
    ),
    report,
    'links',
  );
  for (const rel of ['self', 'first', 'next', 'hub'])
    report.expect(withRel(rel).length <= 1, `more than one link rel=${rel}`);
  const self = withRel('self')[0]?.getAttribute('href');
  if (self !== undefined) report.expect(self === url, `rel=self is ${self ?? ''}`);
}

function atomProblems(feed: Element, url: string, report: Report): void {
  report.expect(feed.tagName === 'feed', `root is ${feed.tagName}`);
  report.expect(feed.getAttribute('xmlns') === 'http://www.w3.org/2005/Atom', 'not in the Atom namespace');
  expectOne(feed, report, 'id', 'title', 'updated');
  expectAtMostOne(feed, report, 'generator', 'icon', 'logo', 'rights', 'subtitle');
  const links = childrenOf(feed, 'link');
  linkProblems(links, url, report);
  report.expect(
    links.some((link) => link.getAttribute('rel') === 'self'),
    'no link rel=self',
  );
  const entries = childrenOf(feed, 'entry');
  for (const element of [feed, ...entries]) {
    report.expect(isAbsolute(textOf(element, 'id')), `id ${textOf(element, 'id')}`);
    report.expect(rfc3339.test(textOf(element, 'updated')), `updated ${textOf(element, 'updated')}`);
    for (const category of childrenOf(element, 'category'))
      report.expect((category.getAttribute('term') ?? '') !== '', 'category without a term');
    for (const author of childrenOf(element, 'author')) {
      expectOne(author, report, 'name');
      report.expect(isAbsolute(textOf(author, 'uri')), `author at ${textOf(author, 'uri')}`);
    }
    report.expect(childrenOf(element, 'author').length > 0, `no author in ${element.tagName}`);
  }
  for (const entry of entries) {
    expectOne(entry, report, 'id', 'title', 'updated', 'published');
    expectAtMostOne(entry, report, 'content', 'summary', 'rights', 'source');
    linkProblems(childrenOf(entry, 'link'), url, report);
    report.expect(rfc3339.test(textOf(entry, 'published')), `published ${textOf(entry, 'published')}`);
    const content = childrenOf(entry, 'content')[0];
    report.expect(content?.getAttribute('type') === 'html', 'content that is not HTML');
    htmlProblems(content?.textContent ?? '', report);
  }
  expectUnique(
    entries.map((entry) => textOf(entry, 'id')),
    report,
    'ids',
  );
}

function rssProblems(rss: Element, url: string, report: Report): void {
  report.expect(rss.tagName === 'rss' && rss.getAttribute('version') === '2.0', 'not RSS 2.0');
  const channel = childrenOf(rss, 'channel')[0] ?? rss;
  expectOne(channel, report, 'title', 'link', 'description', 'language');
  expectAtMostOne(channel, report, 'generator', 'lastBuildDate', 'pubDate', 'ttl', 'docs', 'image');
  report.expect(isAbsolute(textOf(channel, 'link')), `link to ${textOf(channel, 'link')}`);
  report.expect(language.test(textOf(channel, 'language')), `language ${textOf(channel, 'language')}`);
  const links = childrenOf(channel, 'atom:link');
  linkProblems(links, url, report);
  report.expect(
    links.some((link) => link.getAttribute('rel') === 'self'),
    'no atom:link rel=self',
  );
  const items = childrenOf(channel, 'item');
  const dates = [...items.map((item) => textOf(item, 'pubDate')), textOf(channel, 'lastBuildDate')];
  for (const date of dates.filter((_, index) => index < items.length || items.length > 0)) {
    report.expect(rfc822.test(date), `date ${date}`);
    const [day = '', moment = ''] = date.split(', ');
    const local = new Date(moment.replace(/[+-]\d{4}$/, 'GMT')).toUTCString();
    report.expect(local.startsWith(day), `${date} is no ${day}`);
  }
  for (const item of items) {
    expectOne(item, report, 'link', 'guid', 'description', 'pubDate');
    expectAtMostOne(item, report, 'title', 'author', 'enclosure', 'source', 'dc:creator');
    report.expect(isAbsolute(textOf(item, 'link')), `link to ${textOf(item, 'link')}`);
    const guid = childrenOf(item, 'guid')[0];
    report.expect(
      guid?.getAttribute('isPermaLink') === 'false' || isAbsolute(guid?.textContent ?? ''),
      `guid ${guid?.textContent ?? ''}`,
    );
    report.expect(childrenOf(item, 'author').length === 0, 'author without an email address');
    for (const category of childrenOf(item, 'category'))
      report.expect(category.textContent.trim() !== '', 'empty category');
    for (const enclosure of childrenOf(item, 'enclosure')) {
      report.expect(isAbsolute(enclosure.getAttribute('url')), 'enclosure without an absolute url');
      report.expect(mimeType.test(enclosure.getAttribute('type') ?? ''), 'enclosure without a type');
      report.expect(/^\d+$/.test(enclosure.getAttribute('length') ?? ''), 'enclosure without a length');
    }
    htmlProblems(textOf(item, 'description'), report);
  }
  expectUnique(
    items.map((item) => textOf(item, 'guid')),
    report,
    'guids',
  );
}

/** Checks the HTML of an item: nothing active, and no relative URLs. */
function htmlProblems(html: string, report: Report): void {
  const window = new Window();
  try {
    window.document.body.innerHTML = html;
    const active = 'script, iframe, object, embed, style, form, link, meta, base, [style]';
    report.expect(window.document.body.querySelector(active) === null, `active content in ${html}`);
    for (const element of window.document.body.querySelectorAll('*'))
      for (const { name, value } of element.attributes) {
        report.expect(!name.startsWith('on'), `${name} in ${html}`);
        if (['href', 'src', 'poster', 'cite'].includes(name))
          report.expect(
            /^(https?|mailto|tel|data|geo):/.test(value ?? ''),
            `${name}="${value ?? ''}" is not absolute`,
          );
      }
  } finally {
    window.close();
  }
}

function jsonProblems({ url, contentType, text }: FetchedFeed): string[] {
  const report = reporter();
  report.expect(
    contentType === 'application/feed+json; charset=utf-8',
    `Content-Type is ${contentType ?? ''}`,
  );
  const feed: unknown = JSON.parse(text);
  if (!isRecord(feed)) return ['not an object'];
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const isUrl = (value: unknown) => typeof value === 'string' && isAbsolute(value);
  const optional = (value: unknown, test: (value: unknown) => boolean) => value === undefined || test(value);
  const listOf = (value: unknown): Record<string, unknown>[] =>
    Array.isArray(value) ? value.filter(isRecord) : [];
  report.expect(feed['version'] === 'https://jsonfeed.org/version/1.1', 'not version 1.1');
  report.expect(isText(feed['title']), 'no title');
  report.expect(isUrl(feed['home_page_url']), 'no home_page_url');
  report.expect(feed['feed_url'] === url, `feed_url is ${String(feed['feed_url'])}`);
  report.expect(optional(feed['next_url'], isUrl), 'next_url is not absolute');
  report.expect(
    optional(feed['next_url'], (next) => next !== url),
    'next_url is this page',
  );
  report.expect(language.test(String(feed['language'])), `language ${String(feed['language'])}`);
  for (const hub of listOf(feed['hubs']))
    report.expect(isText(hub['type']) && isUrl(hub['url']), 'a bad hub');
  const items = listOf(feed['items']);
  report.expect(
    Array.isArray(feed['items']) && items.length === feed['items'].length,
    'items is no list of objects',
  );
  for (const owner of [feed, ...items]) {
    report.expect(listOf(owner['authors']).length > 0, 'no authors');
    for (const { name, url: page, avatar } of listOf(owner['authors']))
      report.expect(isText(name) && optional(page, isUrl) && optional(avatar, isUrl), 'a bad author');
    report.expect(!('author' in owner), 'author, which version 1.1 replaced');
  }
  for (const item of items) {
    report.expect(isText(item['id']) && isUrl(item['url']), 'an item without id or url');
    report.expect(typeof item['content_html'] === 'string', 'an item without content');
    report.expect(optional(item['title'], isText), 'an empty title');
    report.expect(optional(item['image'], isUrl), 'an image without an absolute url');
    for (const name of ['date_published', 'date_modified'])
      report.expect(rfc3339.test(String(item[name])), `${name} ${String(item[name])}`);
    report.expect(
      optional(item['tags'], (tags) => Array.isArray(tags) && tags.length > 0 && tags.every(isText)),
      'bad tags',
    );
    for (const { url: file, mime_type: type, size_in_bytes: bytes } of listOf(item['attachments']))
      report.expect(
        isUrl(file) && mimeType.test(String(type)) && optional(bytes, (size) => Number.isInteger(size)),
        'a bad attachment',
      );
    htmlProblems(String(item['content_html']), report);
  }
  expectUnique(
    items.map(({ id }) => String(id)),
    report,
    'ids',
  );
  return report.problems;
}
