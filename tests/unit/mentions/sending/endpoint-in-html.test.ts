import { describe, expect, test } from 'vitest';
import { endpointInHtml } from '../../../../src-main/mentions/sending/endpoint-in-html.ts';

const url = 'https://bo.example/2026/post?page=2';
const end = 'https://bo.example/end';
const link = '<link rel="webmention" href="/end">';

describe('WS-1 the first link or a with the relation is the endpoint', () => {
  test.each([
    ['in the body', `<body><p>x</p>${link}`],
    ['without quotes and in capitals', '<LINK REL=WebMention HREF=/end>'],
    ['among relations on several lines', '<a rel="nofollow\n\twebmention" href="/end">x</a>'],
    ['after an area, which is neither', `<area rel="webmention" href="/wrong">${link}`],
    ['after one in a template', `<template><link rel="webmention" href="/wrong"></template>${link}`],
    [
      'after one in templates in templates',
      `<template><template></template><a rel=webmention href="/w"></template>${link}`,
    ],
    ['after one in a script', `<script>document.write('<a rel="webmention" href="/wrong">')</script>${link}`],
    ['after one in a style', `<style><a rel="webmention" href="/wrong"></style>${link}`],
    ['after one in a title', `<title><a rel="webmention" href="/wrong"></title>${link}`],
    ['after one in a text area', `<textarea><a rel="webmention" href="/wrong"></textarea>${link}`],
    ['after one in a comment that ends late', `<!-- > <a rel="webmention" href="/wrong"> -->${link}`],
    ['after a picture with an empty title', `<svg><title/><style/></svg>${link}`],
    ['in noscript', `<noscript>${link}</noscript>`],
    [
      'before a tag with hundreds of attributes',
      `${link}<p ${Array.from({ length: 400 }, (_, i) => `a${i}`).join(' ')}>`,
    ],
    ['below elements without end', `${'<div>'.repeat(100_000)}${link}`],
  ])('%s', (_, html) => {
    expect(endpointInHtml(html, url)).toBe(end);
  });

  test.each([
    ['no element', '<p>webmention</p>'],
    ['another relation', '<link rel="webmention.org pingback" href="/end">'],
    ['the relation without href', '<link rel="webmention"><a rel="webmention">x</a>'],
    ['an address that is none', '<link rel="webmention" href="https://">'],
    ['only a template', `<template>${link}`],
    ['only a comment', `<!-- ${link}`],
  ])('%s: there is none', (_, html) => {
    expect(endpointInHtml(html, url)).toBeUndefined();
  });
});

describe('WS-2 the endpoint is resolved', () => {
  test.each([
    ['', url],
    ['?x=1', 'https://bo.example/2026/post?x=1'],
    ['end?a=1&amp;b=2', 'https://bo.example/2026/end?a=1&b=2'],
    ['//cy.example/end', 'https://cy.example/end'],
    [' /end\n', end],
  ])('"%s" against the page', (href, expected) => {
    expect(endpointInHtml(`<link rel="webmention" href="${href}">`, url)).toBe(expected);
  });

  test('against the base of the page, if it has one', () => {
    expect(endpointInHtml('<base href="/b/"><a rel="webmention" href="end">x</a>', url)).toBe(
      'https://bo.example/b/end',
    );
  });
});
