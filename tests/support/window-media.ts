import type { Params } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { MediaItem, MediaUse } from '../../src-main/contract/media.ts';
import type { PostItem } from '../../src-main/contract/posts.ts';

const origin = 'https://porch.marlow.example';

/** The files of a lived-in house. `at`: minutes from now to a moment. */
export function someMedia(at: (minutes: number) => string): MediaItem[] {
  return [
    mediaItem('b7Qm-porch.jpg', at(-30), { name: 'porch.jpg', width: 4000, height: 3000, bytes: 3_480_112 }),
    mediaItem('k2Zx-rain.png', at(-900), { name: 'rain.png', type: 'image/png', width: 800, height: 1200 }),
    mediaItem('p9Lc-walk.mp4', at(-4000), {
      name: 'walk.mp4',
      type: 'video/mp4',
      kind: 'video',
      bytes: 48_211_004,
    }),
    mediaItem('q1Hs-kettle.jpg', at(-6000), {
      name: 'kettle.jpg',
      width: 1200,
      height: 1200,
      copyOf: 'https://photos.example/kettle.jpg',
    }),
    mediaItem('t4Rv-birds.mp3', at(-9000), { name: 'birds.mp3', type: 'audio/mpeg', kind: 'audio' }),
    mediaItem('w8Nd-plan.pdf', at(-20_000), { name: 'plan.pdf', type: 'application/pdf', kind: 'document' }),
  ];
}

/** What the service would list of them. */
export function listMedia(
  media: readonly MediaItem[],
  { query = '', kind, limit = 50, cursor = '0' }: Params<'media.list'>,
): { items: MediaItem[]; nextCursor?: string } {
  const start = Number(cursor);
  const found = media
    .filter((item) => kind === undefined || item.kind === kind)
    .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
  const end = start + limit;
  return { items: found.slice(start, end), ...(end < found.length && { nextCursor: String(end) }) };
}

/** The file at an address. */
export function mediaIn(media: readonly MediaItem[], url: string): MediaItem {
  const found = media.find((item) => item.url === url);
  if (!found) throw new PorchlightError('not_found', 'This file is not here any more.', 404);
  return found;
}

/** Where a file is used: the newest picture, in two posts. */
export function usesOf({ name }: MediaItem, posts: readonly PostItem[]): MediaUse[] {
  if (name !== 'porch.jpg') return [];
  const alts: Record<string, string> = {
    '/posts/2026/11/the-lamp-is-on': 'The porch at dusk, its lamp on',
    '/posts/2026/11/on-porches': '',
  };
  return posts.flatMap((post) => {
    const alt = alts[post.path];
    return alt === undefined ? [] : [{ post, alt }];
  });
}

/** Its small picture, where it is one: a drawn one, of another colour for every name. */
export function thumbnailOf({ name, kind }: MediaItem): string | null {
  if (kind !== 'image') return null;
  const hue = Array.from(name).reduce((sum, letter) => sum + letter.charCodeAt(0) * 7, 0) % 360;
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 360"><rect width="480" height="360" fill="hsl(${hue} 40% 70%)"/><circle cx="350" cy="110" r="46" fill="hsl(45 90% 80%)"/><path d="M0 360V250l130-90 110 80 90-50 150 110v60z" fill="hsl(${hue} 35% 35%)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

/** A file of the house. `file`: the last part of its address. */
export function mediaItem(file: string, uploadedAt: string, item: Partial<MediaItem> = {}): MediaItem {
  return {
    url: `${origin}/media/2026/11/${file}`,
    name: file,
    type: 'image/jpeg',
    kind: 'image',
    bytes: 120_000,
    width: null,
    height: null,
    uploadedAt,
    copyOf: null,
    ...item,
  };
}
