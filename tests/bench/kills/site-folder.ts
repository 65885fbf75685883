import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { git, makeBuiltSite } from '../../support/built-site.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';

/** What is left of posts that were published to a site's folder while the server was killed over and over. */
export interface FolderOutcome {
  /** How many posts were acknowledged. */
  readonly posts: number;
  /** How many commits another client pushed meanwhile. */
  readonly others: number;
  /** Everything that isn't as it should be, in words. */
  readonly faults: readonly string[];
}

/** The longest wait for the last posts to be live, in ms. */
const patienceMs = 300_000;

/**
 * Publishes posts to a folder in git while another client pushes, and kills the server `rounds` times, at random
 * moments between file, commit, push and live check. Then checks the history of the remote.
 */
export async function runFolderRounds(
  rounds: number,
  print: (line: string) => void = () => undefined,
): Promise<FolderOutcome> {
  const home = await mkdtemp(path.join(tmpdir(), 'porchlight-folder-kills-'));
  const site = await makeBuiltSite();
  const other = otherClient(await site.clone('other'), 20 * rounds);
  const start = () =>
    startHeadless({
      dataDir: path.join(home, 'data'),
      args: ['--me', site.baseUrl, '--tunnel', 'off', '--allow-private-fetch'],
      env: { ...site.environment },
    });
  let house: HeadlessProcess | undefined;
  try {
    const stopBuilding = site.keepBuilding();
    const acknowledged: string[] = [];
    house = await start();
    await house.call('settings.update', { siteFolder: site.settings });
    const { token } = await house.call('apps.issueToken', { label: 'Client', scopes: ['create'] });
    let made = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const running: HeadlessProcess = house;
      // In every other round, a post has been acknowledged before the kill, on a busy computer, too.
      let answered: () => void = () => undefined;
      const first = new Promise<void>((resolve) => (answered = resolve));
      if (round % 2 === 1) answered();
      const killed = first.then(() => pause(100 + Math.random() * 1500)).then(() => running.stop('SIGKILL'));
      while (running.child.exitCode === null && running.child.signalCode === null) {
        const url = await note(running, token, `note-${(made += 1)}`);
        if (url !== undefined) {
          acknowledged.push(url);
          answered();
        }
        await pause(Math.random() * 300);
      }
      await killed;
      house = await start();
      if (round % 10 === 0) print(`After ${round}: ${acknowledged.length} posts`);
    }
    // Everything that was acknowledged arrives, whatever the kills have left behind.
    const until = performance.now() + patienceMs;
    let status = await house.call('siteFolder.status', {});
    while (status.state !== 'idle' && performance.now() < until) {
      await pause(500);
      status = await house.call('siteFolder.status', {});
    }
    const others = await other.stop();
    await stopBuilding();
    const faults = status.state === 'idle' ? [] : [`${status.waiting} posts wait: ${status.words}`];

    const history = (await git(site.remote, 'log', '--format=', '--name-status', '--no-renames', 'main'))
      .split('\n')
      .filter((line) => line !== '');
    for (const url of acknowledged) {
      const slug = new URL(url).pathname.split('/')[2] ?? '';
      // Added once, and never touched again.
      const lines = history.filter((line) => line.includes(`-${slug}.`));
      if (lines.length !== 1 || !lines[0]?.startsWith('A')) faults.push(`${slug}: ${lines.join('; ')}`);
      if (!(await (await fetch(url)).text()).includes(`Words of ${slug}`)) faults.push(`${url} isn’t live`);
    }
    for (let count = 0; count < others; count += 1) {
      const lines = history.filter((line) => line.endsWith(`\tother-${count}.txt`));
      if (lines.length !== 1) faults.push(`The other client’s ${count}: ${lines.join('; ')}`);
    }
    for (const repository of [site.remote, site.folder]) {
      const found = await git(repository, 'fsck', '--full', '--strict');
      if (/error|missing/.test(found)) faults.push(`git fsck: ${found}`);
    }
    const dirty = await git(site.folder, 'status', '--porcelain');
    if (dirty !== '') faults.push(`git status: ${dirty}`);
    return { posts: acknowledged.length, others, faults };
  } finally {
    await house?.stop();
    await other.stop();
    await site.remove();
    await rm(home, { recursive: true, force: true });
  }
}

/** Runs `--site-folder`, and prints what it finds. Returns the exit code. */
export async function runFolderKills(rounds: number): Promise<number> {
  const { posts, others, faults } = await runFolderRounds(rounds, (line) => console.log(line));
  for (const words of faults) console.log(words);
  console.log(
    `${rounds} kills, ${posts} posts, ${others} pushes of another client: ${faults.length} faults.`,
  );
  return faults.length === 0 ? 0 : 1;
}

/** Creates a note and returns its URL; undefined if the server was killed before it answered. */
async function note(house: HeadlessProcess, token: string, slug: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${house.ready.baseUrl}/micropub`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: ['h-entry'],
        properties: { content: [`Words of ${slug}`], 'mp-slug': [slug] },
      }),
    });
    return response.ok ? (response.headers.get('location') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** Pushes commits of another client, at most `most`, until it is stopped. `stop` returns their number. */
function otherClient(folder: string, most: number): { stop(): Promise<number> } {
  let [isEnding, count] = [false, 0];
  const loop = (async () => {
    // A computer that is slower than this client must come to an end, too.
    while (!isEnding && count < most) {
      await writeFile(path.join(folder, `other-${count}.txt`), `${count}\n`);
      await git(folder, 'add', '.');
      await git(folder, 'commit', '--quiet', '-m', `Other ${count}`);
      for (let isPushed = false; !isPushed;) {
        isPushed = await git(folder, 'push', '--quiet').then(
          () => true,
          () => false,
        );
        if (!isPushed) await git(folder, 'pull', '--quiet', '--rebase');
      }
      count += 1;
      await pause(300);
    }
  })();
  return {
    async stop() {
      isEnding = true;
      await loop;
      return count;
    },
  };
}
