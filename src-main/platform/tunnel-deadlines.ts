import type { Clock } from './clock.ts';
import type { Why } from './tunnel-state.ts';

/** How long cloudflared may be silent, and its tunnel may lead nowhere, before it is started again. In ms. */
const deadlineMs = 60_000;

/** Watches one run of cloudflared for signs that it hangs. */
export interface TunnelDeadlines {
  /** Notes that cloudflared connected, or said why it can't. */
  spoke(): void;
  /** Notes whether its metrics answered. */
  metrics(answered: boolean): void;
  /** Notes whether this server answered through the public address. */
  publicAddress(answered: boolean): void;
  /** Whether to ask through the public address now: once a minute, and at each look after a failure. */
  isPublicAddressDue(): boolean;
  /** Returns why cloudflared has to be started again; null while it is within its deadlines. */
  overdue(): Why | null;
}

/** Starts to count. `now`: a clock that nobody sets, in ms. */
export function createTunnelDeadlines(now: Clock): TunnelDeadlines {
  const startedAt = now();
  let hasSpoken = false;
  let metricsFailAt: number | null = null;
  let publicFailAt: number | null = null;
  let publicGoodAt: number | null = null;

  const isOver = (since: number | null) => since !== null && now() - since >= deadlineMs;
  const hangs = (words: string): Why => ({ reason: 'not_responding', words });

  return {
    spoke: () => void (hasSpoken = true),
    metrics(answered) {
      metricsFailAt = answered ? null : (metricsFailAt ?? now());
    },
    publicAddress(answered) {
      if (answered) publicGoodAt = now();
      // An address that never led here may be set up wrong, and a new start doesn't change that.
      else if (publicGoodAt === null) return;
      publicFailAt = answered ? null : (publicFailAt ?? now());
    },
    isPublicAddressDue: () => publicFailAt !== null || publicGoodAt === null || isOver(publicGoodAt),
    overdue() {
      if (!hasSpoken && isOver(startedAt))
        return hangs('cloudflared was started but didn’t connect within 60 seconds.');
      if (isOver(metricsFailAt)) return hangs('cloudflared hasn’t responded for 60 seconds.');
      if (isOver(publicFailAt)) return hangs('The public address hasn’t led here for 60 seconds.');
      return null;
    },
  };
}
