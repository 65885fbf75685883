import type { DataCounts } from '../../contract/data.ts';
import type { Profile } from '../../contract/settings.ts';
import type { MediaStore } from '../../media/media-store.ts';
import type { PostStore } from '../../micropub/post-store.ts';
import type { Sink } from '../../storage/backup/sink.ts';
import { goOn, type Work } from '../../storage/backup/work.ts';
import type { MentionStore } from '../../webmention/mention-store.ts';
import { exportJf2 } from '../../webmention/reading-api/export.ts';
import { markdownOf } from './markdown-post.ts';

export interface TakeAllDeps {
  readonly posts: Pick<PostStore, 'list'>;
  readonly media: Pick<MediaStore, 'list' | 'fileOf'>;
  readonly mentions: Pick<MentionStore, 'all'>;
  readonly profile: () => Profile;
  readonly base: () => string;
}

const readme = `What Porchlight held, for other programs to read.

posts/      posts, Markdown with YAML front matter; their text is as it was written
drafts/     posts that were never published
private/    posts for nobody but their author
media/      files, under the names in their addresses
media.json  what each file was called, its type, and when it came
mentions.jf2.json  what others said, hidden and private ones too (wm-private, porchlight-status)
profile.json       who the author is; an uploaded photo is in it as a data: URL

Posts that were deleted are not here. Links to own files in the text are relative;
those in the front matter are as they were posted.
`;

/** Writes posts, files, mentions and profile in formats that other programs read. Answers how many there were. */
export async function takeAll(deps: TakeAllDeps, sink: Sink, work: Work): Promise<DataCounts> {
  const counts = { posts: 0, files: 0, mentions: 0, bytes: 0 };
  const told = (words: string) => {
    goOn(work);
    work.progress(counts.bytes, 0, words);
  };
  await sink.text('README.txt', readme);
  await sink.text('profile.json', json(deps.profile()));
  counts.posts = await takePosts(deps, sink, (posts) => told(`${posts} posts written.`));
  await takeFiles(deps, sink, (bytes) => {
    counts.files += 1;
    counts.bytes += bytes;
    told(`${counts.files} files written.`);
  });
  await sink.stream(
    'mentions.jf2.json',
    exportJf2({
      all: async function* () {
        for await (const mention of deps.mentions.all()) {
          counts.mentions += 1;
          told(`${counts.mentions} mentions written.`);
          yield mention;
        }
      },
    }),
  );
  return counts;
}

async function takePosts(
  { posts, base }: TakeAllDeps,
  sink: Sink,
  told: (posts: number) => void,
): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const page = await posts.list({ limit: 100, ...(after !== undefined && { after }) });
    for (const post of page.items) {
      const { name, text } = markdownOf(post, base());
      await sink.text(name, text);
      told((count += 1));
    }
    after = page.after;
  } while (after !== undefined);
  return count;
}

async function takeFiles({ media }: TakeAllDeps, sink: Sink, told: (bytes: number) => void): Promise<void> {
  const taken: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await media.list({ limit: 100, cursor });
    for (const item of page.items) {
      const file = item.path.slice(1);
      // Deleted since the list was read.
      if (!(await sink.file(file, { file: media.fileOf(item), bytes: item.bytes }))) continue;
      const { name, type, bytes, width, height, uploadedAt, copyOf } = item;
      taken.push({ file, name, type, bytes, width, height, uploadedAt, copyOf });
      told(bytes);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await sink.text('media.json', json(taken));
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
