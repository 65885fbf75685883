import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TObject } from 'typebox';
import { portFormat } from '../../../src-main/http/listener.ts';
import { postFormat } from '../../../src-main/posts/post-document.ts';
import { recordTables } from '../../../src-main/app/tables.ts';
import { cloudflareFormat } from '../../../src-main/address/cloudflare/record.ts';
import { lastCopiesFormat } from '../../../src-main/data/last-copies.ts';
import { profileFormat, settingsFormat } from '../../../src-main/app/settings.ts';
import { keptFormat } from '../../../src-main/address/part-self-test.ts';
import { documentCodec, type FormatOptions } from '../../../src-main/storage/document-format.ts';
import { isSoundRow, type Row } from '../../../src-main/storage/records/record-table.ts';
import { isValid } from '../../../src-main/storage/schema-check.ts';
import { clockFormat } from '../../../src-main/app/foundation.ts';
import { mentionFormat } from '../../../src-main/mentions/mention-table.ts';
import { readJsonFile } from '../../support/storage-folder.ts';

/**
 * Golden files: what each format of each document looks like on disks. Never change one: add one for a new format.
 * schemas.json holds a hash of each current schema. After a change that every golden file survives, update the hash.
 */
const dir = join(import.meta.dirname, '../../fixtures/formats');

const formats: Record<string, FormatOptions<TObject>> = {
  settings: settingsFormat,
  profile: profileFormat,
  server: portFormat,
  cloudflare: cloudflareFormat,
  clock: clockFormat,
  post: postFormat,
  mention: mentionFormat,
  'self-test': keptFormat,
  'last-copies': lastCopiesFormat,
  ...Object.fromEntries(
    recordTables.map(({ name, row, format }) => [`${name}-row`, { schema: row, format }]),
  ),
};

const cases = Object.entries(formats).flatMap(([name, options]) =>
  Array.from({ length: options.format }, (_, at) => ({ name, options, found: at + 1 })),
);

describe('golden files', () => {
  test.each(cases)('$name, format $found, is read whole', async ({ name, options, found }) => {
    const file = join(dir, `${name}-${found}.json`);
    const stored = (await readJsonFile(file)) as Record<string, unknown>;
    expect(stored['format']).toBe(found);
    const decoded = documentCodec(options).decode(stored, file);
    if ('broken' in decoded) throw new Error(decoded.broken);
    expect(decoded.lost).toEqual([]);
    expect({ ...decoded.data, format: found }).toMatchObject(stored);
    expect(isValid(options.schema, decoded.data)).toBe(true);
  });

  test.each(recordTables.map((table) => ({ name: table.name, table })))(
    'the rows of $name are taken from a backup',
    async ({ name, table }) => {
      const { format: _format, ...row } = (await readJsonFile(join(dir, `${name}-row-1.json`))) as Row;
      expect(isSoundRow(table, row)).toBe(true);
    },
  );

  test('settings of format 1 get what format 2 added', async () => {
    const stored = await readJsonFile(join(dir, 'settings-1.json'));
    const decoded = documentCodec(settingsFormat).decode(stored, 'settings.json');
    expect(decoded).toMatchObject({
      data: {
        tunnel: { mode: 'named', publicUrl: '' },
        desktop: { startAtLogin: true, sound: false },
        backup: { folder: '', keep: 8 },
        webmention: { hold: 'everything' },
        micropub: { categories: ['garden', 'music'] },
      },
    });
  });

  test.each(Object.entries(formats))(
    'the schema of %s is unchanged since its golden files were written',
    async (name, { schema, format }) => {
      const hashes = JSON.parse(await readFile(join(dir, 'schemas.json'), 'utf8')) as Record<string, string>;
      const hash = createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16);
      expect(`${format} ${hash}`, 'Add a golden file for the new format, then update schemas.json').toBe(
        hashes[name],
      );
    },
  );
});
