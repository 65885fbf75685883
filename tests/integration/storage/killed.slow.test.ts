import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test, vi } from 'vitest';
import { openDocument } from '../../../src-main/storage/document.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { recordsProblems } from '../../../src-main/storage/records/closed-records.ts';
import { openRecords } from '../../../src-main/storage/records/records.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';
import { bundleProgram, killRounds as rounds } from '../../support/writer-program.ts';
import { Numbers, documentNames, notesTable } from '../../support/storage-numbers.ts';

const lanes = 2;

/** The values that were acknowledged, by the name of their document or database. */
type Acknowledged = Map<string, string[]>;

/** Lets a writer work in `dir`, kills it at a random moment and answers what it had acknowledged by then. */
async function writeUntilKilled(writer: string, mode: 'write' | 'rows', dir: string): Promise<Acknowledged> {
  const child = spawn(process.execPath, [writer, mode, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const acknowledged: Acknowledged = new Map();
  let until = 1 + Math.floor(Math.random() * (mode === 'write' ? 12 : 60));
  let locked = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'locked') {
      locked = true;
      continue;
    }
    const [name = '', value = ''] = line.split(' ');
    acknowledged.set(name, [...(acknowledged.get(name) ?? []), value]);
    // Anywhere in the writes that follow: between two system calls, or in one.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 4);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect({ locked, signal }).toEqual({ locked: true, signal: 'SIGKILL' });
  return acknowledged;
}

async function valuesOnDisk(dir: string, name: string): Promise<number[]> {
  const file = join(dir, `${name}.json`);
  const recoveries: Recovery[] = [];
  // The parsed file first: recovery must not be what makes it whole.
  const raw = (await readJsonFile(file)) as { values: number[] };
  const document = await openDocument({
    file,
    schema: Numbers,
    kind: 'note',
    format: 1,
    initial: { values: [] },
    onRecovered: (recovery) => void recoveries.push(recovery),
  });
  expect(recoveries).toEqual([]);
  expect(document.data.values).toEqual(raw.values);
  return raw.values;
}

describe('a process killed at a random moment', () => {
  test(
    `${rounds} kills each leave whole files with every acknowledged change, and a lock that the next process gets at once`,
    { timeout: 540_000 },
    async () => {
      const writer = await bundleProgram('storage-writer', await temporaryFolder());
      let seen = 0;
      async function lane(): Promise<void> {
        const dir = await temporaryFolder();
        for (let round = 0; round < rounds / lanes; round += 1) {
          const acknowledged = await writeUntilKilled(writer, 'write', dir);
          for (const name of documentNames) {
            const values = await valuesOnDisk(dir, name);
            // Counted up by ones: every change of every round is there, once, in order.
            expect(values).toEqual(values.map((_, index) => index + 1));
            const reported = acknowledged.get(name) ?? [];
            expect(values.length).toBeGreaterThanOrEqual(Math.max(0, ...reported.map(Number)));
            seen += reported.length;
          }
        }
      }
      await Promise.all(Array.from({ length: lanes }, lane));
      expect(seen).toBeGreaterThan(rounds);
    },
  );

  test(
    `${rounds} times, each time leaves every acknowledged entry of a database once`,
    { timeout: 540_000 },
    async () => {
      const writer = await bundleProgram('storage-writer', await temporaryFolder());
      const dir = await temporaryFolder();
      const reported: Acknowledged = new Map();
      for (let round = 0; round < rounds; round += 1) {
        const acknowledged = await writeUntilKilled(writer, 'rows', dir);
        for (const [name, ids] of acknowledged) reported.set(name, [...(reported.get(name) ?? []), ...ids]);

        expect(await recordsProblems(dir, [notesTable])).toEqual([]);
        const recordRepair = vi.fn();
        const records = await openRecords({ dir, tables: [notesTable], log: silentLog, recordRepair });
        expect(recordRepair).not.toHaveBeenCalled();
        const rows = records.rows(({ id }) => ({ id: String(id) }), 'SELECT id FROM notes');
        await records.close();
        expectAllOnce(rows, reported.get('records'));
      }
      expect(reported.get('records')?.length).toBeGreaterThan(rounds);
    },
  );
});

function expectAllOnce(
  found: readonly { readonly id: string }[],
  acknowledged: readonly string[] = [],
): void {
  const ids = new Set(found.map(({ id }) => id));
  expect(ids.size).toBe(found.length);
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
}
