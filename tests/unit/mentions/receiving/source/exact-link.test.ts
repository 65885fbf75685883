import { describe, expect, test } from 'vitest';
import { verify } from '../../../../../src-main/mentions/receiving/source/exact-link.ts';
import { sample, source, target } from '../../../../support/webmention-samples.ts';

const html = (text: string, to = target) => verify({ page: sample(text), target: to });
const json = (value: unknown, type = 'application/json') =>
  verify({ page: sample(JSON.stringify(value), type), target });
const plain = (text: string) => verify({ page: sample(text, 'text/plain'), target });

describe('HTML', () => {
  test('a base that is longer than any address is ignored, so that no links are resolved against a book', () => {
    const relative = html(
      `<base href="https://elsewhere.example/${'a'.repeat(5000)}/"><a href="/x">x</a>`,
      'https://elsewhere.example/x',
    );
    const script = html('<base href="javascript:1"><a href="/x">x</a>', new URL('/x', source).href);
    expect(script).toBe('links');
    const absolute = html(`<base href="/${'a'.repeat(5000)}/"><a href="${target}">x</a>`);
    expect([relative, absolute]).toEqual(['no-link', 'links']);
  });

  test('a limited number of links is checked, however they are packed', () => {
    const link = `<a href="${target}">x</a>`;
    expect(html(`<img srcset="${'a '.repeat(19_000)}">${link}`)).toBe('links');
    expect(html(`<img srcset="${'a '.repeat(30_000)}">${link}`)).toBe('no-link');
    expect(html('<a href="b">'.repeat(20_000) + link)).toBe('no-link');
  });

  test.each([
    ['a', `<a href="${target}">x</a>`],
    ['area', `<map><area href="${target}"></map>`],
    ['link', `<link rel="canonical" href="${target}">`],
    ['img', `<img src="${target}">`],
    ['img srcset', `<img srcset="/small.png 1x, ${target} 2x">`],
    ['video', `<video src="${target}"></video>`],
    ['video poster', `<video poster="${target}"></video>`],
    ['audio', `<audio src="${target}"></audio>`],
    ['source', `<video><source src="${target}"></video>`],
    ['track', `<video><track src="${target}"></video>`],
    ['embed', `<embed src="${target}">`],
    ['iframe', `<iframe src="${target}"></iframe>`],
    ['object', `<object data="${target}"></object>`],
    ['blockquote', `<blockquote cite="${target}">x</blockquote>`],
    ['q', `<q cite="${target}">x</q>`],
    ['ins', `<ins cite="${target}">x</ins>`],
    ['del', `<del cite="${target}">x</del>`],
    ['a in noscript', `<noscript><a href="${target}">x</a></noscript>`],
    ['a with spaces around its address', `<a href=" ${target}\n">x</a>`],
    ['a with character references', `<a href="https:&#x2f;&sol;me.example/post">x</a>`],
    ['a without quotes and in capitals', `<A HREF=${target}>x</A>`],
    ['a after a picture with an empty title', `<svg><title/><style/></svg><a href="${target}">x</a>`],
    ['a after a template', `<template><p></template><a href="${target}">x</a>`],
  ])('WR-7 %s links', (_, text) => {
    expect(html(text)).toBe('links');
  });

  test.each([
    ['a comment', `<!-- <a href="${target}">x</a> -->`],
    ['escaped markup', `&lt;a href="${target}"&gt;x&lt;/a&gt;`],
    ['bare text', `<p>${target}</p>`],
    ['a template', `<template><a href="${target}">x</a></template>`],
    ['a template in a template', `<template><template></template><a href="${target}">x</a></template>`],
    ['a script', `<script>document.write('<a href="${target}">x</a>')</script>`],
    ['a style', `<style>/* <a href="${target}"> */</style>`],
    ['a textarea', `<textarea><a href="${target}"></textarea>`],
    ['a title', `<title><a href="${target}"></title>`],
    ['a frame’s fallback', `<iframe><a href="${target}"></iframe>`],
    ['an attribute that links nothing', `<a title="${target}" data-href="${target}">x</a>`],
    ['a longer address', `<a href="${target}/more">x</a><a href="${target}?x">x</a>`],
    ['a shorter address', `<a href="https://me.example/">x</a>`],
    ['an address that ends with a slash', `<a href="${target}/">x</a>`],
    ['the http address', `<a href="http://me.example/post">x</a>`],
    ['a part of the page', `<a href="${target}#part">x</a>`],
    ['a redirect’s parameter', `<a href="https://out.example/?u=${target}">x</a>`],
    ['nothing', ''],
  ])('WR-7 %s does not link', (_, text) => {
    expect(html(text)).toBe('no-link');
  });

  test('WR-7 a part of a page is mentioned by a link to that part alone', () => {
    expect(html(`<a href="${target}#part">x</a>`, `${target}#part`)).toBe('links');
    expect(html(`<a href="${target}">x</a>`, `${target}#part`)).toBe('no-link');
  });

  test('WR-7 a relative link is resolved against the page', () => {
    const near = 'https://ann.example/notes/2';
    expect(html('<a href="2">x</a>', near)).toBe('links');
    expect(html('<a href="/notes/2">x</a>', near)).toBe('links');
    expect(html('<a href="//me.example/post">x</a>')).toBe('links');
  });

  test('WR-7 a relative link is resolved against the first base element, anywhere in the page', () => {
    const text = '<a href="post">x</a><base target="_top"><base href="//me.example/"><base href="/other/">';
    expect(html(text)).toBe('links');
    expect(html('<base href="https://[bad"><a href="2">x</a>', 'https://ann.example/notes/2')).toBe('links');
  });

  test('WR-7 the spelling of an address may be the normal one', () => {
    expect(html('<a href="HTTPS://ME.example:443/a b">x</a>', 'https://me.example/a%20b')).toBe('links');
    expect(html('<a href="https://me.example/">x</a>', 'https://me.example')).toBe('links');
  });

  test.each(['410', '410 Gone', ' 410\tDeleted'])('WR-8 a page that says status %s is gone', (status) => {
    expect(html(`<meta http-equiv="Status" content="${status}"><a href="${target}">x</a>`)).toBe('gone');
  });

  test('WR-8 other statuses and other meta elements say nothing of the kind', () => {
    expect(html(`<meta http-equiv="status" content="200 OK"><a href="${target}">x</a>`)).toBe('links');
    expect(html(`<meta name="status" content="410"><a href="${target}">x</a>`)).toBe('links');
    expect(html(`<!-- <meta http-equiv="status" content="410"> --><a href="${target}">x</a>`)).toBe('links');
  });

  test('WR-10 a page without the link does not link', () => {
    expect(html('<article class="h-entry">Changed my mind.</article>')).toBe('no-link');
  });
});

