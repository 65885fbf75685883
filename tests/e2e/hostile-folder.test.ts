import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { adoptingSettings, writeTree } from '../support/adoption.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { hostSitemap } from '../support/site-host.ts';
import { limitOf } from '../support/patience.ts';

/** YAML of 900 characters that keeps its parser busy for minutes. */
const hostileYaml = '? '.repeat(450);
const hostilePost = `---\n${hostileYaml}\n---\nWords\n`;
/** How long a visitor waits for a page, in ms. Without the threads, no page arrived within minutes. */
const patience = limitOf(15_000);

async function siteWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-hostile-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeTree(folder, files);
  return folder;
}

/** Requests the home page until `work` is done. Returns its result. */
async function whileVisited<T>({ ready }: HeadlessProcess, work: Promise<T>): Promise<T> {
  const results: PromiseSettledResult<T>[] = [];
  const noted = Promise.allSettled([work]).then((all) => results.push(...all));
  do {
    const { status } = await fetch(ready.baseUrl, { signal: AbortSignal.timeout(patience) });
    expect(status).toBeLessThan(500);
    await sleep(50);
  } while (results.length === 0);
  await noted;
  return work;
}

test(
  'a hostile configuration is reported when its folder is chosen, and visitors get their pages in the meantime',
  { timeout: limitOf(300_000) },
  async () => {
    const folder = await siteWith({ '_config.yml': hostileYaml, '_posts/2026-01-01-fog.md': 'Fog\n' });
    const porchlight = await startHeadless();
    onTestFinished(() => porchlight.remove());
    const detected = async () => {
      for (;;) {
        const result = porchlight.call('siteFolder.detect', { path: folder });
        // On a busy computer, the file is not read at first, and the owner is asked to try again.
        if (
          await result.then(
            () => true,
            (error: unknown) => !String(error).includes('Try again later'),
          )
        )
          return result;
      }
    };
    const found = await whileVisited(porchlight, detected());
    expect(found).toMatchObject({ generator: 'jekyll', posts: 1 });
    expect(found.warnings).toContain('_config.yml takes too long to read.');
  },
);

test('a hostile post stops neither the server nor its next starts, and is reported', async () => {
  const bad = 'content/posts/bad.md';
  const folder = await siteWith({
    'hugo.toml': 'baseURL = "https://me.example/"\n',
    [bad]: hostilePost,
    'content/posts/good.md': '---\ntitle: Good\ndate: 2026-01-01\n---\nWords\n',
  });
  const { baseUrl } = await hostSitemap(['/posts/good/', '/posts/bad/']);
  const args = ['--allow-private-fetch'];
  let porchlight = await startHeadless({ args });
  onTestFinished(() => porchlight.remove());
  const adopted = async () => {
    for (;;) {
      const summary = await porchlight.call('siteFolder.adopted', {});
      if (summary.posts > 0 && summary.problems.length > 0) return summary;
      await sleep(100);
    }
  };
  const summary = {
    posts: 1,
    problems: [{ words: 'It takes too long to read.', files: 1, example: bad }],
    isCut: false,
  };
  const { postFile, postUrl } = { postFile: 'content/posts/{slug}.md', postUrl: 'posts/{slug}/' };
  const siteFolder = { ...adoptingSettings(folder, 'hugo', { baseUrl }), postFile, postUrl };
  await porchlight.call('settings.update', { siteFolder });
  expect(await whileVisited(porchlight, adopted())).toEqual(summary);

  const { dataDir } = porchlight;
  expect(await porchlight.stop()).toBe(0);
  // A stop doesn't wait for files that take long.
  await writeTree(
    folder,
    Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`content/posts/bad-${at}.md`, hostilePost])),
  );
  porchlight = await startHeadless({ dataDir, args });
  await sleep(500);
  expect(await porchlight.stop()).toBe(0);

  for (let at = 0; at < 30; at += 1) await rm(join(folder, `content/posts/bad-${at}.md`));
  porchlight = await startHeadless({ dataDir, args });
  expect(await whileVisited(porchlight, adopted())).toEqual(summary);
});
