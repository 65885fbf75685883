import { checkPath, pageOf, redirectOf } from '../../http/public-check.ts';
import { issuerOf, metadataOf } from '../../indieauth/metadata.ts';
import { hashOf, newSecretText } from '../../platform/secret-text.ts';
import { interrupted, pass, type Step } from './public-talk.ts';

/** Everything else makes sense only where this holds. */
export const reachStep: Step = {
  id: 'reach',
  title: 'Your public address leads here',
  async look(talk) {
    const { answer, sight } = await talk.ask();
    return sight ? pass(`Whoever goes to ${talk.base} comes to this Porchlight.`) : interrupted(talk, answer);
  },
};

export const cacheStep: Step = {
  id: 'cache',
  title: 'Answers are fresh',
  async look(talk) {
    const [first, second] = [await talk.ask(), await talk.ask()];
    if (!first.sight || !second.sight) return interrupted(talk, first.sight ? second.answer : first.answer);
    if (first.sight.asked !== second.sight.asked)
      return pass('No cache on the way keeps what is meant for one.');
    return {
      level: 'fail',
      detail: 'A cache on the way gives old answers, though Porchlight says that they must not be kept.',
      fix: 'Turn the cache off for this host name. With Cloudflare, look for a cache rule “Cache everything” and remove it.',
    };
  },
};

export const metadataStep: Step = {
  id: 'metadata',
  title: 'Apps can read how to sign you in',
  async look(talk) {
    const answer = await talk.get('/.well-known/oauth-authorization-server', { accept: 'application/json' });
    const told = objectIn(answer.text());
    if (answer.status !== 200 || !told) return interrupted(talk, answer);
    const wrong = Object.entries(metadataOf(talk.base)).find(
      ([name, value]) => typeof value === 'string' && told[name] !== value,
    );
    if (!wrong) return pass(`It names ${issuerOf(talk.base)} and its endpoints, as it should.`);
    const [name, value] = wrong;
    return {
      level: 'fail',
      detail: `At the public address “${name}” is ${shown(told[name])}, and should be ${shown(value)}.`,
      fix: 'See that nothing on the way changes pages or keeps old ones, then check again.',
    };
  },
};

export const authorizationStep: Step = {
  id: 'authorization',
  title: 'Apps can show their key',
  async look(talk) {
    const authorization = `Bearer ${newSecretText()}`;
    const { answer, sight } = await talk.ask({ headers: { authorization } });
    if (!sight) return interrupted(talk, answer);
    if (sight.authorization === hashOf(authorization)) return pass('The Authorization header arrives.');
    return {
      level: 'fail',
      detail:
        sight.authorization === null
          ? 'The Authorization header is taken away on the way. Apps can sign in, but do nothing after that.'
          : 'The Authorization header is changed on the way. Apps can sign in, but do nothing after that.',
      fix: 'Let your reverse proxy pass the Authorization header on, and turn off any password of its own for this address.',
    };
  },
};

export const redirectStep: Step = {
  id: 'redirects',
  title: 'The way back to an app is kept',
  async look(talk) {
    const answer = await talk.get(`${checkPath}/redirect?nonce=${talk.nonce}`);
    const location = answer.headers.get('location');
    const wanted = redirectOf(talk.base, talk.nonce);
    if (answer.status === 302 && location === wanted) return pass('Redirects arrive as they are sent.');
    return {
      level: 'fail',
      detail:
        location === null
          ? `A redirect does not arrive: something on the way follows it by itself (status ${answer.status}).`
          : 'A redirect arrives with another address than it was sent with. Browsers would not find back to the app.',
      fix: 'Let your reverse proxy pass redirects on as they are: no following, no rewriting of Location.',
    };
  },
};

export const pageStep: Step = {
  id: 'pages',
  title: 'Pages arrive unchanged',
  async look(talk) {
    const answer = await talk.get(`${checkPath}/page?nonce=${talk.nonce}`, { accept: 'text/html' });
    if (answer.status !== 200) return interrupted(talk, answer);
    if (answer.text() === pageOf(talk.nonce)) return pass('A page arrives byte by byte as it is sent.');
    return {
      level: 'warning',
      detail: 'Something on the way rewrites pages. Their own scripts and styles may stop working.',
      fix: 'With Cloudflare, turn off “Email Address Obfuscation”, “Rocket Loader” and “Web Analytics” for this host name.',
    };
  },
};

export const visitorStep: Step = {
  id: 'visitors',
  title: 'Visitors can be told apart',
  async look(talk) {
    const { answer, sight } = await talk.ask();
    if (!sight) return interrupted(talk, answer);
    if (sight.visitor)
      return pass('The address of a visitor comes along, so that one who asks too much slows only himself.');
    return {
      level: 'warning',
      detail: 'The address of a visitor does not come along. All look like one, and share one limit.',
      fix: 'Let your reverse proxy set the header CF-Connecting-IP to the address of the visitor, and drop what visitors send under that name.',
    };
  },
};

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : 'missing';
}
