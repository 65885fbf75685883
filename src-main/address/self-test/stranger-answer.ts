import type { FetchedResponse } from '../../platform/guarded-fetch.ts';

/** A problem with the public address (`detail`), and what to do about it (`fix`). */
export interface AddressTrouble {
  readonly detail: string;
  readonly fix: string;
}

/** Describes the other server that responds at the public address, and what the owner can do about it. */
export function strangerAt(
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
