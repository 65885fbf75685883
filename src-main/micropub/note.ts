import type { Params } from '../contract/contract.ts';
import { contentFromBag, withPublished, type Bag } from './post-content.ts';
import type { PostContent } from './post-store.ts';
import { invalid } from './safe-json.ts';

/** A note that the owner writes in the window. */
export type Note = Params<'posts.create'>;

/**
 * Returns the content of the post for a note. A setting other than the default (draft status, a visibility) becomes a
 * property, as in a post by an app, because apps change posts through their properties. `now` in ms.
 * @throws invalid_request if the note is empty or a photo's URL is invalid
 */
export function contentOfNote(note: Note, now: number): PostContent {
  const { photos, visibility, status } = note;
  const content = note.content.trim();
  if (content === '' && photos.length === 0)
    throw invalid('The post is empty. Write something, or add a photo.');
  const categories = new Set(note.categories.map((name) => name.trim()).filter((name) => name !== ''));
  const values: [string, readonly unknown[]][] = [
    ['content', content === '' ? [] : [content]],
    ['photo', photos.map(photoOf)],
    ['category', [...categories]],
    ['post-status', status === 'draft' ? [status] : []],
    ['visibility', visibility === 'public' ? [] : [visibility]],
  ];
  const bag: Bag = new Map(values.filter(([, list]) => list.length > 0));
  const post = contentFromBag(['h-entry'], bag).content;
  // A draft gets its publication date only when it is published.
  return status === 'draft' ? post : withPublished(post, now);
}

function photoOf({ url, alt }: Note['photos'][number]): unknown {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalid('The address of a photo must begin with http:// or https://.');
  const words = alt.trim();
  return words === '' ? url : { value: url, alt: words };
}
