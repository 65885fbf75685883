import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Git } from '../../../../src-main/site-folder/git/git.ts';
import { remoteUrl } from '../../../support/built-site.ts';
import { posting, toBranch, toOrigin, type GitScene } from '../../../support/git-scene.ts';
import {
  configure,
  hostileScene,
  withAttributes,
  type Hostile,
} from '../../../support/hostile-repository.ts';

const post = posting({ 'content/posts/one.md': 'One\n' });

interface Vector {
  readonly what: string;
  readonly set: (scene: GitScene, hostile: Hostile) => Promise<void>;
}

/** Adds settings that name a program, which does what `rest` says. */
const inConfig =
  (text: (program: string, scene: GitScene) => string, rest?: string): Vector['set'] =>
  async (scene, hostile) => {
    const program = await hostile.program('evil', rest);
    await configure(path.join(scene.site, '.git/config'), text(program, scene));
  };

const hook =
  (name: string): Vector['set'] =>
  async (scene, hostile) =>
    cp(await hostile.program('evil', 'cat >/dev/null 2>&1'), path.join(scene.site, '.git/hooks', name));

async function setAddress({ site }: GitScene, url: string): Promise<void> {
  const file = path.join(site, '.git/config');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/url = .*/, `url = ${url}`));
}

/** What a repository can name, of which nothing may run, and which keeps no post from the remote. */
const vectors: readonly Vector[] = [
  { what: 'core.fsmonitor', set: inConfig((program) => `[core]\nfsmonitor = ${program}`) },
  {
    what: 'core.fsmonitor in config.worktree',
    async set(scene, hostile) {
      await scene.owner('config', 'extensions.worktreeConfig', 'true');
      const program = await hostile.program('evil');
      await writeFile(path.join(scene.site, '.git/config.worktree'), `[core]\nfsmonitor = ${program}\n`);
    },
  },
  {
    what: 'filters that .git/info/attributes selects',
    async set(scene, hostile) {
      await writeFile(path.join(scene.site, '.git/info/attributes'), '* filter=evil\n');
      const text = (program: string) => `[filter "evil"]\nclean = ${program}\nsmudge = ${program}\nrequired`;
      await inConfig(text)(scene, hostile);
    },
  },
  {
    what: 'filters that core.attributesFile selects',
    async set(scene, hostile) {
      await writeFile(path.join(scene.dir, 'attributes'), '* filter=evil\n');
      const text = (program: string) =>
        `[core]\nattributesFile = ${scene.dir}/attributes\n[filter "evil"]\nprocess = ${program}\nrequired`;
      await inConfig(text)(scene, hostile);
    },
  },
  {
    what: 'a remote with programs of its own',
    set: inConfig((program) => `[remote "origin"]\nuploadpack = ${program}\nreceivepack = ${program}`),
  },
  { what: 'remote.*.vcs', set: inConfig(() => '[remote "origin"]\nvcs = evil') },
  {
    what: 'url.*.insteadOf, which leads to another remote',
    async set(scene) {
      await scene.in('.', 'clone', '-q', '--bare', scene.remote, 'evil.git');
      const text = `[url "${scene.dir}/evil.git"]\ninsteadOf = ${remoteUrl}\npushInsteadOf = ${remoteUrl}`;
      await configure(path.join(scene.site, '.git/config'), text);
    },
  },
  {
    what: 'commands for ssh, proxies and passwords',
    set: inConfig(
      (program) =>
        `[core]\nsshCommand = ${program}\ngitProxy = ${program}\naskPass = ${program}\n[credential]\nhelper = ${program}`,
    ),
  },
  {
    what: 'core.hooksPath',
    async set(scene, hostile) {
      await mkdir(path.join(scene.dir, 'tools'));
      const program = await hostile.program('evil', 'cat >/dev/null');
      for (const name of ['pre-push', 'reference-transaction', 'post-index-change'])
        await cp(program, path.join(scene.dir, 'tools', name));
      await configure(path.join(scene.site, '.git/config'), `[core]\nhooksPath = ${scene.dir}/tools`);
    },
  },
  {
    what: 'gpg.program, with commits that are to be signed',
    set: inConfig(
      (program) => `[gpg]\nprogram = ${program}\n[commit]\ngpgSign = true\n[push]\ngpgSign = if-asked`,
    ),
  },
  {
    what: 'drivers that compare and merge files',
    async set(scene, hostile) {
      await withAttributes(scene, '*.md diff=evil merge=evil');
      const text = (program: string) =>
        `[diff "evil"]\ncommand = ${program}\ntextconv = ${program}\n[diff]\nexternal = ${program}\n[merge "evil"]\ndriver = ${program} %A`;
      await inConfig(text)(scene, hostile);
    },
  },
  ...['[include]', '[includeIf "onbranch:main"]', '[includeIf "gitdir:**"]'].map((section): Vector => ({
    what: section,
    async set(scene, hostile) {
      const program = await hostile.program('evil');
      await configure(path.join(scene.site, '.git/config'), `${section}\npath = ../more`);
      await scene.write('more', `[core]\nfsmonitor = ${program}\nsshCommand = ${program}\n`);
    },
  })),
  {
    what: 'editors, pagers and aliases',
    set: inConfig(
      (program) =>
        `[core]\neditor = ${program}\npager = ${program}\n[sequence]\neditor = ${program}\n[alias]\npush = !${program}\nupdate-ref = !${program}\n[pager]\nfetch = ${program}`,
    ),
  },
  {
    what: 'a remote in a file from before git’s configuration',
    async set(scene, hostile) {
      const program = await hostile.program('evil');
      await mkdir(path.join(scene.site, '.git/remotes'), { recursive: true });
      await writeFile(path.join(scene.site, '.git/remotes/origin'), `URL: ext::${program}\n`);
    },
  },
  {
    what: 'maintenance after each command',
    async set(scene, hostile) {
      await hook('pre-auto-gc')(scene, hostile);
      await configure(path.join(scene.site, '.git/config'), '[gc]\nauto = 1\nautoPackLimit = 1');
    },
  },
  {
    what: 'a submodule that is updated by a command',
    async set(scene, hostile) {
      const program = await hostile.program('evil');
      const head = (await scene.owner('rev-parse', 'HEAD')).trim();
      await scene.clone('site/theme');
      await configure(path.join(scene.site, 'theme/.git/config'), `[core]\nfsmonitor = ${program}`);
      await scene.owner('update-index', '--add', '--cacheinfo', `160000,${head},theme`);
      await scene.owner('commit', '-q', '-m', 'Theme');
      await scene.owner('push', '-q');
      await configure(
        path.join(scene.site, '.git/config'),
        `[submodule]\nrecurse = true\n[submodule "theme"]\nactive = true\nurl = ext::${program}\nupdate = !${program}`,
      );
    },
  },
  {
    what: 'a server of Git LFS with a program of its own',
    async set(scene, hostile) {
      const program = await hostile.program('evil');
      await scene.write(
        '.lfsconfig',
        `[lfs]\nurl = file://${scene.dir}/lfs\nstandaloneTransferAgent = evil\n[lfs "customtransfer.evil"]\npath = ${program}\n`,
      );
    },
  },
  ...[
    'pre-push',
    'reference-transaction',
    'post-index-change',
    'post-checkout',
    'pre-commit',
    'commit-msg',
    'post-commit',
    'post-rewrite',
  ].map((name): Vector => ({ what: `the hook ${name}`, set: hook(name) })),
];

