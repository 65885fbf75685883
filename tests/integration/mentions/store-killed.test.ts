import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Mention } from '../../../src-main/mentions/mention.ts';
import { mentionTable } from '../../../src-main/mentions/mention-table.ts';
import { MentionStore } from '../../../src-main/mentions/mention-store.ts';
import { openRecords } from '../../../src-main/storage/records/records.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { collected, everyMention, expectSound } from '../../support/mention-folder.ts';
import type { Acknowledged } from '../../support/mention-writer.ts';
import { bundleProgram, killRounds as rounds } from '../../support/writer-program.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const lanes = 2;
/** How many kills a folder lives through. Each start must cope with what all of them left. */
const killsOfAFolder = 10;

/** Lets a writer work in `dir`, kills it at a random moment and answers the last it acknowledged of each mention. */
async function writeUntilKilled(writer: string, dir: string): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [writer, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const last = new Map<string, Acknowledged>();
  let until = 1 + Math.floor(Math.random() * 25);
  for await (const line of createInterface({ input: child.stdout })) {
    const acknowledged = JSON.parse(line) as Acknowledged;
    last.set(acknowledged.id, acknowledged);
    // Anywhere in the writes that follow: between two system calls, or in one.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 6);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return [...last.values()];
}

const versionOf = (mention: Mention | undefined) => Number.parseInt(mention?.facts.content?.value ?? '');

test(
  `mentions survive ${rounds} kills at random moments: each acknowledged mention is there, once, and listed`,
  { timeout: 540_000 },
  async () => {
    const writer = await bundleProgram('mention-writer', await temporaryFolder());
    let seen = 0;

    async function round(dir: string, before: Acknowledged[]): Promise<Acknowledged[]> {
      const acknowledged = [...before, ...(await writeUntilKilled(writer, dir))];
      const warnings: unknown[] = [];
      const log = { warn: (one: unknown) => void warnings.push(one) };
      const records = await openRecords({ dir, tables: [mentionTable], log });
      const versions = createVersions();
      const mentions = new MentionStore({ records, versions, now: Date.now, log });
      const list = await everyMention(mentions, 100);
      const byId = new Map(list.map((mention) => [mention.id, mention]));
      expect(byId.size).toBe(list.length);
      expect((await collected(mentions.all())).reverse()).toEqual(list);
      for (const { id, wmId, version, status } of acknowledged) {
        const mention = byId.get(id);
        expect(await mentions.get(id)).toEqual(mention);
        expect(mention?.wmId).toBe(wmId);
        expect(versionOf(mention)).toBeGreaterThanOrEqual(version);
        // What was deleted is so, unless it was being restored.
        if (status === 'deleted') expect(mention?.history.at(-1)?.what).toMatch(/deleted|restored/);
      }
      const imported = list.filter((mention) => mention.imported).map(({ id }) => id);
      expect((await collected(mentions.importedIds())).map(({ id }) => id).sort()).toEqual(imported.sort());
      expect(new Set(list.map(({ wmId }) => wmId)).size).toBe(list.length);
      // What was derived before the kills is as if it were derived anew.
      await expectSound(records);
      await mentions.close();
      await records.close();
      expect(warnings).toEqual([]);
      seen += acknowledged.length - before.length;
      return acknowledged;
    }

    async function lane(): Promise<void> {
      let dir = '';
      let acknowledged: Acknowledged[] = [];
      for (let kills = 0; kills < rounds / lanes; kills += 1) {
        if (kills % killsOfAFolder === 0) [dir, acknowledged] = [await temporaryFolder(), []];
        acknowledged = await round(dir, acknowledged);
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(seen).toBeGreaterThan(rounds);
  },
);
