import { postKinds } from '../contract/post-kinds.ts';
import type { Post, PostKind } from '../contract/posts.ts';
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

const written = '2026-01-01T12:00:00.000Z';

/**
 * Returns a sample post of the given kind, for a preview of the post's file. `mediaOf`: returns the sample's media file
 * at a URL.
 */
export function exampleOf(kind: PostKind): {
  readonly post: Post;
  readonly mediaOf: (url: string) => ShownMedia | undefined;
} {
  const { example, type = 'h-entry' } = postKinds[kind];
  const properties = Object.fromEntries(Object.entries(example).map(([name, values]) => [name, [...values]]));
  return {
    post: {
      path: `/posts/2026/01/example-${kind}`,
      type: [type],
      properties,
      commands: {},
      status: 'published',
      visibility: 'public',
      createdAt: written,
      updatedAt: written,
      deletedAt: null,
    },
    mediaOf: (url) => media[new URL(url).pathname],
  };
}
