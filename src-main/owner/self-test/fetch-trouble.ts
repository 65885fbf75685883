import type { FetchError } from '../../platform/guarded-fetch.ts';
import type { Trouble } from './stranger-answer.ts';

/** Why the public address gave no answer, in words for the owner. */
export function fetchTrouble(base: string, error: FetchError): Trouble {
  const { host, hostname } = new URL(base);
  const code = causeOf(error);
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return {
      detail: `The name ${hostname} can not be found: it has no DNS record, or this computer has no network.`,
      fix: `See that you are online. Then add ${hostname} as a public host name of your tunnel, or a DNS record for it. A new name may take some minutes to be known.`,
    };
  if (/^(CERT_NOT_YET_VALID|CERT_HAS_EXPIRED)$/.test(code))
    return {
      detail: `The certificate of ${host} is not valid today, as this computer’s clock has it.`,
      fix: 'See that this computer’s clock is right, the year included. If it is, renew the certificate.',
    };
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code))
    return {
      detail: `${host} has no certificate that programs trust, so no app talks to it.`,
      fix: 'Give your reverse proxy a certificate for this name (Let’s Encrypt has free ones). Cloudflare has one for names one level below your domain, such as porch.example.com.',
    };
  if (error.code === 'fetch_refused_address')
    return {
      detail: `From here, ${hostname} leads to an address inside your own network. The test can not see what the world sees.`,
      fix: `If your router or your own DNS does this on purpose, test from elsewhere. Otherwise correct the DNS record of ${hostname}.`,
    };
  if (error.code === 'fetch_too_large')
    return {
      detail: `At ${host} somebody else answers, with far more than was asked for.`,
      fix: `Let the DNS record of ${hostname} lead to your tunnel or your reverse proxy, and that to this computer.`,
    };
  if (error.code === 'fetch_timeout')
    return {
      detail: `${host} does not answer in time.`,
      fix: 'See that you are online, that the tunnel or the reverse proxy runs, and that no firewall is in the way.',
    };
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return {
      detail: `Nobody takes connections at ${host}.`,
      fix: 'See that the reverse proxy or the tunnel runs, and that its port is open.',
    };
  return {
    detail: `${host} broke off without an answer.`,
    fix: 'See that the tunnel or the reverse proxy runs and leads to this computer, then check again.',
  };
}

/** The system's own name for what went wrong, as far down as it stands. */
function causeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = innerOf(at), depth += 1) {
    if ('code' in at && typeof at.code === 'string' && !at.code.startsWith('fetch_')) return at.code;
  }
  return '';
}

/** Where several addresses were tried, the first failure stands for all. */
function innerOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
}
