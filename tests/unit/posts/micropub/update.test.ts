import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyUpdate, readUpdate } from '../../../../src-main/posts/micropub/action.ts';

const name = fc.constantFrom<string[]>('content', 'category', 'photo', 'toString', 'mp-channel');
const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.record({ value: fc.string(), alt: fc.string() }),
  fc.record({ html: fc.string() }),
);
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) });
const bag = fc
  .array(fc.tuple(name, values), { maxLength: 5 })
  .map((entries) => new Map<string, readonly unknown[]>(entries));
const operations = fc.dictionary(name, values, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const copy = <T>(thing: T): T => structuredClone(thing);

const updated = (before: ReadonlyMap<string, readonly unknown[]>, body: Record<string, unknown>) =>
  applyUpdate(before, readUpdate(copy(body)));

describe('MP-40 updates', () => {
  test('MP-43 MP-44 a value that is added and then deleted was never there', () => {
    fc.assert(
      fc.property(bag, operations, (before, add) => {
        const fresh = Object.entries(add).every(([property, added]) =>
          added.every((one) => !JSON.stringify(before.get(property) ?? []).includes(JSON.stringify(one))),
        );
        fc.pre(fresh);
        const after = updated(updated(before, { add }), { delete: add });
        expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
      }),
    );
  });

  test('MP-42 replacing twice is replacing once, and only named properties change', () => {
    fc.assert(
      fc.property(bag, operations, (before, replace) => {
        const once = updated(before, { replace });
        expect([...updated(once, { replace })]).toEqual([...once]);
        for (const [property, kept] of before)
          if (!Object.hasOwn(replace, property)) expect(once.get(property)).toBe(kept);
        for (const [property, put] of Object.entries(replace)) expect(once.get(property)).toEqual(put);
      }),
    );
  });

  test('MP-43 adding keeps earlier values, in their order, and adding again changes nothing', () => {
    fc.assert(
      fc.property(bag, operations, (before, add) => {
        const once = updated(before, { add });
        expect([...updated(once, { add })]).toEqual([...once]);
        for (const [property, kept] of before)
          expect(once.get(property)?.slice(0, kept.length)).toEqual(kept);
      }),
    );
  });

  test('MP-44 dropped properties are gone, the others are the very same', () => {
    fc.assert(
      fc.property(bag, fc.array(name, { minLength: 1 }), (before, names) => {
        const after = updated(before, { delete: names });
        for (const property of names) expect(after.has(property)).toBe(false);
        for (const [property, kept] of before)
          if (!names.includes(property)) expect(after.get(property)).toBe(kept);
      }),
    );
  });

  test('MP-49 the given bag stays unchanged', () => {
    fc.assert(
      fc.property(bag, operations, operations, operations, (before, replace, add, removal) => {
        const was = copy([...before]);
        updated(before, { replace, add, delete: removal });
        expect([...before]).toEqual(was);
      }),
    );
  });

  test('MX-21 mp-photo-alt describes the photos that it comes with', () => {
    const body = { replace: { photo: ['https://a.example/1.jpg'] }, 'mp-photo-alt': ['One'] };
    expect(updated(new Map(), body).get('photo')).toEqual([{ value: 'https://a.example/1.jpg', alt: 'One' }]);
  });
});
