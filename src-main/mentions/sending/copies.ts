import { isDeepStrictEqual } from 'node:util';
import { crossPostingServices, type Post } from '../../contract/posts.ts';
import { bareHost, hostIsLoopback, parseDestination } from '../../platform/address.ts';
import type { Clock } from '../../platform/clock.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import { targetAddresses } from '../../posts/cross-posting.ts';
import type { PostContent, PostStore } from '../../posts/post-store.ts';
import { propertyValues } from '../../posts/values.ts';
import type { DeliveryOutcome } from './deliver.ts';

const longest = 2048;
/** Domains that exist only in local networks (RFC 6761, RFC 6762, RFC 8375, and the ICANN reservation of `internal`). */
const localDomains = /\.(?:local|internal|lan|home\.arpa|invalid)$/;

/** A copy of a post that a cross-posting service made. */
export interface PostCopy {
  /** The path of the post. */
  readonly path: string;
  /** The URL of the service. */
  readonly target: string;
  /** The URL of the copy. */
  readonly url: string;
}

/** Connects the sender to the posts and to the owner's settings, for cross-posting. */
export interface CrossPosting {
  /** Returns the uids of the owner's cross-posting targets. */
  readonly targets: () => readonly string[];
  /** Returns whether a URL is on one of the owner's own sites. */
  readonly isOwn: (url: string) => boolean;
  /** Stores the URL of a copy in its post. Does nothing if the post was deleted. */
  readonly store: (copy: PostCopy) => Promise<void>;
}

const impossible =
  'Sent. The service named an address that can’t be a copy of this post, so your page doesn’t link to it.';

/** Returns the message about a post that has a copy at `url`. */
export const crossPostedTo = (url: string): string => `Cross-posted to ${new URL(url).hostname}.`;

/**
 * Stores the URL of the copy that a cross-posting service made, if a delivery's outcome names one. Returns the outcome
 * with the message for the owner, and the URL. `sent`: the delivery. `known`: the URL of the service's first copy, which
 * stays, whatever a later answer names.
 * @throws PorchlightError `storage_…`
 */
export async function withCopy(
  crossPosting: CrossPosting,
  {
    linked,
    known,
    ...sent
  }: Omit<PostCopy, 'url'> & { readonly linked: boolean; readonly known: string | undefined },
  outcome: DeliveryOutcome,
): Promise<{ readonly outcome: DeliveryOutcome; readonly copy?: string }> {
  if (!linked || outcome.kind !== 'sent') return { outcome };
  if (known !== undefined) return { outcome: { ...outcome, words: crossPostedTo(known) }, copy: known };
  const { statusPage: location, answeredBy } = outcome;
  const { target } = sent;
  if (location === undefined || answeredBy === undefined) return { outcome };
  if (!targetAddresses(crossPosting.targets()).includes(target)) return { outcome };
  const url = copyAddress({ target, answeredBy, location }, crossPosting.isOwn);
  if (url === undefined) return { outcome: { ...outcome, words: impossible } };
  await crossPosting.store({ ...sent, url });
  return { outcome: { ...outcome, words: crossPostedTo(url) }, copy: url };
}

interface CopyAnswer {
  /** The URL of the cross-posting service that received the webmention. */
  readonly target: string;
  /** The URL that answered, after redirects. */
  readonly answeredBy: string;
  /** The Location of the answer, as an absolute URL. */
  readonly location: string;
}

/**
 * Returns the URL of the copy that a cross-posting service made, or undefined if the URL that the service named isn't
 * plausible. The URL becomes a link on the owner's page, so a service that is faulty or malicious must not be able to
 * name just any URL:
 *
 * - The answer must come from the service's own site. Other endpoints name a page with the webmention's status.
 * - The URL must be a public https URL, with a domain name and without a user name. The services that Porchlight knows
 *   must name one of the hosts of their copies, and Bridgy never names itself.
 * - The URL must not be on one of the owner's own sites. `isOwn`: returns whether a URL is.
 */
export function copyAddress(
  { target, answeredBy, location }: CopyAnswer,
  isOwn: (url: string) => boolean,
): string | undefined {
  if (location.length > longest || !URL.canParse(location)) return undefined;
  const { protocol, username, password, hostname, href } = new URL(location);
  const host = bareHost(hostname);
  if (protocol !== 'https:' || username !== '' || password !== '') return undefined;
  if (
    !host.includes('.') ||
    parseDestination(host) !== null ||
    hostIsLoopback(host) ||
    localDomains.test(host)
  )
    return undefined;
  if (siteOfHost(new URL(answeredBy).host) !== siteOfHost(new URL(target).host)) return undefined;
  const { copyHosts } = crossPostingServices.find(({ uid }) => uid === target) ?? {};
  if (copyHosts !== undefined && !copyHosts.includes(host)) return undefined;
  if (new URL(target).pathname.startsWith('/publish/') && host === bareHost(new URL(target).hostname))
    return undefined;
  return href.length > longest || isOwn(href) ? undefined : href;
}

/**
 * Returns a function that stores the URL of a copy as `syndication` of its post. The post's page then links to the copy.
 * The change is no new version of the post, so the owner can still undo their own last change. `changed`:
 * called once a post has changed, with the post before the change.
 */
export function copyKeeping(
  posts: Pick<PostStore, 'get' | 'change'>,
  clock: Clock,
  changed: (post: Post, before: Post) => Promise<void>,
) {
  return async (copy: PostCopy): Promise<void> => {
    const before = await posts.get(copy.path);
    if (!before || before.deletedAt !== null || isDeepStrictEqual(withSyndication(before, copy), before))
      return;
    const post = await posts.change(copy.path, (content) => withSyndication(content, copy), {
      now: clock(),
      isOwn: true,
    });
    await changed(post, before);
  };
}

/** Adds the URL of a copy to a post's content, unless the content has it. */
function withSyndication<T extends PostContent>(content: T, { url }: PostCopy): T {
  const values = propertyValues(content.properties, 'syndication');
  const syndication = values.includes(url) ? values : [...values, url];
  return { ...content, properties: { ...content.properties, syndication } };
}
