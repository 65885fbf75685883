/** What a line of cloudflared's log tells about the tunnel. */
export type Sign =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'connected'; readonly connection: number }
  | { readonly kind: 'disconnected'; readonly connection: number }
  | Trouble;

/** Why it does not work, in plain words. `final`: trying again the same way cannot help. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly words: string;
  readonly final: boolean;
}

// api.trycloudflare.com stands in error messages; it is nobody's tunnel.
const quickAddress = /https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com\b/;

// Only these lines are about the connection itself: a failed request of a visitor names its connIndex too.
const disconnected =
  /Unregistered tunnel connection|Connection terminated|Serve tunnel error|Retrying connection in up to|Lost connection with the edge/i;

const troubles: readonly (readonly [RegExp, string, boolean])[] = [
  [
    /Provided Tunnel token is not valid/i,
    'Cloudflare cannot read the tunnel token. Copy it again from the Cloudflare dashboard.',
    true,
  ],
  [
    /Unauthorized: (?:Invalid tunnel secret|Tunnel not found|Failed to get tunnel)/i,
    'Cloudflare does not know this tunnel any more. Copy a new token from the Cloudflare dashboard.',
    true,
  ],
  [
    /\bquick ?Tunnel\b.*(?:\b429\b|\b1015\b|Too Many Requests)/i,
    'Cloudflare gives out no more trial addresses for the moment.',
    false,
  ],
  [/failed to (?:request|unmarshal) quick Tunnel/i, 'Cloudflare did not give out a trial address.', false],
  [
    /Unable to establish connection with Cloudflare edge|no such host|network is unreachable/i,
    'Cloudflare cannot be reached from here.',
    false,
  ],
];

/** Reads one line of cloudflared's log; undefined where it tells nothing about the tunnel's state. */
export function readSign(line: string): Sign | undefined {
  const connection = Number(/\bconnIndex=(\d+)/.exec(line)?.[1] ?? Number.NaN);
  if (!Number.isNaN(connection)) {
    if (line.includes('Registered tunnel connection')) return { kind: 'connected', connection };
    if (disconnected.test(line)) return { kind: 'disconnected', connection };
  }
  for (const [pattern, words, final] of troubles) {
    if (pattern.test(line)) return { kind: 'trouble', words, final };
  }
  const url = quickAddress.exec(line)?.[0];
  return url === undefined ? undefined : { kind: 'address', url };
}
