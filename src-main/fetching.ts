import { isChosenHost } from './owner/settings.ts';
import type { Settings } from './contract/settings.ts';
import { createClockWatch, listeningFetch, type ClockWatch } from './platform/clock-watch.ts';
import type { Clock } from './platform/clock.ts';
import { createGuardedFetch, userAgentOf, type GuardedFetch } from './platform/guarded-fetch.ts';
import { createOwnNetworks } from './platform/own-networks.ts';

export interface FetchingDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  /** Stands in for all other servers. */
  readonly web?: GuardedFetch | undefined;
  /** The public origin. */
  readonly base: () => string;
  readonly settings: () => Settings;
  /** This computer's public addresses, as far as they were learnt. */
  readonly ownAddresses: () => readonly string[];
  /** The clock became wrong, or right. */
  readonly changed: () => void;
}

/** The part of the service that asks other servers. */
export interface Fetching {
  readonly fetch: GuardedFetch;
  readonly clockWatch: ClockWatch;
  /** Ends what is under way and refuses what comes after. */
  close(): Promise<void>;
}

/** Wires the one way out: it keeps away from the owner's own networks, and the clock watch hears each answer. */
export function openFetching({ version, clock, allowPrivate, settings, ...deps }: FetchingDeps): Fetching {
  const wayOut = deps.web
    ? closable(deps.web)
    : createGuardedFetch({
        allowPrivate,
        userAgent: userAgentOf(version),
        ownNetworks: createOwnNetworks({ learnt: deps.ownAddresses }),
        // With a reverse proxy on this computer they lead here, and both the self-test and the owner's own links go there.
        isOwnOrigin: (origin) => [deps.base(), settings().profile.me].some((url) => originOf(url) === origin),
      });
  const clockWatch = createClockWatch({
    now: clock,
    changed: deps.changed,
    isChosen: (host) => isChosenHost(host, settings()),
  });
  return { fetch: listeningFetch(wayOut, clockWatch), clockWatch, close: () => wayOut.close() };
}

const closable = (web: GuardedFetch) =>
  Object.assign((...request: Parameters<GuardedFetch>) => web(...request), {
    close: () => Promise.resolve(),
  });

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}
