import { createHash, timingSafeEqual } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Clock } from '../platform/clock.ts';
import { newSecretText, secretHash } from '../platform/secrets.ts';
import { sameUrl } from '../platform/web-address.ts';
import { sameRedirect } from './client-information.ts';
import type { NewGrant } from './store.ts';

/**
 * The data that belongs to an authorization code: the permission that the owner gave an app, and the values that the
 * app's token request must match.
 */
export interface Permit {
  readonly redirectUri: string;
  readonly challenge: string | null;
  /** The grant to create when the app redeems the code for tokens. */
  readonly grant: NewGrant;
}

/** The parameters with which a client redeems its code. */
export interface Redemption {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
}

export type Codes = ReturnType<typeof createCodes>;

/** The lifetime of a code, in seconds. A minute is enough, because the waiting page redirects at once. */
export const codeSeconds = 60;

/** How long a used code is remembered, in seconds, to detect a second use. */
const memorySeconds = 86_400;

interface Entry {
  readonly permit: Permit;
  readonly expiresAt: number;
  used: boolean;
  reused: boolean;
  grantId?: string;
}

const invalid = (message: string) => new PorchlightError('invalid_grant', message);

/** The checks of IndieAuth 5.3.1, in order. The first check that fails determines the error. */
const checks: ((permit: Permit, redemption: Redemption) => string | null)[] = [
  ({ grant }, { clientId }) =>
    sameUrl(grant.clientId, clientId) ? null : 'The code was issued to another client.',
  (permit, { redirectUri }) =>
    sameRedirect(permit.redirectUri, redirectUri)
      ? null
      : 'The redirect_uri differs from the one in the authorization request.',
  ({ challenge }, { verifier }) =>
    challenge === null && verifier !== undefined
      ? 'The request has a code_verifier, but the authorization request had no code_challenge.'
      : null,
  ({ challenge }, { verifier }) =>
    challenge !== null && !verifierMatches(verifier ?? '', challenge)
      ? 'The code_verifier does not match the code_challenge.'
      : null,
];

/**
 * Creates a store of authorization codes, in memory. A code has 256 random bits, is stored as a hash, and can be used
 * once, within a minute. A failed attempt invalidates the code. A second use revokes the grant of the first use (RFC
 * 9700, 4.5).
 */
export function createCodes(clock: Clock, revoke: (grantId: string) => Promise<unknown>) {
  const entries = new Map<string, Entry>();

  function forgetOld(): void {
    const oldest = clock() - memorySeconds * 1000;
    for (const [key, entry] of entries) {
      if (entry.expiresAt > oldest) break; // the map is sorted by time of issue
      entries.delete(key);
    }
  }

  return {
    issue(permit: Permit): string {
      forgetOld();
      const code = newSecretText();
      entries.set(secretHash(code), {
        permit,
        expiresAt: clock() + codeSeconds * 1000,
        used: false,
        reused: false,
      });
      return code;
    },

    /** Returns the sign-ins whose codes can still be redeemed. */
    open: (): string[] =>
      [...entries.values()]
        .filter(({ used, expiresAt }) => !used && clock() < expiresAt)
        .map(({ permit }) => permit.grant.signIn ?? ''),

    /** Returns what the codes of the last minute give, also those that are just being redeemed. */
    given: (): NewGrant[] =>
      [...entries.values()]
        .filter(({ reused, expiresAt }) => !reused && clock() < expiresAt)
        .map(({ permit }) => permit.grant),

    /** Ends the codes whose grants `which` selects. A redemption that is under way revokes its grant. */
    end(which: (grant: NewGrant) => boolean): void {
      for (const entry of entries.values()) if (which(entry.permit.grant)) entry.used = entry.reused = true;
    },

    async redeem(redemption: Redemption) {
      const entry = entries.get(secretHash(redemption.code));
      if (!entry) throw invalid('The code is unknown.');
      if (entry.used) {
        entry.reused = true;
        if (entry.grantId !== undefined) await revoke(entry.grantId);
        throw invalid('The code was already used.');
      }
      entry.used = true;
      if (clock() >= entry.expiresAt) throw invalid('The code has expired.');
      for (const check of checks) {
        const fault = check(entry.permit, redemption);
        if (fault !== null) throw invalid(fault);
      }
      return {
        permit: entry.permit,
        /** Records the grant that was issued for the code. A second use of the code revokes this grant. */
        given: async (grantId: string): Promise<void> => {
          entry.grantId = grantId;
          if (!entry.reused) return;
          await revoke(grantId);
          throw invalid('The code was used twice.');
        },
      };
    },
  };
}

const base64urlDigest = /^[A-Za-z0-9_-]{43}$/;
const hexDigest = /^[0-9a-fA-F]{64}$/;
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Returns whether a string is an S256 challenge: a digest as 43 base64url characters or 64 hex digits (D-8b). */
export function isChallenge(text: string): boolean {
  return base64urlDigest.test(text) || hexDigest.test(text);
}

/** Returns whether a string is a well-formed code verifier (RFC 7636, 4.1). */
export function isVerifier(text: string): boolean {
  return verifierForm.test(text);
}

/** Returns whether `challenge` was derived from `verifier` (RFC 7636, 4.6). Compares in constant time. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  if (!isVerifier(verifier)) return false;
  const digest = createHash('sha256').update(verifier, 'ascii').digest();
  const expected = Buffer.from(challenge, base64urlDigest.test(challenge) ? 'base64url' : 'hex');
  return expected.length === digest.length && timingSafeEqual(expected, digest);
}
