import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { createGuardedFetch } from './guarded-fetch.ts';

/** What a running cloudflared says of itself. */
export interface Readiness {
  /** Connections to Cloudflare's edge that stand. */
  readonly connections: number;
  /** Its own id, new at every start: no other process has it. Null where it tells none. */
  readonly connector: string | null;
}

/** Asks a running cloudflared how it is. */
export interface TunnelMetrics {
  /** Null where nothing answers there as cloudflared does. Never rejects. `port`: on loopback. */
  ask(port: number): Promise<Readiness | null>;
  close(): Promise<void>;
}

const Ready = Type.Object({
  readyConnections: Type.Integer({ minimum: 0, maximum: 1000 }),
  connectorId: Type.Optional(Type.String({ maxLength: 100 })),
});

const limits = { maxRedirects: 0, maxBytes: 10_000, timeoutMs: 3_000 };

/** The metrics of cloudflared's /ready, which answers 200, or 503 where no connection stands; the same JSON in both. */
export function createTunnelMetrics(): TunnelMetrics {
  // This one may reach loopback, and nothing else; the address it is given is put together here.
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
