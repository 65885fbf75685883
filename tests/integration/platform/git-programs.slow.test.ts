import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Git } from '../../../src-main/platform/git.ts';
import { posting, toOrigin, type GitScene } from '../../support/git-scene.ts';
import {
  cleanScene,
  configure,
  expectRefused,
  withAttributes,
  type Hostile,
} from '../../support/hostile-repository.ts';

const post = posting({ 'content/posts/one.md': 'One\n' });

const shout = 'tr a-z A-Z';

/**
 * A way in which a repository names a program or another place. `set`: sets it up, and returns the file and the setting
 * that `runs` has to list. `then`: what happens once the owner has agreed, if posts don't just arrive at the remote.
 */
interface Vector {
  readonly what: string;
  readonly set: (scene: GitScene, hostile: Hostile) => Promise<void>;
  readonly name: string;
  /** The programs that run once the owner has agreed; none if git never runs them for Porchlight. */
  readonly ran: readonly string[];
  readonly then?: (git: Git, scene: GitScene) => Promise<void>;
}

const inConfig =
  (text: (program: string, scene: GitScene) => string, rest?: string): Vector['set'] =>
  async (scene, hostile) => {
    const program = await hostile.program('evil', rest);
    await configure(path.join(scene.site, '.git/config'), text(program, scene));
  };
const unreachable: Vector['then'] = async (git) => {
  await expect(git.publish([post], toOrigin)).rejects.toThrow();
};
const published =
  (text: string): Vector['then'] =>
  async (git, scene) => {
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe(text);
  };

