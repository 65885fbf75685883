import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

const schema = closed({ names: Type.Array(Type.String({ maxLength: 10 })) });

/** A document that has been saved, and then changed by another program. */
async function changedTo(text: string) {
  const dir = await temporaryFolder();
  const file = join(dir, 'apps.json');
  const recoveries: Recovery[] = [];
  const document = await openDocument({
    file,
    schema,
    kind: 'note',
    format: 1,
    initial: { names: [] },
    onRecovered: (recovery) => void recoveries.push(recovery),
  });
  const add = (name: string) => document.update(({ names }) => names.push(name));
  await add('first');
  await writeFile(file, text);
  return { dir, file, document, add, recoveries };
}

test('a file that another program changed is read again before the next save', async () => {
  const { file, document, add } = await changedTo('{"format":1,"names":["by hand"]}');
  expect(await add('next')).toBe(2);
  expect(document.data).toEqual({ names: ['by hand', 'next'] });
  expect(await readJsonFile(file)).toEqual({ format: 1, names: ['by hand', 'next'] });
});

test('a file that another program broke is kept aside when it is replaced, and the owner is told', async () => {
  const { dir, document, add, recoveries } = await changedTo('{"format":1,"names":["unfin');
  await add('next');
  expect(document.data).toEqual({ names: ['first', 'next'] });
  const aside = (await readdir(dir)).find((name) => name.startsWith('apps.json.broken-')) ?? '';
  expect(await readFile(join(dir, aside), 'utf8')).toBe('{"format":1,"names":["unfin');
  expect(recoveries).toMatchObject([{ movedTo: join(dir, aside) }]);
});

test('a file that a newer Porchlight changed is not replaced', async () => {
  const newer = '{"format":99,"people":["first"]}';
  const { file, document, add } = await changedTo(newer);
  await expect(add('next')).rejects.toMatchObject({ code: 'storage_newer' });
  expect(document.data).toEqual({ names: ['first'] });
  expect(await readFile(file, 'utf8')).toBe(newer);
});
