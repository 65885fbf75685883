import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import type { FileContent } from '../../src-main/site-folder/git/git-commits.ts';
import { openGit, type Git, type GitOptions } from '../../src-main/site-folder/git/git.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { remoteUrl } from './built-site.ts';
import { temporaryFolder } from './storage-folder.ts';

const run = promisify(execFile);

/**
 * An owner's repository with a bare remote, in a home whose git configuration leads the remote's address by https to
 * the bare repository.
 */
export interface GitScene {
  readonly dir: string;
  /** The owner's working tree. */
  readonly site: string;
  readonly remote: string;
  /** Runs git as the owner would; returns stdout. */
  owner(...args: string[]): Promise<string>;
  /** Runs git in another folder below `dir`. */
  in(folder: string, ...args: string[]): Promise<string>;
  write(file: string, text: string | Buffer): Promise<void>;
  /** Clones the remote into a folder below `dir`. */
  clone(name: string): Promise<string>;
  /** Leads the address of the remote to another place, in the owner's own configuration. */
  lead(place: string): Promise<void>;
  /** Opens the site's folder. */
  open(options?: Partial<GitOptions>): Git;
  /** Returns what the owner sees of their changes. */
  view(): Promise<string>;
  /** Returns a file of the remote's branch; null if it isn't there. */
  published(file: string): Promise<string | null>;
  /** Checks both repositories, and that Porchlight left nothing behind in the owner's. */
  check(): Promise<void>;
}

export const toOrigin = { branch: 'main', remote: 'origin' };
export const toBranch = { branch: 'main', remote: null };

/** Sets up the repositories. The site has one commit, which is pushed. */
export async function gitScene(options: { remote?: boolean; empty?: boolean } = {}): Promise<GitScene> {
  const dir = await temporaryFolder();
  const site = path.join(dir, 'site');
  const remote = path.join(dir, 'remote.git');
  vi.stubEnv('HOME', dir);
  vi.stubEnv('XDG_CONFIG_HOME', path.join(dir, 'config'));
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  await writeFile(
    path.join(dir, '.gitconfig'),
    `[init]\n\tdefaultBranch = main\n[user]\n\tname = Owner\n\temail = owner@example.com\n[protocol "file"]\n\tallow = always\n[maintenance]\n\tauto = false\n[url "${dir}/"]\n\tinsteadOf = https://git.example/\n`,
  );
  const gitIn = async (folder: string, ...args: string[]) => {
    const { stdout } = await run('git', args, {
      cwd: path.resolve(dir, folder),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  const owner = (...args: string[]) => gitIn(site, ...args);
  await mkdir(site);
  await owner('init', '-q');
  if (options.remote !== false) {
    await gitIn(dir, 'init', '-q', '--bare', remote);
    await owner('remote', 'add', 'origin', remoteUrl);
  }
  let led: string | undefined;
  const scene: GitScene = {
    dir,
    site,
    remote,
    owner,
    in: gitIn,
    async write(file, text) {
      await mkdir(path.dirname(path.join(site, file)), { recursive: true });
      await writeFile(path.join(site, file), text);
    },
    async clone(name) {
      await gitIn(dir, 'clone', '-q', remote, name);
      return path.join(dir, name);
    },
    async lead(place) {
      if (led !== undefined) await owner('config', '--global', '--remove-section', `url.${led}`);
      led = place;
      await owner('config', '--global', `url.${place}.insteadOf`, remoteUrl);
    },
    open: (more) => openGit({ folder: site, log: silentLog, freshFor: 0, ...more }),
    view: async () =>
      `${await owner('status', '--porcelain')}\n${await owner('diff')}\n${await owner('diff', '--cached')}`,
    published: (file) =>
      gitIn(options.remote === false ? site : remote, 'show', `main:${file}`).catch(() => null),
    async check() {
      await owner('fsck', '--full', '--strict');
      if (options.remote !== false) await gitIn(remote, 'fsck', '--full', '--strict');
      const left = (
        await run('find', [path.join(site, '.git'), '-name', 'porchlight-*', '-o', '-name', '*.lock'])
      ).stdout;
      expect(left).toBe('');
    },
  };
  if (options.empty === true) return scene;
  await scene.write('hugo.toml', 'title = "Site"\n');
  await scene.write('content/about.md', 'About\n');
  await owner('add', '.');
  await owner('commit', '-q', '-m', 'Start');
  if (options.remote !== false) await owner('push', '-q', '-u', 'origin', 'main');
  return scene;
}

/** Returns a change that writes text files. */
export const posting = (files: Record<string, string | null>, message = 'Post') => ({
  files: new Map<string, FileContent | null>(
    Object.entries(files).map(([file, text]) => [file, text === null ? null : { text }]),
  ),
  message,
});
