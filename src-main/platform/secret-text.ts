import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns 256 random bits as text, for a key, code or token that nobody can guess. */
export function newSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash of a random secret. Porchlight stores only the hash, so that somebody who reads the stored data
 * gains no access. Don't use this function for passwords, because passwords can be guessed.
 */
export function secretHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Compares two strings in constant time, so that timing doesn't reveal where they differ. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
