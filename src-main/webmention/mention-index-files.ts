import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedCache, type BoundedCache } from '../storage/bounded-cache.ts';
import type { DirtyMarks } from './mention-index-marks.ts';
import { openPagesIndex, type PageRow, type PagesIndex } from './mention-index-pages.ts';
import { openIndexPart, type IndexPart } from './mention-index-part.ts';
import { repairIndex, rowsOfPages, type Repair } from './mention-index-repair.ts';
import { isPart } from './mention-index-row.ts';
import { namesIn, pageKeysIn } from './page-document.ts';

export const indexFile = (dir: string, name: string) => join(dir, 'index', `${name}.jsonl`);

/** The parts of the index that have a file. */
export async function partsIn(dir: string): Promise<string[]> {
  const names = await namesIn(join(dir, 'index'));
  return names.map((name) => name.replace(/\.jsonl$/, '')).filter(isPart);
}

export interface IndexFilesOptions {
  /** The folder of all webmentions. */
  dir: string;
  marks: DirtyMarks & { first: ReadonlySet<string>; whole: boolean };
  read: Repair['read'];
  /** Called when what a part says has changed. */
  onChange: (part: string) => void;
}

/** The open files of the index. */
export interface IndexFiles {
  readonly pages: PagesIndex;
  readonly parts: BoundedCache<IndexPart>;
  /** Changes what a part says. */
  put: Repair['put'];
  /** Reads pages again, lists what they hold and takes their marks back. */
  repair: (pages: readonly string[], before: ReadonlyMap<string, PageRow>) => Promise<void>;
}

/** Parts that stay in memory. */
const openParts = 12;

/** Opens the index, made anew as far as it does not fit the documents. Open it once in a process. */
export async function openIndexFiles({ dir, marks, read, onChange }: IndexFilesOptions): Promise<IndexFiles> {
  const [pages, there, keys] = await Promise.all([
    openPagesIndex(indexFile(dir, 'pages')),
    partsIn(dir),
    pageKeysIn(dir),
  ]);
  const parts = boundedCache(openParts, (name) =>
    openIndexPart({ file: indexFile(dir, name), refill: () => refill(name) }),
  );
  const before = pages.first.rows;
  if (marks.whole && pages.first.whole && before.size > 0) await repair(await stalePages(), before);
  else await makeAnew();

  /** Nothing says what is missing. A kill in between leaves pages unlisted, which are then found so. */
  async function makeAnew(): Promise<void> {
    if (before.size > 0 || !pages.first.whole) await pages.clear();
    if (!marks.whole) await marks.tidy();
    for (const name of there) await rm(indexFile(dir, name), { force: true });
    await repair([...keys, ...marks.first], new Map());
  }

  async function stalePages(): Promise<string[]> {
    const files = new Set(there);
    const lost = [...before].filter(
      ([page, row]) => !keys.has(page) || row.parts.some((one) => !files.has(one)),
    );
    // A part that a kill leaves half made does not look missing the next time.
    for (const [page] of lost) await marks.mark(page);
    const unlisted = [...keys].filter((page) => !before.has(page));
    return [...lost.map(([page]) => page), ...unlisted, ...marks.first];
  }

  function repair(some: readonly string[], rows: ReadonlyMap<string, PageRow>): Promise<void> {
    return repairIndex({
      pages: [...new Set(some)],
      before: rows,
      read,
      put,
      list: async (page, row) => {
        await pages.put([[page, row]]);
        await marks.release(page);
      },
    });
  }

  async function put(part: string, changes: Parameters<Repair['put']>[1]): Promise<void> {
    await parts.use(part, (one) => {
      const written = one.put(changes(one));
      onChange(part);
      return written;
    });
  }

  async function refill(name: string) {
    const { rows } = await pages.read();
    const listed = [...rows.values()].filter((row) => row.parts.includes(name));
    const all = await rowsOfPages(
      listed.map(({ page }) => page),
      read,
    );
    return all.get(name) ?? new Map();
  }

  return { pages, parts, put, repair };
}
