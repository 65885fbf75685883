import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchApp } from './app.ts';
import { benchAttack } from './attack.ts';
import { fillWithPosts } from './post-folder.ts';
import { benchCreate, benchReading } from './posts.ts';
import { benchSignIn } from './sign-in.ts';
import { benchStartUp } from './start-up.ts';
import { benchUpload } from './upload.ts';
import { fillWithMentions } from './mention-folder.ts';
import { benchVerifying } from './verifying.ts';
import { benchAccepting, benchImport, benchReadingMentions } from './webmentions.ts';

/**
 * `npm run bench`: what things cost over a baseline measured in the same run, for the machines are shared and noisy.
 * Prints ratios and aims; decides nothing. `npm run bench -- reading` runs one part. The part `attack` takes
 * `--posts N` (what the sitemap lists) and `--seconds N`.
 */
const few = 100;
const many = 50_000;
const { positionals: wanted, values: given } = parseArgs({
  allowPositionals: true,
  options: { posts: { type: 'string', default: '50000' }, seconds: { type: 'string', default: '60' } },
});
const runs = (part: string) => wanted.length === 0 || wanted.includes(part);

const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
const [small, large] = [path.join(folder, 'few'), path.join(folder, 'many')];
const fewMentions = 100;
const manyMentions = 100_000;
const manyImported = 50_000;

if (runs('start') || runs('mentions')) {
  console.log(`Keeping ${fewMentions} and ${manyMentions} mentions…`);
  await fillWithMentions(small, fewMentions);
  await fillWithMentions(large, manyMentions);
}
if (runs('start') || runs('reading')) {
  console.log(`Filing ${few} and ${many} posts…`);
  await fillWithPosts(small, few);
  await fillWithPosts(large, many);
}
if (runs('start')) await benchStartUp(large, `${many} posts and ${manyMentions} mentions`);
if (runs('sign-in')) await benchSignIn();
if (runs('create')) await benchCreate();
if (runs('reading')) await benchReading(small, large, many);
if (runs('upload')) await benchUpload();
if (runs('accepting')) await benchAccepting();
if (runs('verifying')) await benchVerifying();
if (runs('mentions')) await benchReadingMentions(small, large, manyMentions);
if (runs('app')) {
  const [none, mentions] = [path.join(folder, 'none'), path.join(folder, 'mentions')];
  console.log(`Keeping ${manyMentions} mentions…`);
  await fillWithMentions(mentions, manyMentions);
  await mkdir(none, { recursive: true });
  await benchApp(none, mentions, `${manyMentions} mentions`);
}
if (runs('attack')) {
  const [posts, seconds] = [Number(given.posts), Number(given.seconds)];
  await benchAttack({ dataDir: path.join(folder, 'attacked'), posts, seconds });
}
if (runs('import')) await benchImport(manyImported);
await rm(folder, { recursive: true, force: true });
