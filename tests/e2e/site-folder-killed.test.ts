import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { git, makeBuiltSite } from '../support/built-site.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { killRounds } from '../support/writer-program.ts';

const rounds = Number(process.env['PORCHLIGHT_FOLDER_KILLS'] ?? killRounds);

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

/** Pushes commits of another client until the returned function is called, which returns their number. */
function otherClient(folder: string): () => Promise<number> {
  let [isEnding, count] = [false, 0];
  const loop = (async () => {
    // A computer that is slower than this client must come to an end, too.
    while (!isEnding && count < 20 * rounds) {
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
  return async () => {
    isEnding = true;
    await loop;
    return count;
  };
}

test(
  `each post arrives exactly once in spite of ${rounds} kills and another client that pushes`,
  { timeout: 360_000 + rounds * 15_000 },
  async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'porchlight-folder-kills-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const site = await makeBuiltSite();
    onTestFinished(() => site.remove());
    const stopOther = otherClient(await site.clone('other'));
    onTestFinished(async () => {
      await stopOther();
    });
    const stopBuilding = site.keepBuilding();
    const acknowledged: string[] = [];
    const dataDir = path.join(home, 'data');
    const start = () =>
      startHeadless({ dataDir, args: ['--me', site.baseUrl, '--tunnel', 'off', '--allow-private-fetch'] });

    let house = await start();
    await house.call('settings.update', { siteFolder: site.settings });
    const { token } = await house.call('apps.issueToken', { label: 'Client', scopes: ['create'] });
    let made = 0;
    for (let round = 0; round < rounds; round += 1) {
      const killed = pause(100 + Math.random() * 1500).then(() => house.stop('SIGKILL'));
      while (house.child.exitCode === null && house.child.signalCode === null) {
        const url = await note(house, token, `note-${(made += 1)}`);
        if (url !== undefined) acknowledged.push(url);
        await pause(Math.random() * 300);
      }
      await killed;
      house = await start();
    }
    onTestFinished(async () => {
      await house.stop();
    });
    // Everything that was acknowledged arrives, whatever the kills have left behind.
    await expect
      .poll(() => house.call('siteFolder.status', {}), { timeout: 240_000, interval: 500 })
      .toMatchObject({ state: 'idle', items: [] });
    const others = await stopOther();
    await stopBuilding();

    const history = (await git(site.remote, 'log', '--format=', '--name-status', '--no-renames', 'main'))
      .split('\n')
      .filter((line) => line !== '');
    const added = (name: string) => history.filter((line) => line.endsWith(name)).length;
    expect(acknowledged.length).toBeGreaterThan(0);
    for (const url of acknowledged) {
      const slug = new URL(url).pathname.split('/')[2] ?? '';
      // Added once, and never touched again.
      const lines = history.filter((line) => line.includes(`-${slug}.`));
      expect([url, lines.length, lines[0]?.slice(0, 1)]).toEqual([url, 1, 'A']);
      expect(await (await fetch(url)).text()).toContain(`Words of ${slug}`);
    }
    for (let count = 0; count < others; count += 1) expect(added(`other-${count}.txt`)).toBe(1);
    expect(await git(site.remote, 'fsck', '--full', '--strict')).not.toMatch(/error|missing/);
    expect(await git(site.folder, 'fsck', '--full', '--strict')).not.toMatch(/error|missing/);
    expect(await git(site.folder, 'status', '--porcelain')).toBe('');
  },
);
