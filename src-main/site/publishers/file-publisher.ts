import { createHash } from 'node:crypto';
import type { FolderTarget } from './folder-target.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId, type PublisherName, type PublishingEntry } from './publishing-entry.ts';

/** A file as it should be. */
interface WantedFile {
  /** Relative to the folder. */
  readonly file: string;
  /** Null removes the file. */
  readonly text: string | null;
}

interface FilePublisherDeps {
  readonly name: PublisherName;
  /** @throws PublishingTrouble */
  readonly target: () => Promise<FolderTarget>;
  /** Returns the file that an entry is about; undefined if nothing is left to do. */
  readonly fileOf: (entry: PublishingEntry) => Promise<WantedFile | undefined>;
  /** Describes the change for the history. */
  readonly messageOf: (files: readonly WantedFile[]) => string;
}

/**
 * Creates a publisher of files that belong to Porchlight alone, and that it may replace. The files of one attempt make
 * one change.
 */
export function createFilePublisher({ name, target, fileOf, messageOf }: FilePublisherDeps): Publisher {
  return {
    name,
    batch: 1000,

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
      const changed = wanted.filter(({ file, text }) => (found.get(file) ?? null) !== hashOf(text));
      if (changed.length === 0) return outcomes;
      const contents = changed.map(({ file, text }) => [file, text === null ? null : { text }] as const);
      await folder.write([{ files: new Map(contents), message: messageOf(changed) }]);
      return outcomes;
    },
  };
}

const hashOf = (text: string | null) =>
  text === null ? null : createHash('sha256').update(text).digest('hex');
