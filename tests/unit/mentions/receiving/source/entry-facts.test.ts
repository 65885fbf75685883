import { describe, expect, test } from 'vitest';
import {
  content,
  entry,
  factsOf,
  link,
  readSample,
  reply,
  sample,
  times,
} from '../../../../support/webmention-samples.ts';

const a = (property: string, href: string) => `<a class="u-${property}" href="${href}">x</a>`;
const facts = (inside: string) => factsOf(entry(inside + reply));

describe('name and content', () => {
  test('MF-2 content has its HTML and its text, with whole addresses', () => {
    const { content } = facts('<div class="e-content">Hi <b>you</b>, <a href="/x">look</a></div>');
    expect(content).toEqual({
      html: 'Hi <b>you</b>, <a href="https://ann.example/x" rel="nofollow ugc noopener">look</a>',
      value: 'Hi you, look',
    });
  });

  test('MF-2 paragraphs and line breaks separate words', () => {
    expect(facts('<div class="e-content"><p>One</p><p>Two<br>Three</p></div>').content?.value).toBe(
      'One\nTwo\nThree',
    );
  });

  test('MF-3 a name that only repeats the content is ignored', () => {
    expect(facts('<p class="p-name e-content">A note, short.</p>')).not.toHaveProperty('name');
    const begun = '<b class="p-name">A  long\nnote</b><p class="e-content">A long note that goes on.</p>';
    expect(facts(begun)).not.toHaveProperty('name');
    const cut = '<b class="p-name">A long…</b><p class="e-content">A long note that goes on.</p>';
    expect(facts(cut)).not.toHaveProperty('name');
  });

  test('PT-4 a name that is more than the content’s beginning is a title', () => {
    expect(facts('<b class="p-name"> On \n cats </b><p class="e-content">Cats are good.</p>').name).toBe(
      'On cats',
    );
  });

  test('MF-7 content counts before a summary, an empty one does not count', () => {
    const summary = '<p class="p-summary">In short</p>';
    expect(facts(`${summary}<p class="e-content">All</p>`).content).toEqual({ html: 'All', value: 'All' });
    expect(facts(`${summary}<p class="e-content"> </p>`).content).toEqual({ value: 'In short' });
  });

  test('MF-7 a like without content has none', () => {
    expect(factsOf(entry('<a class="u-like-of" href="https://me.example/post"></a>'))).not.toHaveProperty(
      'content',
    );
  });
});

describe('NW02 a reply that is only a file', () => {
  const door = { photo: ['https://ann.example/p.jpg'], photoAlt: 'A door' };
  test.each([
    ['u-photo', '<img class="u-photo" src="/p.jpg" alt="A door">', door],
    [
      'u-photo and empty texts',
      '<p class="p-name"></p><p class="e-content"></p><img class="u-photo" src="/p.jpg" alt="A door">',
      door,
    ],
    ['content', '<div class="e-content"><p><img src="/p.jpg" alt="A door"></p></div>', door],
    ['content without alt text', '<div class="e-content"><img src="/p.jpg"></div>', { photo: door.photo }],
    [
      'content with a film',
      '<div class="e-content"><video><source src="/v.mp4"></video></div>',
      { video: ['https://ann.example/v.mp4'] },
    ],
  ])('has it from %s, with its alt text', (_from, inside, expected) => {
    const { content, photo, photoAlt, video } = facts(inside);
    expect(content).toBeUndefined();
    expect({ ...(photo && { photo }), ...(photoAlt && { photoAlt }), ...(video && { video }) }).toEqual(
      expected,
    );
  });

  test('pictures beside a text stay part of the text', () => {
    const said = facts('<div class="e-content">Look <img src="/p.jpg" alt="A door"></div>');
    expect(said.content?.value).toContain('Look');
    expect(said).not.toHaveProperty('photo');
  });
});

describe('addresses', () => {
  test('MF-5 of several addresses the one on the source’s host counts, else the first', () => {
    const two = a('url', 'https://b.example/1') + a('url', 'https://ann.example/2');
    expect(factsOf(`<div class="h-entry">${two}${reply}</div>`).url).toBe('https://ann.example/2');
    const other = a('url', 'https://b.example/1') + a('url', 'https://c.example/2');
    expect(factsOf(`<p class="h-entry">${other}${reply}</p>`).url).toBe('https://b.example/1');
  });

  test('pictures, recordings and copies are listed once each, pictures with alternative text too', () => {
    const text =
      '<img class="u-photo" alt="cat" src="/c.jpg"><img class="u-photo" src="/c.jpg">' +
      '<video class="u-video" src="/v.mp4"></video><audio class="u-audio" src="/a.mp3"></audio>' +
      a('syndication', 'https://social.example/1');
    expect(facts(text)).toMatchObject({
      photo: ['https://ann.example/c.jpg'],
      video: ['https://ann.example/v.mp4'],
      audio: ['https://ann.example/a.mp3'],
      syndication: ['https://social.example/1'],
    });
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://b.example/',
  ])('WR-12 %s is not used as an address, in any property', (url) => {
    const media = `<img class="u-photo" src="${url}"><video class="u-video" src="${url}"></video>`;
    const author = `<div class="p-author h-card"><a class="u-url p-name" href="${url}">Ann</a><img class="u-photo" src="${url}"></div>`;
    const text = `<div class="h-entry"><b class="p-name"></b>${a('url', url)}${a('syndication', url)}${media}${author}${reply}</div>`;
    expect(factsOf(text)).toEqual({
      type: 'reply',
      property: 'in-reply-to',
      author: { name: 'Ann', url: '', photo: '' },
    });
  });
});

