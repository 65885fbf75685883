import { Type } from 'typebox';
import type { TunnelReason, TunnelStatus } from '../../contract/reach.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { isValid } from '../../storage/schema-check.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TunnelRequest } from './cloudflared.ts';
import { createGuardedFetch } from '../../platform/guarded-fetch.ts';
import { plainLine } from '../../platform/plain-line.ts';

/** The reason why the tunnel doesn't work: a code, and a message for the owner. */
export interface Why {
  readonly reason: TunnelReason | null;
  readonly words: string;
  /** What cloudflared itself printed about it, as one line. */
  readonly message?: string | undefined;
}

export type TunnelState = ReturnType<typeof createTunnelState>;

const off: TunnelStatus = {
  mode: 'off',
  state: 'off',
  words: 'Off',
  url: null,
  connections: 0,
  reason: null,
  progress: null,
};

/**
 * Derives the tunnel's status from cloudflared's events. Calls `onChange` with the new status whenever it has changed.
 */
export function createTunnelState(onChange: (status: TunnelStatus) => void) {
  let current = off;
  let url: string | null = null;
  let wasUp = false;
  const connections = new Set<number>();

  function change(
    state: TunnelStatus['state'],
    words: string,
    {
      message,
      ...more
    }: Partial<Pick<TunnelStatus, 'mode' | 'reason' | 'progress'>> & Pick<Why, 'message'> = {},
  ): void {
    const { mode } = current;
    const next = {
      ...off,
      mode,
      state,
      words,
      url,
      connections: connections.size,
      ...more,
      ...(message !== undefined && { message }),
    };
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    onChange(next);
  }

  function forgetRun(): void {
    connections.clear();
    if (current.mode === 'quick') url = null;
  }

  function countChanged(): void {
    if (isUp()) {
      wasUp = true;
      change('connected', connectedWords(current.mode, url));
    } else if (wasUp && current.state === 'connected')
      change('reconnecting', 'The connection to Cloudflare was lost. Reconnecting');
  }

  function isUp(): boolean {
    return connections.size > 0 && (current.mode === 'named' || url !== null);
  }

  return {
    status: () => current,
    /** Returns whether the public address leads here. */
    isUp,
    begin({ mode, hostname = '' }: TunnelRequest): void {
      connections.clear();
      wasUp = false;
      url = mode === 'named' && hostname !== '' ? `https://${hostname}` : null;
      change('starting', startingWords(mode), { mode });
    },
    /** Records the progress of the download, in bytes. */
    downloading(received: number, total: number | null): void {
      change('downloading', 'Downloading cloudflared, the program that runs the tunnel.', {
        progress: { received, total },
      });
    },
    /** Records that cloudflared is running but hasn't reported anything yet. */
    running(): void {
      if (current.state === 'downloading') change('starting', startingWords(current.mode));
    },
    /** Applies an event from cloudflared's log. */
    take(sign: Sign): void {
      if (sign.kind === 'trouble') {
        const { reason, words, message } = sign;
        if (!isUp()) change('reconnecting', `${words} Trying again.`, { reason, message });
        return;
      }
      if (sign.kind === 'address') {
        // The owner enters the URL of a named tunnel. The URL of a quick tunnel appears in the log once per run.
        if (current.mode === 'quick') url ??= sign.url;
      } else if (sign.kind === 'connected') connections.add(sign.connection);
      else if (sign.kind === 'disconnected') connections.delete(sign.connection);
      countChanged();
    },
    /** Applies the connection count from the metrics, which overrides the count from the log. */
    count(counted: number): void {
      if (counted === connections.size) return;
      connections.clear();
      // The metrics don't say which connections are open, so the numbers in `connections` are now guesses. If the log
      // then reports a lost connection, `connections` may be wrong until the next call to `count`.
      for (let connection = 0; connection < counted; connection += 1) connections.add(connection);
      countChanged();
    },
    /** Records that cloudflared is being restarted because the tunnel stopped working. */
    anew(): void {
      forgetRun();
      change('reconnecting', 'Connecting again');
    },
    /** Records that cloudflared ended, and that it will be restarted after some seconds. */
    ended({ reason, words, message }: Why, seconds: number): void {
      forgetRun();
      change('reconnecting', `${words} Trying again in ${seconds} s.`, { reason, message });
    },
    /** Records a failure that lasts until the owner acts. */
    fail({ reason, words, message }: Why): void {
      forgetRun();
      change('failed', words, { reason, message });
    },
    off(): void {
      connections.clear();
      url = null;
      change('off', off.words, { mode: 'off' });
    },
  };
}

