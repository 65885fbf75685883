import { randomUUID } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { TokenResource } from '../http/server-metadata.ts';
import type { Clock } from '../platform/clock.ts';
import { secretHash, newSecretText } from '../platform/secrets.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import { type Grant, grantName, type GrantRows, type GrantsById, isGrantLive, isSignedIn } from './grant.ts';
import { sameUrl } from '../platform/web-address.ts';
import type { Unsaved } from './unsaved.ts';

export interface NewGrant {
  readonly kind: Grant['kind'];
  readonly me: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly clientLogo: string | null;
  /** The browser and system of the sign-in; null if unknown. */
  readonly device: string | null;
  readonly scopes: readonly string[];
  /** See Grant.resource. */
  readonly resource?: TokenResource;
  /** The sign-in that the owner approved; undefined for a token that was issued by hand. */
  readonly signIn?: string;
  /** See Grant.phone. */
  readonly phone?: string | undefined;
  /** Seconds until the permission ends; undefined if it has no end. */
  readonly expiresIn: number | undefined;
}

const spentKept = 100;
const deadKeptMs = 90 * 86_400_000;
const invalid = (message: string) => new PorchlightError('invalid_grant', message);

/**
 * The store of grants. Refresh tokens are stored only as hashes. A revocation counts at once, even if it can't
 * be saved now.
 */
export class Grants {
  readonly #stored: GrantRows;
  readonly #clock: Clock;
  readonly #unsaved: Pick<Unsaved, 'add' | 'refused'>;
  readonly #refreshSeconds: () => number;
  readonly #used = new Map<string, number>();
  /** The grants whose revocation isn't on disk yet. `isUnsaved`: whether it could not be saved. */
  readonly #denied = new Map<string, { at: number; name: string; isUnsaved: boolean }>();

  /** `refreshSeconds`: returns the current lifetime of refresh tokens, in seconds. */
  constructor(
    stored: GrantRows,
    clock: Clock,
    unsaved: Pick<Unsaved, 'add' | 'refused'>,
    refreshSeconds: () => number,
  ) {
    this.#stored = stored;
    this.#clock = clock;
    this.#unsaved = unsaved;
    this.#refreshSeconds = refreshSeconds;
    unsaved.add({
      words: () => this.#failures().map(({ name }) => `${name} is signed out`),
      retry: () => (this.#failures().length > 0 ? this.#saveRevocations() : Promise.resolve()),
    });
  }

  /**
   * Creates a grant. Resolves once the grant is on disk. Returns a `refreshToken` for an app, but none for a manually
   * issued token. `also`: writes other records into the same transaction.
   */
  async create(
    { expiresIn, scopes, device, resource, phone, ...rest }: NewGrant,
    also?: (transaction: Transaction) => void,
  ): Promise<{ grant: Grant; refreshToken?: string }> {
    const endsAt = expiresIn === undefined ? null : this.#clock() + expiresIn * 1000;
    const refreshToken = rest.kind === 'app' ? newSecretText() : undefined;
    const grant: Grant = {
      ...rest,
      id: randomUUID(),
      ...(device !== null && { device }),
      ...(resource && { resource }),
      ...(phone !== undefined && { phone }),
      scopes: [...scopes],
      createdAt: this.#clock(),
      lastUsedAt: null,
      endsAt,
      revokedAt: null,
      refresh:
        refreshToken === undefined
          ? null
          : { hash: secretHash(refreshToken), spent: [], expiresAt: this.#refreshEnd(endsAt) },
    };
    await this.#change(undefined, (grants, transaction) => {
      grants.set(grant.id, grant);
      also?.(transaction);
    });
    return refreshToken === undefined ? { grant } : { grant, refreshToken };
  }

