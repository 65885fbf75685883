import { PorchlightError } from '../../contract/error.ts';
import type { FetchError } from '../../platform/guarded-fetch.ts';
import type { AddressTrouble } from './stranger-answer.ts';

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
