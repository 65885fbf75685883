/**
 * Publishes to a git repository with many posts and large media, and prints how long each step takes:
 * `node tests/bench/large-site.ts [FILES] [MEGABYTES]`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { examineFolder } from '../../src-main/site-folder/examine-folder.ts';
import { openGit } from '../../src-main/site-folder/git/git.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openReading } from '../../src-main/app/reading.ts';
import { adoptedTable } from '../../src-main/site-folder/adopted/adopted-index.ts';
import { OlderPosts } from '../../src-main/site-folder/adopted/adopted-posts.ts';
import { LiveAddresses } from '../../src-main/site-folder/adopted/live-addresses.ts';
import type { FileContent } from '../../src-main/site-folder/git/git-commits.ts';
import { gitTarget } from '../../src-main/site-folder/publishing/folder-target.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { ownersGit, remoteUrl } from '../support/built-site.ts';
import { megabytesOf } from './usage.ts';
import { folderSettings } from '../support/folder-settings.ts';

const files = Number(process.argv[2] ?? 50_000);
const megabytes = Number(process.argv[3] ?? 50);
const run = promisify(execFile);

const home = await mkdtemp(join(tmpdir(), 'porchlight-large-site-'));
const site = join(home, 'site');
// The settings of whoever runs this don't count.
Object.assign(process.env, {
  HOME: home,
  GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
  GIT_CONFIG_NOSYSTEM: '1',
});

/** Imports a commit with that many posts into a repository, and checks it out. */
async function makeSite(): Promise<void> {
  await writeFile(join(home, 'gitconfig'), '[user]\n\tname = Owner\n\temail = owner@example.com\n');
  await run('git', ['init', '-q', '--bare', '-b', 'main', join(home, 'remote.git')]);
  await run('git', ['init', '-q', '-b', 'main', site]);
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: site, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(git, 'close');
  const inline = (name: string, text: string) =>
    `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  git.stdin.write(
    'commit refs/heads/main\ncommitter Owner <owner@example.com> 1700000000 +0000\ndata 5\nStart\n',
  );
  git.stdin.write(inline('hugo.toml', 'baseURL = "https://me.example/"\n'));
  for (let index = 0; index < files; index += 1) {
    const day = dayOf(index);
    const name = `content/posts/${nameOf(index)}.md`;
    const text = `---\ntitle: "Post ${index}"\ndate: ${day}\n---\nWords of ${index}.\n`;
    if (!git.stdin.write(inline(name, text))) await once(git.stdin, 'drain');
  }
  git.stdin.end('done\n');
  await ended;
  await run('git', ['reset', '-q', '--hard'], { cwd: site });
  await run('git', ['remote', 'add', 'origin', remoteUrl], { cwd: site });
  await run('git', ['push', '-q', join(home, 'remote.git'), 'main'], { cwd: site });
  Object.assign(process.env, await ownersGit(home, join(home, 'remote.git')));
}

const dayOf = (index: number) => new Date(Date.UTC(2004, 0, 1) + index * 14_000_000).toISOString();
const nameOf = (index: number) => `${dayOf(index).slice(0, 10)}-post-${index}`;

let most = 0;
const reading = openReading({ clock: Date.now });
const sampler = setInterval(() => (most = Math.max(most, megabytesOf(process.pid))), 50);

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  most = megabytesOf(process.pid);
  const began = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(2)} s, ${most} MB at most`);
}

try {
  await timed(`making a site of ${files} posts`, makeSite);
  const settings = folderSettings(site, 'hugo', {
    media: 'folder',
    commit: true,
    push: true,
    branch: 'main',
    remote: 'origin',
    adopt: true,
  });
  const { documents } = reading;
  const git = openGit({ folder: site, log: silentLog });
  const target = gitTarget(git, settings);
  const write = (name: string, contents: Readonly<Record<string, FileContent>>) =>
    timed(name, async () => {
      const expected = await target.hashes(Object.keys(contents));
      await target.write([{ files: new Map(Object.entries(contents)), expected, message: name }]);
    });
  await timed('examining the folder', () =>
    examineFolder(site, documents.ofFolder('owner'), (folder) => openGit({ folder, log: silentLog })),
  );
  await timed('listing the names of its files', () => target.names());
  await write('publishing a post', { 'content/posts/one.md': { text: 'One\n' } });
  await write('publishing another', { 'content/posts/two.md': { text: 'Two\n' } });
  const video = join(home, 'video.mp4');
  await writeFile(
    video,
    Buffer.alloc(megabytes * 1_000_000).map((_, at) => (at * 2_654_435_761) >>> 13),
  );
  await write(`publishing a post with ${megabytes} MB of media`, {
    'content/posts/film.md': { text: 'Film\n' },
    'static/media/film.mp4': { copyOf: video },
  });
  await timed('comparing that media', () => target.hashes(['static/media/film.mp4']));
  const many = Array.from({ length: 500 }, (_, index) => [
    `content/posts/new-${index}.md`,
    { text: `${index}\n` },
  ]);
  await write('publishing 500 posts in one commit', Object.fromEntries(many) as Record<string, FileContent>);
  await timed('publishing 50 posts, each in its commit', () =>
    target.write(
      Array.from({ length: 50 }, (_, index) => ({
        files: new Map([[`content/posts/each-${index}.md`, { text: `${index}\n` }]]),
        message: `Post ${index}`,
      })),
    ),
  );
  const records = await openRecords({ dir: home, tables: [adoptedTable], log: silentLog });
  const online = Array.from({ length: files }, (_, index) => `/posts/${nameOf(index)}/`);
  const adopted = new OlderPosts({
    records,
    settings: () => settings,
    log: silentLog,
    read: documents.ofFolder('site'),
    scan: documents.ofFolder('scan'),
    live: () => Promise.resolve(new LiveAddresses(online, settings.baseUrl)),
    isOwn: () => Promise.resolve(false),
    writeBack: () => Promise.resolve(),
  });
  await timed('reading the older posts', () => adopted.refresh());
  await timed('comparing them again', () => adopted.refresh());
  console.log(`${adopted.summary().posts} older posts`);
  await records.close();
} finally {
  clearInterval(sampler);
  await reading.close();
  await rm(home, { recursive: true, force: true });
}
