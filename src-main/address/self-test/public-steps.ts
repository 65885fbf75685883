import { checkPage, checkPath, cookieOf, redirectOf } from '../../http/public-check.ts';
import { endpointsOf, issuerOf, metadataOf } from '../../http/server-metadata.ts';
import { FetchError } from '../../platform/guarded-fetch.ts';
import { newSecretText, secretHash } from '../../platform/secrets.ts';
import { isRecord, jsonIn } from '../../storage/json-value.ts';
import { relsInHeader } from '../../untrusted/pages/fetched-page.ts';
import { fail, interrupted, pass, type PublicStep, type StepOutcome, type Talk } from './public-talk.ts';

/** Checks that the public address leads to this server. All other checks depend on this one. */
export const reachStep: PublicStep = {
  id: 'reach',
  title: 'Your public address leads to this Porchlight',
  problem: 'Your public address doesn’t lead to this Porchlight',
  async check(talk) {
    const { answer, sight } = await talk.ask();
    return sight ? pass(`${talk.base} answers from this computer.`) : interrupted(talk, answer);
  },
};

export const cacheStep: PublicStep = {
  id: 'cache',
  title: 'No cache keeps old answers',
  problem: 'A cache sends old answers',
  async check(talk) {
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
  async check(talk) {
    const answer = await talk.get('/.well-known/oauth-authorization-server', { accept: 'application/json' });
    const metadata = jsonIn(answer.text());
    if (answer.status !== 200 || !isRecord(metadata)) return interrupted(talk, answer);
    const wrong = Object.entries(metadataOf(talk.base)).find(
      ([name, value]) => typeof value === 'string' && metadata[name] !== value,
    );
    if (!wrong) return pass(`They all start with ${issuerOf(talk.base)}.`);
    const [name, value] = wrong;
    return fail(
      `At your public address, “${name}” is ${shown(metadata[name])}. It should be ${shown(value)}.`,
      'Make sure that your reverse proxy neither changes nor caches this page, then check again.',
    );
  },
};

export const authorizationStep: PublicStep = {
  id: 'authorization',
  title: 'Apps can prove their access',
  problem: 'The Authorization header gets lost',
  async check(talk) {
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
  async check(talk) {
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
  async check(talk) {
    const answer = await talk.get(`${checkPath}/redirect?nonce=${talk.nonce}`);
    const location = answer.headers.get('location');
    const expected = redirectOf(talk.base, talk.nonce);
    if (answer.status === 302 && location === expected) return pass('Redirects arrive unchanged.');
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
  async check(talk) {
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
  async check(talk) {
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

/** Checks that the Micropub and webmention endpoints respond through the public address as apps expect. */
export const endpointStep: PublicStep = {
  id: 'endpoints',
  title: 'Posts and mentions can come in',
  problem: 'Posts or mentions can’t come in',
  async check(talk) {
    const micropub = await talk.get('/micropub?q=config', { accept: 'application/json' });
    // Without an access token, 401 is the correct response.
    if (micropub.status !== 401) return interrupted(talk, micropub);
    if (!/^bearer\b/i.test(micropub.headers.get('www-authenticate') ?? ''))
      return lost('WWW-Authenticate', 'Apps that post can’t tell that they have to sign in first.');
    const webmention = await talk.get('/webmention', { accept: 'text/html' });
    if (webmention.status !== 200) return interrupted(talk, webmention);
    const rels = relsInHeader(webmention.headers.get('link'), webmention.url);
    if (rels['webmention']?.[0] !== endpointsOf(talk.base).webmention)
      return lost('Link', 'Other sites can’t find out where to send mentions of your posts.');
    return pass('The addresses for posts and for mentions answer correctly.');
  },
};

function lost(header: string, consequence: string): StepOutcome {
  return fail(
    `Your reverse proxy removes or changes the ${header} header. ${consequence}`,
    `Configure your reverse proxy to pass on the ${header} header of responses unchanged.`,
  );
}

/** The size of the small test file, in bytes. It exceeds the 1 MiB that proxies commonly allow by default. */
const smallBytes = 1_200_000;
const largeBytes = 20_000_000;
const largeMs = 8000;
/** The largest upload that Cloudflare accepts on its free plan, in bytes. */
const cloudflareBytes = 100_000_000;

/** Creates the step that checks whether a small file, and with `thorough` also a large one, arrives complete. */
export function uploadStep({
  mediaLimitBytes,
  thorough,
}: {
  mediaLimitBytes: number;
  thorough: boolean;
}): PublicStep {
  return {
    id: 'uploads',
    title: 'Apps can upload photos and files',
    problem: 'Large files can’t be uploaded',
    async check(talk) {
      const small = await send(talk, smallBytes);
      if (small.outcome) return small.outcome;
      if (mediaLimitBytes > cloudflareBytes && small.cloudflare) return aboveCloudflare(mediaLimitBytes);
      if (!thorough || mediaLimitBytes < largeBytes)
        return pass(`A file of ${sizeOf(smallBytes)} arrives complete.`);
      try {
        const large = await send(talk, largeBytes, largeMs);
        return large.outcome ?? pass(`A file of ${sizeOf(largeBytes)} arrives complete.`);
      } catch (error) {
        if (!(error instanceof FetchError) || error.code !== 'fetch_timeout') throw error;
        return pass(
          `A file of ${sizeOf(smallBytes)} arrives complete. Your connection is too slow to try ${sizeOf(largeBytes)} in this check.`,
        );
      }
    },
  };
}

async function send(
  talk: Talk,
  bytes: number,
  timeoutMs?: number,
): Promise<{ outcome: StepOutcome | null; cloudflare: boolean }> {
  const body = 'porch-'.repeat(Math.ceil(bytes / 6)).slice(0, bytes);
  const { answer, sight } = await talk.ask({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream' },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const cloudflare = answer.headers.get('cf-ray') !== null;
  if (sight?.digest === secretHash(body)) return { outcome: null, cloudflare };
  if (!sight && answer.status !== 413) return { outcome: interrupted(talk, answer), cloudflare };
  return {
    cloudflare,
    outcome: {
      level: 'fail',
      detail: `A file of ${sizeOf(bytes)} doesn’t arrive: your reverse proxy ${sight ? 'cuts it off' : 'says that it is too large'}.`,
      fix: 'Raise the size limit of your reverse proxy (nginx: client_max_body_size) to the file size limit in your settings.',
    },
  };
}

function aboveCloudflare(limit: number): StepOutcome {
  return {
    level: 'warning',
    detail: `Your settings allow files of ${sizeOf(limit)}, but Cloudflare’s free plan accepts at most ${sizeOf(cloudflareBytes)}.`,
    fix: `Set the file size limit in the settings to ${sizeOf(cloudflareBytes)}, so that apps know it.`,
  };
}

function sizeOf(bytes: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1_000_000)} MB`;
}
