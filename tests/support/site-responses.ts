import type { ResponseReader, SiteResponse } from '../../src-main/posts/rendering/reader.ts';

const types = ['like', 'like', 'reply', 'like', 'repost', 'mention', 'bookmark', 'like', 'rsvp'] as const;
const answers = ['yes', 'maybe', 'no', 'interested', 'yes'] as const;
const names = ['Bo Lind', 'Ada', 'שירה', 'Wei 李', 'Ann-Christin Östergötland-Montgomery', '🦊 fox', ''];

/** A reply of Bo, received a minute after that of the number before. */
export function responseOf(number: number, over: Partial<SiteResponse> = {}): SiteResponse {
  return {
    id: `response-${number}`,
    type: 'reply',
    source: `https://bo.example/${number}`,
    author: { name: 'Bo', url: 'https://bo.example/', photo: '' },
    published: '2026-11-21T15:00:00+01:00',
    received: new Date(Date.parse('2026-11-21T15:00:00Z') + number * 60_000).toISOString(),
    content: { value: `Answer ${number}`, html: `<p>Answer <b>${number}</b></p>` },
    ...over,
  };
}

/** Responses as they come: of all types, with and without pictures, some long, some from right to left. */
function manyResponses(count: number): SiteResponse[] {
  return Array.from({ length: count }, (_, number) => {
    const type = types[number % types.length] ?? 'like';
    const speaks = type === 'reply' || type === 'mention' || number % 18 === 8;
    const value = wordsOf(number);
    return responseOf(number, {
      type,
      source: `https://site${number % 40}.example/2026/${number}`,
      author: {
        name: names[number % names.length] ?? '',
        url: `https://site${number % 40}.example/`,
        photo: number % 3 === 0 ? '' : `https://site${number % 40}.example/${number % 20}.jpg`,
      },
      ...(type === 'mention' && { name: `A walk along the river, part ${number}` }),
      ...(type === 'rsvp' && { rsvp: answers[Math.floor(number / types.length) % answers.length] }),
      content: speaks ? { value, html: `<p>${value}</p>` } : undefined,
    });
  });
}

function wordsOf(number: number): string {
  if (number % 27 === 2) return 'It goes on for a while, as answers do. '.repeat(60);
  if (number % 27 === 11) return 'תודה! האור דולק גם אצלנו.';
  return number % 2 === 0 ? 'Mine is on too. See you on Saturday?' : 'Lovely. I made one of these last year.';
}

/** The same for every address; the pictures are those of the sample site. */
export function memoryResponses(items: readonly SiteResponse[]): ResponseReader {
  return {
    of: () => Promise.resolve(items),
    picture: (url) => {
      const number = /\/(\d+)\.jpg$/.exec(url)?.[1];
      return Promise.resolve(number === undefined ? undefined : `/media/${number}.webp`);
    },
  };
}

/** What others said of the posts of the sample site: much of one, and answers to an invitation. */
export const sampleResponses: ResponseReader = {
  ...memoryResponses([]),
  of: ({ path }) =>
    Promise.resolve(
      path.endsWith('/answered')
        ? manyResponses(260)
        : path.endsWith('/invited')
          ? manyResponses(200).filter(({ type }) => type === 'rsvp')
          : [],
    ),
};
