import fc from 'fast-check';
import { stringify as stringifyToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { stringify as stringifyYaml } from 'yaml';
import type { Properties } from '../../../src-main/contract/posts.ts';
import { editAdopted } from '../../../src-main/site-folder/adopted-edit.ts';
import { type AdoptionRules, readAdopted } from '../../../src-main/site-folder/adopted-post.ts';
import { adoptionRules } from '../../support/adoption.ts';
import { runs } from '../../support/runs.ts';

const rules = adoptionRules('hugo', '/fog/');
const file = 'content/fog.md';

interface EditOptions {
  readonly name?: string;
  readonly generator?: AdoptionRules;
  readonly status?: 'draft' | 'published';
}

/** Changes properties of a file (undefined removes one). Returns the new text or the words of the refusal. */
function edited(
  text: string,
  changes: Readonly<Record<string, unknown[] | undefined>>,
  { name = file, generator = rules, status }: EditOptions = {},
): string {
  const post = readAdopted(text, name, generator);
  if ('problem' in post) throw new Error(post.problem);
  const entries = Object.entries({ ...post.properties, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  const requested = { properties: Object.fromEntries(entries) as Properties, status: status ?? post.status };
  const result = editAdopted(text, name, requested, generator);
  return 'refused' in result ? result.refused : result.text;
}

describe('an edit of YAML', () => {
  const text = `---
# The owner's notes
title:   'Fog'   # short
tags:
  - fog # grey
  - "sea"

params: {deep: [1, 2]} # theme
summary: |
  Grey.
date: 2020-01-02
draft: true # until reviewed
---

Grey, mostly.
`;

  test('changes only the value', () => {
    expect(edited(text, { name: ["It's fog"] })).toBe(text.replace("'Fog'", "'It''s fog'"));
    expect(edited(text, { published: ['2021-01-02'] })).toBe(text.replace('2020-01-02', '2021-01-02'));
    expect(edited(text, { summary: ['Grey: all'] })).toBe(text.replace('|\n  Grey.\n', '"Grey: all"\n'));
    expect(edited(text, {}, { status: 'published' })).toBe(text.replace('draft: true', 'draft: false'));
    expect(edited(text, { content: ['Blue.\n\nNow.'] })).toBe(text.replace('Grey, mostly.', 'Blue.\n\nNow.'));
    expect(edited(text, {})).toBe(text);
  });

  test('publishes by the field that the file has', () => {
    const draft = '---\nDraft: true\n---\nHi\n';
    expect(edited(draft, {}, { status: 'published' })).toBe(draft.replace('true', 'false'));
    const options = {
      name: '_posts/2020-01-01-a.md',
      generator: adoptionRules('jekyll', '/2020/01/01/a.html'),
    };
    const hidden = '---\ntitle: a\n---\nHi\n';
    expect(edited(hidden, {}, { ...options, status: 'draft' })).toBe(
      hidden.replace('a\n', 'a\npublished: false\n'),
    );
    const folder = {
      name: '_drafts/a.md',
      generator: adoptionRules('jekyll', '/a/'),
      status: 'published' as const,
    };
    expect(edited(hidden.replace('a', 'a\npermalink: /a/'), {}, folder)).toContain('the folder of the file');
  });

  test('adds to a list and keeps the comments in it', () => {
    expect(edited(text, { category: ['fog', 'sea', 'a: b'] })).toBe(
      text.replace('  - "sea"\n', '  - "sea"\n  - "a: b"\n'),
    );
    expect(edited(text, { category: ['sea'] })).toContain('contains comments that would be lost');
  });

  test('adds and removes fields', () => {
    expect(edited(text, { 'in-reply-to': ['https://you.example/'] })).toBe(
      text.replace('\n---\n\nGrey', '\nin-reply-to: ["https://you.example/"]\n---\n\nGrey'),
    );
    expect(edited(text, { name: undefined })).toBe(text.replace("title:   'Fog'   # short\n", '# short\n'));
    expect(edited(text, { summary: undefined })).toBe(text.replace('summary: |\n  Grey.\n', ''));
    expect(edited('---\n---\nHi\n', { name: ['Fog'] })).toBe('---\ntitle: "Fog"\n---\nHi\n');
    expect(edited('---\ntitle: # none\n---\nHi\n', { name: ['Fog'] })).toBe(
      '---\ntitle: "Fog" # none\n---\nHi\n',
    );
  });

  test('keeps Windows line ends and a byte order mark', () => {
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    expect(edited(windows, { category: ['fog', 'sea', 'x'], content: ['a\nb'] })).toBe(
      windows.replace('  - "sea"\r\n', '  - "sea"\r\n  - "x"\r\n').replace('Grey, mostly.', 'a\r\nb'),
    );
  });

  test.each([
    ['an anchor', 'title: &t Fog', 'has an anchor'],
    ['an alias', 'a: &t Fog\ntitle: *t', 'uses an alias'],
    ['a tag', 'title: !x Fog', 'has a tag'],
    ['two values', 'title: Fog\ntitle: Fog', 'is defined twice'],
  ])('is refused if the value has %s', (_what, lines, words) => {
    expect(edited(`---\n${lines}\n---\nHi\n`, { name: ['Sea'] })).toContain(words);
  });

  test('is refused if it could break the page or move the post', () => {
    const dated = adoptionRules('jekyll', '/2020/01/01/a.html');
    const post = '---\ntitle: a\ndate: 2020-01-01\n---\n{% raw %}{{ x }}{% endraw %} y\n';
    const options = { name: '_posts/2020-01-01-a.md', generator: dated };
    expect(edited(post, { published: ['2021-01-01'] }, options)).toContain('another URL');
    expect(edited(post, { content: ['{% include x %}'] }, options)).toContain('template code');
    expect(edited(post, { content: ['{% raw %}{{ x }}{% endraw %} z'] }, options)).toBe(
      post.replace(' y', ' z'),
    );
    expect(edited(post, { content: [{ html: '<b>x</b>' }] }, options)).toContain('Send its text as Markdown');
    expect(edited(post, { location: ['geo:1,2'] }, options)).toContain('can’t write “location”');
    const astro = adoptionRules('astro', '/a/');
    expect(
      edited('---\ntitle: a\n---\nHi\n', { name: ['b'] }, { name: 'src/a.mdx', generator: astro }),
    ).toContain('MDX');
  });
});

describe('an edit of TOML', () => {
  const text = `+++
# notes
title = 'Fog' # short
tags = [
  "fog", "sea",
]
date = 2020-01-02T03:04:05Z

[params] # theme
deep = { a = [1, 2] }
[[params.list]]
title = "no"
+++
Hi
`;

  test('changes only the value', () => {
    expect(edited(text, { name: ['Sea'] })).toBe(text.replace("'Fog'", "'Sea'"));
    expect(edited(text, { name: ["It's"] })).toBe(text.replace("'Fog'", '"It\'s"'));
    expect(edited(text, { published: ['2021-01-02T03:04:05Z'] })).toBe(text.replace('2020', '2021'));
    expect(edited(text, { category: ['fog', 'x'] })).toBe(
      text.replace('  "fog", "sea",\n', '  "fog",\n  "x",\n'),
    );
  });

  test('adds a field before the tables, and removes one', () => {
    expect(edited(text, {}, { status: 'draft' })).toBe(text.replace('05Z\n', '05Z\ndraft = true\n'));
    expect(edited(text, { name: undefined })).toBe(text.replace("title = 'Fog' # short\n", '# short\n'));
  });

  test('writes the fields of Zola into their tables', () => {
    const zola = { name: 'content/fog.md', generator: adoptionRules('zola', '/fog/') };
    const post = '+++\ntitle = "Fog"\n[taxonomies]\ntags = ["a"]\n[extra]\nx = 1\n+++\nHi\n';
    expect(edited(post, { category: ['a', 'b'], 'like-of': ['https://you.example/'] }, zola)).toBe(
      post
        .replace('["a"]', '["a", "b"]')
        .replace('[extra]\n', '[extra]\nlike-of = ["https://you.example/"]\n'),
    );
  });
});

test('an edit of JSON keeps its form', () => {
  const text = '{\n\t"title": "Fog",\n\t"tags": ["a"],\n\t"x": 1.50\n}\n\nHi\n';
  expect(edited(text, { name: ['A "b"'] })).toBe(text.replace('"Fog"', '"A \\"b\\""'));
  expect(edited(text, { summary: ['S'] })).toBe(text.replace('1.50\n', '1.50,\n\t"description": "S"\n'));
  expect(edited(text, { category: undefined })).toBe(text.replace('"tags": ["a"],\n\t', ''));
});

/** Texts that are hard to write in some format. */
const words = fc
  .oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.constantFrom(
      'yes',
      '- a',
      'a: b',
      '# c',
      '---',
      '+++',
      '"""',
      "'''",
      '{{ x }}',
      '2020-01-01',
      '1.10',
      'a\nb',
      '\u0085',
    ),
  )
  .filter((text) => text.trim() !== '');
const others = fc.dictionary(
  fc.stringMatching(/^x[a-z]{1,6}$/),
  fc.oneof(words, fc.boolean(), fc.array(words), fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), words)),
);
const change = fc.record(
  {
    name: fc.tuple(words),
    summary: fc.tuple(words),
    category: fc.uniqueArray(words, { maxLength: 4 }),
    'like-of': fc.tuple(words),
  },
  { requiredKeys: [] },
);
const keysOf: Readonly<Record<string, string>> = {
  name: 'title',
  summary: 'description',
  category: 'tags',
  'like-of': 'like-of',
};

