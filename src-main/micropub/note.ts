import type { Params } from '../contract/contract.ts';
import { contentOf, withPublished, type Bag } from './post-content.ts';
import type { PostContent } from './post-store.ts';
import { invalid } from './safe-json.ts';

/** What the owner writes in the window. */
export type Note = Params<'posts.create'>;

/**
 * The post that a note becomes. What is not as usual (a draft, who may see it) stands among its properties, as where
 * an app posts it: apps change posts by their properties. `now` in ms. @throws invalid_request where it says nothing
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
  const post = contentOf(['h-entry'], bag).content;
  // A draft is published when it is published.
  return status === 'draft' ? post : withPublished(post, now);
}

function photoOf({ url, alt }: Note['photos'][number]): unknown {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalid('The address of a photo must begin with http:// or https://.');
  const words = alt.trim();
  return words === '' ? url : { value: url, alt: words };
}
