import type { TunnelReason } from '../contract/tunnel.ts';

/** An event that a line of cloudflared's log reports. */
export type Sign =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'connected'; readonly connection: number }
  | { readonly kind: 'disconnected'; readonly connection: number }
  /** The loopback port of cloudflared's metrics server. */
  | { readonly kind: 'metrics'; readonly port: number }
  | TunnelTrouble;

/** Why the tunnel does not work, in plain words. `final`: a retry without changes cannot succeed. */
export interface TunnelTrouble {
  readonly kind: 'trouble';
  readonly reason: TunnelReason;
  readonly words: string;
  readonly final: boolean;
}

// The start of a log line such as "2026-11-21T10:00:00Z INF message". The time may have fractions and an offset. Some
// lines have no time or level.
const frame = /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) )?(?:(?:DBG|INF|WRN|ERR|FTL) )?/;

// The line of the startup banner that contains only the tunnel's URL, between vertical bars. api.trycloudflare.com is
// excluded, because it appears in error messages and is not a tunnel.
const quickAddress = /^\|\s+(https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com)\s+\|$/;

const metrics = /^Starting metrics server on 127\.0\.0\.1:(\d{1,5})\/metrics$/;

// Matches only log lines about the tunnel's own connections. A connIndex alone isn't enough, because log lines about
// visitors' failed requests contain one too.
const disconnected =
  /^(?:Unregistered tunnel connection|Connection terminated|Serve tunnel error|Retrying connection in up to|Lost connection with the edge)/i;

const troubles: readonly (readonly [RegExp, TunnelReason, string, boolean])[] = [
  [
    /^Provided Tunnel token is not valid/i,
    'bad_token',
    'Cloudflare cannot read the tunnel token. Copy it again from the Cloudflare dashboard.',
    true,
  ],
  [
    /^(?:Register tunnel error|Failed to serve|Serve tunnel error).*Unauthorized: (?:Invalid tunnel secret|Tunnel not found|Failed to get tunnel|Record for tunnel not found)/i,
    'bad_token',
    'Cloudflare no longer knows this tunnel. Copy a new token from the Cloudflare dashboard.',
    true,
  ],
  [
    /^(?:Error unmarshaling|failed to (?:request|unmarshal)).*\bquick ?Tunnel\b.*(?:\b429\b|\b1015\b|Too Many Requests)/i,
    'rate_limited',
    'Cloudflare gives out no more trial addresses for the moment.',
    false,
  ],
  [
    /^failed to request quick Tunnel.*(?:no such host|dial tcp|network is unreachable|timeout)/i,
    'no_network',
    'Cloudflare cannot be reached from here.',
    false,
  ],
  [
    /^failed to (?:request|unmarshal) quick Tunnel/i,
    'crashed',
    'Cloudflare did not give out a trial address.',
    false,
  ],
  [
    /^(?:Unable to establish connection with Cloudflare edge|Failed to dial a quic connection|Failed to initialize DNS|Failed to fetch features|edge discovery).*(?:error=|no such host|i\/o timeout|unreachable)/i,
    'no_network',
    'Cloudflare cannot be reached from here.',
    false,
  ],
];

/**
 * Parses one line of cloudflared's log. Returns undefined if the line says nothing about the tunnel's state. Patterns
 * match only at the beginning of a line, because the remainder may repeat text that a visitor sent.
 */
export function readSign(line: string): Sign | undefined {
  const words = line.replace(frame, '').trim();
  for (const [pattern, reason, plain, final] of troubles) {
    if (pattern.test(words)) return { kind: 'trouble', reason, words: plain, final };
  }
  const connection = Number(/\bconnIndex=(\d+)/.exec(words)?.[1] ?? Number.NaN);
  if (!Number.isNaN(connection)) {
    if (words.startsWith('Registered tunnel connection')) return { kind: 'connected', connection };
    if (disconnected.test(words)) return { kind: 'disconnected', connection };
  }
  const port = Number(metrics.exec(words)?.[1] ?? Number.NaN);
  if (port > 0 && port < 65_536) return { kind: 'metrics', port };
  const url = quickAddress.exec(words)?.[1];
  return url === undefined ? undefined : { kind: 'address', url };
}
