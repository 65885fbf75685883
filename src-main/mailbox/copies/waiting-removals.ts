import { Type } from 'typebox';
import { closed, Moment } from '../../contract/shapes.ts';
import { coalesced } from '../../storage/coalesce.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { recordTable } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import { isValid } from '../../storage/schema-check.ts';
import { isDiskFailure } from '../../storage/storage-error.ts';

const Paths = Type.Array(Type.String());

/**
 * The posts and files that are no longer fully public. The mailbox at Cloudflare may still contain copies that show
 * them.
 */
export const removalsTable = recordTable({
  name: 'mailbox_removals',
  /** `address`: the path of the post or file. `shown_on`: see Removal, as JSON. */
  row: closed({ address: Type.String(), shown_on: Type.String(), since: Moment }),
  isSound: ({ shown_on }) => isValid(Paths, jsonIn(shown_on)),
  create: `CREATE TABLE IF NOT EXISTS mailbox_removals (
      address TEXT PRIMARY KEY, shown_on TEXT NOT NULL, since TEXT NOT NULL
    ) STRICT`,
  format: 1,
  belongsHere: true,
});

/** A post or file whose copies must be removed from the mailbox at Cloudflare. */
export interface Removal {
  /** The path of the post or file. */
  readonly address: string;
  /** The paths of the pages and feeds that may show the post or file. */
  readonly shownOn: readonly string[];
  /** When the content stopped being public. */
  readonly since: string;
}

/** The maximum number of rows to change in one transaction. */
const rowsAtOnce = 500;

/**
 * Opens the list of pending removals from the mailbox at Cloudflare. Removals that `save` has confirmed survive if the
 * process is killed. If the disk refuses them, this process still knows them.
 */
export function openWaitingRemovals({
  records,
  now,
}: {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly now: () => number;
}) {
  const removals = new Map(stored(records).map((one) => [one.address, one]));
  /** What isn't on disk yet, by address; null for a removal that is done. */
  const unsaved = new Map<string, Removal | null>();

  const save = coalesced(async () => {
    const changed = [...unsaved];
    unsaved.clear();
    for (let start = 0; start < changed.length; start += rowsAtOnce) {
      try {
        await write(changed.slice(start, start + rowsAtOnce));
      } catch (error) {
        for (const [address, one] of changed.slice(start))
          if (!unsaved.has(address)) unsaved.set(address, one);
        throw error;
      }
    }
  });

  const write = (changed: readonly (readonly [address: string, removal: Removal | null])[]) =>
    records.write(({ run }) => {
      for (const [address, one] of changed)
        if (one === null) run('DELETE FROM mailbox_removals WHERE address = ?', address);
        else
          run(
            'INSERT OR REPLACE INTO mailbox_removals (address, shown_on, since) VALUES (?, ?, ?)',
            ...[address, JSON.stringify(one.shownOn), one.since],
          );
    });

  return {
    list: (): Removal[] => [...removals.values()],
    /** Returns whether a removal is the newest one of its address. */
    isCurrent: (removal: Removal): boolean => removals.get(removal.address) === removal,
    count: (): number => removals.size,

    /** Adds removals. They are not on disk before `save`. */
    add(added: readonly Pick<Removal, 'address' | 'shownOn'>[]): Removal[] {
      const since = new Date(now()).toISOString();
      const made = added.map(({ address, shownOn }): Removal => {
        const all = new Set([...shownOn, ...(removals.get(address)?.shownOn ?? [])]);
        return { address, shownOn: [...all], since };
      });
      for (const one of made) {
        removals.set(one.address, one);
        unsaved.set(one.address, one);
      }
      return made;
    },

    /**
     * Writes what isn't on disk yet. What can't be written is written by a later call.
     * @throws PorchlightError `storage_…`
     */
    save,

    /**
     * Records that the mailbox at Cloudflare has confirmed removals, or has copies of the parts that are still public.
     * Keeps removals that were added again in the meantime.
     */
    async done(settled: readonly Removal[]): Promise<void> {
      for (const one of settled) {
        if (removals.get(one.address) !== one) continue;
        removals.delete(one.address);
        unsaved.set(one.address, null);
      }
      await save();
    },
  };
}

/** Returns the pending removals; none if the disk can't be read now, because this must not prevent a start. */
function stored(records: Pick<Records, 'rows'>): Removal[] {
  try {
    return records.rows(
      ({ address, shown_on, since }): Removal => ({
        address: String(address),
        shownOn: JSON.parse(String(shown_on)) as string[],
        since: String(since),
      }),
      'SELECT * FROM mailbox_removals',
    );
  } catch (error) {
    if (!isDiskFailure(error)) throw error;
    return [];
  }
}
