import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns 256 random bits as text, for a key, code or token that cannot be guessed. */
export function newSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash under which a random text is stored, so that the stored form grants no access. Not for passwords,
 * which can be guessed.
 */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Compares two texts in constant time, so that timing doesn't reveal where they differ. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
