import { describe, expect, test } from 'vitest';
import { readPage } from '../../../../src-main/untrusted/pages/web-page.ts';

const url = 'https://a.example/dir/page';
const read = (text: string, linkHeader: string | null = null) => readPage({ url, linkHeader, text });
const times = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join('');

describe('relations', () => {
  test('IA-1 the header comes first, then the document in its order', () => {
    const text = '<link rel="micropub" href="two"><p><a rel="micropub" href="three">x</a>';
    expect(read(text, '</one>; rel=micropub').rels['micropub']).toEqual([
      'https://a.example/one',
      'https://a.example/dir/two',
      'https://a.example/dir/three',
    ]);
  });

  test('IA-1 links in the text are told apart from link elements', () => {
    const text =
      '<a rel="micropub" href="/text">x</a><area rel="micropub" href="/map"><link rel="micropub" href="/own">';
    expect(read(text).linkRels['micropub']).toEqual(['https://a.example/own']);
    expect(read(text).rels['micropub']).toHaveLength(3);
  });

  test('case and any white space between relations do not count', () => {
    expect(read('<link rel="A\n\tMicroPub\fb" href="/m">').rels['micropub']).toEqual(['https://a.example/m']);
    expect(read('', '</m>; rel="A MicroPub"').rels['micropub']).toEqual(['https://a.example/m']);
  });

  test('an empty address is the page itself', () => {
    expect(read('<link rel="webmention" href="">').rels['webmention']).toEqual([url]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('a relation called %s is one like others', (rel) => {
    const { rels } = read(`<link rel="${rel} me" href="/x"><p class="h-card">Ann</p>`);
    expect(Object.keys(rels).sort()).toEqual([rel.toLowerCase(), 'me'].sort());
  });

  test.each([
    ['/', 'https://a.example/x'],
    ['sub/', 'https://a.example/dir/sub/x'],
    ['//cdn.example', 'https://cdn.example/x'],
    ['https://[bad', 'https://a.example/dir/x'],
  ])('a base element of %s counts as in browsers', (base, resolved) => {
    const { rels, items } = read(
      `<base href="${base}"><link rel="me" href="x"><a class="h-card" href="x">Ann</a>`,
    );
    expect(rels['me']).toEqual([resolved]);
    expect(items[0]?.properties['url']).toEqual([resolved]);
  });
});

describe('images and names', () => {
  const properties = (html: string) => read(html).items[0]?.properties;

  test.each([
    ['an empty alt', '<img src="/i.jpg" alt="">'],
    ['no alt', '<img src="/i.jpg">'],
    ['an address with spaces', '<img src="/i  j.jpg">'],
    ['an address of its own', '<img src="data:image/png;base64,AAAA">'],
  ])('an image with %s adds nothing to a name', (_, image) => {
    expect(properties(`<a class="h-card" href="/">${image} Ada</a>`)?.['name']).toEqual(['Ada']);
    expect(properties(`<a class="h-card" href="/">${image}Ada</a>`)?.['name']).toEqual(['Ada']);
    expect(properties(`<p class="h-card"><b class="p-name">Ada ${image} Real</b></p>`)?.['name']).toEqual([
      'Ada Real',
    ]);
  });

  test('W04 the author’s picture is a photo, not part of the name', () => {
    const author =
      '<a class="p-author h-card" href="https://me.example/"><img class="u-photo" src="/i.jpg" alt=""> Real Name</a>';
    const [card] = properties(`<div class="h-entry">${author}</div>`)?.['author'] ?? [];
    expect(card).toMatchObject({
      value: 'Real Name',
      properties: { name: ['Real Name'], photo: ['https://a.example/i.jpg'] },
    });
  });

  test('an implied photo has its address, and alt text is a name', () => {
    expect(properties('<a class="h-card" href="/"><img src="/i.jpg">Ada</a>')?.['photo']).toEqual([
      'https://a.example/i.jpg',
    ]);
    expect(properties('<a class="h-card" href="/"><img src="/i.jpg" alt="Ada"></a>')?.['name']).toEqual([
      'Ada',
    ]);
  });

  test('the HTML of an entry keeps its images, its text has none of their addresses', () => {
    const text = '<p>one<br><img src="/i.jpg"><br>two</p><p>three <img src="/j.jpg" alt="J"></p>';
    const [content] =
      properties(`<div class="h-entry"><div class="e-content">${text}</div></div>`)?.['content'] ?? [];
    expect(content).toEqual({
      html: '<p>one<br><img src="https://a.example/i.jpg"><br>two</p><p>three <img src="https://a.example/j.jpg" alt="J"></p>',
      value: 'one\n\ntwo\nthree J',
    });
  });

  test('words stay apart at line breaks and paragraphs', () => {
    expect(properties('<p class="h-card">one<br>two<img src="/i.jpg"></p>')?.['name']).toEqual(['one\ntwo']);
  });

  test('an image in the place of a link has its address', () => {
    const url = '<img class="u-url u-photo" src="/i.jpg" alt="">';
    expect(properties(`<div class="h-entry">${url}<p class="p-name">x</p></div>`)).toMatchObject({
      url: ['https://a.example/i.jpg'],
      photo: ['https://a.example/i.jpg'],
    });
  });
});

describe('objects', () => {
  test('class names are separated by any white space', () => {
    const { items } = read('<p class="x\n\th-card\n"><b class="\tp-name\n">Ann</b></p>');
    expect(items[0]).toMatchObject({ type: ['h-card'], properties: { name: ['Ann'] } });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a property called %s spoils nothing',
    (name) => {
      const { items } = read(
        `<p class="h-card"><i class="p-${name} u-${name} e-${name}">x</i><b class="p-name">Ann</b></p>`,
      );
      expect(items[0]?.properties['name']).toEqual(['Ann']);
    },
  );

  test('an invalid link does not spoil the page', () => {
    const { items } = read(
      '<a href="//">a</a><img src="http://["><a class="h-card" href="https://[">Ann</a>',
    );
    expect(items[0]?.properties).toEqual({ name: ['Ann'] });
  });

  test('microformats of the old kind are read', () => {
    const { items } = read('<div class="vcard"><a class="fn url" href="/">Ann</a></div>');
    expect(items[0]).toMatchObject({
      type: ['h-card'],
      properties: { name: ['Ann'], url: ['https://a.example/'] },
    });
  });

  test('the title is the document’s, not a picture’s', () => {
    expect(read('<svg><title>Icon</title></svg><title>Page</title>').title).toBe('Page');
    expect(read('<svg><title>Icon</title></svg>').title).toBeUndefined();
  });
});

/** Each of these took minutes, gigabytes or the whole stack before there were limits. */
describe('pages made to hurt', () => {
  const letters = (index: number) =>
    index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');

  test.each([
    ['nested 10,000 deep', '<div>'.repeat(10_000)],
    ['with objects nested 10,000 deep', '<div class="h-app p-name">'.repeat(10_000)],
    [
      'with formatting that comes back in each paragraph',
      `<p>${times(2000, (i) => `<b x${i}>`)}</p>${'<p>a</p>'.repeat(2000)}`,
    ],
    ['with 100,000 attributes', `<p class="h-card">A</p><a ${times(100_000, (i) => `${i.toString(36)} `)}>`],
    [
      'with 50,000 attributes that hold brackets',
      `<p class="h-card">A</p><a ${times(50_000, (i) => `x${i}=">" `)}>`,
    ],
    ['with objects that are two properties of each other', `${'<div class="h-x p-a p-b">'.repeat(60)}x`],
    [
      'with one text that is 2,000 properties',
      `<div class="h-x"><div class="${times(2000, (i) => `e-x${letters(i)} `)}">${'<i>a</i>'.repeat(5000)}</div></div>`,
    ],
    [
      'with one text in 200 objects',
      `${'<div class="h-x e-content">'.repeat(200)}${'<i>a</i>'.repeat(10_000)}`,
    ],
    [
      'with one long text in 100 properties',
      `<div class="h-x">${'<div class="e-a">'.repeat(100)}${'x&'.repeat(200_000)}`,
    ],
    [
      'with one element that is 50,000 properties',
      `<div class="h-x"><p class="${times(50_000, (i) => `u-${letters(i)} `)}">x</p></div>`,
    ],
    ['with 18,000 properties side by side', `<div class="h-x">${'<b class="p-a"></b>'.repeat(18_000)}</div>`],
    ['with 18,000 objects in one', `<div class="h-feed">${'<b class="h-x"></b>'.repeat(18_000)}</div>`],
    ['with 40,000 bodies', `<p class="h-card">A</p>${times(40_000, (i) => `<body x${i}>`)}`],
    ['of 100,000 elements', '<p class="h-card">A</p>'.repeat(100_000)],
  ])('a page %s tells nothing', (_, text) => {
    expect(read(text, '</cb>; rel="me"')).toMatchObject({
      items: [],
      rels: { me: ['https://a.example/cb'] },
    });
  });

  test.each([
    [
      'that include each other twice',
      `<div class="vcard" itemref="a0 a0"><b class="fn">Ann</b></div>${times(60, (i) => `<p id="a${i}" itemref="a${i + 1} a${i + 1}"></p>`)}`,
    ],
    ['that include themselves', '<div class="vcard" id="x" itemref="x"><b class="fn">Ann</b></div>'],
    [
      'that include a parent',
      '<div id="x"><div class="vcard"><a class="include" href="#x"></a><b class="fn">Ann</b></div></div>',
    ],
    [
      'that is a cell of itself',
      '<table><tr><td class="vcard" id="x" headers="x"><b class="fn">Ann</b></td></tr></table>',
    ],
  ])('elements %s are read once', (_, text) => {
    expect(read(text).items[0]?.properties['name']).toEqual(['Ann']);
  });

  test('a long but honest page is read', () => {
    const comment = (index: number) =>
      `<div class="u-comment h-cite"><div class="p-author h-card"><a class="u-url p-name" href="/${index}">Ann</a></div><p class="e-content">${'Well said. '.repeat(10)}</p></div>`;
    const text = `<main class="h-feed p-4 h-full"><article class="h-entry"><div class="e-content">${'<p>Some <b>text</b> here.</p>'.repeat(1000)}</div>${times(300, comment)}</article></main>`;
    const [feed] = read(text).items;
    expect(JSON.stringify(feed).match(/Well said/g)?.length).toBeGreaterThanOrEqual(3000);
  });
});
