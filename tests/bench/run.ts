import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fillWithPosts } from './post-folder.ts';
import { benchCreate, benchReading } from './posts.ts';
import { benchSignIn } from './sign-in.ts';
import { benchStartUp } from './start-up.ts';
import { benchUpload } from './upload.ts';

/**
 * `npm run bench`: what things cost over a baseline measured in the same run, for the machines are shared and noisy.
 * Prints ratios and aims; decides nothing. `npm run bench -- reading` runs one part.
 */
const few = 100;
const many = 50_000;
const wanted = process.argv.slice(2);
const runs = (part: string) => wanted.length === 0 || wanted.includes(part);

const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
const [small, large] = [path.join(folder, 'few'), path.join(folder, 'many')];
if (runs('start') || runs('reading')) {
  console.log(`Filing ${few} and ${many} posts…`);
  await fillWithPosts(small, few);
  await fillWithPosts(large, many);
}
if (runs('start')) await benchStartUp(large, many);
if (runs('sign-in')) await benchSignIn();
if (runs('create')) await benchCreate();
if (runs('reading')) await benchReading(small, large, many);
if (runs('upload')) await benchUpload();
await rm(folder, { recursive: true, force: true });
