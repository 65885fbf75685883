import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { openDocument } from '../../src-main/storage/document.ts';
import { lockFolder } from '../../src-main/storage/folder-lock.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { Numbers, documentNames, notesTable } from './storage-numbers.ts';

// A process of its own, for tests to kill:
//   storage-writer.ts write DIR   locks DIR and changes its documents without end, one line an acknowledged change
//   storage-writer.ts rows DIR    adds to a database in DIR without end, one line an acknowledged entry
//   storage-writer.ts lock        tries to lock each folder that it reads from stdin, and keeps those it gets

/** A line that is out before the next statement, whatever kills this process then. */
const say = (line: string) => writeSync(1, `${line}\n`);

async function writeWithoutEnd(dir: string): Promise<never> {
  await lockFolder(dir);
  const documents = await Promise.all(
    documentNames.map(async (name) => {
      const file = join(dir, `${name}.json`);
      return {
        name,
        document: await openDocument({
          file,
          schema: Numbers,
          kind: 'note',
          format: 1,
          initial: { values: [] },
        }),
      };
    }),
  );
  say('locked');
  for (let burst = 1; ; burst += 1) {
    const changes = documents.flatMap((one) => Array.from({ length: burst % 4 }, () => one));
    await Promise.all(
      changes.map(async ({ name, document }) => {
        const value = await document.update(({ values }) => {
          const next = (values.at(-1) ?? 0) + 1;
          values.push(next);
          return next;
        });
        say(`${name} ${value}`);
      }),
    );
  }
}

async function addWithoutEnd(dir: string): Promise<never> {
  await lockFolder(dir);
  const records = await openRecords({ dir, tables: [notesTable], log: silentLog });
  const note = () => ({ id: crypto.randomUUID(), at: new Date().toISOString() });
  say('locked');
  for (let turn = 1; ; turn += 1) {
    const notes = Array.from({ length: turn % 4 }, note);
    await Promise.all(
      notes.map(async ({ id, at }) => {
        await records.write(({ run }) => run('INSERT INTO notes (id, at) VALUES (?, ?)', id, at));
        say(`records ${id}`);
      }),
    );
  }
}

async function lockOnRequest(): Promise<void> {
  say('ready');
  for await (const dir of createInterface({ input: process.stdin })) {
    try {
      await lockFolder(dir);
      say('won');
    } catch (error) {
      say(error instanceof PorchlightError ? error.code : String(error));
    }
  }
}

const [mode, dir] = process.argv.slice(2);
if (mode === 'write' && dir !== undefined) await writeWithoutEnd(dir);
if (mode === 'rows' && dir !== undefined) await addWithoutEnd(dir);
if (mode === 'lock') await lockOnRequest();
