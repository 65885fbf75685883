import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { hasProc } from '../bench/soak/processes.ts';
import { fuzz } from './fuzz.ts';
import { requestAt } from './generators.ts';
import { keepFailures, readFailures } from './replay.ts';
import { reportLines } from './report.ts';
import type { FuzzRequest } from './request.ts';
import type { Values } from './world.ts';

/**
 * `npm run fuzz`: hostile requests of every kind to the built server, the same ones for the same seed. Ends with 1 for
 * an answer of 5xx, a crash, a stall of over a second, a leaked secret or growth.
 * Options: -- --seed N --requests N --seconds N --connections N, --only N,N (of this seed), --replay FILE.
 */
const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '300' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string' },
    replay: { type: 'string' },
  },
});
if (!hasProc) throw new Error('The fuzzer reads /proc, which only Linux has.');

const seed = numberOf('seed', given.seed ?? String(Date.now() % 1_000_000));
const requests = numberOf('requests', given.requests);
const only = await onlyOf();
console.log(`Seed ${seed}`);
const report = await fuzz({
  seed,
  requests,
  seconds: numberOf('seconds', given.seconds),
  connections: only ? 1 : numberOf('connections', given.connections),
  judgesGrowth: !only,
  ...(only && { only }),
  print: (line) => console.log(line),
});
for (const line of reportLines(report)) console.log(line);
if (report.findings.length > 0) {
  const file = path.join(tmpdir(), `porchlight-fuzz-${seed}.json`);
  await keepFailures(file, seed, report.values, report.findings);
  console.log(`Again: npm run fuzz -- --seed ${seed} --requests ${requests}`);
  console.log(`Only what failed: npm run fuzz -- --replay ${file}`);
  process.exitCode = 1;
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0)
    throw new Error(`--${name} takes a whole number, such as 20000.`);
  return number;
}

async function onlyOf(): Promise<((values: Values) => readonly FuzzRequest[]) | undefined> {
  if (given.replay !== undefined) return readFailures(given.replay);
  if (given.only === undefined) return undefined;
  const numbers = given.only.split(',').map(Number);
  const hosts = { public: 'porch.example', console: '127.0.0.1' };
  return (values) => numbers.map((number) => requestAt(seed, number, values, hosts));
}