const vectors: readonly Vector[] = [
  {
    what: 'core.fsmonitor',
    set: inConfig((program) => `[core]\nfsmonitor = ${program}`),
    name: 'core.fsmonitor',
    ran: [],
  },
  {
    what: 'filter.*.clean',
    async set(scene, hostile) {
      await withAttributes(scene, 'content/posts/*.md filter=evil');
      await inConfig((program) => `[filter "evil"]\nclean = ${program}\nsmudge = cat\nrequired`, shout)(
        scene,
        hostile,
      );
    },
    name: 'filter.evil.clean',
    ran: ['evil'],
    then: published('ONE\n'),
  },
  {
    what: 'filter.*.smudge of the file that updates the owner’s checkout',
    async set(scene, hostile) {
      await withAttributes(scene, 'content/posts/*.md filter=evil');
      await inConfig((program) => `[filter "evil"]\nsmudge = ${program}`, shout)(scene, hostile);
    },
    name: 'filter.evil.smudge',
    ran: ['evil'],
    then: published('One\n'),
  },
  {
    what: 'a remote that is a command (ext::)',
    set: inConfig(
      (program) => `[remote "origin"]\nurl = ext::${program}\n[remote "origin"]\npushurl = ext::${program}`,
    ),
    name: 'remote.origin.url',
    ran: [],
  },
  {
    what: 'remote.*.uploadpack with a local path',
    set: inConfig(
      (program, { remote }) => `[remote "other"]\nurl = ${remote}\nuploadpack = ${program}`,
      'exec git-upload-pack "$@"',
    ),
    name: 'remote.other.uploadpack',
    ran: ['evil'],
    async then(git) {
      await git.publish([post], { branch: 'main', remote: 'other' });
    },
  },
  {
    what: 'remote.*.receivepack with a local path',
    set: inConfig(
      (program, { remote }) => `[remote "other"]\nurl = ${remote}\nreceivepack = ${program}`,
      'exec git-receive-pack "$@"',
    ),
    name: 'remote.other.receivepack',
    ran: ['evil'],
    async then(git) {
      await git.publish([post], { branch: 'main', remote: 'other' });
    },
  },
  {
    what: 'remote.*.vcs',
    set: inConfig(() => '[remote "origin"]\nvcs = evil'),
    name: 'remote.origin.vcs',
    ran: [],
    then: unreachable,
  },
  {
    what: 'url.*.insteadOf, which redirects the remote',
    async set(scene) {
      await scene.in('.', 'clone', '-q', '--bare', scene.remote, 'evil.git');
      const text = `[url "${scene.dir}/evil.git"]\ninsteadOf = https://git.example/remote.git`;
      await configure(path.join(scene.site, '.git/config'), text);
    },
    name: '.insteadof',
    ran: [],
    async then(git, scene) {
      await git.publish([post], toOrigin);
      expect(await scene.in('evil.git', 'show', 'main:content/posts/one.md')).toBe('One\n');
      expect(await scene.published('content/posts/one.md')).toBeNull();
    },
  },
  {
    what: 'core.sshCommand',
    async set(scene, hostile) {
      const file = path.join(scene.site, '.git/config');
      await writeFile(
        file,
        (await readFile(file, 'utf8')).replace(/url = .*/, 'url = ssh://git@git.example/a.git'),
      );
      await inConfig((program) => `[core]\nsshCommand = ${program}`, 'exit 1')(scene, hostile);
    },
    name: 'core.sshcommand',
    ran: ['evil'],
    then: unreachable,
  },
  {
    what: 'core.gitProxy',
    async set(scene, hostile) {
      const file = path.join(scene.site, '.git/config');
      await writeFile(
        file,
        (await readFile(file, 'utf8')).replace(/url = .*/, 'url = git://127.0.0.1:1/a.git'),
      );
      await inConfig((program) => `[core]\ngitProxy = ${program}`, 'exit 1')(scene, hostile);
    },
    name: 'core.gitproxy',
    ran: ['evil'],
    then: unreachable,
  },
  {
    what: 'credential.helper',
    async set(scene, hostile) {
      const server = createServer((_, response) => {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.git`;
      const file = path.join(scene.site, '.git/config');
      await writeFile(file, (await readFile(file, 'utf8')).replace(/url = .*/, `url = ${url}`));
      await inConfig((program) => `[credential]\nhelper = ${program}`, 'exit 1')(scene, hostile);
    },
    name: 'credential.helper',
    ran: ['evil'],
    then: unreachable,
  },
  ...['pre-push', 'reference-transaction', 'post-index-change'].map((hook): Vector => ({
    what: `the hook ${hook}`,
    async set(scene, hostile) {
      await cp(
        await hostile.program('evil', 'cat >/dev/null 2>&1'),
        path.join(scene.site, '.git/hooks', hook),
      );
    },
    // Porchlight updates indexes without hooks.
    name: hook,
    ran: hook === 'post-index-change' ? [] : ['evil'],
  })),
  {
    what: 'core.hooksPath',
    async set(scene, hostile) {
      await mkdir(path.join(scene.site, 'tools'));
      await cp(await hostile.program('evil', 'cat >/dev/null'), path.join(scene.site, 'tools/pre-push'));
      await configure(path.join(scene.site, '.git/config'), '[core]\nhooksPath = tools');
    },
    name: 'pre-push',
    ran: ['evil'],
  },
  {
    what: 'gpg.program, with commits that are to be signed',
    set: inConfig(
      (program) => `[gpg]\nprogram = ${program}\n[commit]\ngpgSign = true\n[push]\ngpgSign = true`,
    ),
    name: 'gpg.program',
    ran: [],
  },
  {
    what: 'drivers that compare and merge files',
    async set(scene, hostile) {
      await withAttributes(scene, '*.md diff=evil merge=evil');
      const text = (program: string) =>
        `[diff "evil"]\ncommand = ${program}\ntextconv = ${program}\n[diff]\nexternal = ${program}\n[merge "evil"]\ndriver = ${program} %A`;
      await inConfig(text)(scene, hostile);
    },
    name: 'merge.evil.driver',
    ran: [],
  },
  ...[
    ['include.path', '[include]\npath = '],
    ['includeIf', '[includeIf "onbranch:main"]\npath = '],
  ].map(([what = '', before = '']): Vector => ({
    what,
    async set(scene, hostile) {
      await withAttributes(scene, 'content/posts/*.md filter=evil');
      const program = await hostile.program('evil', shout);
      await configure(path.join(scene.site, '.git/config'), `${before}../tools/more`);
      await scene.write('tools/more', '[include]\npath = ../even-more\n');
      await scene.write('even-more', `[filter "evil"]\nclean = ${program}\n`);
    },
    name: 'filter.evil.clean',
    ran: ['evil'],
    then: published('ONE\n'),
  })),
  {
    what: 'alternates, which name the objects of another repository',
    async set(scene) {
      await writeFile(path.join(scene.site, '.git/objects/info/alternates'), `${scene.remote}/objects\n`);
    },
    name: 'objects/info/alternates',
    ran: [],
  },
  {
    what: 'core.alternateRefsCommand',
    async set(scene, hostile) {
      await writeFile(path.join(scene.site, '.git/objects/info/alternates'), `${scene.remote}/objects\n`);
      await inConfig((program) => `[core]\nalternateRefsCommand = ${program}`)(scene, hostile);
    },
    name: 'core.alternaterefscommand',
    ran: ['evil'],
  },
  {
    what: 'a remote in a file from before git’s configuration (.git/remotes)',
    async set(scene) {
      await mkdir(path.join(scene.site, '.git/remotes'), { recursive: true });
      await writeFile(path.join(scene.site, '.git/remotes/evil'), `URL: ${scene.remote}\n`);
    },
    name: 'remotes/evil',
    ran: [],
  },
  {
    what: 'editors, pagers and aliases',
    set: inConfig(
      (program) =>
        `[core]\neditor = ${program}\npager = ${program}\naskPass = ${program}\n[sequence]\neditor = ${program}\n[alias]\npush = !${program}\nlfs = !${program}\n[pager]\nfetch = ${program}`,
    ),
    name: 'core.editor',
    ran: [],
  },
  {
    what: 'a server of Git LFS in .lfsconfig',
    async set(scene) {
      await scene.write('.lfsconfig', `[lfs]\nurl = file://${scene.dir}/lfs\n`);
    },
    name: 'lfs.url',
    ran: [],
  },
];

describe('what a repository’s own configuration names', () => {
  test.each(vectors)('git runs nothing before the owner agrees: $what', async ({ set, name, ran, then }) => {
    const { scene, hostile, git, agree } = await cleanScene();
    await set(scene, hostile);
    await hostile.forget();
    const facts = await git.inspect();
    expect(facts).toMatchObject({ branch: 'main', isAgreed: false, problem: null });
    expect(facts?.remotes).toContain('origin');
    expect(facts?.runs.map((one) => one.name)).toContainEqual(expect.stringContaining(name));
    await expectRefused(git, 'unagreed');
    expect(hostile.traces()).toEqual([]);
    expect(await scene.published('content/posts/one.md')).toBeNull();

    await agree(scene.site);
    expect(await git.inspect()).toMatchObject({ isAgreed: true, runs: facts?.runs });
    if (then) await then(git, scene);
    else if (name === 'remote.origin.url') await unreachable(git, scene);
    else await published('One\n')?.(git, scene);
    expect(hostile.traces()).toEqual(ran);
  });

  test('the owner isn’t asked about harmless settings, and filters of the owner’s own configuration work', async () => {
    const { scene, hostile, git } = await cleanScene();
    await withAttributes(scene, 'content/posts/*.md filter=own');
    const program = await hostile.program('own', shout);
    await configure(
      path.join(scene.dir, '.gitconfig'),
      `[filter "own"]\nclean = ${program}\nsmudge = cat\nrequired`,
    );
    expect(await git.inspect()).toMatchObject({ runs: [], isAgreed: true, problem: null });
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('ONE\n');
    expect(hostile.traces()).toEqual(['own']);
  });

  test('the owner has to agree again after each change, but not after a harmless one', async () => {
    const { scene, hostile, git, agree, config } = await cleanScene();
    const hook = path.join(scene.site, '.git/hooks/pre-push');
    await writeFile(hook, '#!/bin/sh\ncat >/dev/null\n', { mode: 0o755 });
    await agree(scene.site);
    await git.publish([post], toOrigin);
    await configure(config, '[user]\nname = Ada\n[branch "draft"]\nremote = origin');
    await git.publish([posting({ 'two.md': 'Two\n' })], toOrigin);

    const evil = await hostile.program('evil', 'cat >/dev/null');
    const changes: (readonly [string, () => Promise<unknown>])[] = [
      ['another text of the hook', () => cp(evil, hook)],
      ['another hook', () => cp(evil, path.join(scene.site, '.git/hooks/reference-transaction'))],
      ['a file that a hook may read', () => writeFile(path.join(scene.site, '.git/hooks/helper'), 'x')],
      ['attributes', () => writeFile(path.join(scene.site, '.git/info/attributes'), '*.txt filter=evil\n')],
      ['a setting', () => configure(config, `[filter "evil"]\nclean = ${evil}`)],
      [
        'another value',
        async () => writeFile(config, (await readFile(config, 'utf8')).replace(evil, `${evil} x`)),
      ],
    ];
    for (const [what, change] of changes) {
      await change();
      await expect(git.publish([posting({ 'three.md': 'Three\n' })], toOrigin), what).rejects.toMatchObject({
        kind: 'unagreed',
      });
      expect(hostile.traces(), what).toEqual([]);
      await agree(scene.site);
    }
    await git.publish([posting({ 'three.md': 'Three\n' })], toOrigin);
    expect(await scene.published('three.md')).toBe('Three\n');
    expect(hostile.traces()).toEqual(['evil']);
  });

  test('a program that a co-author’s commit names during a publication does not run, and the post arrives later', async () => {
    const { scene, hostile, git, agree, config } = await cleanScene();
    await mkdir(path.join(scene.site, 'tools'));
    await scene.write('tools/pre-push', '#!/bin/sh\ncat >/dev/null\n');
    await chmod(path.join(scene.site, 'tools/pre-push'), 0o755);
    await scene.owner('add', '.');
    await scene.owner('commit', '-q', '-m', 'Tools');
    await scene.owner('push', '-q');
    await configure(config, '[core]\nhooksPath = tools');
    await agree(scene.site);
    const other = await scene.clone('other');
    const evil = await hostile.program('evil', 'cat >/dev/null');
    await cp(evil, path.join(other, 'tools/reference-transaction'));
    await scene.in(other, 'add', '.');
    await scene.in(other, 'commit', '-q', '-m', 'Another hook');
    await scene.in(other, 'push', '-q');

    // The new hook arrives when the checkout is updated, and would run with the next change of a ref.
    await expect(git.publish([post], toOrigin)).rejects.toMatchObject({ kind: 'unagreed' });
    expect(hostile.traces()).toEqual([]);
    await agree(scene.site);
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    expect(await scene.owner('status', '--porcelain')).toBe('');
    expect(await scene.owner('rev-list', '--count', 'main')).toBe('4\n');
  });
});

test('what is shown to the owner has no hidden characters', async () => {
  const { git, config } = await cleanScene();
  await configure(config, '[core]\nsshCommand = "a\\n\u202Eb\u200Bc é"');
  const facts = await git.inspect();
  expect(facts?.runs).toEqual([
    { kind: 'connection', name: 'core.sshcommand', command: 'a\\u{a}\\u{202e}b\\u{200b}c é' },
  ]);
});
