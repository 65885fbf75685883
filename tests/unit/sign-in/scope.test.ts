import { knownScopes } from '../../../src-main/contract/sign-ins.ts';
import { expect, test } from 'vitest';
import { isEmailWithoutProfile, parseScope, permissionsOf } from '../../../src-main/sign-in/scope.ts';

test('D-14 scopes are separated by spaces, and by a literal + too', () => {
  expect(parseScope('create update')).toEqual(['create', 'update']);
  expect(parseScope('create+update')).toEqual(['create', 'update']);
  expect(parseScope(' create  + update ')).toEqual(['create', 'update']);
});

test('each scope counts once, in the order in which they came', () => {
  expect(parseScope('update create update')).toEqual(['update', 'create']);
});

test('IA-64 no scope and an empty one are no scopes', () => {
  expect(parseScope(undefined)).toEqual([]);
  expect(parseScope('')).toEqual([]);
  expect(parseScope('  ')).toEqual([]);
});

test.each(['a"b', 'a\\b', 'a\tb', 'a\nb', 'é', 'create\u0000', 'a\u007f'])(
  'IA-64 a scope with a character outside of scope-token is invalid: %j',
  (text) => {
    expect(parseScope(text)).toBeNull();
  },
);

test('IA-64 every character of the scope-token is taken', () => {
  const codes = Array.from({ length: 0x7f - 0x21 }, (_, index) => 0x21 + index);
  const token = codes
    .map((code) => String.fromCharCode(code))
    .filter((character) => !'"\\+'.includes(character));
  expect(parseScope(token.join(''))).toEqual([token.join('')]);
});

test('IA-65 email is only valid along with profile', () => {
  expect(isEmailWithoutProfile(['email'])).toBe(true);
  expect(isEmailWithoutProfile(['email', 'profile'])).toBe(false);
  expect(isEmailWithoutProfile(['profile'])).toBe(false);
});

test('IA-70 every scope is shown, those that nobody knows too', () => {
  const scopes = ['create', 'brew:coffee', 'constructor', '__proto__'];
  const shown = permissionsOf(scopes);
  expect(shown.map(({ scope }) => scope)).toEqual(scopes);
  for (const { words } of shown.slice(1)) expect(words).toContain('Nothing on this server');
});

test('IA-14 each scope that is announced has words', () => {
  for (const { words } of permissionsOf(knownScopes)) expect(words).not.toContain('Nothing on this server');
});

test('IA-64 more scopes, or longer ones, than an owner could look through are refused', () => {
  expect(parseScope(Array.from({ length: 100 }, (_, index) => `s${index}`).join(' '))).toHaveLength(100);
  expect(parseScope(Array.from({ length: 101 }, (_, index) => `s${index}`).join(' '))).toBeNull();
  expect(parseScope('a'.repeat(100))).toHaveLength(1);
  expect(parseScope('a'.repeat(101))).toBeNull();
});
