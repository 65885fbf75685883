import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { openJournal } from '../storage/journal.ts';
import { isValid } from '../storage/schema-check.ts';

/** A page's document is about to change (`true`), or the index says what it holds now (`false`). */
const Mark = closed({ page: Type.String(), dirty: Type.Boolean() });

/** Which pages the index may be wrong about: `index/dirty.jsonl`. A kill leaves the marks of what it cut short. */
export interface DirtyMarks {
  /**
   * Runs `work` on a page, marked while it runs. Where it fails the mark stays, until the page is read again at the
   * next opening.
   */
  during<R>(page: string, work: () => Promise<R>): Promise<R>;
  /** Marks a page that must be read again. */
  mark(page: string): Promise<void>;
  /** Takes one mark of a page back, where it has any: the page has been read again. */
  release(page: string): Promise<void>;
  /** Writes the file anew, with the marks that stand. */
  tidy(): Promise<void>;
}

/** Below this a journal is not worth rewriting. */
const shortJournal = 200;

/** Opens the marks; `first` are those that were left. Open them once in a process. */
export async function openDirtyMarks(
  file: string,
): Promise<DirtyMarks & { first: ReadonlySet<string>; whole: boolean }> {
  const { journal, lines, whole } = await openJournal(file);
  const known = foldedMarks(lines);
  /** How many reasons a page has to be marked. */
  const reasons = new Map([...known.dirty].map((page) => [page, 1]));

  async function mark(page: string): Promise<void> {
    reasons.set(page, (reasons.get(page) ?? 0) + 1);
    await journal.append({ page, dirty: true });
    await tidyIfLong();
  }

  /** Takes back one reason; without any, the mark. */
  async function release(page: string): Promise<void> {
    const others = (reasons.get(page) ?? 1) - 1;
    if (others > 0) {
      reasons.set(page, others);
      return;
    }
    reasons.delete(page);
    await journal.append({ page, dirty: false });
    await tidyIfLong();
  }

  const tidy = () => journal.rewrite(() => [...reasons.keys()].map((page) => ({ page, dirty: true })));

  async function tidyIfLong(): Promise<void> {
    if (journal.length > Math.max(2 * reasons.size, shortJournal)) await tidy();
  }

  return {
    first: known.dirty,
    whole: whole && known.whole,
    mark,
    tidy,
    async during(page, work) {
      await mark(page);
      const result = await work();
      await release(page);
      return result;
    },
    release: async (page) => {
      if (reasons.has(page)) await release(page);
    },
  };
}

/** The pages that are marked in the end. */
export function foldedMarks(lines: readonly unknown[]): { dirty: Set<string>; whole: boolean } {
  const dirty = new Set<string>();
  let whole = true;
  for (const line of lines) {
    if (!isValid(Mark, line)) whole = false;
    else if (line.dirty) dirty.add(line.page);
    else dirty.delete(line.page);
  }
  return { dirty, whole };
}
