import { isChosenHost } from '../owner/settings.ts';
import type { Settings } from '../contract/settings.ts';
import { createClockWatch, listeningFetch, type ClockWatch } from '../platform/clock-watch.ts';
import type { Clock } from '../platform/clock.ts';
import { createGuardedFetch, userAgentOf, type GuardedFetch } from '../platform/guarded-fetch.ts';
import { createOwnNetworks } from '../platform/own-networks.ts';

export interface FetchingDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  /** If given, responds to all requests in place of other servers. */
  readonly web?: GuardedFetch | undefined;
  readonly settings: () => Settings;
  /** Called when the clock turns out to be wrong, or is right again. */
  readonly changed: () => void;
}

interface OwnPlace {
  /** The public origin. */
  readonly base: () => string;
  /** This computer's public addresses, as far as they are known. */
  readonly ownAddresses: () => readonly string[];
}

/** The part of the service that sends requests to other servers. */
export interface Fetching {
  readonly fetch: GuardedFetch;
  readonly clockWatch: ClockWatch;
  /** Adds what parts that open later know of this computer. */
  connect(own: OwnPlace): void;
  /** Aborts running requests and refuses new ones. */
  close(): Promise<void>;
}

/**
 * Creates the only function that sends requests to other servers. It refuses requests to the owner's own networks, and
 * it shows every response to the clock watch.
 */
export function openFetching({ version, clock, allowPrivate, settings, ...deps }: FetchingDeps): Fetching {
  let own: OwnPlace | undefined;
  const wayOut = deps.web
    ? closable(deps.web)
    : createGuardedFetch({
        allowPrivate,
        userAgent: userAgentOf(version),
        ownNetworks: createOwnNetworks({ learnt: () => own?.ownAddresses() ?? [] }),
        // With a reverse proxy on this computer, the owner's own origins lead to this computer. Requests to them are
        // still allowed, because the self-test and the owner's own links need them.
        isOwnOrigin: (origin) =>
          [own?.base() ?? null, settings().profile.me].some((url) => originOf(url) === origin),
      });
  const clockWatch = createClockWatch({
    now: clock,
    changed: deps.changed,
    isChosen: (host) => isChosenHost(host, settings()),
  });
  return {
    fetch: listeningFetch(wayOut, clockWatch),
    clockWatch,
    connect: (place) => void (own = place),
    close: () => wayOut.close(),
  };
}

function closable(web: GuardedFetch) {
  return Object.assign((...request: Parameters<GuardedFetch>) => web(...request), {
    close: () => Promise.resolve(),
  });
}

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}
