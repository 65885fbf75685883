/** What somebody typed as their domain: the profile URL, or what is wrong with it. */
export type TypedDomain = { readonly url: string } | { readonly problem: string };

/**
 * Reads `example.com`, `example.com/me` or a whole address as a profile URL (IndieAuth 3.2; 3.4 for the scheme).
 * Catches slips of the pen early; the service checks the rest of the rules.
 */
export function profileUrl(typed: string): TypedDomain {
  const text = typed.trim();
  if (text === '') return { problem: 'Enter the domain of your website, for example example.com.' };
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (/\s/.test(text) || !URL.canParse(withScheme)) {
    return { problem: 'That is not a web address. It should look like example.com.' };
  }
  const url = new URL(withScheme);
  const slip = slips.find(({ isIn }) => isIn(url));
  return slip ? { problem: slip.problem } : { url: url.href };
}

const slips: readonly { readonly isIn: (url: URL) => boolean; readonly problem: string }[] = [
  {
    isIn: (url) => url.protocol !== 'https:' && url.protocol !== 'http:',
    problem: 'It has to be a web address that starts with https:// (or http://).',
  },
  {
    isIn: (url) => url.username !== '' || url.password !== '',
    problem: 'That looks like an email address. Enter your domain alone, such as example.com.',
  },
  { isIn: (url) => url.port !== '', problem: 'Leave out the port number: your address can’t have one.' },
  { isIn: (url) => url.hash !== '', problem: 'Leave out the part from the # on.' },
  {
    isIn: (url) => !url.hostname.includes('.') || /^[\d.]+$|^\[/.test(url.hostname),
    problem: 'It has to be a domain name, such as example.com.',
  },
];
