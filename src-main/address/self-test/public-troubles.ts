import { PorchlightError } from '../../contract/error.ts';
import type { FetchedResponse, FetchError } from '../../platform/guarded-fetch.ts';
import { isQuickHost } from '../public-address.ts';
import { type Facts, type Words, wordsWith } from './check.ts';

/** What is wrong, and what the owner can do. `ofDomain`: that changes something at the owner's domain, such as its DNS. */
interface Advice extends Words {
  readonly ofDomain?: true;
}

/** A row of a table of problems. The first row whose `when` is true counts. */
interface Trouble<Signs> extends Advice {
  readonly when: (signs: Signs) => boolean;
}

function troubleIn<Signs extends Facts & { readonly hostname: string }>(
  rows: readonly Trouble<Signs>[],
  other: Advice,
  signs: Signs,
): Words {
  const advice = rows.find(({ when }) => when(signs)) ?? other;
  return wordsWith(advice.ofDomain === true && isQuickHost(signs.hostname) ? newQuickTunnel : advice, signs);
}

/** A quick tunnel has no domain of the owner's. */
const newQuickTunnel: Words = {
  detail: 'The trial address {hostname} doesn’t lead to this computer yet.',
  fix: 'A new trial address can take some minutes to work. Check again in a minute. If it still doesn’t work, stop the tunnel and start it again. It then gets another address.',
};

/** Why there is no response. `kind`: the code of the fetch error; `code`: that of the system error behind it, or empty. */
const silences: readonly Trouble<{ host: string; hostname: string; kind: string; code: string }>[] = [
  {
    when: ({ code }) => /^(ENOTFOUND|ENODATA|EAI_)/.test(code),
    ofDomain: true,
    detail: 'The name {hostname} cannot be found: it has no DNS record, or this computer is offline.',
    fix: 'Check that you are online. Then add {hostname} to your tunnel, or create a DNS record for it. A new name may take some minutes to work.',
  },
  {
    when: ({ code }) => /^(CERT_NOT_YET_VALID|CERT_HAS_EXPIRED)$/.test(code),
    detail: 'By this computer’s clock, the certificate of {host} isn’t valid today.',
    fix: 'Check this computer’s date and time, including the year. If they are right, renew the certificate.',
  },
  {
    when: ({ code }) => /CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code),
    ofDomain: true,
    detail: '{host} has no certificate that apps trust, so they don’t connect to it.',
    fix: 'Give your reverse proxy a certificate for this name (Let’s Encrypt has free ones). Cloudflare has one for names one level below your domain, such as porch.example.com.',
  },
  {
    when: ({ kind }) => kind === 'fetch_refused_address',
    ofDomain: true,
    detail:
      'From this computer, {hostname} leads to an address inside your own network, so the check can’t see what the web sees.',
    fix: 'If your router or DNS server does this on purpose, open {hostname} from another network to test it. Otherwise, correct its DNS record.',
  },
  {
    when: ({ kind }) => kind === 'fetch_too_large',
    ofDomain: true,
    detail: 'The site at {host} doesn’t point to this Porchlight: its answer is far too long.',
    fix: 'Point the DNS record of {hostname} to your tunnel or reverse proxy, and that to this computer.',
  },
  {
    when: ({ kind }) => kind === 'fetch_timeout',
    detail: '{host} doesn’t answer in time.',
    fix: 'Check that you are online, that the tunnel or reverse proxy runs, and that no firewall blocks it.',
  },
  {
    when: ({ code }) => /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code),
    detail: '{host} refuses connections.',
    fix: 'Check that the reverse proxy or tunnel runs, and that its port is open.',
  },
];

const closedConnection: Words = {
  detail: '{host} closed the connection without an answer.',
  fix: 'Check that the tunnel or reverse proxy runs and leads to this computer, then check again.',
};

