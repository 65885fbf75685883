import { PorchlightError } from '../../contract/error.ts';
import type { Finding } from '../../contract/reach.ts';
import { type Challenge, checkPath, type Sight } from '../../http/public-check.ts';
import {
  type FetchedResponse,
  FetchError,
  type FetchOptions,
  type GuardedFetch,
} from '../../platform/guarded-fetch.ts';
import { clockIn, type ClockReading } from './clock-finding.ts';

export type Talk = ReturnType<typeof openTalk>;

/** The time limit of one request, in ms. */
const questionMs = 6000;

/**
 * Creates the client that sends the self-test's requests to this server's public address. `signal` cancels the
 * requests.
 */
export function openTalk(options: {
  base: string;
  challenge: Challenge;
  fetch: GuardedFetch;
  now: () => number;
  signal: AbortSignal;
}) {
  const { base, challenge, fetch, now, signal } = options;
  const clocks: ClockReading[] = [];

  /**
   * Requests a path at the public address. Does not follow redirects.
   * @throws FetchError
   */
  async function get(path: string, more: FetchOptions = {}): Promise<FetchedResponse> {
    return fetch(`${base}${path}`, { maxRedirects: 0, timeoutMs: questionMs, signal, ...more });
  }

  return {
    base,
    nonce: challenge.nonce,
    /** The clock readings from the responses so far. */
    clocks,
    get,
    /**
     * Sends a request, and returns the response. `sight`: how the request looked when it arrived at this server; null
     * unless the response proves that it comes from this server.
     * @throws FetchError
     */
    async ask(more: FetchOptions = {}): Promise<{ answer: FetchedResponse; sight: Sight | null }> {
      const answer = await get(`${checkPath}?nonce=${challenge.nonce}`, more);
      const sight = answer.status === 200 ? challenge.sightIn(answer.text()) : null;
      const clock = sight && clockIn(answer.headers, now());
      if (clock) clocks.push(clock);
      return { answer, sight };
    },
  };
}

/** A check of the public address. Its finding has the heading `title` if it passes, and `problem` if it fails. */
export interface PublicStep {
  readonly id: string;
  readonly title: string;
  readonly problem: string;
  /** Runs the check. May throw a FetchError, which `runStep` turns into a finding. */
  readonly check: (talk: Talk) => Promise<StepOutcome>;
}

export type StepOutcome = Pick<Finding, 'level' | 'detail' | 'fix'>;

/** Runs a check and returns its finding. A fetch error becomes a finding too. */
export async function runStep({ id, title, problem, check }: PublicStep, talk: Talk): Promise<Finding> {
  const outcome = await check(talk).catch((error: unknown): StepOutcome => {
    if (!(error instanceof FetchError)) throw error;
    return { level: 'fail', ...fetchTrouble(talk.base, error) };
  });
  return { id, area: 'address', title: outcome.level === 'pass' ? title : problem, ...outcome };
}

export function pass(detail: string): StepOutcome {
  return { level: 'pass', detail };
}

export function fail(detail: string, fix: string): StepOutcome {
  return { level: 'fail', detail, fix };
}

/** Returns the outcome of a check when another server has responded at the public address. */
export function interrupted({ base }: Talk, answer: FetchedResponse): StepOutcome {
  return { level: 'fail', ...strangerAt(base, answer) };
}

/** Returns why a request to the public address failed, as a message for the owner. */
export function fetchTrouble(base: string, error: FetchError): AddressTrouble {
  const { host, hostname } = new URL(base);
  const code = causeOf(error);
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return {
      detail: `The name ${hostname} cannot be found: it has no DNS record, or this computer is offline.`,
      fix: `Check that you are online. Then add ${hostname} to your tunnel, or create a DNS record for it. A new name may take some minutes to work.`,
    };
  if (/^(CERT_NOT_YET_VALID|CERT_HAS_EXPIRED)$/.test(code))
    return {
      detail: `By this computer’s clock, the certificate of ${host} isn’t valid today.`,
      fix: 'Check this computer’s date and time, including the year. If they are right, renew the certificate.',
    };
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code))
    return {
      detail: `${host} has no certificate that apps trust, so they don’t connect to it.`,
      fix: 'Give your reverse proxy a certificate for this name (Let’s Encrypt has free ones). Cloudflare has one for names one level below your domain, such as porch.example.com.',
    };
  if (error.code === 'fetch_refused_address')
    return {
      detail: `From this computer, ${hostname} leads to an address inside your own network, so the check can’t see what the web sees.`,
      fix: `If your router or DNS server does this on purpose, open ${hostname} from another network to test it. Otherwise, correct its DNS record.`,
    };
  if (error.code === 'fetch_too_large')
    return {
      detail: `The site at ${host} doesn’t point to this Porchlight: its answer is far too long.`,
      fix: `Point the DNS record of ${hostname} to your tunnel or reverse proxy, and that to this computer.`,
    };
  if (error.code === 'fetch_timeout')
    return {
      detail: `${host} doesn’t answer in time.`,
      fix: 'Check that you are online, that the tunnel or reverse proxy runs, and that no firewall blocks it.',
    };
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return {
      detail: `${host} refuses connections.`,
      fix: 'Check that the reverse proxy or tunnel runs, and that its port is open.',
    };
  return {
    detail: `${host} closed the connection without an answer.`,
    fix: 'Check that the tunnel or reverse proxy runs and leads to this computer, then check again.',
  };
}

