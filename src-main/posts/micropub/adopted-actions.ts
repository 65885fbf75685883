import { isDeepStrictEqual } from 'node:util';
import type { Properties } from '../../contract/posts.ts';
import { insufficientScope } from '../../http/errors.ts';
import type { AdoptedContent, AdoptedPost, AdoptedPosts, ChangedAdopted } from '../adopted-post.ts';
import { postNotFound } from '../post-address.ts';
import { withReadDates } from '../post-dates.ts';
import { contentFromBag, wishedSlug, withPublished, type Bag } from '../post-content.ts';
import { invalid } from './safe-json.ts';
import { mayPublish } from './scope-check.ts';
import { applyUpdate, type Update } from './update.ts';

/** Properties that follow from a post's status and visibility, so they are not stored in the post's file. */
const derived = new Set(['post-status', 'visibility']);

/** Returns the properties of an adopted post (see AdoptedPost) as apps receive them. */
export function bagOfAdopted({ properties, status, visibility }: AdoptedPost): Bag {
  const shown: Properties = { ...properties };
  if (status === 'draft') shown['post-status'] = [status];
  if (visibility !== 'public') shown['visibility'] = [visibility];
  return new Map(Object.entries(shown));
}

/**
 * Updates an adopted post (see AdoptedPost) by changing its file in the owner's folder. Returns the change; undefined
 * if nothing has changed. `now`: the current time in ms. `zone`: the owner's time zone.
 * @throws insufficient_scope, invalid_request. If it throws, nothing has changed.
 */
export async function updateAdopted(
  adopted: AdoptedPosts,
  url: string,
  change: Update,
  by: UpdatedBy,
): Promise<ChangedAdopted | undefined> {
  if ((wishedSlug(change.replace) ?? wishedSlug(change.add)) !== undefined)
    throw invalid('Porchlight did not create this post, so it cannot change its URL.');
  let old: AdoptedPost | undefined;
  const post = await adopted.change(url, (before) => {
    old = before;
    return contentAfter(before, change, by);
  });
  if (!post) throw postNotFound();
  const isSame = post.status === old?.status && isDeepStrictEqual(post.properties, old.properties);
  return isSame || old === undefined ? undefined : { post, before: old };
}

interface UpdatedBy {
  readonly scopes: readonly string[];
  readonly now: number;
  readonly zone: string;
}

function contentAfter(before: AdoptedPost, change: Update, { scopes, now, zone }: UpdatedBy): AdoptedContent {
  const bag = bagOfAdopted(before);
  const { content: next } = contentFromBag(before.type, withReadDates(applyUpdate(bag, change), bag, zone));
  const [command] = Object.keys(next.commands);
  if (command !== undefined)
    throw invalid(`Porchlight did not create this post, so it cannot store mp-${command} with it.`);
  if (next.visibility !== before.visibility)
    throw invalid('Porchlight did not create this post, so it cannot change its visibility.');
  const publishes = before.status === 'draft' && next.status === 'published';
  if (publishes && !mayPublish(scopes)) throw insufficientScope('create');
  const { properties, status } = publishes ? withPublished(next, now, zone) : next;
  const kept = Object.entries(properties).filter(([name, values]) => !derived.has(name) && values.length > 0);
  return { properties: Object.fromEntries(kept) satisfies Properties, status };
}

/** Returns the error for an app that deletes or undeletes a post that Porchlight did not create. */
export function notDeleted() {
  return invalid(
    'Porchlight did not create this post, so it cannot delete or restore it. Delete its file instead.',
  );
}
