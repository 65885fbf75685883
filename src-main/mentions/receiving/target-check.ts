import { PorchlightError } from '../../contract/error.ts';
import { hostOf, hostnameOf } from '../../platform/site-name.ts';
import { targetHosts, type OwnSiteRules } from '../own-sites.ts';

const longestUrl = 2048;

/** The rules that determine which mentions are accepted. */
export interface TargetRules {
  /** Returns the rules that determine which sites belong to the owner. */
  readonly owned: () => OwnSiteRules;
  /** Returns the id of the page at a URL; see MentionPages. */
  readonly pageOf: (url: string) => string;
  /**
   * Returns whether a URL on the owner's own site is or was the URL of a public post, even if the site's address has
   * changed.
   */
  readonly isPost: (url: URL) => Promise<boolean>;
  /** Returns whether a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  /** The sites from which the owner accepts no mentions. `host`: as hostnameOf returns it, without a port. */
  readonly blocked: { matches(host: string): boolean };
}

/**
 * Checks a mention before anything is fetched (Webmention 3.2.1). Ignores the target's fragment. On the owner's hosts,
 * treats http and https targets alike.
 * @throws PorchlightError invalid_request (400), with a message for the sender.
 */
export async function checkMention(rules: TargetRules, source: string, target: string): Promise<void> {
  const from = parsed(source, 'source');
  const to = parsed(target, 'target');
  if (samePage(rules, from, to)) throw refused('The source and the target are the same page.');
  if (!targetHosts(rules.owned()).has(hostOf(to)) && !(await rules.isPost(to)))
    throw refused('The target is not a page of this site.');
  if (rules.blocked.matches(hostnameOf(from)))
    throw refused('The owner does not accept mentions from this site.');
  if (!(await mayBePage(rules, to))) throw refused('There is no page at the target.');
  // This server's own lists of mentions link to the mentioned pages. These lists must not count as sources.
  if (!(await mayBePage(rules, from))) throw refused('There is no page at the source.');
}

/** Returns false if a URL is on this server and isn't a public page. Otherwise, there may be a page at the URL. */
async function mayBePage({ owned, isPublicPage }: TargetRules, url: URL): Promise<boolean> {
  return hostOf(url) !== hostOf(new URL(owned().base)) || isPublicPage(url);
}

/** Parses a URL. Rejects invalid URLs that the URL parser would repair (`http:/a`, tabs, backslashes). */
function parsed(text: string, name: 'source' | 'target'): URL {
  const plain = /^https?:\/\/[^/?#@\s]+([/?#]|$)/i.test(text) && !/[\s\p{Cc}\\<>"]/u.test(text);
  if (text.length > longestUrl) throw refused(`The ${name} is longer than ${longestUrl} characters.`);
  if (!plain || !URL.canParse(text)) throw refused(`The ${name} is not a web address (http or https).`);
  const url = new URL(text);
  if (hostnameOf(url) === '') throw refused(`The ${name} is not a web address (http or https).`);
  return url;
}

/**
 * Returns whether two URLs belong to the same page, ignoring the fragment and the difference between http and https.
 */
function samePage({ pageOf }: TargetRules, a: URL, b: URL): boolean {
  const page = ({ href }: URL) => pageOf(href).replace(/^https?:/, '');
  return page(a) === page(b);
}

function refused(words: string): PorchlightError {
  return new PorchlightError('invalid_request', words);
}
