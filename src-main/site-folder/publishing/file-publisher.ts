import type { HostFormat } from '../../posts/files/addresses.ts';
import { sha256 } from '../../storage/sha256.ts';
import { type LeftPages, withRedirects } from '../redirects.ts';
import type { FolderTarget } from './folder-target.ts';
import {
  entryId,
  type Outcome,
  type Publisher,
  type PublisherName,
  type PublishingEntry,
} from './publisher.ts';

interface IntendedFile {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  /** The intended text of the file; null removes the file. */
  readonly text: string | null;
}

interface FilePublisherDeps {
  readonly name: PublisherName;
  /**
   * Returns the folder to write to.
   * @throws PublishingTrouble
   */
  readonly target: () => Promise<FolderTarget>;
  /** Returns the intended state of an entry's file; undefined if there is nothing to do. */
  readonly fileOf: (entry: PublishingEntry) => Promise<IntendedFile | undefined>;
  /** Returns a description of the change for the git history. */
  readonly messageOf: (files: readonly IntendedFile[]) => string;
}

/**
 * Creates a publisher of files that only Porchlight writes. It overwrites the files even if they were changed. All
 * files of an attempt are written as one change.
 */
export function createFilePublisher({ name, target, fileOf, messageOf }: FilePublisherDeps): Publisher {
  return {
    name,
    batch: { all: 1000, news: 1000 },

    async publish(entries) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      const intended: IntendedFile[] = [];
      for (const entry of entries) {
        const file = await fileOf(entry);
        if (file) intended.push(file);
      }
      if (intended.length === 0) return outcomes;
      const folder = await target();
      const found = await folder.hashes(intended.map(({ file }) => file));
      const changed = intended.filter(
        ({ file, text }) => (found.get(file) ?? null) !== (text === null ? null : sha256(text)),
      );
      if (changed.length === 0) return outcomes;
      const contents = changed.map(({ file, text }) => [file, text === null ? null : { text }] as const);
      await folder.write([{ files: new Map(contents), message: messageOf(changed) }]);
      return outcomes;
    },
  };
}

interface RedirectPublisherDeps {
  /**
   * Returns the folder to write to.
   * @throws PublishingTrouble
   */
  readonly target: () => Promise<FolderTarget>;
  /** Returns the pages that need a line in a redirects file of this format. */
  readonly left: (format: HostFormat) => Promise<LeftPages>;
  /** Returns the format of a redirects file; undefined if the site's host doesn't read the file. */
  readonly formatOf: (file: string) => Promise<HostFormat | undefined>;
  readonly baseUrl: () => string;
}

/**
 * Creates the publisher of the redirects file, which tells the site's host about moved and deleted posts. An entry's
 * key is the name of the file (`_redirects`, `.htaccess`). The file belongs to the owner: Porchlight changes only its
 * own lines, and writes nothing if the owner has removed the file.
 */
export function createRedirectPublisher(deps: RedirectPublisherDeps): Publisher {
  const { target, left, formatOf, baseUrl } = deps;

  return {
    name: 'redirects',
    batch: { all: 1, news: 1 },

    async publish(entries) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      for (const { key: file } of entries) {
        const folder = await target();
        const before = await folder.text(file);
        const format = before === null ? undefined : await formatOf(file);
        if (before === null || format === undefined) continue;
        const text = withRedirects(before, await left(format), baseUrl(), format);
        if (text === before) continue;
        const expected = new Map([[file, sha256(before)]]);
        await folder.write([
          { files: new Map([[file, { text }]]), expected, message: 'List the pages that posts have left' },
        ]);
      }
      return outcomes;
    },
  };
}
