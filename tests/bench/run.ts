import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchAttack } from './attack.ts';
import { checkoutOf, root } from './checkout.ts';
import { fillFolder, little, withCopy } from './folders.ts';
import { startLoadGenerator } from './load.ts';
import { benchHelp, readBenchOptions, type BenchOptions } from './options.ts';
import { readingRows } from './rows/reading.ts';
import { measureRequests } from './rows/requests.ts';
import { writingRows } from './rows/writing.ts';
import { startServer, type Program, type Server } from './servers.ts';
import type { Sources } from './source-server.ts';
import { growthTable, mainTable } from './table.ts';
import type { Line } from './targets.ts';

// `npm run bench`: see benchHelp. Decides nothing.
const options = readBenchOptions(process.argv.slice(2));
const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
try {
  if (options.help) process.stdout.write(benchHelp);
  else if (options.rows.includes('attack')) {
    const { posts, seconds = 60 } = options;
    await benchAttack({ dataDir: path.join(folder, 'attacked'), posts, seconds });
  } else await compare(options);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare({ seconds = 3, rounds, ...options }: BenchOptions): Promise<void> {
  const programs = await programsFor(options);
  const generator = startLoadGenerator();
  const sources = fork(path.join(import.meta.dirname, 'source-server.ts'), [String(options.imported)]);
  const [{ silentPort }] = (await once(sources, 'message')) as [Sources];
  const servers: Server[] = [];
  for (const program of programs) servers.push(await startServer(program));
  const scene = { servers, generator, seconds, rounds, scratch: path.join(folder, 'bare') };
  const lines: Line[] = [];
  for (const row of [...readingRows, ...writingRows(silentPort)]) {
    if (options.rows.length > 0 && !options.rows.includes(row.name)) continue;
    console.log(`${row.title} ...`);
    lines.push(await measureRequests(row, scene));
  }
  await Promise.all(servers.map(({ house }) => house.stop()));
  generator.stop();
  sources.kill();
  console.log(`\n${mainTable(lines)}\n\n${growthTable(lines)}`);
}

/** Returns the programs to measure, with their folders filled. */
async function programsFor({
  before,
  posts,
  mentions,
}: Omit<BenchOptions, 'seconds' | 'rounds'>): Promise<Program[]> {
  const checkout = before === 'none' ? undefined : checkoutOf(before);
  if (checkout === undefined && before !== 'none')
    console.log(`The repository does not have the commit ${before}, so its column is left out.`);
  const programs: Program[] = [];
  for (const [name, size] of [
    ['now', little],
    ['nowMuch', { posts, mentions }],
  ] as const) {
    const dataDir = path.join(folder, name);
    console.log(`Storing ${size.posts} posts and ${size.mentions} mentions ...`);
    const program = { name, root, dataDir, post: await fillFolder(dataDir, size) };
    if (checkout !== undefined)
      programs.push(
        await withCopy(program, { name: name === 'now' ? 'before' : 'beforeMuch', root: checkout }),
      );
    programs.push(program);
  }
  return programs;
}
