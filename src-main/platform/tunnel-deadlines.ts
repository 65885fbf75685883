import type { Clock } from './clock.ts';
import type { Why } from './tunnel-state.ts';

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
