import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { openSite } from '../../support/client-app.ts';
import { whyNoDesktop } from '../../support/electron-app.ts';
import { openWebmentionIo } from '../../support/webmention-io.ts';
import { audit } from './audit.ts';
import { freePort, openDesktopHouse, openHeadlessHouse, type House } from './house.ts';
import { judgeFresh, judgeMemory, judgeRest, type Sample, type Verdict } from './judgement.ts';
import { openLedger } from './ledger.ts';
import { importing, mentioning } from './mentioning.ts';
import { posting } from './posting.ts';
import { readSoakOptions } from './options.ts';
import { handlesOf, hasProc } from './processes.ts';
import { reading, tunnelDying } from './reading.ts';
import { signing } from './signing.ts';
import { takeSample, restOf, settledRest, tableHead } from './watch.ts';
import { rest, work, type Scene } from './work.ts';

// Mixed load for some minutes. Then the server is stopped and started, and everything that it acknowledged has to be
// there. judgement.ts says how much growth is tolerated, and why.
const { minutes, desktop } = readSoakOptions(process.argv.slice(2));
if (!hasProc) throw new Error('The soak reads /proc, which only Linux has.');
const whyNot = desktop ? whyNoDesktop() : undefined;
if (whyNot !== undefined) throw new Error(`The desktop cannot be soaked here: ${whyNot}.`);

const seconds = minutes * 60;
const sampleEveryMs = Math.min(30_000, Math.max(2_000, (seconds * 1000) / 30));
const dieEveryMs = Math.min(60_000, (seconds * 1000) / 3);
/** Longer than a connection is kept for the next request: 72 s by the server, 5 s by the sites. */
const settleMs = 100_000;
const connectMs = 30_000;

const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-soak-'));
const [dataDir, record, ready] = ['data', 'starts', 'ready'].map((name) => path.join(folder, name)) as [
  string,
  string,
  string,
];
await mkdir(dataDir);
writeFileSync(ready, '4');
const port = await freePort();
const tunnel = {
  PORCHLIGHT_TUNNEL: 'quick',
  PORCHLIGHT_CLOUDFLARED: path.join(import.meta.dirname, '../../support/fake-cloudflared.mjs'),
  FAKE_CLOUDFLARED: 'measured',
  FAKE_CLOUDFLARED_RECORD: record,
  FAKE_CLOUDFLARED_READY: ready,
};
const tunnels = () =>
  existsSync(record)
    ? readFileSync(record, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { pid: number }).pid)
    : [];

// Ours to close: connections that are kept for later would be handles of the server's.
let connections = new Agent();
setGlobalDispatcher(connections);
const ledger = openLedger();
const sites = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((host) => openSite(host)));
const aggregator = await openWebmentionIo(100);

const house = await (desktop ? openDesktopHouse : openHeadlessHouse)({ dataDir, port, env: tunnel });
const soaked = await soak(house);
const verdicts = soaked.verdicts;
for (const [what, count] of ledger.done) console.log(`${what.padEnd(24)}${String(count).padStart(8)}`);
const code = await house.stop();
verdicts.push({ isGood: code === 0, words: `It ended with ${code ?? 'a signal'}.` });
verdicts.push(...(await afterwards(soaked)));

await Promise.all([...sites.map((site) => site.close()), aggregator.close(), connections.close()]);
console.log('');
for (const { isGood, words } of verdicts) console.log(`${isGood ? ' ok ' : 'FAIL'}  ${words}`);
const isGood = verdicts.every((verdict) => verdict.isGood);
if (isGood) await rm(folder, { recursive: true, force: true });
else console.log(`The data folder is kept: ${dataDir}`);
process.exitCode = isGood ? 0 : 1;

interface Soaked {
  readonly verdicts: Verdict[];
  readonly samples: readonly Sample[];
  /** Bytes of the heap before the load, and after it. */
  readonly heap: { readonly before: number; readonly after: number };
}

/** The load, and what is seen meanwhile. */
async function soak(house: House): Promise<Soaked> {
  await house.call('settings.update', { webmention: { aggregatorUrl: aggregator.origin } });
  const { token } = await house.call('apps.issueToken', {
    label: 'Soak',
    scopes: ['create', 'update', 'delete', 'undelete', 'media', 'read'],
  });
  const bearer = { authorization: `Bearer ${token}` };
  const scene: Scene = { house, ledger, sites, aggregator, bearer, tunnels };
  const { heap: heapBefore } = await house.inside();
  await settledRest(house.pid, () => tunnels().length > 0, connectMs);
  const before = await restOf(house.pid);
  console.log(`Soaking for ${minutes} min, in ${dataDir}\n${tableHead()}`);

  const over = AbortSignal.timeout(seconds * 1000);
  const lanes = [posting, mentioning, importing, signing, reading].map((lane) => lane(scene));
  const working = work([...lanes, tunnelDying(scene, dieEveryMs)], ledger, over);
  const samples: Sample[] = [];
  const began = performance.now();
  while (!over.aborted) {
    await rest(sampleEveryMs, over);
    samples.push(await takeSample(house, began));
  }
  await working;

  await connections.close();
  connections = new Agent();
  setGlobalDispatcher(connections);
  const isRest = (now: Awaited<ReturnType<typeof restOf>>) =>
    judgeRest(before, now).every((one) => one.isGood);
  const after = await settledRest(house.pid, isRest, settleMs);
  console.log(`\nHandles at rest: ${JSON.stringify(await handlesOf(house.pid))}`);
  const { heap: heapAfter } = await house.inside();
  return {
    verdicts: [judgeMemory('resident', samples), ...judgeRest(before, after)],
    samples,
    heap: { before: heapBefore, after: heapAfter },
  };
}

/** What is on disk, and what a fresh start finds there. */
async function afterwards({ samples, heap }: Soaked): Promise<Verdict[]> {
  const left = tunnels().filter((pid) => existsSync(`/proc/${pid}`));
  const before = await check();
  const again = await openHeadlessHouse({ dataDir, port, env: { ...tunnel, PORCHLIGHT_TUNNEL: 'off' } });
  const lost = await audit(again, ledger);
  const { heap: fresh } = await again.inside();
  await again.stop();
  const { posts, files, mentions, imported, apps } = ledger;
  const kept = `${posts.size} posts, ${files.size} files, ${mentions.size} mentions, ${imported.size} imported, ${apps.length} apps`;
  return [
    // Electron's heap is another one than that of the fresh server.
    judgeMemory('heap', samples, desktop ? 0 : fresh - heap.before),
    ...(desktop ? [] : [judgeFresh(heap.after, fresh)]),
    { isGood: left.length === 0, words: `Tunnels left behind: ${left.length}.` },
    before,
    { isGood: lost.length === 0, words: `Of ${kept}: ${lost.length} not as acknowledged.` },
    ...lost.slice(0, 20).map((words) => ({ isGood: false, words })),
    ...[...ledger.faults].map(([words, count]) => ({ isGood: false, words: `${words} (${count} times)` })),
  ];
}

async function check(): Promise<Verdict> {
  const program = path.join(import.meta.dirname, '../../../out/main/headless.js');
  const args = [program, '--check', '--data', dataDir];
  const { stdout, isGood } = await promisify(execFile)(process.execPath, args).then(
    (result) => ({ ...result, isGood: true }),
    (error: unknown) => ({ stdout: String((error as { stdout?: string }).stdout), isGood: false }),
  );
  return { isGood, words: `--check: ${stdout.trim()}` };
}
