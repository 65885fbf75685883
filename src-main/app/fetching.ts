import { isChosenHost } from './settings.ts';
import type { Settings } from '../contract/settings.ts';
import { createClockWatch, listeningFetch, watchConnection } from '../platform/fetch-watch.ts';
import { createGuardedFetch, userAgentOf, type GuardedFetch } from '../platform/guarded-fetch.ts';
import { createOwnNetworks } from '../platform/guarded-connector.ts';
import type { Common } from '../http/common.ts';

interface FetchingDeps extends Pick<Common, 'version' | 'clock' | 'allowPrivate' | 'changed'> {
  /** If given, responds to all requests in place of other servers. */
  readonly web?: GuardedFetch | undefined;
  readonly settings: () => Settings;
}

export interface OwnPlace extends Pick<Common, 'base'> {
  /** Returns the public IP addresses of this computer that were found so far. */
  readonly ownAddresses: () => readonly string[];
}

/** Returns an address if others can reach it. */
const publicAddress = (base: string | undefined): string | undefined =>
  base?.startsWith('https:') === true ? `${base}/` : undefined;

/**
 * Creates the only function that sends requests to other servers. The function refuses requests to the owner's own
 * networks. It passes every response to the clock watch, which checks this computer's clock.
 */
export function openFetching({ version, clock, allowPrivate, web, settings, changed }: FetchingDeps) {
  let own: OwnPlace | undefined;
  const wayOut = web
    ? Object.assign(web.bind(undefined), { close: () => Promise.resolve() })
    : createGuardedFetch({
        allowPrivate,
        userAgent: userAgentOf(version),
        named: () => publicAddress(own?.base()),
        ownNetworks: createOwnNetworks({ learnt: () => own?.ownAddresses() ?? [] }),
        isOwnOrigin: (origin) => isOwnersOrigin(origin, own?.base() ?? null, settings()),
      });
  const clockWatch = createClockWatch({
    now: clock,
    changed,
    isChosen: (host) => isChosenHost(host, settings()),
  });
  const connection = watchConnection(listeningFetch(wayOut, clockWatch));
  return {
    fetch: connection.fetch,
    clockWatch,
    /** Returns false while this computer seems to be offline. */
    online: connection.online,
    /** Records that another server has reached this one. */
    reached: connection.reached,
    /** Connects the part that knows this computer's addresses. That part opens later than this one. */
    connect: (place: OwnPlace) => void (own = place),
    /** Aborts running requests and refuses new ones. */
    close: () => wayOut.close(),
  };
}

/**
 * Returns whether an origin belongs to the owner. Requests to these origins are allowed, even if a reverse proxy on
 * this computer serves them. They are needed for the self-test, for the owner's own links, and for checking that
 * published posts are live.
 */
export function isOwnersOrigin(
  origin: string,
  base: string | null,
  { profile, siteFolder }: Pick<Settings, 'profile' | 'siteFolder'>,
): boolean {
  const folderSite = siteFolder.on ? siteFolder.baseUrl : null;
  return [base, profile.me, folderSite].some((url) => originOf(url) === origin);
}

function originOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}
