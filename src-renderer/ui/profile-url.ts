import { domainWords } from './words.ts';

/** The profile URL of a typed domain, or the problem with it. */
export type TypedDomain = { readonly url: string } | { readonly problem: string };

/**
 * Reads `example.com`, `example.com/me` or a whole address as a profile URL (IndieAuth 3.2; 3.4 for the scheme).
 * Catches typing errors early; the service checks the remaining rules.
 */
export function profileUrl(typed: string): TypedDomain {
  const text = typed.trim();
  if (text === '') return { problem: domainWords.empty };
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (/\s/.test(text) || !URL.canParse(withScheme)) {
    return { problem: domainWords.notAnAddress };
  }
  const url = new URL(withScheme);
  const slip = slips.find(({ isIn }) => isIn(url));
  return slip ? { problem: slip.problem } : { url: url.href };
}

const slips: readonly { readonly isIn: (url: URL) => boolean; readonly problem: string }[] = [
  {
    isIn: (url) => url.protocol !== 'https:' && url.protocol !== 'http:',
    problem: domainWords.notWeb,
  },
  {
    isIn: (url) => url.username !== '' || url.password !== '',
    problem: domainWords.email,
  },
  { isIn: (url) => url.port !== '', problem: domainWords.port },
  { isIn: (url) => url.hash !== '', problem: domainWords.fragment },
  {
    isIn: (url) => !url.hostname.includes('.') || /^[\d.]+$|^\[/.test(url.hostname),
    problem: domainWords.notADomain,
  },
];
