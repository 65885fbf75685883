import { createHash } from 'node:crypto';
import { conflictWith, type FolderTarget } from './folder-target.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId, type PublisherName, type PublishingEntry } from './publishing-entry.ts';

/** A file as it should be. */
export interface WantedFile {
  /** Relative to the folder. */
  readonly file: string;
  /** Null removes the file. */
  readonly text: string | null;
  /** The SHA-256 (hex) of the content that it may replace; absent if it may replace any content. */
  readonly replaces?: string | undefined;
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

/** Creates a publisher of files that are no posts of their own. The files of one attempt make one change. */
export function createFilePublisher({ name, target, fileOf, messageOf }: FilePublisherDeps): Publisher {
  return {
    name,
    batch: 1000,

    async publish(entries, { begin }) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      const wanted = new Map<PublishingEntry, WantedFile>();
      for (const entry of entries) {
        const file = await fileOf(entry);
        if (file) wanted.set(entry, file);
      }
      if (wanted.size === 0) return outcomes;
      const folder = await target();
      const found = await folder.hashes([...wanted.values()].map(({ file }) => file));
      for (const [entry, file] of [...wanted]) {
        const hash = found.get(file.file) ?? null;
        const mine = [file.replaces, hashOf(file.text), ...(entry.writing[file.file] ?? [])];
        const isFree = file.replaces === undefined || entry.replace || (hash !== null && mine.includes(hash));
        if (isFree) continue;
        outcomes.set(entryId(entry), conflictWith([file.file]));
        wanted.delete(entry);
      }
      const files = [...wanted.values()];
      if (files.length === 0) return outcomes;
      await begin(new Map([...wanted].map(([entry, file]) => [entryId(entry), hashesOf(file)])));
      const contents = files.map(({ file, text }) => [file, text === null ? null : { text }] as const);
      await folder.write([{ files: new Map(contents), message: messageOf(files) }]);
      return outcomes;
    },
  };
}

const hashOf = (text: string | null) =>
  text === null ? undefined : createHash('sha256').update(text).digest('hex');

function hashesOf({ file, text }: WantedFile): Record<string, string> {
  const hash = hashOf(text);
  return hash === undefined ? {} : { [file]: hash };
}
