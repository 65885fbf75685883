import type { DataCounts } from '../../contract/data.ts';
import type { Post } from '../../contract/posts.ts';
import type { Profile, Settings } from '../../contract/settings.ts';
import type { MediaStore } from '../../media/media-store.ts';
import type { OwnerPostStore } from '../../posts/micropub/owner-post-store.ts';
import { siteAuthor } from '../../posts/rendering/author.ts';
import { shownContent } from '../../posts/rendering/contents.ts';
import { postExportFile } from '../../posts/files/export-file.ts';
import type { MediaReader } from '../../posts/rendering/reader.ts';
import { shownIn } from '../../posts/rendering/shown-media.ts';
import type { Sink } from '../backup/sink.ts';
import { goOn, type Work } from '../../storage/paced-work.ts';
import { exportedMention } from '../../mentions/mention-format.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { exportJf2 } from '../../mentions/reading-api/export.ts';
import { listText } from '../../mentions/reading-api/record-text.ts';
import { generatorFiles } from './generator-files.ts';
import { readme } from './readme.ts';

export interface TakeAllDeps {
  readonly posts: Pick<OwnerPostStore, 'list' | 'history' | 'formerPaths' | 'movedTo'>;
  readonly media: Pick<MediaStore, 'list' | 'fileOf'>;
  readonly shown: MediaReader['shown'];
  readonly mentions: Pick<MentionStore, 'all'>;
  readonly profile: () => Profile;
  readonly pages: () => Settings['site']['pages'];
  readonly now: () => number;
  readonly base: () => string;
}

/** The number of the format of the files in `porchlight`. Exports without `export.json` are older. */
const exportFormat = 1;

/**
 * Writes posts, files, mentions and the profile as a folder that Hugo, Jekyll and Eleventy build without changes.
 * Leaves out deleted posts. Returns how many items of each kind it wrote.
 */
export async function takeAll(deps: TakeAllDeps, sink: Sink, work: Work): Promise<DataCounts> {
  const counts = { posts: 0, files: 0, mentions: 0, bytes: 0 };
  const tell = (words: string) => {
    goOn(work);
    work.progress(counts.bytes, 0, words);
  };
  const base = deps.base();
  const author = siteAuthor(deps.profile(), base);
  const files = { 'README.md': readme, ...generatorFiles(author, base) };
  for (const [name, text] of Object.entries(files)) await sink.text(name, text);
  await sink.text(
    'porchlight/export.json',
    json({ format: exportFormat, base, exportedAt: new Date(deps.now()).toISOString() }),
  );
  await sink.text('porchlight/profile.json', json(deps.profile()));
  await sink.text('porchlight/pages.json', json(deps.pages()));
  for await (const post of allOf(deps)) {
    const content = shownContent(post, base);
    const shown = await shownIn([post], new Map([[post.path, content]]), { base, media: deps });
    const { name, text } = postExportFile(post, { base, author, shown, contentOf: () => content });
    await sink.text(name, text);
    counts.posts += 1;
    tell(`Posts exported: ${counts.posts}.`);
  }
  await sink.stream('porchlight/posts.json', originals(deps, work));
  await takeFiles(deps, sink, (bytes) => {
    counts.files += 1;
    counts.bytes += bytes;
    tell(`Files exported: ${counts.files}.`);
  });
  await sink.stream(
    'porchlight/mentions.jf2.json',
    exportJf2({
      all: async function* () {
        for await (const mention of deps.mentions.all()) {
          counts.mentions += 1;
          tell(`Mentions exported: ${counts.mentions}.`);
          yield mention;
        }
      },
    }),
  );
  await sink.stream(
    'porchlight/mentions.json',
    listText('[\n', deps.mentions.all(), (mention) => `${JSON.stringify(exportedMention(mention))}\n`, ']\n'),
  );
  return counts;
}

/** Yields the posts as one JSON list, each with its properties as posted, its former paths and its earlier versions. */
async function* originals(deps: TakeAllDeps, work: Work): AsyncGenerator<string> {
  const formerPaths = await formerPathsOf(deps);
  let before = '[\n';
  for await (const post of allOf(deps)) {
    goOn(work);
    // A post whose document can't be read now is still exported, but without its earlier versions.
    const history = await deps.posts.history(post.path).catch(() => []);
    const former = formerPaths.get(post.path);
    const whole = { ...post, ...(former && { former }), ...(history.length > 0 && { history }) };
    yield before + JSON.stringify(whole);
    before = ',\n';
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

/** Returns the paths from which posts have moved, by the posts' current paths. */
async function formerPathsOf({ posts }: Pick<TakeAllDeps, 'posts'>): Promise<Map<string, string[]>> {
  const former = new Map<string, string[]>();
  for (const path of (await posts.formerPaths()).toSorted()) {
    const to = await posts.movedTo(path);
    if (to !== undefined) former.set(to, [...(former.get(to) ?? []), path]);
  }
  return former;
}

async function* allOf({ posts }: { readonly posts: Pick<OwnerPostStore, 'list'> }): AsyncGenerator<Post> {
  let after: string | undefined;
  do {
    const page = await posts.list({ limit: 100, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.after;
  } while (after !== undefined);
}

async function takeFiles({ media }: TakeAllDeps, sink: Sink, told: (bytes: number) => void): Promise<void> {
  const taken: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await media.list({ limit: 100, cursor });
    for (const item of page.items) {
      const file = item.path.slice(1);
      // The file may have been deleted after the list of files was read.
      if (!(await sink.file(file, { file: media.fileOf(item), bytes: item.bytes }))) continue;
      const { name, type, bytes, width, height, uploadedAt, copyOf } = item;
      taken.push({ file, name, type, bytes, width, height, uploadedAt, copyOf });
      told(bytes);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await sink.text('porchlight/media.json', json(taken));
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
