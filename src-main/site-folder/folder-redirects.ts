import { bridgyFed, type Post, type PostHome } from '../contract/posts.ts';
import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { FolderTrouble, openFolderReader, repositoryAbove } from '../platform/folder-files.ts';
import { bridgedPaths } from '../platform/mailbox-protocol.ts';
import { installedHugo } from '../platform/other-programs.ts';
import { isOpen } from '../posts/visibility.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import type { FolderFacts } from '../posts/files/addresses.ts';
import type { FolderTarget } from './publishing/folder-target.ts';
import type { PublishingQueue } from './publishing/publishing-queue.ts';
import { createRedirectPublisher } from './publishing/file-publisher.ts';

interface FolderRedirectsDeps {
  readonly settings: () => SiteFolderSettings;
  readonly posts: Pick<OwnerPostStore, 'get' | 'leftPages'>;
  readonly queue: Pick<PublishingQueue, 'add'>;
  readonly target: () => FolderTarget;
  /** Parses a file of the folder on another thread. */
  readonly read: ReadFolderText;
  /** Returns whether Bridgy Fed answers for the site in the fediverse. */
  readonly isBridged: () => boolean;
}

/** Returns whether a post was deleted and its files were removed. */
const isGone = (post: Post, { written }: PostHome) =>
  post.deletedAt !== null && Object.keys(written).length === 0;

/**
 * Creates the functions that update the redirects file of the site's host. The file lists the earlier URLs of posts,
 * unless the generator redirects them itself. It also lists the URLs of deleted posts, if the file's format supports
 * that, and leads the fediverse to Bridgy Fed.
 */
export function createFolderRedirects({
  settings,
  posts,
  queue,
  target,
  read,
  isBridged,
}: FolderRedirectsDeps) {
  const hasAliases = ({ hasRedirectFrom }: FolderFacts) =>
    ['hugo', 'zola'].includes(settings().generator) || hasRedirectFrom === true;

  return {
    publisher: createRedirectPublisher({
      target,
      baseUrl: () => settings().baseUrl,
      formatOf: async (file) => {
        const { hostFile } = await folderFacts(settings(), read);
        return hostFile?.file === file ? hostFile.format : undefined;
      },
      async left() {
        const found = await Promise.all((await posts.leftPages()).map((path) => posts.get(path)));
        const isRedirected = hasAliases(await folderFacts(settings(), read));
        return {
          moved: found.flatMap((post) =>
            !isRedirected && post?.home?.liveAt && isOpen(post) ? [post.home] : [],
          ),
          gone: found.flatMap((post) => (post?.home && isGone(post, post.home) ? [post.home] : [])),
          ...(isBridged() && { bridged: { paths: bridgedPaths, to: bridgyFed.uid } }),
        };
      },
    }),

    /** Returns the name of the redirects file; undefined if there is none. */
    file: async (): Promise<string | undefined> => (await folderFacts(settings(), read)).hostFile?.file,

    /** Schedules an update of the redirects file, if there is one. */
    async planAll(): Promise<void> {
      const { hostFile } = await folderFacts(settings(), read);
      if (hostFile) await queue.add([{ publisher: 'redirects', key: hostFile.file }]);
    },

    /** If a published or deleted post affects the redirects file, schedules an update of the file. */
    async plan(post: Post): Promise<void> {
      const { home } = post;
      if (home === undefined) return;
      const facts = await folderFacts(settings(), read);
      const { hostFile } = facts;
      if (hostFile === undefined) return;
      const isMoved = home.former.length > 0 && !hasAliases(facts);
      const isNamedGone = post.deletedAt !== null && hostFile.format !== 'redirects';
      if (isMoved || isNamedGone) await queue.add([{ publisher: 'redirects', key: hostFile.file }]);
    },
  };
}

/** Returns facts about the configuration of the owner's folder; an empty object if the folder can't be read. */
async function folderFacts(
  { path, generator }: SiteFolderSettings,
  read: ReadFolderText,
): Promise<FolderFacts> {
  const { readFolderFacts } = await import('./facts.ts');
  try {
    const above = await repositoryAbove(path);
    const root = above === undefined ? undefined : openFolderReader(above);
    return await readFolderFacts(openFolderReader(path), generator, read, root);
  } catch (error) {
    if (error instanceof FolderTrouble) return {};
    throw error;
  }
}

/** Returns the facts about the owner's folder that determine the content of a post's file. */
export async function factsFor(
  { visibility }: Pick<Post, 'visibility'>,
  settings: SiteFolderSettings,
  read: ReadFolderText,
): Promise<FolderFacts> {
  const facts = await folderFacts(settings, read);
  // Only the file of an unlisted post depends on the version of Hugo. If Porchlight doesn't push the folder, the site
  // is most likely built on this computer, with the version of Hugo that is installed here.
  if (visibility !== 'unlisted' || settings.generator !== 'hugo' || settings.push) return facts;
  if (facts.isOldHugo !== undefined) return facts;
  const { firstWithBuild } = await import('./facts.ts');
  const [major, minor] = (await installedHugo()) ?? [];
  return minor === undefined ? facts : { ...facts, isOldHugo: major === 0 && minor < firstWithBuild };
}
