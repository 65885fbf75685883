import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FolderChange } from '../../../../src-main/site-folder/git/git-committing.ts';
import { gitTarget, PublishingTrouble } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { gitScene, toBranch, toOrigin, type GitScene } from '../../../support/git-scene.ts';

/** How many histories are tried. More: PORCHLIGHT_HISTORIES=200. */
const histories = Number(process.env['PORCHLIGHT_HISTORIES'] ?? 3);

/** What the owner does in git. Each may fail where git refuses it: then nothing has happened. */
const ownersSteps = [
  'edit',
  'stage',
  'commit',
  'amend',
  'stash',
  'unstash',
  'branch',
  'back',
  'rebase',
  'pull',
  'push',
  'other',
  'untracked',
] as const;
type Step = (typeof ownersSteps)[number] | 'publish' | 'update' | 'remove';
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Step>(...ownersSteps) },
  { weight: 2, arbitrary: fc.constantFrom<Step>('publish', 'publish', 'update', 'remove') },
);

/** Lets the owner take one step. `count`: makes each text differ. */
async function takeStep(scene: GitScene, name: Step, count: number): Promise<void> {
  const own = `content/own-${count % 3}.md`;
  const steps: Partial<Record<Step, () => Promise<unknown>>> = {
    edit: () => scene.write(own, `Owner ${count}\n`),
    untracked: () => scene.write(`drafts/${count}.md`, `Draft ${count}\n`),
    stage: () => scene.owner('add', '-A', 'content'),
    commit: () => scene.owner('commit', '-qam', `Owner ${count}`),
    amend: () => scene.owner('commit', '-q', '--amend', '-m', `Amended ${count}`),
    stash: () => scene.owner('stash', '-q'),
    unstash: () => scene.owner('stash', 'pop', '-q'),
    branch: () => scene.owner('switch', '-q', '-C', 'draft'),
    back: () => scene.owner('switch', '-q', 'main'),
    rebase: () => scene.owner('rebase', '-q', 'origin/main'),
    pull: () => scene.owner('pull', '-q', '--rebase', '--autostash'),
    push: () => scene.owner('push', '-q', 'origin', 'main'),
    async other() {
      await scene.in('other', 'pull', '-q', '--rebase');
      await scene.in('other', 'commit', '-q', '--allow-empty', '-m', `Other ${count}`);
      await scene.in('other', 'push', '-q');
    },
  };
  await steps[name]?.().catch(() => undefined);
  // Where a step stopped halfway, the owner gives it up.
  if (['rebase-merge', 'rebase-apply'].some((state) => existsSync(path.join(scene.site, '.git', state))))
    await scene.owner('rebase', '--abort');
}

/** Returns everything that is the owner's alone: commits, branches, stashes, the index and all files but the posts. */
async function ownersWork(scene: GitScene): Promise<string> {
  const names = await readdir(scene.site, { recursive: true, withFileTypes: true });
  const files = names
    .filter((one) => one.isFile())
    .map((one) => path.relative(scene.site, path.join(one.parentPath, one.name)))
    .filter((name) => !/^(?:\.git|posts)\//.test(name))
    .sort();
  const read = (name: string) => readFile(path.join(scene.site, name), 'utf8');
  const parts = await Promise.all([
    ...files.map(async (name) => `${name}\n${await read(name)}`),
    scene.owner('ls-files', '--stage', '--', '.', ':!posts'),
    read('.git/logs/refs/stash').catch(() => ''),
    read('.git/HEAD'),
    scene.owner(
      'log',
      '--branches',
      '--author=owner@example.com',
      '--invert-grep',
      '--grep=^Post',
      '--grep=^Other',
      '--format=%H %s',
    ),
  ]);
  return parts.join('\n----\n');
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([
  ['a remote', toOrigin],
  ['a branch', toBranch],
])(
  `whatever the owner does in git in the meantime, their work stays and each post arrives once at %s (${histories} histories)`,
  { timeout: 120_000 + histories * 60_000 },
  async (_, goal) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        const scene = await gitScene();
        await scene.clone('other');
        const target = gitTarget(scene.open(), {
          branch: 'main',
          remote: 'origin',
          push: goal.remote !== null,
        });
        /** The posts as they should be. Null: removed. */
        const posts = new Map<string, string | null>();
        let count = 0;

        const write = async (name: string, text: string | null) => {
          posts.set(name, text);
          const found = await target.hashes([name]);
          const change: FolderChange = {
            files: new Map([[name, text === null ? null : { text }]]),
            expected: found,
            message: `Post ${name} ${count}`,
          };
          const before = await ownersWork(scene);
          try {
            await target.write([change]);
          } catch (error) {
            // It waits for the owner, and is tried again.
            if (!(error instanceof PublishingTrouble)) throw error;
          }
          expect(await ownersWork(scene)).toBe(before);
        };

        for (const one of [...steps, 'publish'] as Step[]) {
          count += 1;
          const [known] = [...posts].filter(([, text]) => text !== null).map(([name]) => name);
          if (one === 'publish') await write(`posts/${count}.md`, `Post ${count}\n`);
          else if (one === 'update' && known !== undefined) await write(known, `Post, again ${count}\n`);
          else if (one === 'remove' && known !== undefined) await write(known, null);
          else await takeStep(scene, one, count);
        }

        // The owner finishes: everything is committed, on the branch, with what others have.
        await scene.owner('add', '-A');
        await scene.owner('commit', '-qm', 'Finish').catch(() => undefined);
        await scene.owner('switch', '-q', 'main').catch(() => undefined);
        for (const [name, text] of posts) {
          const hash = (await target.hashes([name])).get(name) ?? null;
          if (hash !== (text === null ? null : sha256(text))) await write(name, text);
        }
        const place = goal.remote === null ? scene.site : scene.remote;
        for (const [name, text] of posts) {
          const there = await scene.in(place, 'show', `main:${name}`).catch(() => null);
          expect(there, name).toBe(text);
          const added = await scene.in(place, 'log', '--format=%H', '--diff-filter=A', 'main', '--', name);
          expect(added.split('\n').filter(Boolean).length, name).toBeLessThanOrEqual(1);
        }
        expect(await readFile(path.join(scene.site, 'hugo.toml'), 'utf8')).toBe('title = "Site"\n');
        await scene.check();
      }),
      { numRuns: histories, ...(histories < 20 && { seed: 16 }) },
    );
  },
);
