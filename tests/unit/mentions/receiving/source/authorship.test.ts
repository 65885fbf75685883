import { describe, expect, test } from 'vitest';
import { readAuthor } from '../../../../../src-main/mentions/receiving/source/source-reading.ts';
import {
  entry,
  factsOf,
  link,
  readSample,
  reply,
  sample,
  source,
} from '../../../../support/webmention-samples.ts';

const url = 'https://ann.example/';
const ann = { name: 'Ann', url, photo: 'https://ann.example/ann.jpg' };
const card = (kind: string, at = url) =>
  `<div class="${kind} h-card"><a class="u-url p-name" href="${at}">Ann</a><img class="u-photo" src="/ann.jpg"></div>`;
const authorOf = (html: string) => factsOf(html).author;
const reading = (html: string) => {
  const result = readSample(sample(html));
  return result.kind === 'links' ? { page: result.authorPage, author: result.facts.author } : undefined;
};

describe('on the source', () => {
  test('AU-1 the entry’s author is a card', () => {
    expect(authorOf(entry(card('p-author') + reply))).toEqual(ann);
    expect(reading(entry(card('p-author') + reply))?.page).toBeUndefined();
  });

  test('AU-1 else the author of the feed that it stands in', () => {
    const feed = `<div class="h-feed">${card('p-author')}${entry(reply)}</div>`;
    expect(authorOf(feed)).toEqual(ann);
    const own = '<b class="p-author">Bob</b>';
    expect(authorOf(`<div class="h-feed">${card('p-author')}${entry(own + reply)}</div>`)?.name).toBe('Bob');
  });

  test('AU-1 the author is a name', () => {
    expect(authorOf(entry(`<b class="p-author"> Ann\n Other </b>${reply}`))).toEqual({
      name: 'Ann Other',
      url: '',
      photo: '',
    });
  });

  test('AU-1 an author called 0 is called 0', () => {
    expect(authorOf(entry(`<b class="p-author">0</b>${reply}`))?.name).toBe('0');
    expect(authorOf(entry(`<p class="p-author h-card">0</p>${reply}`))?.name).toBe('0');
  });

  test.each([
    ['W05 a nickname', '<b class="p-nickname">matt</b>', 'matt'],
    ['an empty name and a nickname', '<b class="p-name"></b><b class="p-nickname">matt</b>', 'matt'],
    [
      'a given and a family name',
      '<b class="p-given-name">Ada</b><i class="p-family-name">Lovelace</i>',
      'Ada Lovelace',
    ],
    ['a family name', '<i class="p-family-name">Lovelace</i>', 'Lovelace'],
    ['a name and a nickname', '<b class="p-nickname">matt</b><b class="p-name">Matt Real</b>', 'Matt Real'],
  ])('an author with %s has a name', (_, names, name) => {
    const author = `<div class="p-author h-card">${names}<a class="u-url" href="/"></a></div>`;
    expect(authorOf(entry(author + reply))?.name).toBe(name);
  });

  test('W04 the author’s picture is no part of the name', () => {
    const author =
      '<a class="p-author h-card" href="https://me.example/"><img class="u-photo" src="/i.jpg" alt=""> Real Name</a>';
    expect(authorOf(entry(author + reply))).toEqual({
      name: 'Real Name',
      url: '', // a card with a u-photo has no implied url
      photo: 'https://ann.example/i.jpg',
    });
  });

  test('AU-1 the author is an address: that page is to be asked', () => {
    expect(reading(entry(`<a class="u-author" href="/about">me</a>${reply}`))).toEqual({
      page: 'https://ann.example/about',
      author: { name: '', url: 'https://ann.example/about', photo: '' },
    });
  });

  test('AU-1 without an author, the page of rel=author is to be asked', () => {
    expect(reading(entry(reply) + '<a rel="author" href="/about">me</a>')?.page).toBe(
      'https://ann.example/about',
    );
    expect(
      reading(entry(`<b class="p-author">Ann</b>${reply}`) + '<a rel="author" href="/x">me</a>')?.page,
    ).toBe(undefined);
  });

  test('AU-1 a card with that address on the source is who it is, unless the page knows better', () => {
    const text = entry(`<a class="u-author" href="${url}">me</a>${reply}`) + card('');
    expect(reading(text)).toEqual({ page: url, author: ann });
  });

  test('AU-1 an author page that is the source itself is not fetched', () => {
    const text = entry(`<a class="u-author" href="${source}">me</a>${reply}`) + card('', source);
    expect(reading(text)).toEqual({ page: undefined, author: { ...ann, url: source } });
  });

  test('AU-1 the authors of comments are not the author', () => {
    const comment = `<div class="u-comment h-cite">${card('p-author', 'https://b.example/')}</div>`;
    expect(authorOf(entry(comment + reply))).toBeUndefined();
  });

  test.each(['mailto:ann@ann.example', 'javascript:alert(1)', 'tel:+123'])(
    'AU-3 %s is neither the name nor the address of anybody',
    (address) => {
      expect(authorOf(entry(`<a class="u-author" href="${address}"></a>${reply}`))).toBeUndefined();
      const found = authorOf(entry(`<a class="p-author h-card" href="${address}">Ann</a>${reply}`));
      expect(found).toEqual({ name: 'Ann', url: '', photo: '' });
    },
  );

  test('AU-3 nobody is made up', () => {
    expect(authorOf(entry(reply))).toBeUndefined();
    expect(authorOf(link)).toBeUndefined();
  });

  test('AU-2 a page without an entry is of whom its card represents', () => {
    expect(authorOf(card('', source) + link)).toEqual({ ...ann, url: source });
    expect(authorOf(card('', source) + card('', 'https://b.example/') + link)).toBeUndefined();
    expect(authorOf(card('', 'https://b.example/') + link)).toBeUndefined();
  });
});

describe('on the author’s page', () => {
  const ask = (html: string, address = url) =>
    readAuthor({ page: { ...sample(html), url: address }, address });

  test('AU-1 the card whose uid and url are the page counts first', () => {
    const other = `<div class="h-card"><a class="u-url p-name" rel="me" href="https://b.example/">B</a></div>`;
    const own = `<div class="h-card"><a class="u-url u-uid p-name" href="${url}">Ann</a></div>`;
    expect(ask(other + own)?.name).toBe('Ann');
  });

  test('AU-1 then the card whose url is rel=me', () => {
    const first = '<p class="h-card"><a class="u-url p-name" href="https://c.example/">C</a></p>';
    expect(ask(`${first}<a class="h-card" rel="me" href="https://b.example/">B</a>`)).toEqual({
      name: 'B',
      url: 'https://b.example/',
      photo: '',
    });
  });

  test('AU-1 addresses are compared as addresses', () => {
    expect(
      ask('<div class="h-card"><a class="u-url u-uid p-name" href="HTTPS://ann.example:443">Ann</a></div>'),
    ).toEqual({ name: 'Ann', url, photo: '' });
  });

  test('AU-1 a page with other cards alone does not say', () => {
    expect(
      ask('<p class="h-card"><a class="u-url p-name" href="https://c.example/">C</a></p>'),
    ).toBeUndefined();
    expect(ask('{}')).toBeUndefined();
  });
});
