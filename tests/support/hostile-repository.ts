import { existsSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gitScene, type GitScene } from './git-scene.ts';

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

/** A repository, and programs that leave a trace when they run. */
export async function hostileScene() {
  const scene = await gitScene();
  return { scene, hostile: await hostilePrograms(scene.dir), config: path.join(scene.site, '.git/config') };
}

/** Writes attributes, and commits them without running a filter. */
export async function withAttributes(scene: GitScene, attributes: string): Promise<void> {
  await scene.write('.gitattributes', `${attributes}\n`);
  await scene.owner('add', '.gitattributes');
  await scene.owner('commit', '-q', '-m', 'Attributes');
  await scene.owner('push', '-q');
}
