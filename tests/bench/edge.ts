// Measures what the Worker adds to a request, in real workerd: node tests/bench/edge.ts. Exits with 1 above the limits.
import { readdirSync, readFileSync } from 'node:fs';
import { provideEdgeRuntime } from '../../scripts/test-needs.ts';
import { startWorker } from '../support/edge-runtime.ts';
import { edgeScene } from '../support/edge-scene.ts';

/** How much longer a request may take than through a bare proxy, in ms at the median. */
const mostAddedMs = 2;
/** The free plan's CPU time for each request of a Worker, in ms. */
const mostCpuMs = 10;
const rounds = 5;
const requestsPerRound = 400;
const bareProxy = 'export default { fetch: (request) => fetch(request) };';
/** A tick of /proc/PID/stat, in ms, on all common Linux systems. */
const tick = 10;

if (await provideEdgeRuntime()) await measure();
else process.exitCode = 1;

async function measure(): Promise<void> {
  const scene = await edgeScene();
  const bare = await startWorker(bareProxy, scene.options.origin);
  try {
    const [page, picture] = ['/a-page', '/media/2026/11/a.png'];
    const copy = (address: string, bytes: number) => ({
      address,
      hash: 'h',
      status: 200,
      headers: { 'content-type': 'text/html' },
      noteAt: 6,
      body: new TextEncoder().encode('<html><body>'.padEnd(bytes, 'x')),
    });
    await scene.client.store([copy(page, 20_000), copy(picture, 2_000_000)]);
    const get = (url: string) => async () => {
      await (await fetch(url)).arrayBuffer();
    };
    const upload = new Uint8Array(1_000_000);
    await row('warm-up, not to be compared', get(`${scene.url}${page}`));
    for (let round = 0; round < rounds; round += 1) {
      const alone = await row('bare proxy', get(`${bare.url}${page}`));
      const passed = await row('pass-through', get(`${scene.url}${page}`));
      console.log(`  pass-through adds ${(passed - alone).toFixed(2)} ms at the median`);
      if (passed - alone > mostAddedMs) process.exitCode = 1;
    }
    await row('pass-through of 1 MB', async () => {
      await (await fetch(`${scene.url}/media`, { method: 'POST', body: upload })).arrayBuffer();
    });
    await scene.client.call('away', { kind: 'asleep' });
    scene.behave('broken');
    await fetch(`${scene.url}${page}`);
    await row('copy of a page', get(`${scene.url}${page}`));
    await row('copy of 2 MB', get(`${scene.url}${picture}`));
    await row('sign-in while asleep', get(`${scene.url}/auth?client_id=x`));
    await row('forged call', async () => {
      await (await scene.client.send('state', '{}', { callKey: 'A'.repeat(43) })).arrayBuffer();
    });
    let next = 0;
    await row('mention is kept', async () => {
      const source = `https://sender-${(next += 1)}.test/`;
      const fields = { source, target: 'https://home.test/post' };
      await scene.post('/webmention', fields, { 'cf-connecting-ip': `10.${next >> 8}.${next & 255}.1` });
    });
    // Most of the work of these is done by the Durable Object, which has 30 s.
    await row('call that lists 50 items', async () => {
      await scene.client.call('items', { after: 0, limit: 50 });
    });
    await row('call that stores 1 MB', async () => {
      await (await scene.client.store([copy('/other', 1_000_000)])).arrayBuffer();
    });
  } finally {
    await bare.stop();
    await scene.stop();
  }
}

/** Makes requests one after another. Prints the median, and the CPU time of all of workerd per request. */
async function row(name: string, request: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const cpu = workerdCpu();
  for (let one = 0; one < requestsPerRound; one += 1) {
    const started = performance.now();
    await request();
    times.push(performance.now() - started);
  }
  const median = times.sort((a, b) => a - b)[requestsPerRound >> 1] ?? NaN;
  const spent = (workerdCpu() - cpu) / requestsPerRound;
  if (spent > mostCpuMs) process.exitCode = 1;
  const words = `${median.toFixed(2)} ms at the median, ${spent.toFixed(2)} ms of CPU time per request`;
  console.log(`${name}: ${words}`);
  return median;
}

/** Returns the CPU time of the workerd processes that this process started, in ms. NaN except on Linux. */
function workerdCpu(): number {
  if (process.platform !== 'linux') return NaN;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(pid);
    // After the name: state, parent ... and as the 14th and 15th field of all, user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat.includes('(workerd)') && Number(fields[1]) === process.pid)
      ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * tick;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return ''; // It has ended.
  }
}