  /**
   * Exchanges a refresh token for a new refresh token (RFC 9700, 4.14).
   * @throws PorchlightError invalid_grant
   */
  async rotate(refreshToken: string, clientId: string): Promise<{ grant: Grant; refreshToken: string }> {
    const hash = secretHash(refreshToken);
    const owner = this.#findBy(
      (one) => one.refresh?.hash === hash || one.refresh?.spent.includes(hash) === true,
    );
    if (!owner) throw invalid('The refresh token is unknown.');
    if (!sameUrl(owner.clientId, clientId)) throw invalid('The refresh token was issued to another client.');
    const next = newSecretText();
    const rotated = () =>
      this.#change(owner.id, (grants): Grant | 'stolen' | 'dead' => {
        // Check the token again here, where no other change can run, so that only one of two concurrent uses
        // succeeds.
        const grant = grants.get(owner.id);
        const standing = this.#standingOf(grant, hash);
        if (standing !== 'good' || !grant?.refresh) return standing === 'stolen' ? 'stolen' : 'dead';
        grant.refresh = {
          hash: secretHash(next),
          spent: [hash, ...grant.refresh.spent].slice(0, spentKept),
          expiresAt: this.#refreshEnd(grant.endsAt),
        };
        return structuredClone(grant);
      });
    const standing = this.#standingOf(owner, hash);
    const grant = standing === 'good' ? await rotated() : standing;
    if (grant === 'stolen') await this.revoke(owner.id);
    if (grant === 'stolen' || grant === 'dead')
      throw invalid('The refresh token was already used, was revoked, or has expired.');
    return { grant, refreshToken: next };
  }

  get(id: string): Grant | undefined {
    const found = this.#stored.data.get(id);
    return found && this.#current(found);
  }

  /** Returns the grant that a refresh token belongs to; undefined if the token is no longer valid. */
  byRefreshToken(refreshToken: string): Grant | undefined {
    const hash = secretHash(refreshToken);
    const grant = this.#findBy((one) => one.refresh?.hash === hash);
    return grant && isSignedIn(grant, this.#clock()) ? grant : undefined;
  }

  /**
   * Revokes a grant and all its tokens immediately, even if that can't be saved now. Returns false if the grant is
   * unknown or already revoked.
   */
  async revoke(id: string): Promise<boolean> {
    const before = this.get(id);
    if (!before || before.revokedAt !== null) return false;
    this.#denied.set(id, { at: this.#clock(), name: grantName(before), isUnsaved: false });
    await this.#saveRevocations();
    return true;
  }

  /** Returns whether a grant's revocation is on disk; true for a grant that isn't revoked. */
  isSaved(id: string): boolean {
    return !this.#denied.has(id);
  }

  /** Sets the owner's name for an app; an empty name removes it. Returns undefined if the app isn't signed in. */
  async rename(id: string, name: string): Promise<Grant | undefined> {
    const before = this.get(id);
    if (!before || !isSignedIn(before, this.#clock())) return undefined;
    return this.#change(id, (grants) => {
      const grant = grants.get(id);
      if (!grant) return undefined;
      if (name === '') delete grant.ownName;
      else grant.ownName = name;
      return structuredClone(grant);
    });
  }

  /** Records in memory when a grant was used. The next change or `flush` writes this time to the disk. */
  touch(id: string) {
    this.#used.set(id, this.#clock());
  }

  /** Returns the grants of the apps that are signed in or have to sign in again, newest first. */
  list(): Grant[] {
    const all = [...this.#stored.data.values()].map((grant) => this.#current(grant));
    const signedIn = all.filter((grant) => isSignedIn(grant, this.#clock()));
    const apps = new Set(signedIn.map(({ kind, clientId }) => kind === 'app' && clientId));
    const isLeft = ({ revokedAt, signedOutAt, clientId }: Grant) =>
      revokedAt === null && signedOutAt !== undefined && !apps.has(clientId);
    return [...signedIn, ...all.filter(isLeft)]
      .map((grant) => ({ ...grant, lastUsedAt: this.#used.get(grant.id) ?? grant.lastUsedAt }))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  async flush(): Promise<void> {
    if (![...this.#stored.data.values()].every((one) => this.#isUseWritten(one)))
      await this.#change(undefined, () => undefined);
  }

  #failures() {
    return [...this.#denied.values()].filter(({ isUnsaved }) => isUnsaved);
  }

  #refreshEnd(endsAt: number | null): number {
    return Math.min(this.#clock() + this.#refreshSeconds() * 1000, endsAt ?? Infinity);
  }

  /** Changes the grant `id`, if there is one, and writes what is known of other grants in memory only. */
  async #change<R>(
    id: string | undefined,
    edit: (grants: GrantsById, transaction: Transaction) => R,
    how?: WriteOptions,
  ): Promise<R> {
    const ids = new Set(id === undefined ? [] : [id]);
    const now = this.#clock();
    for (const grant of this.#stored.data.values()) if (!this.#isWritten(grant, now)) ids.add(grant.id);
    const revoked: string[] = [];
    const result = await this.#stored.update(
      [...ids],
      (grants, transaction) => {
        for (const grant of grants.values()) {
          grant.lastUsedAt = this.#used.get(grant.id) ?? grant.lastUsedAt;
          grant.revokedAt = this.#current(grant).revokedAt;
          if (grant.revokedAt !== null) revoked.push(grant.id);
          if (!isRemembered(grant, now)) grants.delete(grant.id);
        }
        return edit(grants, transaction);
      },
      how,
    );
    for (const one of revoked) this.#denied.delete(one);
    return result;
  }

  /** Returns whether nothing about a stored grant has to be written: a use, a revocation, or that it is forgotten. */
  #isWritten(grant: Grant, now: number): boolean {
    return this.#isUseWritten(grant) && this.#current(grant) === grant && isRemembered(grant, now);
  }

  #isUseWritten({ id, lastUsedAt }: Grant): boolean {
    return (this.#used.get(id) ?? 0) <= (lastUsedAt ?? 0);
  }

  /** Returns a stored grant as it counts now. */
  #current(grant: Grant): Grant {
    const revokedAt = grant.revokedAt ?? this.#denied.get(grant.id)?.at ?? null;
    return revokedAt === grant.revokedAt ? grant : { ...grant, revokedAt };
  }

  #findBy(is: (grant: Grant) => boolean): Grant | undefined {
    for (const grant of this.#stored.data.values()) if (is(grant)) return this.#current(grant);
    return undefined;
  }

  /** Writes all revocations that aren't on disk yet. Those that can't be written stay in memory. */
  async #saveRevocations(): Promise<void> {
    const all = [...this.#denied.values()];
    try {
      await this.#change(undefined, () => undefined, { ends: true });
    } catch (error) {
      for (const one of all) one.isUnsaved = true;
      this.#unsaved.refused(error);
    }
  }

  /** Returns whether a refresh token may be exchanged: `stolen` if it was exchanged before. `hash`: of the token. */
  #standingOf(grant: Grant | undefined, hash: string): 'good' | 'stolen' | 'dead' {
    if (!grant?.refresh || !isGrantLive(grant, this.#clock()) || this.#clock() >= grant.refresh.expiresAt)
      return 'dead';
    return grant.refresh.hash === hash ? 'good' : 'stolen';
  }
}

function isRemembered(grant: Grant, now: number): boolean {
  return (
    isSignedIn(grant, now) ||
    now - (grant.revokedAt ?? grant.signedOutAt ?? grant.endsAt ?? grant.refresh?.expiresAt ?? now) <
      deadKeptMs
  );
}
