import { Type } from 'typebox';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

/** The readiness that a running cloudflared reports. */
interface Readiness {
  /** The number of open connections to Cloudflare's edge. */
  readonly connections: number;
  /**
   * The connector id; null if cloudflared reports none. cloudflared creates a new id at every start, so no other
   * process has the same id.
   */
  readonly connector: string | null;
}

export type TunnelMetrics = ReturnType<typeof createTunnelMetrics>;

const Ready = Type.Object({
  readyConnections: Type.Integer({ minimum: 0, maximum: 1000 }),
  connectorId: Type.Optional(Type.String({ maxLength: 100 })),
});

const limits = { maxRedirects: 0, maxBytes: 10_000, timeoutMs: 3_000 };

/**
 * Returns functions that read cloudflared's /ready endpoint. The endpoint responds with 200, or with 503 if there is no
 * connection. The JSON has the same format in either case.
 */
export function createTunnelMetrics() {
  // This fetch can reach only 127.0.0.1, and only this module chooses its URLs.
  const fetch = createGuardedFetch({
    allowPrivate: false,
    userAgent: 'Porchlight',
    isPublic: (address) => address === '127.0.0.1',
  });
  return {
    /**
     * Requests the readiness of cloudflared from its metrics server. `port`: the loopback port of that server. Returns
     * null if cloudflared doesn't respond. Never rejects.
     */
    async ask(port: number): Promise<Readiness | null> {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/ready`, limits);
        const ready = jsonIn(answer.text());
        if (!isValid(Ready, ready)) return null;
        return { connections: ready.readyConnections, connector: ready.connectorId ?? null };
      } catch {
        return null;
      }
    },
    close: () => fetch.close(),
  };
}
