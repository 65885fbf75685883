import { randomUUID } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Clock } from '../platform/clock.ts';
import { secretHash, newSecretText } from '../platform/secret-text.ts';
import type { GrantDocument } from './grant-document.ts';
import { isGrantLive, isSignedIn, type Grant, type GrantList } from './grant.ts';
import { sameUrl } from './web-address.ts';

export interface NewGrant {
  readonly kind: Grant['kind'];
  readonly me: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly clientLogo: string | null;
  /** The browser and system of the sign-in; null if unknown. */
  readonly device: string | null;
  readonly scopes: readonly string[];
  /** Seconds until the permission ends; undefined if it has no end. */
  readonly expiresIn: number | undefined;
}

export type Grants = ReturnType<typeof createGrants>;

const spentKept = 100;
const deadKeptMs = 90 * 86_400_000;
const invalid = (message: string) => new PorchlightError('invalid_grant', message);

/**
 * Creates the store of grants. Refresh tokens are stored only as hashes. `refreshSeconds`: returns the current lifetime
 * of refresh tokens, in seconds.
 */
export function createGrants(
  document: GrantDocument,
  { clock, refreshSeconds }: { clock: Clock; refreshSeconds: () => number },
) {
  const used = new Map<string, number>();

  function refreshEnd(endsAt: number | null): number {
    return Math.min(clock() + refreshSeconds() * 1000, endsAt ?? Infinity);
  }

  function change<R>(edit: (data: GrantList) => R): Promise<R> {
    return document.update((data) => {
      for (const grant of data.grants) grant.lastUsedAt = used.get(grant.id) ?? grant.lastUsedAt;
      data.grants = data.grants.filter((grant) => isRemembered(grant, clock()));
      return edit(data);
    });
  }

  function find(id: string): Grant | undefined {
    return document.data.grants.find((grant) => grant.id === id);
  }

  /** Revokes a grant and all its tokens immediately. Returns false if the grant is unknown or already revoked. */
  async function revoke(id: string): Promise<boolean> {
    const before = find(id);
    if (!before || before.revokedAt !== null) return false;
    // Add the grant to the list of ended grants first, so that it stays ended even if an older version of grants.json
    // is recovered.
    await document.end(id);
    await change((data) => {
      const grant = data.grants.find((one) => one.id === id);
      if (grant) grant.revokedAt ??= clock();
    });
    return true;
  }

  return {
    /**
     * Creates a grant. Resolves once the grant is on disk. Returns a `refreshToken` for an app, but none for a manually
     * issued token.
     */
    async create({
      expiresIn,
      scopes,
      device,
      ...rest
    }: NewGrant): Promise<{ grant: Grant; refreshToken?: string }> {
      const endsAt = expiresIn === undefined ? null : clock() + expiresIn * 1000;
      const refreshToken = rest.kind === 'app' ? newSecretText() : undefined;
      const grant: Grant = {
        ...rest,
        id: randomUUID(),
        ...(device !== null && { device }),
        scopes: [...scopes],
        createdAt: clock(),
        lastUsedAt: null,
        endsAt,
        revokedAt: null,
        refresh:
          refreshToken === undefined
            ? null
            : { hash: secretHash(refreshToken), spent: [], expiresAt: refreshEnd(endsAt) },
      };
      await change((data) => data.grants.push(grant));
      return refreshToken === undefined ? { grant } : { grant, refreshToken };
    },

    /**
     * Exchanges a refresh token for a new refresh token (RFC 9700, 4.14).
     * @throws PorchlightError invalid_grant
     */
    async rotate(refreshToken: string, clientId: string): Promise<{ grant: Grant; refreshToken: string }> {
      const hash = secretHash(refreshToken);
      const owner = document.data.grants.find(
        (one) => one.refresh?.hash === hash || one.refresh?.spent.includes(hash),
      );
      if (!owner) throw invalid('The refresh token is unknown.');
      if (!sameUrl(owner.clientId, clientId))
        throw invalid('The refresh token was issued to another client.');
      const next = newSecretText();
      const grant = await change((data) => {
        // Check the token again here, where no other change can run, so that only one of two concurrent uses succeeds.
        const current = data.grants.find((one) => one.id === owner.id);
        if (!current?.refresh || !isGrantLive(current, clock()) || clock() >= current.refresh.expiresAt)
          return null;
        if (current.refresh.hash !== hash) {
          current.revokedAt = clock();
          return 'stolen';
        }
        current.refresh = {
          hash: secretHash(next),
          spent: [hash, ...current.refresh.spent].slice(0, spentKept),
          expiresAt: refreshEnd(current.endsAt),
        };
        return structuredClone(current);
      });
      if (grant === 'stolen') await document.end(owner.id);
      if (grant === null || grant === 'stolen')
        throw invalid('The refresh token was already used, was revoked, or has expired.');
      return { grant, refreshToken: next };
    },

    get: find,

    /** Returns the grant that a refresh token belongs to; undefined if the token is no longer valid. */
    byRefreshToken(refreshToken: string): Grant | undefined {
      const hash = secretHash(refreshToken);
      const grant = document.data.grants.find((one) => one.refresh?.hash === hash);
      return grant && isSignedIn(grant, clock()) ? grant : undefined;
    },

    revoke,

    /** Sets the owner's name for an app; an empty name removes it. Returns undefined if the app isn't signed in. */
    async rename(id: string, name: string): Promise<Grant | undefined> {
      const before = find(id);
      if (!before || !isSignedIn(before, clock())) return undefined;
      return change((data) => {
        const grant = data.grants.find((one) => one.id === id);
        if (!grant) return undefined;
        if (name === '') delete grant.ownName;
        else grant.ownName = name;
        return structuredClone(grant);
      });
    },

    /** Records in memory when a grant was used. The next change or `flush` writes this time to the disk. */
    touch: (id: string) => void used.set(id, clock()),

    /** Returns the grants of signed-in apps, newest first. */
    list(): Grant[] {
      return document.data.grants
        .filter((grant) => isSignedIn(grant, clock()))
        .map((grant) => ({ ...grant, lastUsedAt: used.get(grant.id) ?? grant.lastUsedAt }))
        .sort((a, b) => b.createdAt - a.createdAt);
    },

    async flush(): Promise<void> {
      const stale = document.data.grants.some((grant) => (used.get(grant.id) ?? 0) > (grant.lastUsedAt ?? 0));
      if (stale) await change(() => undefined);
    },
  };
}

function isRemembered(grant: Grant, now: number): boolean {
  return (
    isSignedIn(grant, now) ||
    now - (grant.revokedAt ?? grant.endsAt ?? grant.refresh?.expiresAt ?? now) < deadKeptMs
  );
}