describe('dates', () => {
  test.each([
    ['2026-11-02', '2026-11-02'],
    ['2026-11-02T10:20', '2026-11-02T10:20'],
    ['2026-11-02T10:20:30Z', '2026-11-02T10:20:30Z'],
    ['2026-11-02 10:20:30+0200', '2026-11-02T10:20:30+02:00'],
    ['2026-11-02T10:20:30.5-07', '2026-11-02T10:20:30.5-07:00'],
  ])('%s is a date', (given, iso) => {
    expect(facts(`<time class="dt-published" datetime="${given}">then</time>`).published).toBe(iso);
  });

  test.each(['yesterday', '2026-02-31', '2026-13-01', '2026-11-02T25:00', '2026-11-02T10:20+99:00', '1', ''])(
    '%j is no date',
    (given) => {
      const text = `<data class="dt-published" value="${given}"></data>`;
      expect(facts(text)).not.toHaveProperty('published');
    },
  );
});

describe('limits', () => {
  test('a long text is cut, and a long name', () => {
    const { content, name } = facts(
      `<b class="p-name">${'n'.repeat(3000)}</b><p class="e-content">${'<i>long long</i> '.repeat(5000)}</p>`,
    );
    expect(name).toHaveLength(500);
    expect(content?.value).toHaveLength(32_768);
    expect(content?.html?.length).toBeLessThanOrEqual(50_000);
    expect(content?.html?.length).toBeGreaterThan(10_000);
  });

  test('links that grow when they are made safe do not grow past the limit', () => {
    const text = `<div class="e-content">${times(3000, (i) => `<a href="http://b/${i}">x</a>`)}</div>`;
    expect(facts(text).content?.html?.length).toBeLessThanOrEqual(50_000);
  });

  test('no more than 20 pictures are listed', () => {
    expect(facts(times(50, (i) => `<img class="u-photo" src="/${i}.jpg">`)).photo).toHaveLength(20);
  });

  test('an address as long as a book is ignored', () => {
    expect(facts(`<img class="u-photo" src="/${'x'.repeat(5000)}">`)).not.toHaveProperty('photo');
  });

  test('control characters are left out', () => {
    expect(facts('<p class="e-content">a&#7;b\u0000c</p>').content?.value).toBe('abc');
  });

  test('a cut does not go through a character', () => {
    const name = `${'n'.repeat(498)}🎉🎉`;
    const found = facts(`<b class="p-name">${name}</b>`).name ?? '';
    expect(found).toBe(`${'n'.repeat(498)}…`);
  });
});

describe('JSON', () => {
  const read = (value: unknown, type: string) => readSample(sample(JSON.stringify(value), type));
  const item = {
    type: ['h-entry'],
    properties: {
      'in-reply-to': ['https://me.example/post'],
      content: [{ html: '<b onclick="x()">Hi</b>', value: 'Hi' }],
      author: [{ type: ['h-card'], properties: { name: ['Ann'], url: ['https://ann.example/'] } }],
    },
  };

  test.each([{ items: [item] }, item])('mf2 JSON is read as a page is', (value) => {
    expect(read(value, 'application/mf2+json')).toMatchObject({
      facts: {
        type: 'reply',
        content: { html: '<b>Hi</b>', value: 'Hi' },
        author: { name: 'Ann', url: 'https://ann.example/', photo: '' },
      },
    });
  });

  test.each(['application/jf2+json', 'application/mf2+json'])('jf2 as %s is read as a page is', (type) => {
    const jf2 = {
      type: 'entry',
      'like-of': 'https://me.example/post',
      author: { type: 'card', name: 'Ann' },
      content: { html: '<i>Hi</i>', text: 'Hi' },
      photo: ['https://ann.example/p.jpg'],
    };
    expect(read(jf2, type)).toMatchObject({
      facts: {
        type: 'like',
        author: { name: 'Ann', url: '', photo: '' },
        content: { html: '<i>Hi</i>', value: 'Hi' },
        photo: ['https://ann.example/p.jpg'],
      },
    });
  });

  test('other JSON makes a plain mention', () => {
    expect(read({ items: [item] }, 'application/json')).toEqual({
      kind: 'links',
      facts: { type: 'mention', property: 'mention-of' },
      text: '',
    });
  });

  test.each([
    ['properties that are none', { type: ['h-entry'], properties: 'https://me.example/post' }],
    ['nothing but nulls', { type: [null], properties: { content: [null], x: ['https://me.example/post'] } }],
    [
      'a prototype',
      '{"type":["h-entry"],"properties":{"__proto__":["https://me.example/post"],"constructor":[1]}}',
    ],
  ])('JSON with %s spoils nothing', (_, value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(readSample(sample(text, 'application/mf2+json'))).toMatchObject({ facts: { type: 'mention' } });
  });
});

describe('the excerpt for a reader', () => {
  test('is the content of an entry', () => {
    expect(readSample(sample(entry(content)))).toMatchObject({ text: 'Well said: a post' });
  });

  test('is the text around the link elsewhere', () => {
    const text = `<title>My page</title><script>no()</script>${'<p>before</p>'.repeat(2000)}<p>Here is ${link}, read it.</p>`;
    const reading = readSample(sample(text));
    expect(reading).toMatchObject({ title: 'My page' });
    expect(reading.kind === 'links' && reading.text).toMatch(/before\nHere is a post, read it\.$/);
  });
});
