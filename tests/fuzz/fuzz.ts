import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { Agent, setGlobalDispatcher } from 'undici';
import { judgeFresh, judgeMemory, judgeRest, type Rest, type Sample } from '../bench/soak/judgement.ts';
import { processesOf } from '../bench/soak/processes.ts';
import { restOf, settledRest } from '../bench/soak/watch.ts';
import { startProbed, type ProbedProcess } from '../support/probed-process.ts';
import { requestAt } from './generators.ts';
import { judgeGrowth, unfinishedFiles } from './growth.ts';
import { judgeLog, judgePulse, type Finding } from './oracles.ts';
import { watchPulse } from './pulse.ts';
import type { FuzzRequest } from './request.ts';
import { emptyTally, shoot, type Ports, type Tally } from './shooting.ts';
import { openWorld, type Values, type World } from './world.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** All requests are sent in this time, in seconds, or the rest is left out. The same for each round of more requests. */
  readonly seconds: number;
  readonly connections: number;
  /** Waits until connections that are kept for later are closed, and compares with a fresh start. */
  readonly judgesGrowth: boolean;
  /** Only these, in place of the seed's: numbers of the seed, or requests of another run. */
  readonly only?: (values: Values) => readonly FuzzRequest[];
  readonly print: (line: string) => void;
}

export interface FuzzReport {
  readonly tally: Tally;
  readonly findings: readonly Finding[];
  readonly values: Values;
  readonly seconds: number;
  /** In ms, contention left out. */
  readonly worst: { readonly answered: number; readonly blocked: number };
  readonly growth: readonly string[];
}

const flags = ['--me', 'https://owner.example/', '--allow-private-fetch', '--tunnel', 'off'];
/** Before the baseline is taken, every part has worked once. */
const warmUp = 300;
/** How many times as many requests are sent again while the memory seems to grow, at most. */
const moreRounds = 3;
/** The requests of the longest run that is short. */
const mostOfShort = 20_000;
/** As many more requests as this part of all go to the fresh start that the server is compared with, at a time. */
const partForFresh = 0.1;
/** How many times the fresh start gets so many requests while it holds less than the server, at most. */
const freshRounds = 3;
const tendMs = 3_000;
const sampleMs = 2_000;
const printMs = 5_000;
/** Longer than the server keeps an idle connection (72 s). */
const settleMs = 100_000;
/** Requests whose body never came are kept for a minute. */
const timersMs = 65_000;
/** Between two looks at the heap at rest. It is at rest when it no longer shrinks by more than so many bytes. */
const heapMs = 2_000;
const heapNoise = 1e6;

/** Fuzzes the built server with a folder of its own, and judges what came of it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  // Ours to close: connections that are kept for later would be handles of the server's.
  let connections = new Agent();
  setGlobalDispatcher(connections);
  const hangUp = async (): Promise<void> => {
    const before = connections;
    connections = new Agent();
    setGlobalDispatcher(connections);
    await before.close();
  };
  const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-fuzz-'));
  const house = await startProbed({ dataDir, args: flags });
  const world = await openWorld(house, options.seed);
  try {
    return await fuzzHouse({ ...options, hangUp }, house, world);
  } finally {
    await house.remove();
    await Promise.all([world.close(), hangUp()]);
  }
}

/** `hangUp` ends the fuzzer's own connections that are kept for later. */
async function fuzzHouse(
  options: FuzzOptions & { hangUp: () => Promise<void> },
  house: ProbedProcess,
  world: World,
): Promise<FuzzReport> {
  const { seed, connections, print } = options;
  const ports = portsOf(house);
  const hosts = {
    public: new URL(house.ready.baseUrl).host,
    console: new URL(house.ready.consoleUrl).host,
  };
  const tally = emptyTally();
  const findings: Finding[] = [];
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  const began = performance.now();
  let logged = 0;
  const samples: Sample[] = [];

  function* numbers(from: number, to: number): Generator<FuzzRequest> {
    for (let number = from; number < to; number += 1) yield requestAt(seed, number, world.values, hosts);
  }

  /** What was logged since the last time. */
  function judgeNewLog(): void {
    const log = house.log();
    const end = log.lastIndexOf('\n') + 1;
    findings.push(...judgeLog(log.slice(logged, end), world.secrets));
    logged = end;
  }

  const isGrowing = () =>
    options.judgesGrowth &&
    (['resident', 'heap'] as const).some((kind) => !judgeMemory(kind, samples).isGood);

  async function every(ms: number, work: () => Promise<void> | void): Promise<void> {
    while (!isOver()) {
      await rest(ms, undefined, { signal: over.signal }).catch(() => undefined);
      if (!isOver()) await work();
    }
  }

  const shooting = { ports, secrets: world.secrets, connections };
  const shootFor = async (requests: Iterable<FuzzRequest>): Promise<void> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), options.seconds * 1000);
    await shoot({ ...shooting, requests, over: AbortSignal.any([over.signal, late.signal]) }, tally);
    clearTimeout(timer);
  };
  const only = options.only?.(world.values);
  if (!only) await shootFor(numbers(-warmUp, 0));
  await options.hangUp();
  const before = { rest: await restOf(house.pid), heap: (await house.inside('look')).heap };
  const pulse = watchPulse(
    { baseUrl: house.ready.baseUrl, pid: house.pid, probe: () => house.inside('glance') },
    (one) => {
      const found = judgePulse(one);
      findings.push(...found);
      for (const { words } of found) print(`  ${words}`);
    },
  );
  house.child.once('exit', (code, signal) => {
    if (isOver()) return;
    findings.push({ kind: 'crash', words: `The program ended with ${code ?? signal ?? 'nothing'}.` });
    over.abort();
  });
  const beside = Promise.all([
    // What is used up is replaced. A world that cannot be tended shows in the answers.
    every(tendMs, () => world.tend().catch((error: unknown) => print(`  Not tended: ${String(error)}`))),
    every(sampleMs, async () => {
      samples.push(await sampleOf(house, began));
      judgeNewLog();
    }),
    every(printMs, () => print(progressOf(tally, performance.now() - began))),
  ]);
  await shootFor(only ?? numbers(0, options.requests));
  // What comes once and stays, such as a thread, looks like growth in a short run. A leak goes on.
  const rounds = options.requests > mostOfShort ? 0 : moreRounds;
  for (let round = 1; round <= rounds && isGrowing() && !isOver(); round += 1) {
    const from = options.requests * (round + 1);
    await shootFor(numbers(from, from + options.requests));
  }
  const seconds = (performance.now() - began) / 1000;
  over.abort();
  await Promise.all([beside, pulse.stop()]);
  judgeNewLog();
  await options.hangUp();
  const shootAgain = (again: Ports, round: number): Promise<void> => {
    const place = { public: `127.0.0.1:${again.public}`, console: `127.0.0.1:${again.console}` };
    const count = Math.floor(options.requests * partForFresh);
    const from = options.requests + count * round;
    function* more(): Generator<FuzzRequest> {
      for (let number = from; number < from + count; number += 1)
        yield requestAt(seed, number, world.values, place);
    }
    return shoot({ ...shooting, ports: again, over: new AbortController().signal, requests: more() }, tally);
  };
  const growth =
    options.judgesGrowth && house.child.exitCode === null
      ? await growthOf(house, { before, samples, shootAgain })
      : undefined;
  return {
    tally,
    findings: [...tally.findings, ...findings, ...(growth?.findings ?? [])],
    values: world.values,
    seconds,
    worst: pulse.worst,
    growth: growth?.words ?? [],
  };
}

