import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { openSite, page } from '../support/client-app.ts';
import { headlessProgram, startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { redeem, signIn, signInRequest } from '../support/sign-in.ts';
import { checkouts, type Checkout } from './folders.ts';
import { sourceOf } from './load.ts';
import { median } from './measure.ts';
import { heading, row } from './report.ts';
import { importAll } from './rows/importing.ts';
import { syncLibrary, type SyncLibrary } from './slow-sync.ts';
import type { Sources } from './source-server.ts';
import { cpuMsOf } from './usage.ts';

export interface SyncsOptions {
  /** Where the data goes. */
  readonly folder: string;
  /** A commit, or `none`. */
  readonly before: string;
  readonly rounds: number;
  readonly imported: number;
}

/** What an operation costs: syncs, and processor time in ms. */
interface Cost {
  readonly syncs: number;
  readonly cpuMs: number;
}

/** A server whose syncs are counted. */
interface Counted {
  readonly house: HeadlessProcess;
  readonly count: () => number;
}

/** How often each operation is done in a round. */
const amount = 100;
/** Fewer, because a person signs in first. */
const exchanges = 20;
const quietMs = 300;
const mostChecks = 60;
const flags = ['--me', 'https://owner.example/', '--allow-private-fetch', '--tunnel', 'off'];

/**
 * Runs `npm run bench -- syncs`: how often each operation waits for the disk, and its processor time, one operation
 * after the other and with what follows them. Compares with an earlier commit in the same run.
 */
export async function benchSyncs({ folder, before, rounds, imported }: SyncsOptions): Promise<void> {
  const library = syncLibrary(folder);
  const others = fork(path.join(import.meta.dirname, 'source-server.ts'), [String(imported)]);
  const [sources] = (await once(others, 'message')) as [Sources];
  const those = checkouts(before);
  const costs = new Map<string, Map<Checkout['name'], Cost[]>>();
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const checkout of those) {
        console.log(`${checkout.name}, round ${round + 1} ...`);
        for (const [operation, cost] of await roundOf(checkout, { library, sources })) {
          const of = costs.get(operation) ?? new Map<Checkout['name'], Cost[]>();
          of.set(checkout.name, [...(of.get(checkout.name) ?? []), cost]);
          costs.set(operation, of);
        }
      }
  } finally {
    others.kill();
  }
  heading(`Syncs and processor time of one operation (import: of ${imported})`);
  for (const [operation, of] of costs) {
    const reportRow = (name: Checkout['name'], pick: (cost: Cost) => number, digits: number) =>
      median((of.get(name) ?? []).map(pick)).toFixed(digits);
    const earlier = (pick: (cost: Cost) => number, digits: number) =>
      before === 'none' ? '' : `(before: ${reportRow('before', pick, digits)})`;
    row(
      `${operation}: syncs`,
      reportRow('now', ({ syncs }) => syncs, 2),
      earlier(({ syncs }) => syncs, 2),
    );
    row(
      `${operation}: processor time, ms`,
      reportRow('now', ({ cpuMs }) => cpuMs, 2),
      earlier(({ cpuMs }) => cpuMs, 2),
    );
  }
}

interface Round {
  readonly library: SyncLibrary;
  readonly sources: Sources;
}

/** Measures each operation once, in an empty folder. */
async function roundOf({ name, root }: Checkout, { library, sources }: Round): Promise<[string, Cost][]> {
  const { env, count } = library.counting(name);
  const house = await startHeadless({ args: flags, env, program: headlessProgram(root) });
  const server: Counted = { house, count };
  try {
    await house.call('settings.update', { webmention: { aggregatorUrl: sources.aggregator.origin } });
    const create = await creating(server);
    const exchange = await exchanging(server);
    const verify = await verifying(server, sources);
    const accept = await accepting(server, sources);
    const cost = await costOf(server, 1, () => importAll(house, sources.aggregator.token));
    return [
      ['create', create],
      ['accept a mention', accept],
      ['accept and verify a mention', verify],
      ['token exchange', exchange],
      ['import', cost],
    ];
  } finally {
    await house.remove();
  }
}

