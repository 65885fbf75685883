import { Type } from 'typebox';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

/** What a running cloudflared reports about itself. */
interface Readiness {
  /** The number of open connections to Cloudflare's edge. */
  readonly connections: number;
  /** Its connector id, which is new at every start, so no other process has it. Null if it reports none. */
  readonly connector: string | null;
}

export type TunnelMetrics = ReturnType<typeof createTunnelMetrics>;

const Ready = Type.Object({
  readyConnections: Type.Integer({ minimum: 0, maximum: 1000 }),
  connectorId: Type.Optional(Type.String({ maxLength: 100 })),
});

const limits = { maxRedirects: 0, maxBytes: 10_000, timeoutMs: 3_000 };

/**
 * Returns functions that read cloudflared's /ready endpoint. It responds with 200, or with 503 if there is no connection. The JSON is the
 * same.
 */
export function createTunnelMetrics() {
  // This fetch may reach loopback and nothing else. Its URLs are built here.
  const fetch = createGuardedFetch({
    allowPrivate: false,
    userAgent: 'Porchlight',
    isPublic: (address) => address === '127.0.0.1',
  });
  return {
    /** Asks the cloudflared at a loopback port. Returns null unless one responds. Never rejects. */
    async ask(port: number): Promise<Readiness | null> {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/ready`, limits);
        const told = jsonIn(answer.text());
        if (!isValid(Ready, told)) return null;
        return { connections: told.readyConnections, connector: told.connectorId ?? null };
      } catch {
        return null;
      }
    },
    close: () => fetch.close(),
  };
}
