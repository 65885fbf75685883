import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import type { Bearer } from '../../http/authorize.ts';
import { insufficientScope } from '../../http/errors.ts';
import type { AdoptedPosts, ChangedAdopted } from '../adopted-post.ts';
import type { Action } from './action.ts';
import { notDeleted, updateAdopted } from './adopted-actions.ts';
import { bagOf, contentFromBag, wishedSlug, withPublished, type Bag } from '../post-content.ts';
import { findAdopted, findPost, postNotFound } from '../post-address.ts';
import { isLiveAtHome, postUrl } from '../address.ts';
import { withReadDates } from '../post-dates.ts';
import { withMarkdown, withTextRead, type MarkdownApps } from './markdown-apps.ts';
import type { PostContent, PostStore } from '../post-store.ts';
import { invalid } from './safe-json.ts';
import { checkScope, mayPublish, maySeePost, postReader } from './scope-check.ts';
import { applyUpdate, type Update } from './update.ts';
import type { ChangedPost } from '../changed-post.ts';

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
  readonly changed: (told: ChangedPost, grantId: string) => Promise<void>;
  /**
   * Called after an app has changed the file of an adopted post (see AdoptedPost), and awaited before the response is
   * sent. Must not reject.
   */
  readonly adoptedChanged?: ((told: ChangedAdopted, grantId: string) => Promise<void>) | undefined;
  readonly markdownApps: MarkdownApps;
  /** Returns the name of the app that holds a grant. */
  readonly appName: (grantId: string) => string;
}

/** The dependencies of an action, with the app that performs it. */
interface By extends Omit<ActionDeps, 'changed'> {
  readonly bearer: Bearer;
  readonly changed: (told: ChangedPost) => Promise<void>;
}

/** The URL of a post that an action created or moved. */
export interface Placed {
  readonly url: string;
  /** True for a new post that isn't online at its URL yet. */
  readonly isPending: boolean;
}

/** What an action has done. */
interface Performed {
  /** The URL of a post that is new or has moved. */
  readonly placed?: Placed | undefined;
  /** False if the action deleted a post, and this can't be written to the disk yet. */
  readonly isSaved: boolean;
}

/**
 * Performs an action. When the promise resolves, the change is on disk, except for a deletion on a disk that can't be
 * written to.
 * @throws insufficient_scope, invalid_request. If it throws, nothing has changed.
 */
export async function perform(deps: ActionDeps, action: Action, bearer: Bearer): Promise<Performed> {
  checkScope(bearer.scopes, action.kind);
  const by: By = { ...deps, bearer, changed: (told) => deps.changed(told, bearer.grantId) };
  switch (action.kind) {
    case 'create':
      return saved(
        await create(by, action.type, mayPublish(bearer.scopes) ? action.bag : asDraft(action.bag)),
      );
    case 'update':
      return saved(await update(by, action.url, action.update));
    case 'delete':
    case 'undelete':
      return setDeleted(by, action.url, action.kind === 'delete');
  }
}

async function create(
  { base, posts, now, zone, changed, bearer, markdownApps }: By,
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
  await changed({ post, change: 'created', url });
  return { url, isPending: !isLiveAtHome(post) };
}

async function update(deps: By, url: string, sent: Update): Promise<Placed | undefined> {
  const { base, posts, adopted, now, zone, changed, bearer, markdownApps } = deps;
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
  if (before.deletedAt !== null) throw invalid('The post is deleted. Undelete it first.');
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
      const publishes = content.status === 'draft' && next.status === 'published';
      if (publishes && !mayPublish(bearer.scopes)) throw insufficientScope('create');
      const dated = next.status === 'draft' ? next : withPublished(next, moment, zone());
      return withMarkdown(withSource(dated, content), add.converted ?? replace.converted);
    },
    { slug, now: moment, by: deps.appName(bearer.grantId) },
  );
  const address = postUrl(base(), post);
  await changed({ post, change: 'updated', url: address, before });
  return movedTo(address, postUrl(base(), before));
}

async function setDeleted(deps: By, url: string, deleted: boolean): Promise<Performed> {
  const { base, posts, adopted, now, changed, bearer } = deps;
  const ofFile = await findAdopted({ adopted, posts, base: base() }, url);
  if (ofFile) throw maySeePost(ofFile, postReader(bearer, now())) ? notDeleted() : postNotFound();
  const before = await findPost(posts, base(), url);
  if (!maySeePost(before, postReader(bearer, now()))) throw postNotFound();
  const isRepeated = (before.deletedAt !== null) === deleted;
  if (isRepeated && !deleted) return saved(undefined);
  // Carry out a repeated deletion too, because the first deletion may have failed or been interrupted. Also notify the
  // other features again.
  const post = await posts.setDeleted(before.path, deleted, now());
  const address = postUrl(base(), post);
  await changed({ post, change: deleted ? 'deleted' : 'undeleted', url: address, before });
  return { placed: movedTo(address, postUrl(base(), before)), isSaved: posts.isSaved(post.path) };
}

const saved = (placed: Placed | undefined): Performed => ({ placed, isSaved: true });

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
