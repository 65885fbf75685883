import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { noBlocks, type Sayer } from '../../../../src-main/mentions/blocked.ts';
import { mentionPages } from '../../../../src-main/mentions/mention-pages.ts';
import { hostOf } from '../../../../src-main/platform/site-name.ts';
import { checkMention, type TargetRules } from '../../../../src-main/mentions/receiving/receiver-routes.ts';

const source = 'https://bea.example/1';

const owned = {
  base: 'https://home.example',
  me: 'https://Ada.example/',
  folderSite: 'https://site.example/blog/',
  hosts: ['Blog.Example', 'old.example:8080', 'plain.example:443', '[2001:db8::1]:8443'],
};

function rules(changed: Partial<TargetRules> = {}): TargetRules {
  return {
    owned: () => owned,
    pageOf: (url) => mentionPages(() => owned.base).pageOf(url),
    isPost: () => Promise.resolve(false),
    isPublicPage: () => Promise.resolve(true),
    blocks: noBlocks,
    ...changed,
  };
}

const verdict = (from: string, to: string, changed?: Partial<TargetRules>) =>
  checkMention(rules(changed), from, to).then(
    () => 'taken',
    (error: unknown) => {
      if (error instanceof PorchlightError && error.code === 'invalid_request') return 'refused';
      throw error;
    },
  );

test.each([
  ['https://ada.example/', 'taken'],
  ['https://blog.example/a', 'taken'],
  ['https://site.example/blog/notes/1/', 'taken'],
  ['https://site.example/about/', 'taken'],
  ['https://blog.example:443/a', 'taken'],
  ['https://blog.example:444/a', 'refused'],
  ['http://old.example:8080/a', 'taken'],
  ['https://old.example/a', 'refused'],
  ['https://plain.example/', 'taken'],
  ['https://[2001:db8::1]:8443/', 'taken'],
  ['https://[2001:DB8:0::1]:8443/', 'taken'],
  ['https://home.example/', 'taken'],
  ['https://ada.example@evil.example/', 'refused'],
  ['https://evil.example/?https://ada.example/', 'refused'],
  ['https://evil.example#@ada.example/', 'refused'],
  ['https://evil.example\\@ada.example/', 'refused'],
  ['https:ada.example/', 'refused'],
  ['https:///ada.example/', 'refused'],
  ['https://ada.example:0x50/', 'refused'],
  ['https://./', 'refused'],
])('WR-3 the target %s is %s', async (target, expected) => {
  expect(await verdict(source, target)).toBe(expected);
});

test.each([
  ['https://ada.example/a', 'https://ada.example/b', 'taken'],
  ['https://ada.example/a?x', 'https://ada.example/a', 'taken'],
  ['https://ada.example/a/', 'https://ada.example/a', 'taken'],
  ['https://ada.example', 'https://ada.example/', 'refused'],
  ['https://ada.example./a', 'http://ADA.example:80/a#x', 'refused'],
  ['https://ada.example/x/../a', 'https://ada.example/a', 'refused'],
])('WR-2 from %s to %s is %s', async (from, to, expected) => {
  expect(await verdict(from, to)).toBe(expected);
});

test.each([
  ['https://home.example/posts/2026/11/there', 'taken'],
  ['https://home.example/webmentions?url=https://ada.example/a', 'refused'],
  ['http://HOME.example./api/mentions?target=https://ada.example/a', 'refused'],
  ['https://home.example:8443/webmentions', 'taken'],
])(
  'of this server only public pages are sources, not pages about others: %s is %s',
  async (from, expected) => {
    const isPublicPage = ({ pathname }: URL) => Promise.resolve(pathname.startsWith('/posts/'));
    expect(await verdict(from, 'https://ada.example/a', { isPublicPage })).toBe(expected);
  },
);

test('until there is a profile, only the other hosts count', async () => {
  expect(await verdict(source, 'https://ada.example/', { owned: () => ({ ...owned, me: null }) })).toBe(
    'refused',
  );
  expect(await verdict(source, 'https://blog.example/', { owned: () => ({ ...owned, me: null }) })).toBe(
    'taken',
  );
});

test('the built-in site is asked about its own pages only, and never about what is refused anyway', async () => {
  const asked: string[] = [];
  const isPublicPage = (url: URL) => Promise.resolve(asked.push(url.href) === 0);
  expect(await verdict(source, 'https://ada.example/a', { isPublicPage })).toBe('taken');
  expect(await verdict('nonsense', 'https://home.example/a', { isPublicPage })).toBe('refused');
  const blocks = { covers: ({ source: from }: Sayer) => from === 'https://bea.example/1' };
  expect(await verdict('https://bea.example/1', 'https://home.example/a', { isPublicPage, blocks })).toBe(
    'refused',
  );
  expect(asked).toEqual([]);
  expect(await verdict(source, 'https://home.example/a#b', { isPublicPage })).toBe('refused');
  expect(asked).toEqual(['https://home.example/a#b']);
});

test('for any input, only web addresses of our hosts are accepted', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'http',
      'https',
      ':',
      '//',
      '/',
      '@',
      '#',
      '?',
      '\\',
      '.',
      '..',
      ':443',
      ':0',
      '[',
      ']',
      '%2e',
    ),
    fc.constantFrom(
      'ada.example',
      'ADA.EXAMPLE',
      'evil.example',
      'blog.example',
      ' ',
      '\t',
      '\u202e',
      'ｅｘ',
    ),
    fc.string({ maxLength: 5 }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const mostly = fc.oneof(
    text,
    text.map((rest) => `https://ada.example${rest}`),
    text.map((rest) => `https://${rest}`),
  );
  const ours = ['ada.example', 'blog.example', 'plain.example', 'home.example'];
  await fc.assert(
    fc.asyncProperty(mostly, async (target) => {
      if ((await verdict(source, target)) === 'refused') return;
      const url = new URL(target);
      expect(url.username + url.password).toBe('');
      expect(ours).toContain(hostOf(url));
      expect(target).not.toMatch(/[\s\\<>"]/);
    }),
    { numRuns: 1000 },
  );
});