const portsOf = ({ ready }: ProbedProcess): Ports => ({
  public: Number(new URL(ready.baseUrl).port),
  console: Number(new URL(ready.consoleUrl).port),
});

async function sampleOf(house: ProbedProcess, began: number): Promise<Sample> {
  const at = (performance.now() - began) / 1000;
  const { heap } = await house.inside('look').catch(() => ({ heap: Number.NaN }));
  const resident = (await processesOf(house.pid)).reduce((sum, one) => sum + one.resident, 0);
  return { at, heap, resident };
}

interface Run {
  readonly before: { readonly rest: Rest; readonly heap: number };
  readonly samples: readonly Sample[];
  /** Sends some more requests of this run to another start: others in each round. */
  readonly shootAgain: (ports: Ports, round: number) => Promise<void>;
}

/**
 * Rests, then compares with the server as it was, and with a fresh start on the same data. That one answers a few of the
 * requests too: what it remembers of visitors has bounds, but is empty at first.
 */
async function growthOf(
  house: ProbedProcess,
  { before, samples, shootAgain }: Run,
): Promise<ReturnType<typeof judgeGrowth>> {
  const isRest = (now: Rest) => judgeRest(before.rest, now).every(({ isGood }) => isGood);
  await rest(timersMs);
  const restAfter = await settledRest(house.pid, isRest, settleMs);
  const heap = await settledHeap(house);
  await house.stop();
  // A file that is being written while the server runs is not left over.
  const unfinished = await unfinishedFiles(house.dataDir);
  const again = await startProbed({ dataDir: house.dataDir, args: flags });
  const { baseUrl } = again.ready;
  for (const place of [
    '/',
    '/feed.json',
    '/sitemap.xml',
    '/api/mentions.jf2?target=https://owner.example/page-1',
  ])
    await (await fetch(baseUrl + place)).arrayBuffer();
  await again.call('posts.list', { limit: 500 });
  await again.call('webmentions.list', { limit: 500 });
  let fresh = 0;
  // What has bounds fills up with more requests; what leaks has come from ten times as many.
  for (let round = 0; round < freshRounds && !judgeFresh(heap, fresh).isGood; round += 1) {
    await shootAgain(portsOf(again), round);
    fresh = Math.max(fresh, (await again.inside('look')).heap);
  }
  await again.stop();
  return judgeGrowth({ before, after: { rest: restAfter, heap }, fresh, samples, unfinished });
}

/** The heap of a server that rests, in bytes: on a busy computer, work of the last requests takes a while. */
async function settledHeap(house: ProbedProcess): Promise<number> {
  const latest = performance.now() + settleMs;
  let { heap } = await house.inside('look');
  for (let isFalling = true; isFalling && performance.now() < latest;) {
    await rest(heapMs);
    const now = (await house.inside('look')).heap;
    isFalling = now < heap - heapNoise;
    heap = Math.min(heap, now);
  }
  return heap;
}

function progressOf(tally: Tally, ms: number): string {
  const statuses = [...tally.statuses].sort(([a], [b]) => a.localeCompare(b));
  const list = statuses.map(([status, count]) => `${status}: ${count}`).join(', ');
  return `${(ms / 1000).toFixed(0).padStart(5)} s ${String(tally.sent).padStart(8)} requests   ${list}`;
}
