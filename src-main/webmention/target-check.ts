import { PorchlightError } from '../contract/error.ts';
import { hostOf, hostnameOf } from '../platform/site-name.ts';
import { targetHosts, type OwnSiteRules } from '../mentions/own-sites.ts';

const longestUrl = 2048;

/** The rules that decide which mentions are accepted. */
export interface TargetRules {
  /** Returns which sites are the owner's. */
  readonly owned: () => OwnSiteRules;
  /** Returns whether a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  /** The sites from which the owner accepts nothing. `host`: as hostnameOf returns it, without a port. */
  readonly blocked: { matches(host: string): boolean };
}

/**
 * Checks a mention before anything is fetched (Webmention 3.2.1). Ignores the target's fragment, and whether a target
 * on one of the owner's hosts is http or https.
 * @throws PorchlightError invalid_request (400), with a message for the sender.
 */
export async function checkMention(rules: TargetRules, source: string, target: string): Promise<void> {
  const from = parsed(source, 'source');
  const to = parsed(target, 'target');
  if (samePage(from, to)) throw refused('The source and the target are the same page.');
  if (!targetHosts(rules.owned()).has(hostOf(to))) throw refused('The target is not a page of this site.');
  if (rules.blocked.matches(hostnameOf(from)))
    throw refused('The owner does not accept mentions from this site.');
  if (!(await mayBePage(rules, to))) throw refused('There is no page at the target.');
  // This server's listings of mentions contain the targets too, but must not count as sources of new mentions.
  if (!(await mayBePage(rules, from))) throw refused('There is no page at the source.');
}

/** Returns whether a URL may be a page: false only for a URL on this server that isn't a public page. */
async function mayBePage({ owned, isPublicPage }: TargetRules, url: URL): Promise<boolean> {
  return hostOf(url) !== hostOf(new URL(owned().base)) || isPublicPage(url);
}

/** Parses a URL. Rejects invalid ones that the URL parser would repair (`http:/a`, tabs, backslashes). */
function parsed(text: string, name: 'source' | 'target'): URL {
  const plain = /^https?:\/\/[^/?#@\s]+([/?#]|$)/i.test(text) && !/[\s\p{Cc}\\<>"]/u.test(text);
  if (text.length > longestUrl) throw refused(`The ${name} is longer than ${longestUrl} characters.`);
  if (!plain || !URL.canParse(text)) throw refused(`The ${name} is not a web address (http or https).`);
  const url = new URL(text);
  if (hostnameOf(url) === '') throw refused(`The ${name} is not a web address (http or https).`);
  return url;
}

/** Returns whether two URLs are of one page, ignoring the fragment and the difference between http and https. */
function samePage(a: URL, b: URL): boolean {
  return hostOf(a) === hostOf(b) && a.pathname === b.pathname && a.search === b.search;
}

function refused(words: string): PorchlightError {
  return new PorchlightError('invalid_request', words);
}
