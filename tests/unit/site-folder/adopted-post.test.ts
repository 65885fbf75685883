import { describe, expect, test } from 'vitest';
import { textOfFile } from '../../../src-main/site-folder/adopted-file.ts';
import { readAdopted } from '../../../src-main/site-folder/adopted-post.ts';
import { adoptionRules } from '../../support/adoption.ts';

const hugo = adoptionRules('hugo', '/posts/fog/');
const yaml = `---
title: "Fog: a study"
date: 2020-03-04 05:06:07 +0100
lastmod: 2020-04-01
tags: [fog, 1.10]
categories:
  - Weather # mine
draft: false
summary: >-
  Grey,
  mostly.
images:
  - /img/fog.jpg
in-reply-to: https://you.example/1
---

# Fog

It was *grey*.
`;

describe('a file that was already in the folder', () => {
  test('is a post with its microformats properties', () => {
    expect(readAdopted(yaml, 'content/posts/fog.md', hugo)).toEqual({
      url: 'https://me.example/posts/fog/',
      type: ['h-entry'],
      properties: {
        name: ['Fog: a study'],
        summary: ['Grey, mostly.'],
        published: ['2020-03-04T05:06:07+01:00'],
        updated: ['2020-04-01'],
        category: ['fog', '1.10', 'Weather'],
        photo: ['https://me.example/img/fog.jpg'],
        'in-reply-to': ['https://you.example/1'],
        content: ['# Fog\n\nIt was *grey*.'],
      },
      status: 'published',
      visibility: 'public',
      markdown: '# Fog\n\nIt was *grey*.',
    });
  });

  test('may have TOML, JSON, a byte order mark, or Windows line ends', () => {
    const files = [
      '+++\ntitle = "Fog"\ndate = 2020-03-04T05:06:07Z\ntags = ["a"]\n+++\nGrey.\n',
      '{\n\t"title": "Fog",\n\t"date": "2020-03-04T05:06:07Z",\n\t"tags": ["a"]\n}\n\nGrey.\n',
      '---json\n{"title": "Fog", "date": "2020-03-04T05:06:07Z", "tags": "a"}\n---\nGrey.\n',
      '\uFEFF---\r\ntitle: Fog\r\ndate: 2020-03-04T05:06:07Z\r\ntags:\r\n- a\r\n---\r\nGrey.\r\n',
    ];
    for (const text of files)
      expect(readAdopted(text, 'content/fog.md', adoptionRules('hugo', '/fog/'))).toMatchObject({
        url: 'https://me.example/fog/',
        properties: {
          name: ['Fog'],
          published: ['2020-03-04T05:06:07Z'],
          category: ['a'],
          content: ['Grey.'],
        },
      });
  });

  test('keeps HTML as HTML, and a photo with its alt text', () => {
    const text = '---\ntitle: Fog\nphoto:\n  - url: /fog.jpg\n    alt: Grey\n---\n<p>Hi</p>\n';
    expect(readAdopted(text, 'content/fog.html', adoptionRules('hugo', '/fog/'))).toEqual({
      url: 'https://me.example/fog/',
      type: ['h-entry'],
      status: 'published',
      visibility: 'public',
      properties: {
        name: ['Fog'],
        photo: [{ value: 'https://me.example/fog.jpg', alt: 'Grey' }],
        content: [{ html: '<p>Hi</p>' }],
      },
    });
  });

  test.each([
    ['hugo', 'content/a.md', 'draft: true', '/a/'],
    ['hugo', 'content/a.md', 'Draft: yes', '/a/'],
    ['jekyll', '_posts/2020-01-01-a.md', 'published: false', '/2020/01/01/a.html'],
    ['jekyll', '_drafts/a.md', 'permalink: /a/', '/a/'],
    ['zola', 'content/a.md', 'draft: true', '/a/'],
  ] as const)('is a draft if %s leaves it out: %s with %s', (generator, file, line, path) => {
    expect(readAdopted(`---\n${line}\n---\nHi\n`, file, adoptionRules(generator, path))).toMatchObject({
      status: 'draft',
    });
  });

  test.each([
    ['no front matter', 'Hello\n', 'It has no front matter.'],
    ['front matter without an end', '---\ntitle: x\n', 'Its front matter has no end.'],
    ['broken YAML', '---\ntitle: "x\n---\nHi\n', 'Its front matter has an error.'],
    ['broken TOML', '+++\ntitle = x\n+++\nHi\n', 'Its front matter has an error.'],
    ['broken JSON', '{"title": x}\nHi\n', 'Its front matter has an error.'],
    ['a list in place of fields', '---\n- a\n---\nHi\n', 'Its front matter has an error.'],
    ['too much of everything', `---\ntitle: x\n---\n${'x'.repeat(1_000_001)}`, 'It is larger than 1 MB.'],
    ['too much front matter', `---\ntitle: ${'x'.repeat(70_000)}\n---\n`, 'Its front matter is too long.'],
    ['deep nesting', `---\na: ${'['.repeat(30_000)}\n---\n`, 'Its front matter has an error.'],
    [
      'aliases that multiply',
      `---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]`).join('\n')}\n---\n`,
      'Its front matter has an error.',
    ],
  ])('is a problem with %s, and never an exception', (_what, text, problem) => {
    expect(readAdopted(text, 'content/a.md', hugo)).toEqual({ problem });
  });

  test('has no text if it isn’t UTF-8', () => {
    expect(textOfFile(new Uint8Array([0x2d, 0xff, 0xfe]))).toBeUndefined();
    expect(textOfFile(new TextEncoder().encode('\uFEFFa'))).toBe('\uFEFFa');
  });

  test('does not make objects of custom tags, or change the prototype', () => {
    const read = readAdopted(
      '---\ntitle: !!js/function "x"\n__proto__: { draft: true }\n---\nHi\n',
      'content/a.md',
      adoptionRules('hugo', '/a/'),
    );
    expect(read).toMatchObject({ properties: { name: ['x'] }, status: 'published' });
  });
});
