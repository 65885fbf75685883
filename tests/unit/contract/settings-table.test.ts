import { expect, test } from 'vitest';
import { settingAreas } from '../../../src-main/contract/settings.ts';
import type { Setting } from '../../../src-main/contract/shapes.ts';

const rows = Object.entries<Readonly<Record<string, Setting>>>(settingAreas).flatMap(([area, settings]) =>
  Object.entries(settings).map(([name, row]) => ({ name: `${area}.${name}`, row })),
);

test.each(rows)('$name has a label, and words for exactly the values that it can have', ({ row }) => {
  expect(row.label).not.toBe('');
  if (row.options === undefined) return;
  const { anyOf } = row.schema as { anyOf?: { const?: unknown }[] };
  expect(Object.keys(row.options)).toEqual(anyOf?.map((one) => one.const));
});
