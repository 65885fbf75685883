import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startHeadless } from '../support/headless-process.ts';
import { temporaryFolder } from '../support/storage-folder.ts';

const run = promisify(execFile);

test('checking a folder runs nothing that its own configuration names', async () => {
  const dir = await temporaryFolder();
  const site = path.join(dir, 'site');
  const traces = path.join(dir, 'traces');
  await mkdir(traces);
  const program = async (name: string) => {
    const file = path.join(dir, name);
    await writeFile(file, `#!/bin/sh\n: > ${traces}/${name}\ncat 2>/dev/null\n`, { mode: 0o755 });
    return file;
  };
  const git = (folder: string, ...args: string[]) => run('git', args, { cwd: folder });
  await mkdir(path.join(site, 'blog'), { recursive: true });
  await writeFile(path.join(site, 'hugo.toml'), 'title = "Site"\n');
  await git(site, 'init', '-q');
  await git(site, 'config', 'core.fsmonitor', await program('fsmonitor'));
  // A repository within the site's own files, as a clone can bring it.
  const embedded = path.join(site, 'blog');
  await git(embedded, 'init', '-q', '--bare', '.');
  await git(embedded, 'config', 'core.bare', 'false');
  await git(embedded, 'config', 'core.worktree', embedded);
  await git(embedded, 'config', 'core.fsmonitor', await program('embedded'));

  const house = await startHeadless();
  onTestFinished(() => house.remove());
  await house.call('siteFolder.detect', { path: site });
  await house.call('siteFolder.detect', { path: embedded }).catch(() => undefined);
  expect(['fsmonitor', 'embedded'].filter((name) => existsSync(path.join(traces, name)))).toEqual([]);
});