function startingWords(mode: TunnelStatus['mode']): string {
  return mode === 'quick' ? 'Asking Cloudflare for a trial address' : 'Starting';
}

function connectedWords(mode: TunnelStatus['mode'], url: string | null): string {
  if (mode === 'quick') return `Connected at ${url ?? ''}. This address changes at every start.`;
  if (url !== null) return `Connected at ${url}`;
  return 'Connected. Enter the tunnel’s host name in the settings, so that Porchlight knows its address.';
}

/** An event that a line of cloudflared's log reports. */
type Sign =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'connected'; readonly connection: number }
  | { readonly kind: 'disconnected'; readonly connection: number }
  /** The loopback port of cloudflared's metrics server. */
  | { readonly kind: 'metrics'; readonly port: number }
  | TunnelTrouble;

/**
 * Why the tunnel does not work, in plain words. `final`: a retry without changes cannot succeed. `isRetried`: cloudflared
 * tries again all the same, so it has to be ended.
 */
export interface TunnelTrouble extends Why {
  readonly kind: 'trouble';
  readonly reason: TunnelReason;
  readonly message: string;
  readonly final: boolean;
  readonly isRetried: boolean;
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

// The beginnings of log lines about the way to Cloudflare. None of them repeats text that a visitor sent.
const onTheWay =
  'failed to request quick Tunnel|Unable to establish connection with Cloudflare edge|Failed to dial a quic connection|Failed to initialize DNS|Failed to fetch features|edge discovery';

/** How final a trouble is: see TunnelTrouble. */
type Weight = 'passing' | 'final' | 'final but retried';

const troubles: readonly (readonly [RegExp, TunnelReason, string, Weight])[] = [
  [
    /^Provided Tunnel token is not valid/i,
    'bad_token',
    'Cloudflare cannot read the tunnel token. Copy it again from the Cloudflare dashboard.',
    'final',
  ],
  [
    // Cloudflare's answer comes right after the message. Further on, and in "failed to serve incoming request", a line
    // may repeat what a visitor sent.
    /^(?:Register tunnel error|Failed to serve (?!incoming)|Serve tunnel error)[a-z ]*\berror="Unauthorized: /i,
    'bad_token',
    'Cloudflare no longer knows this tunnel. Copy a new token from the Cloudflare dashboard.',
    'final but retried',
  ],
  [
    new RegExp(`^(?:(?:${onTheWay}).*)?\\bx509: certificate has expired or is not yet valid`, 'i'),
    'wrong_clock',
    'By this computer’s clock, Cloudflare’s certificate isn’t valid now.',
    'passing',
  ],
  [
    new RegExp(`^(?:(?:${onTheWay}).*)?\\bx509: `, 'i'),
    'intercepted',
    'Something between this computer and Cloudflare intercepts the connection.',
    'passing',
  ],
  [
    /^(?:Error unmarshaling|failed to (?:request|unmarshal)).*\bquick ?Tunnel\b.*(?:\b429\b|\b1015\b|Too Many Requests)/i,
    'rate_limited',
    'Cloudflare gives out no more trial addresses for the moment.',
    'passing',
  ],
  [
    /^failed to request quick Tunnel.*(?:no such host|dial tcp|network is unreachable|timeout)/i,
    'no_network',
    'Cloudflare cannot be reached from here.',
    'passing',
  ],
  [
    /^failed to (?:request|unmarshal) quick Tunnel/i,
    'crashed',
    'Cloudflare did not give out a trial address.',
    'passing',
  ],
  [
    new RegExp(`^(?:${onTheWay}).*(?:error=|no such host|i/o timeout|unreachable)`, 'i'),
    'no_network',
    'Cloudflare cannot be reached from here.',
    'passing',
  ],
];

/** The maximum length of cloudflared's own message in the status. */
const longestMessage = 400;

// The beginnings of log lines about a visitor's request. They may repeat what the visitor sent.
const aboutVisitors = /^(?:Request failed|failed to serve incoming request|Failed to handle QUIC stream)/i;

/**
 * Returns the last error in cloudflared's log, for the owner to read. `before`: the one before this line. Lines without a
 * level come from a program that ends at once. The first of them says why, and its usage may follow.
 */
export function errorMessageIn(line: string, before: string | undefined): string | undefined {
  const [start = ''] = frame.exec(line) ?? [];
  const words = line.slice(start.length).trim();
  const isError = start === '' ? before === undefined : /(?:ERR|FTL) $/.test(start);
  return isError && words !== '' && !aboutVisitors.test(words) ? shortMessage(words) : before;
}

/** Returns text of cloudflared as one short line that is safe to show. */
const shortMessage = (words: string): string => plainLine(words).slice(0, longestMessage);

/**
 * Parses one line of cloudflared's log. Returns undefined if the line says nothing about the tunnel's state. Patterns
 * match only at the beginning of a line, because the remainder may repeat text that a visitor sent.
 */
export function readSign(line: string): Sign | undefined {
  const words = line.replace(frame, '').trim();
  for (const [pattern, reason, plain, weight] of troubles) {
    if (!pattern.test(words)) continue;
    const [final, isRetried] = [weight !== 'passing', weight === 'final but retried'];
    return { kind: 'trouble', reason, words: plain, message: shortMessage(words), final, isRetried };
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

const metricsLimits = { maxRedirects: 0, maxBytes: 10_000, timeoutMs: 3_000 };

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
        const answer = await fetch(`http://127.0.0.1:${port}/ready`, metricsLimits);
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

/**
 * How long, in ms, cloudflared may be silent or its public address may be unreachable before Porchlight restarts
 * cloudflared.
 */
const deadlineMs = 60_000;

/** Detects whether a running cloudflared hangs. `now`: a monotonic clock, in ms. */
export function createTunnelDeadlines(now: Clock) {
  const startedAt = now();
  let hasSpoken = false;
  let metricsFailAt: number | null = null;
  let publicFailAt: number | null = null;
  let publicGoodAt: number | null = null;

  const isOver = (since: number | null) => since !== null && now() - since >= deadlineMs;
  const hangs = (words: string): Why => ({ reason: 'not_responding', words });

  return {
    /** Records that cloudflared connected, or that it reported why it can't connect. */
    spoke: () => void (hasSpoken = true),
    /** Records whether cloudflared's metrics server responded. */
    metrics(answered: boolean): void {
      metricsFailAt = answered ? null : (metricsFailAt ?? now());
    },
    /** Records whether other servers could reach this server through the public address. */
    publicAddress(answered: boolean): void {
      if (answered) publicGoodAt = now();
      // If the public address has never led to this server, the address may be misconfigured. A restart wouldn't fix
      // that.
      else if (publicGoodAt === null) return;
      publicFailAt = answered ? null : (publicFailAt ?? now());
    },
    /**
     * Returns whether to check the public address now. Returns true if the last successful check was at least a minute
     * ago, if the last check failed, or if no check has succeeded yet.
     */
    isPublicAddressDue: () => publicFailAt !== null || publicGoodAt === null || isOver(publicGoodAt),
    /** Returns why cloudflared has to be restarted; null if it has met its deadlines. */
    overdue(): Why | null {
      if (!hasSpoken && isOver(startedAt))
        return hangs('cloudflared was started but didn’t connect within 60 seconds.');
      if (isOver(metricsFailAt)) return hangs('cloudflared hasn’t responded for 60 seconds.');
      if (isOver(publicFailAt)) return hangs('The public address hasn’t led here for 60 seconds.');
      return null;
    },
  };
}
