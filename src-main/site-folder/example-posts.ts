import type { Post, PostKind, Properties } from '../contract/posts.ts';
import type { ShownMedia } from '../posts/rendering/reader.ts';

/** The media files that the examples show, by URL path. */
const media: Readonly<Record<string, ShownMedia>> = Object.fromEntries(
  [
    ['photo.jpg', 'image/jpeg'],
    ['video.mp4', 'video/mp4'],
    ['audio.mp3', 'audio/mpeg'],
  ].map(([name = '', type = '']) => {
    const path = `/media/2026/01/${name}`;
    return [path, { path, type, bytes: 1, width: null, height: null }];
  }),
);

const page = 'https://example.com/a-page';
const text = { content: ['This is an example.'] };
const examples: Readonly<Record<PostKind, Properties>> = {
  note: text,
  article: { name: ['An example'], ...text },
  photo: {
    photo: [{ value: 'https://example.com/media/2026/01/photo.jpg', alt: 'What the photo shows' }],
    ...text,
  },
  video: { video: ['https://example.com/media/2026/01/video.mp4'], ...text },
  audio: { audio: ['https://example.com/media/2026/01/audio.mp3'], ...text },
  reply: { 'in-reply-to': [page], ...text },
  like: { 'like-of': [page] },
  repost: { 'repost-of': [page] },
  bookmark: { 'bookmark-of': [page], ...text },
  rsvp: { 'in-reply-to': [page], rsvp: ['yes'] },
  event: { name: ['An example'], start: ['2026-01-01T19:00:00Z'], end: ['2026-01-01T21:00:00Z'], ...text },
  checkin: { checkin: [{ type: ['h-card'], properties: { name: ['A place'] } }], ...text },
};

const written = '2026-01-01T12:00:00.000Z';

/**
 * Returns a sample post of the given kind, for a preview of the post's file. `mediaOf`: returns the sample's media file
 * at a URL.
 */
export function exampleOf(kind: PostKind): {
  readonly post: Post;
  readonly mediaOf: (url: string) => ShownMedia | undefined;
} {
  return {
    post: {
      ...{ path: `/posts/2026/01/example-${kind}`, type: [kind === 'event' ? 'h-event' : 'h-entry'] },
      ...{ properties: examples[kind], commands: {}, status: 'published', visibility: 'public' },
      ...{ createdAt: written, updatedAt: written, deletedAt: null },
    },
    mediaOf: (url) => media[new URL(url).pathname],
  };
}
