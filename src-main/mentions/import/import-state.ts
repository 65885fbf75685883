import { Type, type Static } from 'typebox';
import { closed, Moment } from '../../contract/shapes.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { recordTable, type Row } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import { isValid } from '../../storage/schema-check.ts';

const Count = Type.Integer({ minimum: 0 });

/**
 * The state that an import saves for the next import. If the state is lost, the next import reads all mentions again.
 */
const ImportState = closed({
  /** A hash of the aggregator, account and domain that this state belongs to. Contains no secret. */
  origin: Type.Optional(Type.String()),
  /** The position at which to resume a full run after an interruption. A full run reads all mentions. */
  broken: Type.Optional(closed({ page: Count, perPage: Type.Integer({ minimum: 1 }), startedAt: Moment })),
  /** All changes up to this time were imported. Later changes may still be missing. */
  newestVerified: Type.Optional(Moment),
  highestId: Type.Optional(Count),
  lastRun: Type.Optional(Moment),
  lastFullRun: Type.Optional(Moment),
});
export type ImportState = Static<typeof ImportState>;

/** The state of the import, in one row. `body`: the JSON of an ImportState. */
export const aggregatorStateTable = recordTable({
  name: 'aggregator_state',
  row: closed({ one: Type.Literal(1), body: Type.String() }),
  isSound: ({ body }) => isValid(ImportState, jsonIn(body)),
  create: `CREATE TABLE IF NOT EXISTS aggregator_state (
      one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL
    ) STRICT`,
  format: 1,
});

const find = 'SELECT body FROM aggregator_state';

/** The state of the import. Its methods throw the errors of Records. */
export interface ImportStateStore {
  readonly data: Readonly<ImportState>;
  /** Changes the state. Resolves once the change is on disk. */
  update(change: (draft: ImportState) => void): Promise<void>;
}

/** Creates the functions that read and write the state of the import. */
export function createImportState(records: Pick<Records, 'rows' | 'write'>): ImportStateStore {
  const stateIn = ([row]: readonly Row[]) => (row ? (JSON.parse(String(row['body'])) as ImportState) : {});
  return {
    get data() {
      return stateIn(records.rows((row) => row, find));
    },
    update: (change) =>
      records.write(({ rows, run }) => {
        const draft = stateIn(rows(find));
        change(draft);
        run('INSERT OR REPLACE INTO aggregator_state (one, body) VALUES (1, ?)', JSON.stringify(draft));
      }),
  };
}
