import { readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openSettings, settingsFormat } from '../../../src-main/app/settings.ts';
import { documentsIn, openDocument } from '../../../src-main/storage/document.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

const { initial } = settingsFormat;

/** A folder with settings.json: `change` is applied to settings that say something, as a hand or another version would. */
async function folderWith(change: (settings: Record<string, Record<string, unknown>>) => void) {
  const dir = await temporaryFolder();
  const settings = structuredClone({
    ...initial,
    micropub: { ...initial.micropub, categories: ['garden'] },
    webmention: { ...initial.webmention, hold: 'everything' },
  }) as unknown as Record<string, Record<string, unknown>>;
  change(settings);
  await writeFile(join(dir, 'settings.json'), JSON.stringify({ format: 2, ...settings }));
  return dir;
}

async function open(dir: string) {
  const recoveries: Recovery[] = [];
  const documents = documentsIn(dir, (recovery) => void recoveries.push(recovery));
  return { settings: await openSettings({ documents, allowLoopbackMe: false }), recoveries };
}

describe('settings.json', () => {
  test('with a key missing keeps everything else, and nothing is moved aside', async () => {
    const dir = await folderWith(({ webmention }) => Reflect.deleteProperty(webmention ?? {}, 'catchUp'));
    const { settings, recoveries } = await open(dir);
    expect(settings.get().webmention).toEqual({ ...initial.webmention, hold: 'everything' });
    expect(settings.get().micropub.categories).toEqual(['garden']);
    expect(recoveries).toEqual([]);
    expect(await readdir(dir)).toEqual(['settings.json']);
  });

  test('with a whole area missing gets its initial values', async () => {
    const dir = await folderWith((settings) => Reflect.deleteProperty(settings, 'backup'));
    const { settings, recoveries } = await open(dir);
    expect(settings.get().backup).toEqual(initial.backup);
    expect(recoveries).toEqual([]);
  });

  test('with an invalid value loses that value alone, keeps a copy, and names the key', async () => {
    const dir = await folderWith((settings) =>
      Object.assign(settings['webmention'] ?? {}, { hold: 'maybe' }),
    );
    const before = await readFile(join(dir, 'settings.json'), 'utf8');
    const { settings, recoveries } = await open(dir);
    expect(settings.get().webmention.hold).toBe('nothing');
    expect(settings.get().micropub.categories).toEqual(['garden']);
    expect(recoveries).toMatchObject([{ recoveredFrom: 'initial', keys: ['webmention.hold'] }]);
    expect(await readFile(recoveries[0]?.movedTo ?? '', 'utf8')).toBe(before);

    const again = await open(dir);
    expect(again.recoveries).toEqual([]);
    expect(again.settings.get().micropub.categories).toEqual(['garden']);
  });

  test('keeps keys of another version through a change, and shows them to nobody', async () => {
    const dir = await folderWith((settings) => {
      Object.assign(settings['webmention'] ?? {}, { quietHours: [22, 7] });
      Object.assign(settings, { garden: { gate: 'open' } });
    });
    const { settings, recoveries } = await open(dir);
    await settings.update({ webmention: { hold: 'strangers' } });
    expect(settings.get().webmention).toEqual({ ...initial.webmention, hold: 'strangers' });
    expect(settings.get()).not.toHaveProperty('garden');
    expect(await readJsonFile(join(dir, 'settings.json'))).toMatchObject({
      webmention: { hold: 'strangers', quietHours: [22, 7] },
      garden: { gate: 'open' },
    });
    expect(recoveries).toEqual([]);
  });
});

describe('a list', () => {
  const Item = closed({ name: Type.String(), loud: Type.Boolean({ default: false }) });
  const schema = closed({ items: Type.Array(Item), first: Type.Union([Item, Type.Null()]) });

  async function read(content: object) {
    const file = join(await temporaryFolder(), 'list.json');
    await writeFile(file, JSON.stringify({ format: 1, first: null, ...content }));
    const recoveries: Recovery[] = [];
    const onRecovered = (recovery: Recovery) => void recoveries.push(recovery);
    const start = { items: [], first: null };
    const document = await openDocument({
      file,
      schema,
      kind: 'note',
      format: 1,
      initial: start,
      onRecovered,
    });
    return { document, recoveries, file };
  }

  test('fills in a key that items lack from the schema’s default', async () => {
    const { document, recoveries } = await read({ items: [{ name: 'a' }] });
    expect(document.data.items).toEqual([{ name: 'a', loud: false }]);
    expect(recoveries).toEqual([]);
  });

  test('leaves out an item that cannot be used, and no other', async () => {
    const { document, recoveries } = await read({ items: [{ name: 'a', loud: true }, { name: 5 }, 'x'] });
    expect(document.data.items).toEqual([{ name: 'a', loud: true }]);
    expect(recoveries).toMatchObject([{ recoveredFrom: 'initial', keys: ['items.2', 'items.3'] }]);
  });

  test('keeps unknown keys of an item that is changed', async () => {
    const { document, file } = await read({ items: [{ name: 'a', loud: true, tone: 'c' }] });
    await document.update(({ items: [item] }) => item && (item.name = 'b'));
    expect(await readJsonFile(file)).toMatchObject({ items: [{ name: 'b', loud: true, tone: 'c' }] });
  });

  test('never turns an unusable object into none: that file is moved aside', async () => {
    const { document, recoveries, file } = await read({ items: [], first: { loud: true } });
    expect(document.data.first).toBeNull();
    expect(recoveries).toMatchObject([{ recoveredFrom: 'nothing' }]);
    expect(basename(recoveries[0]?.movedTo ?? '')).toContain(`${basename(file)}.broken-`);
  });
});
