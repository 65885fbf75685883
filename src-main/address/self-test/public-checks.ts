import type { Finding } from '../../contract/reach.ts';
import { checkPage, checkPath, cookieOf, redirectOf, type Sight } from '../../http/public-check.ts';
import { endpointsOf, issuerOf, mcpAddress, metadataOf } from '../../http/server-metadata.ts';
import { type FetchedResponse, FetchError, type FetchOptions } from '../../platform/guarded-fetch.ts';
import { newSecretText, secretHash } from '../../platform/secrets.ts';
import { isRecord, jsonIn } from '../../storage/json-value.ts';
import { relsInHeader } from '../../untrusted/pages/fetched-page.ts';
import { type CheckWords, findingOf } from './check.ts';
import { fetchTrouble, strangerAt } from './public-troubles.ts';

/** Sends the requests of the checks to the public address. */
export interface Talk {
  readonly base: string;
  readonly nonce: string;
  readonly mediaLimitBytes: number;
  /** Whether the owner is waiting for the result. If so, the test also tries to upload a large file. */
  readonly thorough: boolean;
  /**
   * Requests a path at the public address. Does not follow redirects.
   * @throws FetchError
   */
  get(path: string, more?: FetchOptions): Promise<FetchedResponse>;
  /**
   * Sends a request, and returns the response. `sight`: how the request looked when it arrived at this server; null
   * unless the response proves that it comes from this server.
   * @throws FetchError
   */
  ask(more?: FetchOptions): Promise<{ readonly answer: FetchedResponse; readonly sight: Sight | null }>;
}

type PublicCheck = (talk: Talk) => Promise<Finding>;

/** A row of the table. The answers are also the facts in its words. */
interface Row<Answers extends object, Verdict extends string> extends CheckWords<NoInfer<Verdict>> {
  readonly ask: (talk: Talk) => Promise<Answers>;
  /** Returns the verdict, or the response if another server sent it. */
  readonly judge: (answers: Answers, talk: Talk) => Verdict | FetchedResponse;
}

/** Returns the check of a row. A request that fails is a finding, too. */
function check<Answers extends object, Verdict extends string>(row: Row<Answers, Verdict>): PublicCheck {
  const failure = { id: row.id, area: 'address', level: 'fail', title: row.problem } as const;
  return async (talk) => {
    try {
      const answers = await row.ask(talk);
      const verdict = row.judge(answers, talk);
      if (typeof verdict !== 'string') return { ...failure, ...strangerAt(talk.base, verdict) };
      return findingOf(row, 'address', verdict, { base: talk.base, ...answers });
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return { ...failure, ...fetchTrouble(talk.base, error) };
    }
  };
}

/** Checks that the public address leads to this server. All other checks depend on this one. */
export const reachCheck = check({
  id: 'reach',
  title: 'Your public address leads to this Porchlight',
  problem: 'Your public address doesn’t lead to this Porchlight',
  ask: (talk) => talk.ask(),
  judge: ({ answer, sight }) => (sight ? 'pass' : answer),
  words: { pass: { detail: '{base} answers from this computer.' } },
});

/** The size of the small test file, in bytes. It exceeds the 1 MiB that proxies commonly allow by default. */
const smallBytes = 1_200_000;
const largeBytes = 20_000_000;
const largeMs = 8000;
/** The largest upload that Cloudflare accepts on its free plan, in bytes. */
const cloudflareBytes = 100_000_000;

async function upload(talk: Talk, bytes: number, options: FetchOptions = {}) {
  const body = 'porch-'.repeat(Math.ceil(bytes / 6)).slice(0, bytes);
  const headers = { 'content-type': 'application/octet-stream' };
  const { answer, sight } = await talk.ask({ method: 'POST', body, headers, ...options });
  const isWhole = sight?.digest === secretHash(body);
  return {
    size: megabytesOf(bytes),
    answer,
    sight,
    isWhole,
    how: sight ? 'cuts it off' : 'says that it is too large',
  };
}

