import type { DataDocuments } from '../storage/data-documents.ts';
import { openEndedIds } from '../storage/ended-ids.ts';
import { previousOf } from '../storage/replace-file.ts';
import { readDocument } from '../storage/unopened.ts';
import { grantsFormat, type GrantList } from './grant.ts';

export type GrantDocument = Awaited<ReturnType<typeof openGrantDocument>>;

export const endedGrantsName = 'grants-ended.jsonl';

/**
 * Opens grants.json and the list of ended grants. A grant in that list counts as revoked, even if it is active in
 * grants.json. `now`: ms since the epoch.
 * @throws PorchlightError: the errors of `openDocument`
 */
export async function openGrantDocument(documents: DataDocuments, now: () => number) {
  const document = await documents.open('grants.json', grantsFormat);
  const known = await idsIn(document.data, previousOf(documents.fileOf('grants.json')));
  const ended = await openEndedIds(documents.fileOf(endedGrantsName), (id) => known?.has(id) ?? true);

  const withEnded = (list: Readonly<GrantList>): GrantList => ({
    ...list,
    grants: list.grants.map((grant) =>
      grant.revokedAt === null && ended.has(grant.id) ? { ...grant, revokedAt: now() } : grant,
    ),
  });
  let seen: Readonly<GrantList> | undefined;
  let shown = withEnded(document.data);

  return {
    get data(): Readonly<GrantList> {
      if (seen !== document.data) {
        seen = document.data;
        shown = withEnded(seen);
      }
      return shown;
    },
    update: <R>(change: (data: GrantList) => R): Promise<R> =>
      document.update((draft) => {
        draft.grants = withEnded(draft).grants;
        return change(draft);
      }),
    /**
     * Adds a grant to the list of ended grants, so that it stays revoked even if an older grants.json is recovered.
     * Resolves when the change is on disk.
     */
    async end(id: string): Promise<void> {
      await ended.add(id);
      seen = undefined;
    },
  };
}

/**
 * Returns the ids of all grants in the current and the previous version of grants.json; undefined if the previous
 * version can't be read.
 */
async function idsIn(current: Readonly<GrantList>, previous: string): Promise<Set<string> | undefined> {
  try {
    const before = await readDocument(previous, grantsFormat);
    return new Set([...current.grants, ...(before?.grants ?? [])].map(({ id }) => id));
  } catch {
    return undefined;
  }
}
