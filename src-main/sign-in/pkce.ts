import { createHash, timingSafeEqual } from 'node:crypto';

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
  const wanted = Buffer.from(challenge, base64urlDigest.test(challenge) ? 'base64url' : 'hex');
  return wanted.length === digest.length && timingSafeEqual(wanted, digest);
}
