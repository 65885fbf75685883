import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isChallenge, isVerifier, verifierMatches } from '../../../src-main/sign-in/codes.ts';

// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('IA-61 the example of RFC 7636 matches', () => {
  expect(isChallenge(challenge)).toBe(true);
  expect(verifierMatches(verifier, challenge)).toBe(true);
});

test('D-8b the digest may come as 64 hex characters, in either case', () => {
  const hex = createHash('sha256').update(verifier).digest('hex');
  expect(isChallenge(hex)).toBe(true);
  expect(verifierMatches(verifier, hex)).toBe(true);
  expect(verifierMatches(verifier, hex.toUpperCase())).toBe(true);
  expect(verifierMatches(`${verifier}x`, hex)).toBe(false);
});

test.each([
  ['plain text of the right length for plain', 'a'.repeat(44)],
  ['42 characters', challenge.slice(1)],
  ['padding', `${challenge}=`],
  ['base64 with + and /', `${challenge.slice(0, 41)}+/`],
  ['63 hex characters', 'a'.repeat(63)],
  ['65 hex characters', 'a'.repeat(65)],
  ['a line break after it', `${challenge}\n`],
  ['nothing', ''],
])('IA-61 a challenge of %s is invalid', (_, text) => {
  expect(isChallenge(text)).toBe(false);
});

test.each([
  ['43 characters', 'a'.repeat(43), true],
  ['128 characters', 'a'.repeat(128), true],
  ['all unreserved characters', `${verifier.slice(0, 40)}-._~`, true],
  ['42 characters', 'a'.repeat(42), false],
  ['129 characters', 'a'.repeat(129), false],
  ['a reserved character', `${verifier}+`, false],
  ['a line break after it', `${verifier}\n`, false],
])('IA-61 a verifier of %s is well-formed: %s', (_, text, good) => {
  expect(isVerifier(text)).toBe(good);
});

test('IA-61 an invalid verifier matches nothing, not even its own digest', () => {
  const short = 'short';
  expect(verifierMatches(short, createHash('sha256').update(short).digest('base64url'))).toBe(false);
});

test('IA-61 a challenge is not its own verifier (that would be plain)', () => {
  expect(verifierMatches(challenge, challenge)).toBe(false);
});

test('IA-61 each verifier matches its own challenge and no other', () => {
  const characters = fc.constantFrom(...Array.from('ABCXYZabcxyz0189-._~'));
  const verifiers = fc.string({ unit: characters, minLength: 43, maxLength: 128 });
  fc.assert(
    fc.property(verifiers, verifiers, (mine, other) => {
      const own = createHash('sha256').update(mine).digest('base64url');
      expect(verifierMatches(mine, own)).toBe(true);
      expect(verifierMatches(other, own)).toBe(mine === other);
    }),
  );
});
