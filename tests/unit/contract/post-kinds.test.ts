import { describe, expect, test } from 'vitest';
import type { Post, Properties } from '../../../src-main/contract/posts.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { html } from '../../../src-main/http/html.ts';
import { textOfPost } from '../../../src-main/posts/post-text.ts';
import { responsesIn } from '../../../src-main/importing/markdown/fields.ts';
import { postKindOf, showsSomething } from '../../../src-main/posts/kind.ts';
import { shownContent } from '../../../src-main/posts/rendering/contents.ts';
import { postBody } from '../../../src-main/posts/files/post-file.ts';
import { responseMarkup, responseValues } from '../../../src-main/posts/rendering/citation.ts';
import { readAdopted } from '../../../src-main/site-folder/adopted-post.ts';
import { changesInWords } from '../../../src-renderer/features/posts/words.ts';
import { formOf } from '../../../src-renderer/features/write/form.ts';
import { adoptionRules } from '../../support/adoption.ts';
import { postOf } from '../../support/site.ts';

const there = 'https://friend.example/1';
const base = 'https://me.example';
const home = { url: 'https://ada.example/fog/', file: 'fog.md', former: [], written: {}, liveAt: null };

/** The names are repeated here, so that a row that is lost from the table is noticed. */
const names = [
  'in-reply-to',
  'repost-of',
  'like-of',
  'bookmark-of',
  'quotation-of',
  'read-of',
  'watch-of',
  'listen-of',
  'jam-of',
  'follow-of',
  'ate',
  'drank',
];

describe.each(names)('a page that a post names in %s', (name) => {
  const properties: Properties = { [name]: [there] };

  test('is shown on the site, and makes a post that has nothing else', () => {
    expect(html`${responseMarkup(properties, base)}`.markup).toContain(`class="u-${name}" href="${there}"`);
    expect(showsSomething(properties)).toBe(true);
  });

  test('is written to a file, read from the owner’s own file, and imported', () => {
    expect(responseValues(properties, base)).toEqual({ [name]: [there] });
    const text = `---\ntitle: Fog\ndate: 2020-03-04\n${name}: ${there}\n---\nGrey.\n`;
    expect(readAdopted(text, 'content/posts/fog.md', adoptionRules('hugo', '/posts/fog/'))).toMatchObject({
      properties,
    });
    expect(responsesIn({ [name]: there })).toEqual({ [name]: [there] });
  });

  test('has a name in the change history', () => {
    expect(changesInWords([name])).not.toBe('details');
  });
});

describe('a fact that the site shows beside the text', () => {
  test.each(['rsvp', 'start', 'end', 'organizer', 'checkin', 'location'])(
    'makes a post worth showing, and its file HTML: %s',
    async (name) => {
      const properties = { [name]: ['2026-01-02'] };
      expect(showsSomething(properties)).toBe(true);
      const post = { ...postOf({ ...properties, content: ['Words'] }), home };
      const view = {
        base,
        author: { name: 'Ada', url: 'https://ada.example/' },
        contentOf: (one: Post) => shownContent(one, base),
        shown: () => undefined,
      };
      const postMarkdown = () => Promise.resolve('Words');
      const body = await postBody(post, view, 'custom', { mediaUrl: (path) => path, postMarkdown });
      expect(body.format).toBe('html');
    },
  );
});

describe('the editor', () => {
  const written = { text: 'Words', format: 'plain', photos: [], categories: [] } as const;
  const post: PostText = {
    ...written,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  };

  test.each<[string, Properties]>([
    ['a like that is a reply too', { 'like-of': [there], 'in-reply-to': [there] }],
    ['a repost that is a reply too', { 'repost-of': [there], 'in-reply-to': [there] }],
    ['a bookmark with a photo', { 'bookmark-of': [there], photo: [`${base}/media/a.jpg`] }],
    ['a photo with a title', { photo: [`${base}/media/a.jpg`], name: ['On porches'] }],
    ['an answer to an invitation', { rsvp: ['yes'], 'in-reply-to': [there] }],
  ])('shows %s as the kind that the site shows', (_, properties) => {
    const content = { type: ['h-entry'], properties: { ...properties, content: ['Words'] }, commands: {} };
    const text = textOfPost({ ...content, status: 'published', visibility: 'public' }, base);
    expect(formOf({ ...post, ...text }).kind).toBe(postKindOf(content));
  });
});
