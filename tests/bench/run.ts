import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { headlessArguments, startHeadless, type Ready } from '../support/headless-process.ts';
import { median, throughputs } from './load.ts';
import { measureStart, residentMegabytes } from './start-up.ts';

/**
 * `npm run bench`: what a request costs over a bare Fastify route, and what a start costs over a bare Fastify
 * process, all measured in the same run. Prints ratios and aims; decides nothing.
 */
const bare = path.join(import.meta.dirname, 'bare-server.ts');
const headless = path.join(import.meta.dirname, '../../out/main/headless.js');
const starts = 7;

const row = (name: string, value: string, aim = '') =>
  console.log(`${name.padEnd(44)}${value.padStart(14)}   ${aim}`);

async function requests(): Promise<void> {
  const porchlight = await startHeadless({ args: ['--me', 'https://owner.example/'] });
  const { token } = await porchlight.call('apps.issueToken', { label: 'Benchmark', scopes: ['read'] });
  const bareServer = spawn(process.execPath, [bare], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(bareServer.stdout, 'data')) as [Buffer];
  const { baseUrl } = porchlight.ready;
  const rates = await throughputs({
    bare: { url: address.toString().trim() },
    metadata: { url: `${baseUrl}/.well-known/oauth-authorization-server` },
    introspection: {
      url: `${baseUrl}/introspect`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    },
  });
  console.log('\nRequests a second (median of rounds taken in turn)');
  row('bare Fastify JSON route', rates.bare.toFixed(0));
  row(
    'metadata',
    rates.metadata.toFixed(0),
    `${(rates.metadata / rates.bare).toFixed(2)} of bare (aim: at least 0.8)`,
  );
  row(
    'introspection',
    rates.introspection.toFixed(0),
    `${(rates.introspection / rates.bare).toFixed(2)} of bare (aim: at least 0.6)`,
  );
  row('memory after the load, MB', (await residentMegabytes(porchlight.child.pid ?? 0)).toFixed(0));
  bareServer.kill();
  await porchlight.remove();
}

async function startUps(): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
  const flags = headlessArguments(dataDir);
  const ours = [];
  const theirs = [];
  for (let round = 0; round < starts; round += 1) {
    theirs.push(await measureStart([bare], (line) => line));
    ours.push(
      await measureStart(
        [headless, ...flags],
        (line) => `${(JSON.parse(line) as Ready).baseUrl}/.well-known/oauth-authorization-server`,
      ),
    );
  }
  const [bareMs, ms] = [median(theirs.map((start) => start.ms)), median(ours.map((start) => start.ms))];
  const [bareMb, mb] = [
    median(theirs.map((start) => start.megabytes)),
    median(ours.map((start) => start.megabytes)),
  ];
  console.log('\nStart, from the process to its first answer (median)');
  row('bare Fastify, ms', bareMs.toFixed(0));
  row('headless, ms', ms.toFixed(0), `${(ms / bareMs).toFixed(2)} of bare (aim: under 600 ms)`);
  row('bare Fastify, MB', bareMb.toFixed(0));
  row('headless, MB', mb.toFixed(0), `${(mb / bareMb).toFixed(2)} of bare (aim: under 120 MB)`);
  await rm(dataDir, { recursive: true, force: true });
}

await startUps();
await requests();
