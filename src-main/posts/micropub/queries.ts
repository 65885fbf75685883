import type { Settings } from '../../contract/settings.ts';
import type { Bearer } from '../../http/authorize.ts';
import { optionalField, type Fields } from '../../http/form.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AdoptedPosts } from '../adopted-post.ts';
import { configurationOf } from './configuration.ts';
import { narrowed } from './list-query.ts';
import type { MarkdownApps } from './markdown-apps.ts';
import type { PostStore } from '../post-store.ts';
import { invalid } from './safe-json.ts';
import { checkMayQuery, postReader, writesPosts } from './scope-check.ts';
import { listSource, sourceOf } from './source-query.ts';

export interface QueryDeps {
  readonly base: () => string;
  readonly posts: PostStore;
  /** The posts in the owner's site folder that Porchlight didn't publish, if there is such a folder. */
  readonly adopted?: AdoptedPosts | undefined;
  readonly settings: () => Settings['micropub'];
  readonly markdownApps: MarkdownApps;
  readonly now: Clock;
}

/** The settings that apps get if they cannot write posts. */
const noSettings = { categories: [], channels: [], syndicateTo: [] };

/** The keys in the responses to queries, where they differ from the query's name. */
const keyOf: Readonly<Record<string, string>> = { category: 'categories', channel: 'channels' };

/**
 * Responds to a query (Micropub 3.7). Treats a request without `q` as q=config (D-13).
 * @throws insufficient_scope, invalid_request
 */
export async function answerQuery(
  deps: QueryDeps,
  query: Fields,
  bearer: Pick<Bearer, 'scopes' | 'app'>,
): Promise<object> {
  checkMayQuery(bearer.scopes);
  const base = deps.base();
  const q = optionalField(query, 'q') ?? 'config';
  const reader = postReader(bearer, deps.now());
  if (q === 'source') {
    const inMarkdown = deps.markdownApps.has(bearer.app);
    const source = { base, posts: deps.posts, adopted: deps.adopted, reader, inMarkdown };
    const url = optionalField(query, 'url');
    return url === undefined ? listSource(source, query) : sourceOf(source, url, query);
  }
  const writes = writesPosts(bearer.scopes);
  // The configuration needn't wait for the index.
  const isListed = q === 'category' || deps.posts.hasAll();
  const configuration: Readonly<Record<string, string | readonly unknown[]>> = configurationOf({
    base,
    settings: writes ? deps.settings() : noSettings,
    categories: writes && isListed ? await deps.posts.categories(reader === 'all' ? undefined : reader) : [],
  });
  if (q === 'config') return configuration;
  const key = Object.hasOwn(keyOf, q) ? (keyOf[q] ?? q) : q;
  const answer = Object.hasOwn(configuration, key) ? configuration[key] : undefined;
  if (answer === undefined) throw invalid('This server does not support this query.');
  return { [key]: typeof answer === 'string' ? answer : narrowed(answer, query) };
}
