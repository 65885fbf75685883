import { expect, test } from 'vitest';
import { copiedJson } from '../../../src-main/storage/json-value.ts';

test('a copy of a JSON value equals it, and shares nothing with it', () => {
  const text = '{"a":[{"b":[1,null,"c",[]]},true],"__proto__":{"isAdmin":true},"d":{}}';
  const value = JSON.parse(text) as { a: { b: unknown[] }[]; d: object; isAdmin?: boolean };
  const copy = copiedJson(value);
  expect(JSON.stringify(copy)).toBe(text);
  expect(copy.isAdmin).toBeUndefined();
  expect(copy.a).not.toBe(value.a);
  expect(copy.a[0]).not.toBe(value.a[0]);
  expect(copy.a[0]?.b[3]).not.toBe(value.a[0]?.b[3]);
  expect(copy.d).not.toBe(value.d);
});

test('a copy of a frozen value can be changed', () => {
  const copy = copiedJson(Object.freeze({ list: Object.freeze([1]) as number[] }));
  copy.list.push(2);
  expect(copy).toEqual({ list: [1, 2] });
});
