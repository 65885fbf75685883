import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Post } from '../../src-main/contract/posts.ts';
import { postChanges } from '../../src-main/posts/post-changes.ts';
import type { ChooseHome } from '../../src-main/posts/post-store.ts';
import { createPostStore } from '../../src-main/posts/stored-posts.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import type { FolderChange } from '../../src-main/site-folder/git/git-committing.ts';
import type { FolderTarget } from '../../src-main/site-folder/publishing/folder-target.ts';
import { PostPublisher, type LivePage } from '../../src-main/site-folder/publishing/post-publisher.ts';
import { PublishingQueue } from '../../src-main/site-folder/publishing/publishing-queue.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { recordsIn } from './records-in.ts';
import { temporaryFolder } from './storage-folder.ts';

const shaOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A folder in memory, with its history. Set `trouble` to make each write fail with it. */
export function memoryFolder() {
  const files = new Map<string, string>();
  const history: { message: string; files: string[] }[] = [];
  const state: { trouble: Error | undefined; onWrite: () => void | Promise<void> } = {
    trouble: undefined,
    onWrite: () => undefined,
  };
  const target: FolderTarget = {
    hashes: (names) =>
      Promise.resolve(
        new Map(names.map((name) => [name, files.has(name) ? shaOf(files.get(name) ?? '') : null])),
      ),
    text: (name) => Promise.resolve(files.get(name) ?? null),
    names: () => Promise.resolve(new Set(files.keys())),
    async write(changes: readonly FolderChange[]) {
      await state.onWrite();
      if (state.trouble) throw state.trouble;
      for (const change of changes) {
        const touched: string[] = [];
        for (const [name, content] of change.files) {
          const text =
            content === null
              ? undefined
              : 'text' in content
                ? content.text
                : await readFile(content.copyOf, 'utf8');
          if (files.get(name) === text) continue;
          if (text === undefined) files.delete(name);
          else files.set(name, text);
          touched.push(name);
        }
        if (touched.length > 0) history.push({ message: change.message, files: touched });
      }
      return new Map();
    },
  };
  return { files, history, state, target };
}

/** Posts live at `https://me.example/notes/slug/`, in `notes/slug.md`. */
const notesAt: ChooseHome = (post, isFree) => {
  const slug = post.path.split('/').at(-1) ?? '';
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? slug : `${slug}-${attempt}`;
    const url = `https://me.example/notes/${name}/`;
    if (isFree(url)) return Promise.resolve({ url, file: `notes/${name}.md` });
  }
};

/** Posts, a folder in memory and a site that is built from it when `build` is called. */
export async function folderScene(start: number, dir?: string) {
  const dataDir = dir ?? (await temporaryFolder());
  const time = { now: start };
  const folder = memoryFolder();
  const site = new Map<string, string>();
  const live: { path: string; quiet: boolean }[] = [];
  const needsOwner: string[] = [];
  const isOn = { value: true };
  /** The media file of a post, by the post's path: where it is on this computer. */
  const media = new Map<string, string>();
  const textOf = (post: Post) => `${String(post.properties.content?.[0])}\n`;
  const records = await recordsIn(dataDir);
  const changes = postChanges({ records, versions: createVersions(), log: silentLog });
  const posts = createPostStore({
    records,
    changes,
    base: () => 'https://porch.example',
    homeChooser: () => notesAt,
  });
  const work = await openWork({ records, now: () => time.now, online: () => true, log: silentLog });
  const queue = new PublishingQueue({
    work,
    records,
    now: () => time.now,
    log: silentLog,
    isOn: () => isOn.value,
    changed: () => undefined,
    needsOwner: (reason) => void needsOwner.push(reason),
    finished: () => undefined,
  });
  queue.connect(
    new PostPublisher({
      posts,
      target: () => folder.target,
      fileOf: (post) =>
        Promise.resolve({
          file: post.home.file,
          text: textOf(post),
          media: media.has(post.path) ? [{ path: post.path, file: `media${post.path}` }] : [],
          title: textOf(post).trim(),
        }),
      mediaFile: (path) => Promise.resolve(media.get(path)),
      page(url): Promise<LivePage> {
        const text = site.get(url);
        return Promise.resolve({ status: text === undefined ? 404 : 200, text: text ?? '' });
      },
      readPage: (page, post) => Promise.resolve({ live: page === textOf(post), hasOwnUrl: page !== '' }),
      live: (post, { quiet = false }) => void live.push({ path: post.path, quiet }),
      now: () => time.now,
    }),
  );
  return {
    dataDir,
    time,
    media,
    folder,
    site,
    live,
    needsOwner,
    posts,
    queue,
    isOn,
    records,
    start: () => {
      work.start();
      queue.start();
    },
    stop: async () => {
      await work.stop();
      await records.close();
    },
    /** The entries with their messages. */
    items: () => queue.list().map((item) => ({ ...item, ...queue.details(item.id) })),
    /** All work that is stored, with its state, also work that the owner doesn't see. */
    rows: () =>
      records.rows(({ kind, key, state }) => `${kind} ${key} ${state}`, 'SELECT * FROM work ORDER BY seq'),
    /** Builds the site from the folder. */
    build: () => {
      site.clear();
      for (const [file, text] of folder.files)
        site.set(`https://me.example/${file.replace(/\.md$/, '/')}`, text);
    },
    /** Lets `ms` pass, and what is due then happen. */
    after: async (ms: number) => {
      time.now += ms;
      work.wake();
      for (let turn = 0; turn < 10_000 && (queue.isBusy() || turn < 20); turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}
