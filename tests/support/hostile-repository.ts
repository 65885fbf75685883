import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { readGitSetup } from '../../src-main/platform/git-setup.ts';
import type { Git } from '../../src-main/platform/git.ts';
import { gitScene, posting, toOrigin, type GitScene } from './git-scene.ts';

/** What a repository names, and what may be told from it. */
export interface Hostile {
  /** Writes a program that leaves a trace when it runs, and returns its path. `rest`: what it does besides. */
  program(name: string, rest?: string): Promise<string>;
  /** The names of the programs that have run since the last call of `forget`. */
  traces(): readonly string[];
  forget(): Promise<void>;
}

/** Makes programs that leave a trace when they run. */
export async function hostilePrograms(dir: string): Promise<Hostile> {
  const traces = path.join(dir, 'traces');
  await mkdir(traces, { recursive: true });
  const names = new Set<string>();
  return {
    async program(name, rest = 'cat 2>/dev/null') {
      names.add(name);
      const file = path.join(dir, `program-${name}`);
      await writeFile(file, `#!/bin/sh\n: > '${traces}/${name}'\n${rest}\n`, { mode: 0o755 });
      return file;
    },
    traces: () => [...names].filter((name) => existsSync(path.join(traces, name))),
    async forget() {
      for (const name of names) await rm(path.join(traces, name), { force: true });
    },
  };
}

/** Adds settings to a file of git's configuration, without running git. */
export const configure = (file: string, text: string) => appendFile(file, `\n${text}\n`);

/**
 * Gives the repository a remote by https, as most repositories have. The owner's own git configuration leads its address
 * to the bare repository of the scene.
 */
async function remoteByHttps(scene: GitScene): Promise<void> {
  const file = path.join(scene.site, '.git/config');
  const config = await readFile(file, 'utf8');
  await writeFile(file, config.replace(scene.remote, 'https://git.example/remote.git'));
  await configure(
    path.join(scene.dir, '.gitconfig'),
    `[url "${scene.dir}/"]\n\tinsteadOf = https://git.example/`,
  );
}

/** The agreements of an owner, as `isAgreed` for openGit. */
function agreements() {
  const agreed = new Set<string>();
  /** Agrees to what git would run for a folder now. */
  const agree = async (folder: string): Promise<void> => {
    const setup = await readGitSetup(folder);
    if (setup === null) throw new Error('The folder is in no repository.');
    agreed.add(setup.digest);
  };
  return { isAgreed: (digest: string) => agreed.has(digest), agree };
}

const post = posting({ 'content/posts/one.md': 'One\n' });

/** A repository with a remote by https, and an owner who has agreed to nothing. */
export async function cleanScene() {
  const scene = await gitScene();
  await remoteByHttps(scene);
  const hostile = await hostilePrograms(scene.dir);
  const owner = agreements();
  const git = scene.open({ isAgreed: owner.isAgreed });
  return { scene, hostile, git, ...owner, config: path.join(scene.site, '.git/config') };
}

/** Expects that every use of the repository is refused. */
export async function expectRefused(git: Git, kind: 'unagreed' | 'unread'): Promise<void> {
  for (const use of [
    () => git.list(toOrigin),
    () => git.hashes(['content/about.md'], toOrigin),
    () => git.read('content/about.md', toOrigin),
    () => git.publish([post], toOrigin),
  ])
    await expect(use()).rejects.toMatchObject({ kind });
}

/** Writes attributes for posts, and commits them without running a filter. */
export async function withAttributes(scene: GitScene, attributes: string): Promise<void> {
  await scene.write('.gitattributes', `${attributes}\n`);
  await scene.owner('add', '.gitattributes');
  await scene.owner('commit', '-q', '-m', 'Attributes');
  await scene.owner('push', '-q');
}
