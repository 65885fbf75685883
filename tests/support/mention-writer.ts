import { writeSync } from 'node:fs';
import type { MentionStatus } from '../../src-main/contract/webmentions.ts';
import type { Mention } from '../../src-main/mentions/mention.ts';
import { mentionTable } from '../../src-main/mentions/mention-table.ts';
import { MentionStore } from '../../src-main/mentions/mention-store.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { facts, importedSample, sample } from './mention-samples.ts';

// A process of its own, for tests to kill:
//   mention-writer.ts DIR   keeps, changes and imports mentions in DIR without end, one line an acknowledged action

/** What was acknowledged: the mention, the version of its text and its status. */
export interface Acknowledged {
  id: string;
  wmId: number;
  version: number;
  status: MentionStatus;
}

const filling = 'x'.repeat(1000);
const textOf = (version: number) => `${version} ${filling}`;

/** A line that is out before the next statement, whatever kills this process then. */
function say({ id, wmId, facts: { content }, status }: Mention): void {
  const acknowledged: Acknowledged = { id, wmId, version: Number.parseInt(content?.value ?? ''), status };
  writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}

async function writeWithoutEnd(dir: string): Promise<never> {
  const log = { warn: (warning: unknown) => void process.stderr.write(`${JSON.stringify(warning)}\n`) };
  const mentions = new MentionStore({
    records: await openRecords({ dir, tables: [mentionTable], log }),
    versions: createVersions(),
    now: Date.now,
    log,
  });
  // Numbers that no earlier process in this folder used, times 1,000 below the highest one that is imported.
  const start = Date.now() % 9e8;
  const pages = ['https://me.example/a', 'https://me.example/b', 'https://me.example/c'];
  const pageOf = (number: number) => pages[number % pages.length] ?? '';

  async function liveOneMention(number: number): Promise<void> {
    const one = { target: pageOf(number), received: new Date(1e12 + (number % 7) * 3e9).toISOString() };
    const { mention } = await mentions.keep(sample(number, { ...one, facts: facts('reply', textOf(1)) }));
    say(mention);
    say((await mentions.keep(sample(number, { ...one, facts: facts('like', textOf(2)) }))).mention);
    say(await mentions.setStatus(mention.id, 'deleted', 'owner'));
    if (number % 2 === 0) say(await mentions.restore(mention.id));
  }

  async function importSome(number: number): Promise<void> {
    const incoming = [0, 1, 2, 3].map((step) => {
      // Far from the numbers that others get in between.
      const wmId = number * 1000 + step;
      const received = new Date(1e12 + (wmId % 5) * 3e9).toISOString();
      return importedSample(wmId, { target: pageOf(wmId), received, facts: facts('repost', textOf(1)) });
    });
    for (const { mention } of await mentions.keepAll(incoming)) say(mention);
  }

  for (let burst = 1; ; burst += 1) {
    const first = start + burst * 10;
    const lives = Array.from({ length: 1 + (burst % 3) }, (_, index) => liveOneMention(first + index));
    await Promise.all(burst % 4 === 0 ? [...lives, importSome(first + 4)] : lives);
  }
}

const [dir] = process.argv.slice(2);
if (dir !== undefined) await writeWithoutEnd(dir);
