import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { openSite, page } from '../../support/client-app.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { bundleWebmentionReceiver } from '../../support/webmention-receiver-program.ts';
import { replyTo } from '../../support/webmention-server.ts';

const rounds = 50;
const lanes = 2;
const mentionsPerRound = 20;
const target = (number: number) => `https://ada.example/posts/${number % 5}`;

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

/** Sends mentions, four at a time, until the receiver is killed; answers those that were acknowledged. */
async function sendUntilKilled(receiver: Receiver, sources: readonly string[]): Promise<string[]> {
  const { base, child, ended } = receiver;
  const acknowledged: string[] = [];
  const killAt = 1 + Math.floor(Math.random() * (sources.length - 1));
  const left = [...sources.entries()];
  async function lane(): Promise<void> {
    for (let next = left.shift(); next; next = left.shift()) {
      const [number, source] = next;
      const body = new URLSearchParams({ source, target: target(number) });
      const answer = await fetch(`${base}/webmention`, { method: 'POST', body }).catch(() => undefined);
      if (!answer) return;
      expect(answer.status).toBe(201);
      // Anywhere in what follows: while others arrive, are read, or are written.
      if (acknowledged.push(source) === killAt) setTimeout(() => child.kill('SIGKILL'), Math.random() * 40);
    }
  }
  await Promise.all([lane(), lane(), lane(), lane()]);
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

async function everything({ base }: Receiver): Promise<MentionRecord[]> {
  const processed = await fetch(`${base}/process`);
  expect(await processed.json()).toMatchObject({ waiting: 0 });
  const answer = await fetch(`${base}/webmentions?token=token`);
  return Object.values((await answer.json()) as Record<string, MentionRecord[]>).flat();
}

test(
  `mentions survive ${rounds} kills while they arrive and are verified: none is lost, none is there twice`,
  { timeout: 240_000 },
  async () => {
    const bundle = await temporaryFolder();
    await writeFile(join(bundle, 'package.json'), '{ "type": "module" }');
    const program = await bundleWebmentionReceiver(bundle);
    // Several sites, so that several sources are read at once.
    const sites = await Promise.all([1, 2, 3, 4].map((last) => openSite(`127.0.0.${last}`)));
    onTestFinished(async () => {
      await Promise.all(sites.map((site) => site.close()));
    });

    async function liveThrough(lane: number): Promise<number> {
      const dir = await temporaryFolder();
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds / lanes; round += 1) {
        const sources = Array.from({ length: mentionsPerRound }, (_, number) => {
          const site = sites[number % sites.length]!;
          const path = `/lane-${lane}/${round}/${number}`;
          site.pages.set(path, page(replyTo(target(number))));
          return `${site.origin}${path}`;
        });
        acknowledged.push(...(await sendUntilKilled(await startReceiver(program, dir), sources)));
      }
      const last = await startReceiver(program, dir);
      const kept = (await everything(last)).map(({ source }) => source);
      last.child.kill('SIGKILL');
      expect(new Set(kept).size).toBe(kept.length);
      expect(acknowledged.filter((source) => !kept.includes(source))).toEqual([]);
      return acknowledged.length;
    }
    const numbers = await Promise.all(Array.from({ length: lanes }, (_, index) => liveThrough(index)));
    expect(numbers[0]! + numbers[1]!).toBeGreaterThanOrEqual(rounds);
  },
);