describe('other types', () => {
  test.each([
    ['a property', { url: target }],
    ['a list', { items: [{ properties: { 'in-reply-to': ['https://b.example/', target] } }] }],
    ['a list alone', [target]],
  ])('WR-7 JSON with the target as a value of %s links', (_, value) => {
    expect(json(value)).toBe('links');
    expect(json(value, 'application/mf2+json; charset=utf-8')).toBe('links');
  });

  test.each([
    ['a key', { [target]: 1 }],
    ['a part of a text', { text: `See ${target}` }],
    ['a longer address', { url: `${target}/` }],
  ])('WR-7 JSON with the target as %s does not link', (_, value) => {
    expect(json(value)).toBe('no-link');
  });

  test('WR-7 invalid JSON does not link', () => {
    expect(verify({ page: sample(`{"url": "${target}"`, 'application/json'), target })).toBe('no-link');
  });

  test('WR-7 JSON nested without end is read to its bottom', () => {
    const deep = `${'['.repeat(50_000)}"${target}"${']'.repeat(50_000)}`;
    expect(verify({ page: sample(deep, 'application/json'), target })).toBe('links');
  });

  test.each([
    target,
    `See ${target}.`,
    `See (${target}), please`,
    `<${target}>`,
    `[x](${target})more`,
    `"${target}", too`,
    `${target}2 and ${target}`,
    `a\n${target}\nb`,
  ])('WR-7 the text %j links', (text) => {
    expect(plain(text)).toBe('links');
  });

  test.each([
    `${target}2`,
    `${target}/`,
    `${target}?a`,
    `${target}#part`,
    `${target}.html`,
    `x${target}`,
    `https://b.example/?u=${target}`,
    'https://me.example/',
  ])('WR-7 the text %j does not link', (text) => {
    expect(plain(text)).toBe('no-link');
  });

  test.each(['image/png', 'application/pdf', 'text/css', 'nonsense'])('WR-7 %s does not link', (type) => {
    expect(verify({ page: sample(`<a href="${target}">x</a>`, type), target })).toBe('no-link');
  });

  test('a page without a type is HTML if it begins with a tag', () => {
    expect(verify({ page: sample(` <a href="${target}">x</a>`, null), target })).toBe('links');
    expect(verify({ page: sample(`See ${target}`, null), target })).toBe('links');
  });

  test('XHTML is HTML', () => {
    const page = sample(
      `<?xml version="1.0"?><html><a href="${target}">x</a></html>`,
      'application/xhtml+xml',
    );
    expect(verify({ page: { ...page, url: source }, target })).toBe('links');
  });
});
