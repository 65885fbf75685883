import type { ArchiveFormat, ImportReport, ImportSample } from '../contract/post-import.ts';
import type { PostKind } from '../contract/posts.ts';

const most = { skipped: 200, losses: 1000, lost: 20, samples: 5, words: 300, reasons: 100 };
/** Counts the parts whose reason is not among the first ones. */
const otherReasons = 'Other reasons';

export type ReportWriter = ReturnType<typeof reportWriter>;

/** Collects the results of an import, in a bounded amount of memory. */
export function reportWriter(id: string, format: ArchiveFormat) {
  const kinds = new Map<PostKind, number>();
  const reasons = new Map<string, number>();
  const skipped: ImportReport['skipped'] = [];
  const losses: ImportReport['losses'] = [];
  const samples: ImportSample[] = [];
  let [found, importable, files, mentions, pages, lossCount] = [0, 0, 0, 0, 0, 0];

  return {
    get found() {
      return found;
    },
    /** The number of posts that can be imported. */
    get importable() {
      return importable;
    },
    get mentions() {
      return mentions;
    },
    /** Whether there is anything to import. */
    get isEmpty() {
      return importable + files + mentions + pages === 0;
    },
    takeFile: () => void (files += 1),
    takeMentions: (count: number) => void (mentions += count),
    takePage: () => void (pages += 1),
    foundPost: () => void (found += 1),
    skip(what: string, why: string, count = 1): void {
      const reason = reasons.has(why) || reasons.size < most.reasons ? why : otherReasons;
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
      if (skipped.length < most.skipped) skipped.push({ what: what.slice(0, most.words), why });
    },
    take(sample: ImportSample): void {
      importable += 1;
      files += sample.files;
      kinds.set(sample.kind, (kinds.get(sample.kind) ?? 0) + 1);
      // Keep one sample of each post kind, so that the owner sees how posts of that kind are converted.
      if (samples.length < most.samples && samples.every(({ kind }) => kind !== sample.kind))
        samples.push(sample);
    },
    /** Names a post that loses something. */
    lose(what: string, lost: readonly string[] = []): void {
      if (lost.length === 0) return;
      lossCount += 1;
      if (losses.length === most.losses) return;
      const rest = lost.length - most.lost;
      const named = [...lost.slice(0, most.lost), ...(rest > 0 ? [`and ${rest} more`] : [])];
      losses.push({ what: what.slice(0, most.words), lost: named });
    },
    /** Returns the report. `imported`: the number of posts that were stored. */
    written: (state: ImportReport['state'], imported: number): ImportReport => ({
      ...{ id, format, state, found, imported },
      kinds: [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count),
      ...{ files, mentions, pages, skipped, losses, lossCount, samples },
      reasons: [...reasons].map(([why, count]) => ({ why, count })).sort((a, b) => b.count - a.count),
    }),
  };
}
