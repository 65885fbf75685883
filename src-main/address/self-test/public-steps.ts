import { checkPath, cookieOf, checkPage, redirectOf } from '../../http/public-check.ts';
import { issuerOf, metadataOf } from '../../http/server-metadata.ts';
import { secretHash, newSecretText } from '../../platform/secret-text.ts';
import { fail, interrupted, pass, type PublicStep } from './public-talk.ts';
import { isRecord, jsonIn } from '../../storage/json-value.ts';

/** Checks that the public address leads to this server. All other checks depend on this one. */
export const reachStep: PublicStep = {
  id: 'reach',
  title: 'Your public address leads to this Porchlight',
  problem: 'Your public address doesn’t lead to this Porchlight',
  async look(talk) {
    const { answer, sight } = await talk.ask();
    return sight ? pass(`${talk.base} answers from this computer.`) : interrupted(talk, answer);
  },
};

export const cacheStep: PublicStep = {
  id: 'cache',
  title: 'No cache keeps old answers',
  problem: 'A cache sends old answers',
  async look(talk) {
    const [first, second] = [await talk.ask(), await talk.ask()];
    if (!first.sight || !second.sight) return interrupted(talk, first.sight ? second.answer : first.answer);
    if (first.sight.asked !== second.sight.asked) return pass('Every request reaches Porchlight.');
    return fail(
      'A cache between the web and Porchlight sends old answers, although Porchlight forbids it.',
      'Turn off the cache for this host name. At Cloudflare, remove any cache rule “Cache everything”.',
    );
  },
};

export const metadataStep: PublicStep = {
  id: 'metadata',
  title: 'Apps can read your sign-in addresses',
  problem: 'Apps can’t read your sign-in addresses',
  async look(talk) {
    const answer = await talk.get('/.well-known/oauth-authorization-server', { accept: 'application/json' });
    const told = jsonIn(answer.text());
    if (answer.status !== 200 || !isRecord(told)) return interrupted(talk, answer);
    const wrong = Object.entries(metadataOf(talk.base)).find(
      ([name, value]) => typeof value === 'string' && told[name] !== value,
    );
    if (!wrong) return pass(`They all start with ${issuerOf(talk.base)}.`);
    const [name, value] = wrong;
    return fail(
      `At your public address, “${name}” is ${shown(told[name])}. It should be ${shown(value)}.`,
      'Make sure that your reverse proxy neither changes nor caches this page, then check again.',
    );
  },
};

export const authorizationStep: PublicStep = {
  id: 'authorization',
  title: 'Apps can prove their access',
  problem: 'The Authorization header gets lost',
  async look(talk) {
    const authorization = `Bearer ${newSecretText()}`;
    const { answer, sight } = await talk.ask({ headers: { authorization } });
    if (!sight) return interrupted(talk, answer);
    if (sight.authorization === secretHash(authorization))
      return pass('The Authorization header arrives unchanged.');
    return {
      level: 'fail',
      detail:
        sight.authorization === null
          ? 'Your reverse proxy removes the Authorization header. Apps can sign in, but they can’t post.'
          : 'Your reverse proxy changes the Authorization header. Apps can sign in, but they can’t post.',
      fix: 'Configure your reverse proxy to pass on the Authorization header. Turn off any password of its own for this address.',
    };
  },
};

export const cookieStep: PublicStep = {
  id: 'cookies',
  title: 'Browsers keep their place in a sign-in',
  problem: 'The Set-Cookie header gets lost',
  async look(talk) {
    const { answer, sight } = await talk.ask();
    if (!sight) return interrupted(talk, answer);
    const { name, value } = cookieOf(talk.nonce);
    if (answer.headers.get('set-cookie')?.includes(`${name}=${value};`) === true)
      return pass('The Set-Cookie header arrives unchanged.');
    return fail(
      'Your reverse proxy removes or changes the Set-Cookie header, so no browser can sign in.',
      'Configure your reverse proxy to pass on the Set-Cookie header of responses and the Cookie header of requests.',
    );
  },
};

export const redirectStep: PublicStep = {
  id: 'redirects',
  title: 'Sign-ins lead back to the app',
  problem: 'Sign-ins don’t lead back to the app',
  async look(talk) {
    const answer = await talk.get(`${checkPath}/redirect?nonce=${talk.nonce}`);
    const location = answer.headers.get('location');
    const wanted = redirectOf(talk.base, talk.nonce);
    if (answer.status === 302 && location === wanted) return pass('Redirects arrive unchanged.');
    return {
      level: 'fail',
      detail:
        location === null
          ? `Your reverse proxy follows redirects itself, or removes the Location header (status ${answer.status}).`
          : 'Your reverse proxy changes the Location header of redirects, so browsers don’t get back to the app.',
      fix: 'Configure your reverse proxy to pass on redirects and their Location header unchanged.',
    };
  },
};

export const pageStep: PublicStep = {
  id: 'pages',
  title: 'Pages arrive unchanged',
  problem: 'Pages are changed on the way',
  async look(talk) {
    const answer = await talk.get(`${checkPath}/page?nonce=${talk.nonce}`, { accept: 'text/html' });
    if (answer.status !== 200) return interrupted(talk, answer);
    if (answer.text() === checkPage(talk.nonce)) return pass('Nothing is added or removed.');
    return {
      level: 'warning',
      detail:
        'Something between the web and Porchlight changes pages. Their scripts and styles may stop working.',
      fix: 'At Cloudflare, turn off “Email Address Obfuscation”, “Rocket Loader” and “Web Analytics” for this host name.',
    };
  },
};

export const visitorStep: PublicStep = {
  id: 'visitors',
  title: 'Porchlight can tell visitors apart',
  problem: 'Porchlight can’t tell visitors apart',
  async look(talk) {
    const { answer, sight } = await talk.ask();
    if (!sight) return interrupted(talk, answer);
    if (sight.visitor) return pass('A visitor who sends too many requests slows down nobody else.');
    return {
      level: 'warning',
      detail:
        'The CF-Connecting-IP header is missing, so all visitors look like one. A busy visitor can slow down the others.',
      fix: new URL(talk.base).hostname.endsWith('.ts.net')
        ? 'Tailscale Funnel doesn’t set this header. Everything else works without it.'
        : 'Configure your reverse proxy to set CF-Connecting-IP to the visitor’s IP address, and to replace any value that visitors send.',
    };
  },
};

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : 'missing';
}
