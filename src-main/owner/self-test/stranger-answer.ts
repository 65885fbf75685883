import type { FetchedResponse } from '../../platform/guarded-fetch.ts';

/** What is wrong, and what to do. */
export interface Trouble {
  readonly detail: string;
  readonly fix: string;
}

/** An answer at the public address that is not this server's. */
export type Stranger = Pick<FetchedResponse, 'status' | 'headers' | 'text'>;

interface Sort {
  readonly isIt: (answer: Stranger, body: string) => boolean;
  readonly trouble: (host: string, answer: Stranger, body: string) => Trouble;
}

const header = ({ headers }: Stranger, name: string): string => headers.get(name) ?? '';
/** Cloudflare's own pages say “error code: 1033” or “Error 1033”. */
const cloudflareError = (body: string): string | undefined =>
  /\berror(?: code)?:?\s+(1\d{3})\b/i.exec(body)?.[1];
const isRedirect = ({ status }: Stranger): boolean => [301, 302, 303, 307, 308].includes(status);

/** The usual ones, the more certain first. */
const sorts: readonly Sort[] = [
  {
    isIt: (answer) => /\.cloudflareaccess\.com\//i.test(header(answer, 'location')),
    trouble: (host) => ({
      detail: `A login page of Cloudflare Access stands in front of ${host}. No app gets past it.`,
      fix: `In Cloudflare’s Zero Trust dashboard, under Access, remove the application for ${host}, or give it a policy “Bypass, Everyone”. Porchlight guards its own doors.`,
    }),
  },
  {
    isIt: (answer, body) =>
      header(answer, 'cf-mitigated') !== '' || /<title>(just a moment|attention required)/i.test(body),
    trouble: (host) => ({
      detail: `Cloudflare asks visitors of ${host} to prove that they are people. Apps are none, so they are turned away.`,
      fix: 'In Cloudflare’s dashboard for this domain, turn off “Bot Fight Mode” and “Under Attack”, or add a rule that skips them for this host name.',
    }),
  },
  {
    isIt: (answer, body) =>
      cloudflareError(body) === '1033' || (answer.status === 530 && cloudflareError(body) === undefined),
    trouble: (host) => ({
      detail: `Cloudflare knows ${host}, but no tunnel is connected to it.`,
      fix: 'See that the tunnel is on here, and that its token belongs to the tunnel that this host name leads to.',
    }),
  },
  {
    isIt: (answer, body) =>
      /^10(01|16)$/.test(cloudflareError(body) ?? '') || [521, 522, 523, 525, 526].includes(answer.status),
    trouble: (host) => ({
      detail: `Cloudflare answers for ${host}, but its DNS record leads to a place where nobody is.`,
      fix: `In Cloudflare’s dashboard, delete the old A, AAAA or CNAME record of ${host}, then add ${host} as a public host name of your tunnel. That makes the right record.`,
    }),
  },
  {
    isIt: (_answer, body) => /^10(06|09|10|12|15|20)$/.test(cloudflareError(body) ?? ''),
    trouble: (host) => ({
      detail: `A firewall rule of Cloudflare turned the request to ${host} away.`,
      fix: 'In Cloudflare’s dashboard, under Security, see which rule it was, and let requests to this host name pass.',
    }),
  },
  {
    isIt: ({ status }) => [502, 503, 504, 530].includes(status),
    trouble: (host, { status }) => ({
      detail: `${host} is reached, but from there the way on to Porchlight is broken (status ${status}).`,
      fix: 'See that the tunnel or the reverse proxy leads to this computer, to the port that the settings show, with http and not https.',
    }),
  },
  {
    isIt: isRedirect,
    trouble: (host, answer) => ({
      detail: `${host} sends visitors on to ${placeIn(header(answer, 'location'))}.`,
      fix: 'If that is the right address, enter it as your public address. Otherwise remove the redirect. If it is a login page of the network that you are in, log in there first.',
    }),
  },
  {
    isIt: ({ status }) => status === 401 || status === 511,
    trouble: (host) => ({
      detail: `Something in front of ${host} asks for a password.`,
      fix: 'Take the password off the reverse proxy for this host name, or log in to the network that you are in. Porchlight guards its own doors.',
    }),
  },
  {
    isIt: ({ status, headers }, body) =>
      status === 404 && /json/.test(headers.get('content-type') ?? '') && /"error":"not_found"/.test(body),
    trouble: (host) => ({
      detail: `Another Porchlight answers at ${host}, not this one.`,
      fix: 'Perhaps the tunnel still runs on another computer, or there on another port. Turn it off there, or give this Porchlight an address of its own.',
    }),
  },
  {
    isIt: ({ status }) => status === 403,
    trouble: (host) => ({
      detail: `Something in front of ${host} forbids the request (status 403).`,
      fix: 'Look for a firewall, a login page or a rule against bots in front of this address, and let everything through to Porchlight.',
    }),
  },
];

/** Who it is that answers at the public address instead of this server, in words for the owner. */
export function strangerAt(base: string, answer: Stranger): Trouble {
  const { host } = new URL(base);
  const body = answer.text().slice(0, 20_000);
  const sort = sorts.find(({ isIt }) => isIt(answer, body));
  if (sort) return sort.trouble(host, answer, body);
  const title = /<title[^>]*>\s*([^<]{1,80})/i.exec(body)?.[1]?.trim();
  const shown = title === undefined ? '' : ` It shows “${title}”.`;
  return {
    detail: `At ${host} somebody else answers (status ${answer.status}).${shown}`,
    fix: `If ${host} is yours, let its DNS record lead to your tunnel or your reverse proxy, and that to this computer. If it is not, enter another host name.`,
  };
}

/** The place that a redirect leads to, without what may stand behind it: tokens, mostly. */
function placeIn(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : 'another page';
}
