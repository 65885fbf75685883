import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchAttack } from './attack.ts';
import { compare } from './compare.ts';
import { benchHelp, readBenchOptions } from './options.ts';
import { growthTable, legend, mainTable } from './table.ts';

// `npm run bench`: see benchHelp. Decides nothing.
const options = readBenchOptions(process.argv.slice(2));
const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
try {
  if (options.help) process.stdout.write(benchHelp);
  else if (options.rows.includes('attack')) {
    const { posts, seconds = 60 } = options;
    await benchAttack({ dataDir: path.join(folder, 'attacked'), posts, seconds });
  } else {
    const lines = await compare(folder, options);
    console.log(`\n${legend}\n\n${mainTable(lines)}\n\n${growthTable(lines)}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