/** Does the work, and waits until the server has nothing left to do. Returns what one operation cost. */
async function costOf(server: Counted, operations: number, work: () => Promise<unknown>): Promise<Cost> {
  await quiet(server);
  const before = totalOf(server);
  await work();
  await quiet(server);
  const after = totalOf(server);
  return {
    syncs: (after.syncs - before.syncs) / operations,
    cpuMs: (after.cpuMs - before.cpuMs) / operations,
  };
}

const totalOf = ({ house, count }: Counted): Cost => ({
  syncs: count(),
  cpuMs: cpuMsOf(house.child.pid ?? 0),
});

/** Resolves when the server neither works nor syncs any more, or after 18 s. */
async function quiet(server: Counted): Promise<void> {
  for (let checks = 0; checks < mostChecks; checks += 1) {
    const before = totalOf(server);
    await rest(quietMs);
    const after = totalOf(server);
    if (after.syncs === before.syncs && after.cpuMs - before.cpuMs <= quietMs / 20) return;
  }
}

async function times(many: number, work: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 0; number < many; number += 1) await work(number);
}

async function creating(server: Counted): Promise<Cost> {
  const { house } = server;
  const { token } = await house.call('apps.issueToken', { label: 'Benchmark', scopes: ['create'] });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const one = (number: number) =>
    posted(201, `${baseOf(house)}/micropub`, {
      headers,
      body: JSON.stringify({ type: ['h-entry'], properties: { content: [`A note, number ${number}.`] } }),
    });
  await one(amount); // The first also loads code.
  return costOf(server, amount, () => times(amount, one));
}

/** Measures the exchange of codes for tokens, without the sign-ins before it. */
async function exchanging(server: Counted): Promise<Cost> {
  const site = await openSite();
  site.pages.set('/', page('<div class="h-app"><a class="u-url p-name" href="/">An app</a></div>'));
  const base = baseOf(server.house);
  const porchlight = { ...server.house, base };
  try {
    const codes: (() => Promise<Response>)[] = [];
    await times(exchanges + 1, async () => {
      const request = signInRequest(site.origin);
      const answer = await signIn(porchlight, request);
      codes.push(() => redeem(porchlight, request, answer));
    });
    await codes.pop()?.();
    return await costOf(server, exchanges, async () => {
      for (const code of codes) {
        const { status } = await code();
        if (status !== 200) throw new Error(`/token answered ${status}.`);
      }
    });
  } finally {
    await site.close();
  }
}

async function verifying(server: Counted, { port }: Sources): Promise<Cost> {
  await mention(server, 0, sourceOf(port, 0));
  return costOf(server, amount, async () => {
    await times(amount, (number) => mention(server, number + 1, sourceOf(port, number + 1)));
    for (let waiting = amount; waiting > 0;)
      ({ waiting } = await server.house.call('webmentions.process', {}));
  });
}

/** Measures mentions whose sources never answer, so that only accepting them is work. */
async function accepting(server: Counted, { silentPort }: Sources): Promise<Cost> {
  await quiet(server);
  const before = totalOf(server);
  await times(amount, (number) =>
    mention(server, 1000 + number, `http://127.1.${number}.1:${silentPort}/${number}`),
  );
  const after = totalOf(server);
  return { syncs: (after.syncs - before.syncs) / amount, cpuMs: (after.cpuMs - before.cpuMs) / amount };
}

function mention({ house }: Counted, number: number, source: string): Promise<void> {
  return posted(201, `${baseOf(house)}/webmention`, {
    headers: { 'cf-connecting-ip': `198.51.${number >> 7}.${1 + (number & 127)}` },
    body: new URLSearchParams({ source, target: `https://owner.example/page-${number}` }),
  });
}

const baseOf = ({ ready }: HeadlessProcess) => `http://127.0.0.1:${ready.port}`;

async function posted(status: number, url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, { method: 'POST', ...init });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
}
