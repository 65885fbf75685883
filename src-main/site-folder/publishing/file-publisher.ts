import { sha256 } from '../../storage/sha256.ts';
import type { FolderTarget } from './folder-target.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId, type PublisherName, type PublishingEntry } from './publishing-entry.ts';

interface WantedFile {
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
  readonly fileOf: (entry: PublishingEntry) => Promise<WantedFile | undefined>;
  /** Returns a description of the change for the git history. */
  readonly messageOf: (files: readonly WantedFile[]) => string;
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
      const wanted: WantedFile[] = [];
      for (const entry of entries) {
        const file = await fileOf(entry);
        if (file) wanted.push(file);
      }
      if (wanted.length === 0) return outcomes;
      const folder = await target();
      const found = await folder.hashes(wanted.map(({ file }) => file));
      const changed = wanted.filter(
        ({ file, text }) => (found.get(file) ?? null) !== (text === null ? null : sha256(text)),
      );
      if (changed.length === 0) return outcomes;
      const contents = changed.map(({ file, text }) => [file, text === null ? null : { text }] as const);
      await folder.write([{ files: new Map(contents), message: messageOf(changed) }]);
      return outcomes;
    },
  };
}