/** Returns the first system error code in the chain of causes; empty if there is none. */
function causeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = innerOf(at), depth += 1) {
    if (at instanceof PorchlightError) continue;
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

/** Returns the cause of an error. If several IP addresses were tried, returns the first failure. */
function innerOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
}

/** A problem with the public address (`detail`), and what to do about it (`fix`). */
interface AddressTrouble {
  readonly detail: string;
  readonly fix: string;
}

/** Describes the other server that responds at the public address, and what the owner can do about it. */
function strangerAt(
  base: string,
  answer: Pick<FetchedResponse, 'status' | 'headers' | 'text'>,
): AddressTrouble {
  const { host } = new URL(base);
  const { status } = answer;
  const body = answer.text().slice(0, 20_000);
  const header = (name: string) => answer.headers.get(name) ?? '';
  const location = header('location');
  // Only the origin of a redirect is shown, because the rest of the URL may contain tokens.
  const origin = URL.canParse(location) ? new URL(location).origin : 'another page';
  // Cloudflare's own pages say “error code: 1033” or “Error 1033”.
  const cloudflareError = /\berror(?: code)?:?\s+(1\d{3})\b/i.exec(body)?.[1] ?? '';
  // Several causes can match one response. Check the causes with the most reliable signs first.
  if (/\.cloudflareaccess\.com\//i.test(location))
    return {
      detail: `Cloudflare Access shows a login page at ${host}. Apps can’t get past it.`,
      fix: `In Cloudflare’s Zero Trust dashboard, under Access, remove the application for ${host}, or give it a policy “Bypass, Everyone”. Porchlight has its own protection.`,
    };
  if (header('cf-mitigated') !== '' || /<title>(just a moment|attention required)/i.test(body))
    return {
      detail: `Cloudflare asks visitors of ${host} to prove that they are people, so it turns apps away.`,
      fix: 'In Cloudflare’s dashboard for this domain, turn off “Bot Fight Mode” and “Under Attack”, or add a rule that skips them for this host name.',
    };
  if (cloudflareError === '1033' || (status === 530 && cloudflareError === ''))
    return {
      detail: `Cloudflare knows ${host}, but no tunnel is connected to it.`,
      fix: 'Make sure that the tunnel is on here, and that its token belongs to the tunnel of this host name.',
    };
  if (/^10(01|16)$/.test(cloudflareError) || [521, 522, 523, 525, 526].includes(status))
    return {
      detail: `Cloudflare answers for ${host}, but the DNS record doesn’t lead to your tunnel.`,
      fix: `In Cloudflare’s dashboard, delete the old A, AAAA or CNAME record of ${host}, then add ${host} to your tunnel as a published application. Cloudflare then creates the right record.`,
    };
  if (/^10(06|09|10|12|15|20)$/.test(cloudflareError))
    return {
      detail: `A Cloudflare firewall rule blocks requests to ${host}.`,
      fix: 'In Cloudflare’s dashboard, under Security, find the rule, and allow requests to this host name.',
    };
  if ([502, 503, 504, 530].includes(status))
    return {
      detail: `${host} answers, but it can’t reach Porchlight behind it (status ${status}).`,
      fix: 'Make sure that the tunnel or reverse proxy forwards to this computer and to Porchlight’s port, with http, not https.',
    };
  if ([301, 302, 303, 307, 308].includes(status))
    return {
      detail: `${host} redirects visitors to ${origin}.`,
      fix: 'If that address is right, enter it as your public address. Otherwise, remove the redirect. If it is the login page of the network you use, log in there first.',
    };
  if (status === 401 || status === 511)
    return {
      detail: `A server in front of Porchlight asks for a password at ${host}.`,
      fix: 'Remove the password from your reverse proxy for this host name, or log in to the network you use. Porchlight has its own protection.',
    };
  if (status === 404 && /json/.test(header('content-type')) && /"error":"not_found"/.test(body))
    return {
      detail: `Another Porchlight answers at ${host}: on another computer, or somebody else’s.`,
      fix: 'If the other one is yours, turn off its tunnel, or give this Porchlight another address. If not, choose an address that belongs to you.',
    };
  if (status === 403)
    return {
      detail: `A server in front of Porchlight refuses requests to ${host} (status 403).`,
      fix: 'Look for a firewall, a login page or a rule against bots for this address, and let all requests through to Porchlight.',
    };
  const title = /<title[^>]*>\s*([^<]{1,80})/i.exec(body)?.[1]?.trim();
  const shown = title === undefined ? '' : ` Its page is called “${title}”.`;
  return {
    detail: `The site at ${host} doesn’t point to this Porchlight (status ${answer.status}).${shown}`,
    fix: `If ${host} is yours, point its DNS record to your tunnel or reverse proxy, and that to Porchlight’s port on this computer. If it belongs to somebody else, choose an address of your own.`,
  };
}
