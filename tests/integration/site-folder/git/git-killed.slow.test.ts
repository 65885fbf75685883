import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { gitScene, posting, toBranch, toOrigin } from '../../../support/git-scene.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { bundleProgram, killRounds as rounds } from '../../../support/writer-program.ts';

/** Lets a writer publish, kills it at a random moment, and returns the number of the last post it acknowledged. */
async function publishUntilKilled(args: readonly string[], last: number): Promise<number> {
  const child = spawn(process.execPath, [...args, String(last + 1)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let acknowledged = last;
  let until = 1 + Math.floor(Math.random() * 3);
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return acknowledged;
}

test.each([
  ['a remote', true, toOrigin],
  ['a branch', false, toBranch],
])(
  `posts to %s survive ${rounds} kills: each arrives exactly once`,
  { timeout: 60_000 + rounds * 15_000 },
  async (_, remote, target) => {
    const scene = await gitScene({ remote });
    await scene.write('content/about.md', 'Mine\n');
    await scene.write('untracked.md', 'Mine\n');
    const before = await scene.view();
    const writer = await bundleProgram('git-writer', await temporaryFolder());
    let last = 0;
    for (let round = 0; round < rounds; round += 1)
      last = await publishUntilKilled([writer, scene.site, target.remote ?? ''], last);

    // The next program repeats what wasn't acknowledged, and finishes what was interrupted.
    const git = scene.open();
    const final = last + 2;
    for (let number = last + 1; number <= final; number += 1) {
      const post = posting(
        { [`posts/${number}.md`]: `Post ${number}\n`, 'data/newest.json': `${number}\n` },
        `Post ${number}`,
      );
      expect(await git.publish([post], target)).toMatchObject({ setAside: [], left: null });
    }
    const place = remote ? scene.remote : scene.site;
    for (let number = 1; number <= final; number += 1) {
      const added = await scene.in(
        place,
        'log',
        '--format=%H',
        '--diff-filter=A',
        'main',
        '--',
        `posts/${number}.md`,
      );
      expect(added.trim().split('\n'), `post ${number}`).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
    }
    expect(await scene.view()).toBe(before);
    await scene.check();
  },
);

/** How long another client pushes at least, in ms, besides the time that all posts take. */
const pushingMs = Number(process.env['PORCHLIGHT_OTHER_CLIENT_MS'] ?? 0);

test(
  'every post arrives exactly once while another client pushes continually, which loses nothing',
  { timeout: 300_000 + rounds * 10_000 + 3 * pushingMs },
  async () => {
    const scene = await gitScene();
    const other = await scene.clone('other');
    const until = performance.now() + pushingMs;
    const over = new AbortController();
    let [pushed, posts] = [0, 0];
    const pushing = (async () => {
      // A computer that is slower than the other client must come to an end, too.
      while (!over.signal.aborted && (pushed < 5 * rounds || performance.now() < until)) {
        await scene.in(other, 'commit', '-q', '--allow-empty', '-m', `Other ${pushed}`);
        pushed += 1;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
        while (
          !(await scene.in(other, 'push', '-q').then(
            () => true,
            () => false,
          ))
        )
          await scene.in(other, 'pull', '-q', '--rebase');
      }
    })();
    const git = scene.open();
    try {
      for (; posts < rounds || performance.now() < until; posts += 1)
        await git.publish([posting({ [`posts/${posts}.md`]: 'x' }, `Post ${posts}`)], toOrigin);
    } finally {
      over.abort();
      await pushing;
    }
    if (pushingMs > 0) console.log(`${posts} posts, and ${pushed} pushes of the other client.`);
    // They did meet.
    expect(pushed).toBeGreaterThan(1);
    const subjects = (await scene.in(scene.remote, 'log', '--format=%s', 'main')).trim().split('\n');
    const expected = [
      'Start',
      ...Array.from({ length: posts }, (_, number) => `Post ${number}`),
      ...Array.from({ length: pushed }, (_, number) => `Other ${number}`),
    ];
    expect(subjects.sort()).toEqual(expected.sort());
    await scene.check();
  },
);
