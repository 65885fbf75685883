import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { createGuardedFetch } from './guarded-fetch.ts';

/** What a running cloudflared reports about itself. */
export interface Readiness {
  /** The number of open connections to Cloudflare's edge. */
  readonly connections: number;
  /** Its connector id, which is new at every start, so no other process has it. Null if it reports none. */
  readonly connector: string | null;
}

/** Reads the metrics of a running cloudflared. */
export interface TunnelMetrics {
  /**
   * Asks for the metrics at a loopback port. Returns null unless a cloudflared responds at that port. Never rejects.
   */
  ask(port: number): Promise<Readiness | null>;
  close(): Promise<void>;
}

const Ready = Type.Object({
  readyConnections: Type.Integer({ minimum: 0, maximum: 1000 }),
  connectorId: Type.Optional(Type.String({ maxLength: 100 })),
});

const limits = { maxRedirects: 0, maxBytes: 10_000, timeoutMs: 3_000 };

/**
 * Reads cloudflared's /ready endpoint. It responds with 200, or with 503 if there is no connection. The JSON is the
 * same.
 */
export function createTunnelMetrics(): TunnelMetrics {
  // This fetch may reach loopback and nothing else. Its URLs are built here.
  const fetch = createGuardedFetch({
    allowPrivate: false,
    userAgent: 'Porchlight',
    isPublic: (address) => address === '127.0.0.1',
  });
  return {
    async ask(port) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/ready`, limits);
        const told: unknown = JSON.parse(answer.text());
        if (!Check(Ready, told)) return null;
        return { connections: told.readyConnections, connector: told.connectorId ?? null };
      } catch {
        return null;
      }
    },
    close: () => fetch.close(),
  };
}