/** Uploads a small file, and a large one if there is time and neither the settings nor Cloudflare rule it out. */
async function uploads(talk: Talk) {
  const { mediaLimitBytes: limit, thorough } = talk;
  const small = await upload(talk, smallBytes);
  const isAbove = small.isWhole && limit > cloudflareBytes && small.answer.headers.get('cf-ray') !== null;
  const facts = { isAbove, limit: megabytesOf(limit), most: megabytesOf(cloudflareBytes), slow: '' };
  if (!small.isWhole || isAbove || !thorough || limit < largeBytes) return { ...facts, ...small };
  try {
    return { ...facts, ...(await upload(talk, largeBytes, { timeoutMs: largeMs })) };
  } catch (error) {
    if (!(error instanceof FetchError) || error.code !== 'fetch_timeout') throw error;
    const slow = ` Your connection is too slow to try ${megabytesOf(largeBytes)} in this check.`;
    return { ...facts, ...small, slow };
  }
}

const noVisitor =
  'The CF-Connecting-IP header is missing, so all visitors look like one. A busy visitor can slow down the others.';
const passOnRedirects =
  'Configure your reverse proxy to pass on redirects and their Location header unchanged.';

/** The checks of a public address that leads to this server, in their order. */
export const publicChecks: readonly PublicCheck[] = [
  check({
    id: 'metadata',
    title: 'Apps can read your sign-in addresses',
    problem: 'Apps can’t read your sign-in addresses',
    async ask(talk) {
      const answer = await talk.get('/.well-known/oauth-authorization-server', {
        accept: 'application/json',
      });
      const found = jsonIn(answer.text());
      const told = answer.status === 200 && isRecord(found) ? found : null;
      const [name = '', value] =
        Object.entries(metadataOf(talk.base)).find(
          ([key, one]) => typeof one === 'string' && told?.[key] !== one,
        ) ?? [];
      return {
        answer,
        told,
        name,
        found: shown(told?.[name]),
        right: shown(value),
        issuer: issuerOf(talk.base),
      };
    },
    judge({ answer, told, name }) {
      if (!told) return answer;
      return name === '' ? 'pass' : 'changed';
    },
    words: {
      pass: { detail: 'They all start with {issuer}.' },
      changed: {
        detail: 'At your public address, “{name}” is {found}. It should be {right}.',
        fix: 'Make sure that your reverse proxy neither changes nor caches this page, then check again.',
      },
    },
  }),
  check({
    id: 'authorization',
    title: 'Apps can prove their access',
    problem: 'The Authorization header gets lost',
    async ask(talk) {
      const authorization = `Bearer ${newSecretText()}`;
      const { answer, sight } = await talk.ask({ headers: { authorization } });
      const how = sight?.authorization === null ? 'removes' : 'changes';
      return { answer, sight, how, isSame: sight?.authorization === secretHash(authorization) };
    },
    judge({ answer, sight, isSame }) {
      if (!sight) return answer;
      return isSame ? 'pass' : 'lost';
    },
    words: {
      pass: { detail: 'The Authorization header arrives unchanged.' },
      lost: {
        detail: 'Your reverse proxy {how} the Authorization header. Apps can sign in, but they can’t post.',
        fix: 'Configure your reverse proxy to pass on the Authorization header. Turn off any password of its own for this address.',
      },
    },
  }),
  check({
    id: 'cookies',
    title: 'Browsers keep their place in a sign-in',
    problem: 'The Set-Cookie header gets lost',
    ask: (talk) => talk.ask(),
    judge({ answer, sight }, { nonce }) {
      if (!sight) return answer;
      const { name, value } = cookieOf(nonce);
      return answer.headers.get('set-cookie')?.includes(`${name}=${value};`) === true ? 'pass' : 'lost';
    },
    words: {
      pass: { detail: 'The Set-Cookie header arrives unchanged.' },
      lost: {
        detail: 'Your reverse proxy removes or changes the Set-Cookie header, so no browser can sign in.',
        fix: 'Configure your reverse proxy to pass on the Set-Cookie header of responses and the Cookie header of requests.',
      },
    },
  }),
  check({
    id: 'redirects',
    title: 'Sign-ins lead back to the app',
    problem: 'Sign-ins don’t lead back to the app',
    async ask(talk) {
      const { status, headers } = await talk.get(`${checkPath}/redirect?nonce=${talk.nonce}`);
      return { status, location: headers.get('location') };
    },
    judge({ status, location }, { base, nonce }) {
      if (status === 302 && location === redirectOf(base, nonce)) return 'pass';
      return location === null ? 'lost' : 'changed';
    },
    words: {
      pass: { detail: 'Redirects arrive unchanged.' },
      lost: {
        detail:
          'Your reverse proxy follows redirects itself, or removes the Location header (status {status}).',
        fix: passOnRedirects,
      },
      changed: {
        detail:
          'Your reverse proxy changes the Location header of redirects, so browsers don’t get back to the app.',
        fix: passOnRedirects,
      },
    },
  }),
  check({
    id: 'cache',
    title: 'No cache keeps old answers',
    problem: 'A cache sends old answers',
    ask: async (talk) => ({ first: await talk.ask(), second: await talk.ask() }),
    judge({ first, second }) {
      if (!first.sight || !second.sight) return first.sight ? second.answer : first.answer;
      return first.sight.asked === second.sight.asked ? 'cached' : 'pass';
    },
    words: {
      pass: { detail: 'Every request reaches Porchlight.' },
      cached: {
        detail: 'A cache between the web and Porchlight sends old answers, although Porchlight forbids it.',
        fix: 'Turn off the cache for this host name. At Cloudflare, remove any cache rule “Cache everything”.',
      },
    },
  }),
  check({
    id: 'endpoints',
    title: 'Posts and mentions can come in',
    problem: 'Posts or mentions can’t come in',
    ask: async (talk) => ({
      micropub: await talk.get('/micropub?q=config', { accept: 'application/json' }),
      webmention: await talk.get('/webmention', { accept: 'text/html' }),
    }),
    judge({ micropub, webmention }, { base }) {
      // Without an access token, 401 is the correct response.
      if (micropub.status !== 401) return micropub;
      if (!/^bearer\b/i.test(micropub.headers.get('www-authenticate') ?? '')) return 'micropub';
      if (webmention.status !== 200) return webmention;
      const rels = relsInHeader(webmention.headers.get('link'), webmention.url);
      return rels['webmention']?.[0] === endpointsOf(base).webmention ? 'pass' : 'webmention';
    },
    words: {
      pass: { detail: 'The addresses for posts and for mentions answer correctly.' },
      micropub: {
        detail:
          'Your reverse proxy removes or changes the WWW-Authenticate header. Apps that post can’t tell that they have to sign in first.',
        fix: 'Configure your reverse proxy to pass on the WWW-Authenticate header of responses unchanged.',
      },
      webmention: {
        detail:
          'Your reverse proxy removes or changes the Link header. Other sites can’t find out where to send mentions of your posts.',
        fix: 'Configure your reverse proxy to pass on the Link header of responses unchanged.',
      },
    },
  }),
  check({
    id: 'uploads',
    title: 'Apps can upload photos and files',
    problem: 'Large files can’t be uploaded',
    ask: uploads,
    judge({ answer, sight, isWhole, isAbove }) {
      if (isAbove) return 'aboveCloudflare';
      if (isWhole) return 'pass';
      return sight || answer.status === 413 ? 'cut' : answer;
    },
    words: {
      pass: { detail: 'A file of {size} arrives complete.{slow}' },
      aboveCloudflare: {
        level: 'warning',
        detail: 'Your settings allow files of {limit}, but Cloudflare’s free plan accepts at most {most}.',
        fix: 'Set the file size limit in the settings to {most}, so that apps know it.',
      },
      cut: {
        detail: 'A file of {size} doesn’t arrive: your reverse proxy {how}.',
        fix: 'Raise the size limit of your reverse proxy (nginx: client_max_body_size) to the file size limit in your settings.',
      },
    },
  }),
  check({
    id: 'pages',
    title: 'Pages arrive unchanged',
    problem: 'Pages are changed on the way',
    ask: async (talk) => ({
      page: await talk.get(`${checkPath}/page?nonce=${talk.nonce}`, { accept: 'text/html' }),
    }),
    judge({ page }, { nonce }) {
      if (page.status !== 200) return page;
      return page.text() === checkPage(nonce) ? 'pass' : 'changed';
    },
    words: {
      pass: { detail: 'Nothing is added or removed.' },
      changed: {
        level: 'warning',
        detail:
          'Something between the web and Porchlight changes pages. Their scripts and styles may stop working.',
        fix: 'At Cloudflare, turn off “Email Address Obfuscation”, “Rocket Loader” and “Web Analytics” for this host name.',
      },
    },
  }),
  check({
    id: 'visitors',
    title: 'Porchlight can tell visitors apart',
    problem: 'Porchlight can’t tell visitors apart',
    ask: (talk) => talk.ask(),
    judge({ answer, sight }, { base }) {
      if (!sight) return answer;
      if (sight.visitor) return 'pass';
      return new URL(base).hostname.endsWith('.ts.net') ? 'tailscale' : 'missing';
    },
    words: {
      pass: { detail: 'A visitor who sends too many requests slows down nobody else.' },
      tailscale: {
        level: 'warning',
        detail: noVisitor,
        fix: 'Tailscale Funnel doesn’t set this header. Everything else works without it.',
      },
      missing: {
        level: 'warning',
        detail: noVisitor,
        fix: 'Configure your reverse proxy to set CF-Connecting-IP to the visitor’s IP address, and to replace any value that visitors send.',
      },
    },
  }),
];

