import { join } from 'node:path';
import { nextAttempt } from '../../platform/retry-schedule.ts';
import { documentCodec } from '../../storage/document-format.ts';
import { readStateJournal } from '../../storage/state-journal.ts';
import type { Outcome } from './publisher.ts';
import { entryId, publishingFormat, type PublishingEntry } from './publishing-entry.ts';

/** How long after publication the owner is notified if the page isn't live yet, in ms. */
const lateMs = 3_600_000;

export const publishingCodec = documentCodec(publishingFormat);

/** The path of the journal, relative to the data folder. */
export const publishingJournal = join('publishing', 'journal.jsonl');

/** Returns the number of unpublished changes in a journal, without opening the queue. */
export async function unpublishedIn(file: string): Promise<number> {
  const { entries } = await readStateJournal<PublishingEntry>(file, publishingCodec, unfinished);
  return [...entries.values()].filter(({ watched }) => !watched).length;
}

/** Returns the new state of an entry after an attempt. `at`: the time in ms. */
export function settledPublishing(entry: PublishingEntry, outcome: Outcome, at: number): PublishingEntry {
  const now = new Date(at).toISOString();
  const { state, failures } = entry;
  switch (outcome.kind) {
    case 'done':
      return { ...entry, state: 'done', words: '', writing: {} };
    case 'watched':
      return {
        ...{ ...withoutMarks(entry), state: 'waiting', stateSince: now, failures: 0, words: '' },
        ...{ due: new Date(outcome.at).toISOString(), watched: true },
      };
    case 'building':
      return { ...withoutMarks(entry), state: 'building', stateSince: now, due: now, failures: 0, words: '' };
    case 'conflict':
      return { ...entry, state: 'conflict', stateSince: now, words: outcome.words };
    case 'later':
      return {
        ...{ ...entry, state: 'waiting', stateSince: now, failures: 0, words: outcome.words },
        due: new Date(outcome.at).toISOString(),
      };
    case 'failed': {
      const isBuilding = state === 'building';
      const count = failures + 1;
      const next = nextAttempt(isBuilding ? 'liveCheck' : 'publishing', { failures: count, now: at }) ?? at;
      const isLate = isBuilding && at - Date.parse(entry.stateSince) >= lateMs;
      const due = new Date(next).toISOString();
      return { ...entry, words: outcome.words, failures: count, due, ...(isLate && { late: true }) };
    }
  }
}

function withoutMarks(entry: PublishingEntry): PublishingEntry {
  const rest = { ...entry };
  delete rest.late;
  delete rest.watched;
  // The owner's decision to replace a file applied only to the file as it was at that time.
  delete rest.replace;
  return rest;
}

/** Returns the newest unfinished entries by id, from the lines of the journal. */
export function unfinished(lines: readonly PublishingEntry[]): Map<string, PublishingEntry> {
  const entries = new Map<string, PublishingEntry>();
  for (const line of lines) {
    if (line.state === 'done') entries.delete(entryId(line));
    else entries.set(entryId(line), line);
  }
  return entries;
}

/** Returns the time `at` (ms) in ISO 8601, or 1 ms after the time `before` if that is later. */
export function laterThan(before: string | undefined, at: number): string {
  return new Date(before === undefined ? at : Math.max(at, Date.parse(before) + 1)).toISOString();
}

/** Returns the files of earlier attempts, together with the files that a new attempt is about to write. */
export function withFiles(
  writing: PublishingEntry['writing'],
  files: Readonly<Record<string, string>>,
): PublishingEntry['writing'] {
  const added = Object.entries(files).map(([file, hash]): [string, string[]] => [
    file,
    [...new Set([...(writing[file] ?? []), hash])],
  ]);
  return { ...writing, ...Object.fromEntries(added) };
}