describe('programs in a repository’s own configuration', () => {
  test.each(vectors)('none of it runs, and posts arrive: $what', async ({ set }) => {
    const { scene, hostile } = await hostileScene();
    await set(scene, hostile);
    await hostile.forget();
    const git = scene.open();
    expect(await git.inspect()).toMatchObject({ branch: 'main', remote: 'origin', problem: null });
    expect(await git.publish([post], toOrigin)).toMatchObject({ setAside: [], left: null });
    expect(await git.publish([posting({ 'two.md': 'Two\n' })], toBranch)).toMatchObject({ setAside: [] });
    expect(hostile.traces()).toEqual([]);
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    expect(await readFile(`${scene.site}/two.md`, 'utf8')).toBe('Two\n');
    expect(await git.hashes(['content/posts/one.md'], toOrigin)).toHaveProperty('size', 1);
    expect(hostile.traces()).toEqual([]);
  });

  test('the owner’s own hooks don’t run either', async () => {
    const { scene, hostile } = await hostileScene();
    const place = path.join(scene.dir, 'own-hooks');
    const program = await hostile.program('own', 'cat >/dev/null');
    await mkdir(place);
    await scene.owner('config', '--global', 'core.hooksPath', place);
    const git = scene.open();
    await cp(program, path.join(place, 'pre-push'));
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    // In the remote, which is on this computer in tests, these hooks would run by right.
    for (const name of ['reference-transaction', 'post-index-change'])
      await cp(program, path.join(place, name));
    await git.publish([posting({ 'two.md': 'Two\n' })], toBranch);
    expect(hostile.traces()).toEqual([]);
  });
});