/** Returns why a request to the public address failed, as a message for the owner. */
export function fetchTrouble(base: string, error: FetchError): Words {
  const { host, hostname } = new URL(base);
  return troubleIn(silences, closedConnection, { host, hostname, kind: error.code, code: causeOf(error) });
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

interface Answer {
  readonly [name: string]: unknown;
  readonly hostname: string;
  readonly status: number;
  readonly header: (name: string) => string;
  readonly body: string;
  /** The number of the error on Cloudflare's own pages; empty if there is none. */
  readonly cloudflare: string;
}

/** Which other server responds. Several rows can match, so those with the most reliable signs come first. */
const strangers: readonly Trouble<Answer>[] = [
  {
    when: ({ header }) => /\.cloudflareaccess\.com\//i.test(header('location')),
    ofDomain: true,
    detail: 'Cloudflare Access shows a login page at {host}. Apps can’t get past it.',
    fix: 'In Cloudflare’s Zero Trust dashboard, under Access, remove the application for {host}, or give it a policy “Bypass, Everyone”. Porchlight has its own protection.',
  },
  {
    when: ({ header, body }) =>
      header('cf-mitigated') !== '' || /<title>(just a moment|attention required)/i.test(body),
    ofDomain: true,
    detail: 'Cloudflare asks visitors of {host} to prove that they are people, so it turns apps away.',
    fix: 'In Cloudflare’s dashboard for this domain, turn off “Bot Fight Mode” and “Under Attack”, or add a rule that skips them for this host name.',
  },
  {
    when: ({ status, cloudflare }) => cloudflare === '1033' || (status === 530 && cloudflare === ''),
    ofDomain: true,
    detail: 'Cloudflare knows {host}, but no tunnel is connected to it.',
    fix: 'Make sure that the tunnel is on here, and that its token belongs to the tunnel of this host name.',
  },
  {
    when: ({ status, cloudflare }) =>
      /^10(01|16)$/.test(cloudflare) || [521, 522, 523, 525, 526].includes(status),
    ofDomain: true,
    detail: 'Cloudflare answers for {host}, but the DNS record doesn’t lead to your tunnel.',
    fix: 'In Cloudflare’s dashboard, delete the old A, AAAA or CNAME record of {host}, then add {host} to your tunnel as a published application. Cloudflare then creates the right record.',
  },
  {
    when: ({ cloudflare }) => /^10(06|09|10|12|15|20)$/.test(cloudflare),
    ofDomain: true,
    detail: 'A Cloudflare firewall rule blocks requests to {host}.',
    fix: 'In Cloudflare’s dashboard, under Security, find the rule, and allow requests to this host name.',
  },
  {
    when: ({ status }) => [502, 503, 504, 530].includes(status),
    detail: '{host} answers, but it can’t reach Porchlight behind it (status {status}).',
    fix: 'Make sure that the tunnel or reverse proxy forwards to this computer and to Porchlight’s port, with http, not https.',
  },
  {
    when: ({ status }) => [301, 302, 303, 307, 308].includes(status),
    detail: '{host} redirects visitors to {origin}.',
    fix: 'If that address is right, enter it as your public address. Otherwise, remove the redirect. If it is the login page of the network you use, log in there first.',
  },
  {
    when: ({ status }) => status === 401 || status === 511,
    detail: 'A server in front of Porchlight asks for a password at {host}.',
    fix: 'Remove the password from your reverse proxy for this host name, or log in to the network you use. Porchlight has its own protection.',
  },
  {
    when: ({ status, header, body }) =>
      status === 404 && /json/.test(header('content-type')) && /"error":"not_found"/.test(body),
    detail: 'Another Porchlight answers at {host}: on another computer, or somebody else’s.',
    fix: 'If the other one is yours, turn off its tunnel, or give this Porchlight another address. If not, choose an address that belongs to you.',
  },
  {
    when: ({ status }) => status === 403,
    detail: 'A server in front of Porchlight refuses requests to {host} (status 403).',
    fix: 'Look for a firewall, a login page or a rule against bots for this address, and let all requests through to Porchlight.',
  },
];

const otherSite: Advice = {
  ofDomain: true,
  detail: 'The site at {host} doesn’t point to this Porchlight (status {status}).{title}',
  fix: 'If {host} is yours, point its DNS record to your tunnel or reverse proxy, and that to Porchlight’s port on this computer. If it belongs to somebody else, choose an address of your own.',
};

/** Describes the other server that responds at the public address, and what the owner can do about it. */
export function strangerAt(base: string, answer: FetchedResponse): Words {
  const body = answer.text().slice(0, 20_000);
  const header = (name: string) => answer.headers.get(name) ?? '';
  const title = /<title[^>]*>\s*([^<]{1,80})/i.exec(body)?.[1]?.trim();
  const { host, hostname } = new URL(base);
  return troubleIn(strangers, otherSite, {
    host,
    hostname,
    status: answer.status,
    header,
    body,
    // Such as “error code: 1033” or “Error 1033”.
    cloudflare: /\berror(?: code)?:?\s+(1\d{3})\b/i.exec(body)?.[1] ?? '',
    // Only the origin of a redirect is shown, because the rest of the URL may contain tokens.
    origin: URL.canParse(header('location')) ? new URL(header('location')).origin : 'another page',
    title: title === undefined ? '' : ` Its page is called “${title}”.`,
  });
}
