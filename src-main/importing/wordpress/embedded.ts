import { isWebUrl } from '../found-post.ts';
import { escapedHtml } from '../html.ts';
import { videoSites } from '../unshown.ts';
import type { ShortcodeAttributes } from './pieces.ts';

/** An uploaded file of a WordPress site. `caption`: HTML. */
export interface Attachment {
  readonly url: string;
  readonly alt: string;
  readonly caption: string;
}

const extensionOf = (url: string) => /\.(\w{1,5})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '';
const pictures = new Set('avif bmp gif heic jpe jpeg jpg png svg tif tiff webp'.split(' '));
const videos = new Set('avi m4v mov mp4 mpeg mpg ogv webm'.split(' '));
const recordings = new Set('aac flac m4a mp3 oga ogg opus wav'.split(' '));

/** Returns a figure with a picture of a gallery; undefined if the file isn't a picture. */
export function pictureHtml({ url, alt, caption }: Attachment): string | undefined {
  if (!pictures.has(extensionOf(url))) return undefined;
  const words = caption === '' ? '' : `<figcaption>${caption}</figcaption>`;
  return `<figure><img src="${escapedHtml(url)}" alt="${escapedHtml(alt)}">${words}</figure>`;
}

/** Returns the HTML of a recording in a playlist; undefined if the file is neither a video nor audio. */
export function fileHtml({ url }: Attachment): string | undefined {
  const extension = extensionOf(url);
  const name = videos.has(extension) ? 'video' : recordings.has(extension) ? 'audio' : undefined;
  return name && `<${name} src="${escapedHtml(url)}" controls></${name}>`;
}

/** The shortcodes that show another site's page. */
export const embedNames: ReadonlySet<string> = new Set(
  (
    'bandcamp dailymotion embed embedyt facebook flickr gist googlemaps googlevideo instagram mixcloud scribd ' +
    'slideshare soundcloud spotify ted tweet twitter vimeo youtube'
  ).split(' '),
);

/** Returns the URL of the page that a shortcode shows; undefined if there is none. */
export function embeddedUrl(name: string, { named, bare }: ShortcodeAttributes): string | undefined {
  if (!embedNames.has(name)) return undefined;
  const values = [...named.values(), ...bare];
  const url = values.find(isWebUrl);
  const video = Object.hasOwn(videoSites, name) ? videoSites[name as keyof typeof videoSites] : undefined;
  const id = video && [named.get('id') ?? '', ...bare].find((value) => video.id.test(value));
  return url ?? (video && id !== undefined ? video.page + id : undefined);
}
