import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../../contract/error.ts';
import type { Properties } from '../../contract/posts.ts';
import type { Bearer } from '../../http/bearer.ts';
import { insufficientScope, invalidRequest } from '../../http/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { findAdopted, findPost, isLiveAtHome, postNotFound, postUrl } from '../address.ts';
import {
  type Bag,
  bagOf,
  checkSchedule,
  contentFromBag,
  versionOf,
  wishedSlug,
  withPublished,
  withReadDates,
} from '../post-content.ts';
import type {
  AdoptedContent,
  AdoptedPost,
  AdoptedPosts,
  ChangedAdopted,
  ChangedPost,
  PostContent,
  PostStore,
} from '../post-store.ts';
import { type Action, applyUpdate, type Update } from './action.ts';
import type { OwnerPostStore } from './owner-post-store.ts';
import { type MarkdownApps, withMarkdown, withTextRead } from './markdown-apps.ts';
import { checkScope, mayPublish, maySeePost, postReader } from './scope-check.ts';

export interface ActionDeps {
  /** Returns the public origin, without a trailing slash. A function, because the public address can change. */
  readonly base: () => string;
  readonly posts: PostStore;
  /** The posts in the owner's site folder that Porchlight didn't publish, if there is such a folder. */
  readonly adopted?: AdoptedPosts | undefined;
  readonly now: Clock;
  /** Returns the name of the owner's time zone. */
  readonly zone: () => string;
  /**
   * Called once a change is on disk; the response waits for the returned promise. The callback can store data that must
   * be as durable as the post, such as an outbox. Not called if nothing changed. Must not reject, because the change
   * can't be undone. `grantId`: the grant of the app.
   */
  readonly changed: (changedPost: ChangedPost, grantId: string) => Promise<void>;
  /**
   * Called after an app has changed the file of an adopted post (see AdoptedPost), and awaited before the response is
   * sent. Must not reject.
   */
  readonly adoptedChanged?: ((changedPost: ChangedAdopted, grantId: string) => Promise<void>) | undefined;
  readonly markdownApps: MarkdownApps;
  /** Returns the name of the app that holds a grant. */
  readonly appName: (grantId: string) => string;
}

/** The URL of a post that an action created or moved. */
export interface Placed {
  readonly url: string;
  /** True for a new post that isn't online at its URL yet. */
  readonly isPending: boolean;
}

/**
 * Performs an action. When the promise resolves, the change is on disk. Returns the URL of a post that is new or has
 * moved.
 * @throws insufficient_scope, invalid_request. If it throws, nothing has changed.
 */
export async function perform(deps: ActionDeps, action: Action, bearer: Bearer): Promise<Placed | undefined> {
  checkScope(bearer.scopes, action.kind);
  switch (action.kind) {
    case 'create':
      return create(deps, bearer, action.type, mayPublish(bearer.scopes) ? action.bag : asDraft(action.bag));
    case 'update':
      return update(deps, bearer, action.url, action.update);
    case 'delete':
    case 'undelete':
      return setDeleted(deps, bearer, action.url, action.kind === 'delete');
  }
}

async function create(
  { base, posts, now, zone, changed, markdownApps }: ActionDeps,
  bearer: Bearer,
  type: string[],
  sent: Bag,
): Promise<Placed> {
  const { bag, converted } = await withTextRead(sent, bearer.app, markdownApps);
  const { content: read, slug } = contentFromBag(type, withReadDates(bag, new Map(), zone()));
  const content = withMarkdown(read, converted);
  const moment = now();
  // A draft gets its publication date when it is published.
  const dated = content.status === 'draft' ? content : withPublished(content, moment, zone());
  const post = await posts.create(dated, { slug, now: moment, createdBy: bearer.app });
  const url = postUrl(base(), post);
  await changed({ post, change: 'created', url }, bearer.grantId);
  return { url, isPending: !isLiveAtHome(post) };
}

async function update(
  deps: ActionDeps,
  bearer: Bearer,
  url: string,
  sent: Update,
): Promise<Placed | undefined> {
  const { base, posts, adopted, now, zone, changed, markdownApps } = deps;
  if (adopted && (await findAdopted({ adopted, posts, base: base() }, url))) {
    const edited = await updateAdopted(adopted, url, sent, {
      scopes: bearer.scopes,
      now: now(),
      zone: zone(),
    });
    if (edited) await deps.adoptedChanged?.(edited, bearer.grantId);
    return undefined;
  }
  let before = await findPost(posts, base(), url);
  if (before.deletedAt !== null) throw invalidRequest('The post is deleted. Undelete it first.');
  const moment = now();
  const slug = wishedSlug(sent.replace) ?? wishedSlug(sent.add);
  const replace = await withTextRead(sent.replace, bearer.app, markdownApps);
  const add = await withTextRead(sent.add, bearer.app, markdownApps);
  const change: Update = { ...sent, replace: replace.bag, add: add.bag };
  const post = await posts.change(
    before.path,
    (content) => {
      // Another change may have been saved since `before` was read, so use the latest content.
      before = { ...before, ...structuredClone(content) };
      const bag = bagOf(content);
      const edited = withReadDates(applyUpdate(bag, change), bag, zone());
      const { content: next } = contentFromBag(content.type, edited);
      checkSchedule(before, next, moment);
      const publishes = content.status === 'draft' && next.status === 'published';
      if (publishes && !mayPublish(bearer.scopes)) throw insufficientScope('create');
      const dated = next.status === 'draft' ? next : withPublished(next, moment, zone());
      return withMarkdown(withSource(dated, content), add.converted ?? replace.converted);
    },
    { slug, now: moment, by: deps.appName(bearer.grantId) },
  );
  const address = postUrl(base(), post);
  await changed({ post, change: 'updated', url: address, before }, bearer.grantId);
  return movedTo(address, postUrl(base(), before));
}

