// Measures what the Worker adds to a request, in real workerd: node tests/bench/edge.ts. Decides nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { provideEdgeRuntime } from '../../.ci/edge-runtime.ts';
import { startWorker } from '../support/edge-runtime.ts';
import { edgeScene } from '../support/edge-scene.ts';

const rounds = 5;
const requestsPerRound = 400;
const bareProxy = 'export default { fetch: (request) => fetch(request) };';
/** A tick of /proc/PID/stat, in ms, on all common Linux systems. */
const tick = 10;

if (await provideEdgeRuntime()) await measure();

async function measure(): Promise<void> {
  const scene = await edgeScene();
  const bare = await startWorker(bareProxy, scene.options.origin);
  try {
    const page = '/a-page';
    const body = new TextEncoder().encode('<html><body>'.padEnd(20_000, 'x'));
    const headers = { 'content-type': 'text/html' };
    const address = { address: page, hash: 'h' };
    await scene.client.store([{ ...address, status: 200, headers, noteAt: 6, body }]);
    const get = (url: string) => async () => {
      await (await fetch(url)).arrayBuffer();
    };
    await row('warm-up, not to be compared', get(`${scene.url}${page}`));
    for (let round = 0; round < rounds; round += 1) {
      const alone = await row('bare proxy', get(`${bare.url}${page}`));
      const passed = await row('pass-through', get(`${scene.url}${page}`));
      console.log(`  pass-through adds ${(passed - alone).toFixed(2)} ms at the median`);
    }
    await scene.client.call('away', { kind: 'asleep' });
    scene.behave('broken');
    await fetch(`${scene.url}${page}`);
    await row('copy of a page', get(`${scene.url}${page}`));
    let next = 0;
    await row('mention is kept', async () => {
      const source = `https://sender-${(next += 1)}.test/`;
      const fields = { source, target: 'https://home.test/post' };
      await scene.post('/webmention', fields, { 'cf-connecting-ip': `10.${next >> 8}.${next & 255}.1` });
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
  const spent = ((workerdCpu() - cpu) / requestsPerRound).toFixed(2);
  console.log(`${name}: ${median.toFixed(2)} ms at the median, ${spent} ms of CPU time per request`);
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
