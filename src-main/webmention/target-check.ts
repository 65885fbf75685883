import { PorchlightError } from '../contract/error.ts';
import { hostnameOf, hostOf, targetHosts } from '../mentions/own-sites.ts';

const longestUrl = 2048;

/** What decides which mentions are taken. */
export interface TargetRules {
  /** The public origin of this server. */
  readonly base: () => string;
  /** The owner's profile URL; null until it is set up. */
  readonly me: () => string | null;
  /** Further hosts whose pages are the owner's. */
  readonly hosts: () => readonly string[];
  /** Whether a page of the built-in site is there for everybody to read. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  /** The sites from which the owner takes nothing. `host`: as hostOf writes it, without a port. */
  readonly blocked: { matches(host: string): boolean };
}

/**
 * Checks what was sent before anything is fetched (Webmention 3.2.1). A fragment of the target does not matter here;
 * neither does http or https, as long as the host is the owner's.
 * @throws PorchlightError invalid_request (400), in words for the sender.
 */
export async function checkMention(rules: TargetRules, source: string, target: string): Promise<void> {
  const from = parsed(source, 'source');
  const to = parsed(target, 'target');
  if (samePage(from, to)) throw refused('The source and the target are the same page.');
  const own = { base: rules.base(), me: rules.me(), hosts: rules.hosts() };
  if (!targetHosts(own).has(hostOf(to))) throw refused('The target is not a page of this site.');
  if (rules.blocked.matches(hostnameOf(from)))
    throw refused('The owner does not accept mentions from this site.');
  if (!(await mayBePage(rules, to))) throw refused('There is no page at the target.');
  // What this server tells of mentions names their targets too: it must not mention them anew.
  if (!(await mayBePage(rules, from))) throw refused('There is no page at the source.');
}

/** False for an address of this server at which the public finds no page. */
async function mayBePage({ base, isPublicPage }: TargetRules, url: URL): Promise<boolean> {
  return hostOf(url) !== hostOf(new URL(base())) || isPublicPage(url);
}

/** The parser of URLs mends what is none (`http:/a`, tabs, backslashes): such text is no address here. */
function parsed(text: string, name: 'source' | 'target'): URL {
  const plain = /^https?:\/\/[^/?#@\s]+([/?#]|$)/i.test(text) && !/[\s\p{Cc}\\<>"]/u.test(text);
  if (text.length > longestUrl) throw refused(`The ${name} is longer than ${longestUrl} characters.`);
  if (!plain || !URL.canParse(text)) throw refused(`The ${name} is not a web address (http or https).`);
  const url = new URL(text);
  if (hostnameOf(url) === '') throw refused(`The ${name} is not a web address (http or https).`);
  return url;
}

/** True for two addresses of one page: apart from the fragment, and from http or https. */
function samePage(a: URL, b: URL): boolean {
  return hostOf(a) === hostOf(b) && a.pathname === b.pathname && a.search === b.search;
}

function refused(words: string): PorchlightError {
  return new PorchlightError('invalid_request', words);
}