/** How long assistants wait for a response, in ms. */
const assistantMs = 10_000;

/** Checks that assistants can connect. Only for a server on which they are on. */
export const assistantsCheck = check({
  id: 'assistants',
  title: 'Assistants can connect',
  problem: 'Assistants can’t connect',
  async ask(talk) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', body, headers, timeoutMs: assistantMs } as const;
    // Silence means something else here: other requests got their responses before.
    const answer = await talk.get('/mcp', options).catch((error: unknown) => {
      if (error instanceof FetchError && error.code === 'fetch_timeout') return null;
      throw error;
    });
    return { answer, found: await talk.get('/.well-known/oauth-protected-resource/mcp') };
  },
  judge({ answer, found }, { base }) {
    if (answer === null) return 'slow';
    // Without an access token, 401 is the correct response.
    if (answer.status !== 401) return answer;
    if (answer.headers.get('www-authenticate')?.includes(`"${found.url}"`) !== true) return 'header';
    if (found.status !== 200) return found;
    const told = jsonIn(found.text());
    return isRecord(told) && told['resource'] === mcpAddress(base) ? 'pass' : 'changed';
  },
  words: {
    pass: { detail: '{base}/mcp answers correctly.' },
    slow: {
      detail: '{base}/mcp didn’t answer within 10 seconds. Assistants give up after that.',
      fix: 'Check again when your connection is less busy. If it stays so, look for a rule of your reverse proxy or of Cloudflare that holds back POST requests to /mcp.',
    },
    header: {
      detail:
        'Your reverse proxy removes or changes the WWW-Authenticate header of /mcp. Assistants can’t tell that they have to sign in first.',
      fix: 'Configure your reverse proxy to pass on the WWW-Authenticate header of responses unchanged.',
    },
    changed: {
      detail: 'At your public address, the description of /mcp isn’t the one that Porchlight sends.',
      fix: 'Make sure that your reverse proxy neither changes nor caches /.well-known/oauth-protected-resource, then check again.',
    },
  },
});

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : 'missing';
}

function megabytesOf(bytes: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1_000_000)} MB`;
}