describe('a filter that .gitattributes selects', () => {
  const filtered = 'content/posts/*.md filter=evil';
  const waits = (git: Git) =>
    expect(git.publish([post], toOrigin)).rejects.toMatchObject({
      kind: 'filter',
      files: ['content/posts/one.md'],
      words: expect.stringContaining('Porchlight doesn’t run the folder’s programs') as string,
    });

  test('keeps the post waiting if only the folder’s configuration has it, and other posts arrive', async () => {
    const { scene, hostile } = await hostileScene();
    await withAttributes(scene, filtered);
    await inConfig((program) => `[filter "evil"]\nclean = ${program}\nsmudge = ${program}`)(scene, hostile);
    await hostile.forget();
    const git = scene.open();
    await waits(git);
    expect(await scene.published('content/posts/one.md')).toBeNull();
    await git.publish([posting({ 'two.md': 'Two\n' })], toOrigin);
    expect(await scene.published('two.md')).toBe('Two\n');
    expect(hostile.traces()).toEqual([]);
    await scene.check();
  });

  test('keeps the owner’s checkout unchanged if somebody else’s commit needs it', async () => {
    const { scene, hostile } = await hostileScene();
    const other = await scene.clone('other');
    await writeFile(path.join(other, '.gitattributes'), '*.key filter=evil\n');
    await writeFile(path.join(other, 'site.key'), 'Encrypted\n');
    await scene.in(other, 'add', '.');
    await scene.in(other, 'commit', '-q', '-m', 'Key');
    await scene.in(other, 'push', '-q');
    await inConfig((program) => `[filter "evil"]\nsmudge = ${program}`)(scene, hostile);
    await hostile.forget();
    const { left } = await scene.open().publish([post], toOrigin);
    expect(left).toContain('site.key');
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    await expect(readFile(`${scene.site}/site.key`)).rejects.toThrow('ENOENT');
    expect(hostile.traces()).toEqual([]);
  });

  test('runs if the owner’s own configuration has it', async () => {
    const { scene, hostile } = await hostileScene();
    await withAttributes(scene, filtered);
    const program = await hostile.program('own', 'tr a-z A-Z');
    await configure(
      path.join(scene.dir, '.gitconfig'),
      `[filter "evil"]\nclean = ${program}\nsmudge = cat\nrequired`,
    );
    await scene.open().publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('ONE\n');
    expect(hostile.traces()).toEqual(['own']);
  });
});

describe('a remote', () => {
  test.each([
    ['is a command', (scene: GitScene) => `ext::${scene.dir}/program-evil`],
    ['is a folder', (scene: GitScene) => scene.remote],
    ['is a folder as a URL', (scene: GitScene) => `file://${scene.remote}`],
    ['is reached without encryption', () => 'http://git.example/remote.git'],
    ['looks like an option', () => 'ssh://-oProxyCommand=evil/remote.git'],
  ])('that %s gets nothing: Porchlight commits, and says so', async (_, address) => {
    const { scene, hostile } = await hostileScene();
    await hostile.program('evil');
    await setAddress(scene, address(scene));
    await configure(path.join(scene.site, '.git/config'), '[protocol "ext"]\nallow = always');
    const git = scene.open();
    const words = expect.stringContaining('doesn’t push to “origin”') as string;
    expect(await git.inspect()).toMatchObject({ remotes: [], remote: null, problem: words });
    expect(await git.warning(toOrigin)).toEqual(words);
    expect(await git.warning(toBranch)).toBeUndefined();
    await git.publish([post], toOrigin);
    expect(await scene.owner('show', 'main:content/posts/one.md')).toBe('One\n');
    expect(await scene.published('content/posts/one.md')).toBeNull();
    expect(await scene.owner('status', '--porcelain')).toBe('');
    expect(hostile.traces()).toEqual([]);
  });

  test.each([
    ['credential.helper', '[credential]\nhelper ='],
    ['core.sshcommand', '[core]\nsshCommand ='],
    [`url.https://evil.example/.insteadof`, '[url "https://evil.example/"]\ninsteadOf = x\n[a]\nb ='],
  ])('that refuses access says that %s of the folder isn’t used', async (name, setting) => {
    const { scene, hostile } = await hostileScene();
    const server = createServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    await scene.lead(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a.git`);
    await inConfig((program) => `${setting} ${program}`, 'exit 1')(scene, hostile);
    const git = scene.open();
    const refused = { kind: 'credentials', words: expect.stringContaining(`(${name})`) as string };
    await expect(git.publish([post], toOrigin)).rejects.toMatchObject(refused);
    expect(hostile.traces()).toEqual([]);
    // In the owner's own configuration, it counts.
    const own = await hostile.program('own', 'exit 1');
    await scene.owner('config', '--global', 'credential.helper', own);
    await expect(git.publish([post], toOrigin)).rejects.toMatchObject(refused);
    expect(hostile.traces()).toEqual(['own']);
  });
});

describe('the owner’s name', () => {
  test('in the folder’s configuration is the author, and one that the owner includes for the folder counts, too', async () => {
    const { scene } = await hostileScene();
    const author = () => scene.in(scene.remote, 'log', '-1', '--format=%an <%ae>', 'main');
    const git = scene.open();
    await configure(
      path.join(scene.dir, '.gitconfig'),
      `[includeIf "gitdir:${scene.site}/"]\n\tpath = ${scene.dir}/for-sites`,
    );
    await writeFile(path.join(scene.dir, 'for-sites'), '[user]\n\tname = Ada for sites\n');
    await git.publish([post], toOrigin);
    expect(await author()).toBe('Ada for sites <owner@example.com>\n');
    await scene.owner('config', 'user.name', 'Ada "here" \\ é');
    await git.publish([posting({ 'two.md': 'Two\n' })], toOrigin);
    expect(await author()).toBe('Ada "here" \\ é <owner@example.com>\n');
  });
});