async function setDeleted(
  { base, posts, adopted, now, changed }: ActionDeps,
  bearer: Bearer,
  url: string,
  deleted: boolean,
): Promise<Placed | undefined> {
  const ofFile = await findAdopted({ adopted, posts, base: base() }, url);
  if (ofFile) throw maySeePost(ofFile, postReader(bearer, now())) ? notDeleted() : postNotFound();
  const before = await findPost(posts, base(), url);
  if (!maySeePost(before, postReader(bearer, now()))) throw postNotFound();
  const isRepeated = (before.deletedAt !== null) === deleted;
  if (isRepeated && !deleted) return undefined;
  // Carry out a repeated deletion too, because the first deletion may have failed or been interrupted. Also notify the
  // other features again.
  const post = await posts.setDeleted(before.path, deleted, now());
  const address = postUrl(base(), post);
  const change = deleted ? 'deleted' : 'undeleted';
  await changed({ post, change, url: address, before }, bearer.grantId);
  return movedTo(address, postUrl(base(), before));
}

const nothing: Update = { replace: new Map(), add: new Map(), drop: [], remove: new Map() };

/** A change to a draft. `ifVersion`: the version that the app has read (see versionOf). */
export interface DraftEdit {
  readonly url: string;
  readonly ifVersion: string;
  readonly replace: Bag;
}

/**
 * Changes a draft that the app wrote, and returns its URL. The token needs no scope `update`: with that scope, an app
 * could change everything.
 * @throws not_found; conflict if the owner has changed or published the draft, or has unsaved edits of it, or if the
 * version isn't the latest one
 */
export async function editDraft(
  deps: ActionDeps & Pick<OwnerPostStore, 'history'>,
  sent: DraftEdit,
  bearer: Bearer,
): Promise<string> {
  const { base, posts, now, zone, markdownApps } = deps;
  const name = deps.appName(bearer.grantId);
  let before = await findPost(posts, base(), sent.url);
  if (before.createdBy !== bearer.app || before.deletedAt !== null) throw postNotFound();
  if ((await deps.history(before.path)).some(({ by }) => by !== name)) throw theOwners('has changed');
  const { bag, converted } = await withTextRead(sent.replace, bearer.app, markdownApps);
  const post = await posts.change(
    before.path,
    (content, current, kept) => {
      before = structuredClone(current);
      if (current.status !== 'draft') throw theOwners('has published');
      if (kept !== null) throw theOwners('is editing');
      if (versionOf(current) !== sent.ifVersion)
        throw new PorchlightError(
          'conflict',
          'This draft has changed since you read it. Read it again.',
          409,
        );
      const old = bagOf(content);
      const edited = withReadDates(applyUpdate(old, { ...nothing, replace: bag }), old, zone());
      const { content: next } = contentFromBag(content.type, edited);
      return withMarkdown(
        withSource({ ...next, status: 'draft', visibility: content.visibility }, content),
        converted,
      );
    },
    { now: now(), by: name },
  );
  const url = postUrl(base(), post);
  await deps.changed({ post, change: 'updated', url, before }, bearer.grantId);
  return url;
}

const theOwners = (deed: string) =>
  new PorchlightError('conflict', `The owner ${deed} this post, so only the owner can change it now.`, 409);

const movedTo = (url: string, before: string): Placed | undefined =>
  url === before ? undefined : { url, isPending: false };

/**
 * Returns the changed content of a post. If the app didn't change the text, the content keeps the post's Markdown,
 * which apps don't receive.
 */
function withSource(next: PostContent, { properties, markdown }: PostContent): PostContent {
  const isSame = isDeepStrictEqual(next.properties.content, properties.content);
  return isSame && markdown !== undefined ? { ...next, markdown } : next;
}

function asDraft(bag: Bag): Bag {
  return new Map([...bag, ['post-status', ['draft']]]);
}

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
    throw invalidRequest('Porchlight did not create this post, so it cannot change its URL.');
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
  checkSchedule(before, next, now);
  const [command] = Object.keys(next.commands);
  if (command !== undefined)
    throw invalidRequest(`Porchlight did not create this post, so it cannot store mp-${command} with it.`);
  if (next.visibility !== before.visibility)
    throw invalidRequest('Porchlight did not create this post, so it cannot change its visibility.');
  const publishes = before.status === 'draft' && next.status === 'published';
  if (publishes && !mayPublish(scopes)) throw insufficientScope('create');
  const { properties, status } = publishes ? withPublished(next, now, zone) : next;
  const kept = Object.entries(properties).filter(([name, values]) => !derived.has(name) && values.length > 0);
  return { properties: Object.fromEntries(kept) satisfies Properties, status };
}

/** Returns the error for an app that deletes or undeletes a post that Porchlight did not create. */
function notDeleted() {
  return invalidRequest(
    'Porchlight did not create this post, so it cannot delete or restore it. Delete its file instead.',
  );
}