describe.each([
  ['YAML', (fields: object) => `---\n${stringifyYaml(fields)}---\n`],
  [
    'YAML in flow style',
    (fields: object) => `---\n${stringifyYaml(fields, { collectionStyle: 'flow', lineWidth: 0 })}---\n`,
  ],
  ['TOML', (fields: object) => `+++\n${stringifyToml(fields)}\n+++\n`],
  ['JSON', (fields: object) => `${JSON.stringify(fields, null, 2)}\n`],
])('any edit of any %s', (_format, front) => {
  test('makes the change, and keeps every other line', () => {
    fc.assert(
      fc.property(others, words, fc.array(words), change, (more, title, tags, changes) => {
        const fields = { xa: 'x', title, tags, ...more, xz: 'z' };
        const text = `${front(fields)}Body\n`;
        const before = readAdopted(text, file, rules);
        fc.pre(!('problem' in before));
        const after = edited(text, changes);
        const read = readAdopted(after, file, rules);
        expect(read, after).not.toHaveProperty('problem');
        if ('problem' in read || 'problem' in before) return;
        for (const [name, value] of Object.entries({ ...before.properties, ...changes }))
          expect(read.properties[name] ?? []).toEqual(value);
        // Each other field has the text that it has on its own, except for a comma at its end.
        for (const [name, value] of Object.entries({ ...more, xa: 'x', xz: 'z' })) {
          if (Object.values(keysOf).includes(name)) continue;
          const lines = linesOf(front({ [name]: value }));
          for (const line of lines) if (linesOf(text).includes(line)) expect(linesOf(after)).toContain(line);
        }
        expect(edited(after, {})).toBe(after);
      }),
      { numRuns: runs(100) },
    );
  });
});

const linesOf = (text: string) => text.split('\n').map((line) => line.replace(/,$/, ''));
