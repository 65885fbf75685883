import { expect, test } from 'vitest';
import { createWindowCodes } from '../../../src-main/http/console.ts';

test('a code opens the window once, for two minutes, and among the newest twenty', () => {
  let now = 0;
  const codes = createWindowCodes(() => now);
  const code = codes.create();
  expect(codes.redeem('something else')).toBe(false);
  expect(codes.redeem(code)).toBe(true);
  expect(codes.redeem(code)).toBe(false);

  const late = codes.create();
  now = 120_000;
  expect(codes.redeem(late)).toBe(false);

  const [oldest = '', ...others] = Array.from({ length: 21 }, () => codes.create());
  expect(codes.redeem(oldest)).toBe(false);
  expect(others.every((one) => codes.redeem(one))).toBe(true);
});
