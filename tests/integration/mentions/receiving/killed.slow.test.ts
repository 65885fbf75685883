import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { MentionRecord } from '../../../../src-main/contract/webmentions.ts';
import { mentionOfRow, mentionTable } from '../../../../src-main/mentions/mention-table.ts';
import { eachRow } from '../../../../src-main/storage/records/closed-records.ts';
import { receivedTable } from '../../../../src-main/mentions/receiving/received-mentions.ts';
import { openSite, page, type Site } from '../../../support/client-app.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { bundleWebmentionReceiver } from '../../../support/webmention-receiver-program.ts';
import { killRounds as rounds } from '../../../support/writer-program.ts';
import { replyTo } from '../../../support/webmention-server.ts';

const lanes = 2;
const mentionsPerRound = 500;
const sendersAtOnce = 16;
const pagesMentioned = 100;
/** A folder lives through this many kills: what one leaves, the next must find in order. */
const killsOfAFolder = 5;
const target = (number: number) => `https://ada.example/posts/${number % pagesMentioned}`;

interface Receiver {
  readonly base: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

async function startReceiver(program: string, dir: string): Promise<Receiver> {
  const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  for await (const base of createInterface({ input: child.stdout })) return { base, child, ended };
  throw new Error('The receiver ended before it listened.');
}

/** Something happens: one is acknowledged, or one is looked at. */
type Happened = () => void;

/**
 * Sends mentions until the receiver is killed, and answers those that were acknowledged. It is killed anywhere between
 * the first acknowledgement and the last source that is read: `happened` is called for each of both.
 */
async function sendUntilKilled(
  { base, child, ended }: Receiver,
  sources: readonly string[],
  listen: (happened: Happened) => void,
): Promise<string[]> {
  const acknowledged: string[] = [];
  let until = 1 + Math.floor(Math.random() * 2 * sources.length);
  const happened = () => {
    // Anywhere in what follows: in a write, between two of them, while a source is read.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 40);
  };
  listen(happened);
  const left = [...sources.entries()];
  async function lane(): Promise<void> {
    for (let next = left.shift(); next; next = left.shift()) {
      const [number, source] = next;
      const body = new URLSearchParams({ source, target: target(number) });
      const answer = await fetch(`${base}/webmention`, { method: 'POST', body }).catch(() => undefined);
      if (!answer) return;
      expect(answer.status).toBe(201);
      acknowledged.push(source);
      happened();
      await answer.arrayBuffer().catch(() => undefined); // so that the connection is used again
    }
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, lane));
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

/** What a killed receiver left on disk. */
async function leftIn(dir: string): Promise<{ waiting: string[]; kept: string[] }> {
  const waiting: string[] = [];
  await eachRow(dir, receivedTable, ({ state, source }) => {
    if (state === 'waiting') waiting.push(source);
  });
  const kept: string[] = [];
  await eachRow(dir, mentionTable, (row) => void kept.push(mentionOfRow(row).source));
  return { waiting, kept };
}

async function everything({ base }: Receiver): Promise<string[]> {
  // One request ends after some seconds, and on a busy computer something waits then.
  const stillWaiting = async () =>
    ((await (await fetch(`${base}/process`)).json()) as { waiting: number }).waiting;
  await expect.poll(stillWaiting, { timeout: 360_000, interval: 0 }).toBe(0);
  const answer = await fetch(`${base}/webmentions?token=token`);
  const pages = Object.values((await answer.json()) as Record<string, MentionRecord[]>);
  return pages.flat().map(({ source }) => source);
}

function missingOf(acknowledged: readonly string[], ...there: readonly string[][]): string[] {
  const found = new Set(there.flat());
  return acknowledged.filter((source) => !found.has(source));
}

test(
  `mentions survive ${rounds} kills while ${mentionsPerRound} arrive and are verified: none is lost or stored twice`,
  { timeout: 600_000 },
  async () => {
    const bundle = await temporaryFolder();
    await writeFile(join(bundle, 'package.json'), '{ "type": "module" }');
    const program = await bundleWebmentionReceiver(bundle);

    async function liveThrough(lane: number): Promise<number> {
      // Several sites, so that several sources are read at once.
      const hosts = Array.from({ length: 6 }, (_, index) => `127.0.${lane + 1}.${index + 1}`);
      const sites: Site[] = await Promise.all(hosts.map((host) => openSite(host)));
      onTestFinished(async () => {
        await Promise.all(sites.map((site) => site.close()));
      });
      let happened: Happened = () => undefined;
      let dir = '';
      let acknowledged: string[] = [];
      let all = 0;
      for (let round = 1; round <= rounds / lanes; round += 1) {
        if (dir === '') [dir, acknowledged] = [await temporaryFolder(), []];
        const sources = Array.from({ length: mentionsPerRound }, (_, number) => {
          const site = sites[number % sites.length]!;
          const path = `/${round}/${number}`;
          const shown = page(replyTo(target(number)));
          site.pages.set(path, (request, response) => {
            happened();
            shown(request, response);
          });
          return `${site.origin}${path}`;
        });
        const receiver = await startReceiver(program, dir);
        const accepted = await sendUntilKilled(receiver, sources, (listener) => (happened = listener));
        acknowledged.push(...accepted);
        all += accepted.length;
        const { waiting, kept } = await leftIn(dir);
        expect(missingOf(acknowledged, waiting, kept)).toEqual([]);
        expect(new Set(kept).size).toBe(kept.length);
        if (round % killsOfAFolder !== 0) continue;

        const last = await startReceiver(program, dir);
        const listed = await everything(last);
        last.child.kill('SIGKILL');
        await last.ended;
        expect(missingOf(acknowledged, listed)).toEqual([]);
        expect(new Set(listed).size).toBe(listed.length);
        dir = '';
      }
      return all;
    }
    const [one, other] = await Promise.all([liveThrough(0), liveThrough(1)]);
    // Most are acknowledged before the kill: else nothing of it would have been tried.
    expect(one + other).toBeGreaterThan((rounds * mentionsPerRound) / 5);
  },
);
