import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits as text: a key, a code or a token that nobody guesses. */
export function newSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/** The form in which a random text is kept, so that what is kept opens nothing. Not for passwords, which can be guessed. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Compares in a time that tells nothing of where two texts differ. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
