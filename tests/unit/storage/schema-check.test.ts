import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { isValid } from '../../../src-main/storage/schema-check.ts';

test('a schema gives the same results before and after it is compiled', () => {
  const schema = Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 5 }),
      kind: Type.Union([Type.Literal('note'), Type.Null()]),
      tags: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]+$' }), { maxItems: 2 })),
      counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
    },
    { additionalProperties: false },
  );
  const good = { name: 'a', kind: null, tags: ['b'], counts: { c: 1 } };
  const bad = [
    null,
    [],
    { ...good, more: 1 },
    { ...good, name: '' },
    { ...good, name: 'longer' },
    { ...good, kind: 'other' },
    { ...good, tags: ['B'] },
    { ...good, tags: ['a', 'b', 'c'] },
    { ...good, counts: { c: -1 } },
    { ...good, counts: { c: 1.5 } },
    { ...good, tags: undefined },
  ];
  const results = () => [good, ...bad].map((value) => isValid(schema, value));
  const first = results();
  expect(first[0]).toBe(true);
  expect(first.slice(1, -1)).toEqual(bad.slice(0, -1).map(() => false));
  for (let round = 0; round < 10; round += 1) expect(results()).toEqual(first);
});
