/** The data that the mailbox stores about its server and itself. */
export interface Status {
  /** The id of the server that the mailbox belongs to; null until a server has called. */
  readonly server: string | null;
  /** The number of the last accepted call. */
  readonly last: number;
  /** The server's state. `silent`: a request has failed, though the server has not reported that it is going away. */
  readonly mode: 'awake' | 'silent' | 'asleep' | 'off';
  /** When the server was last awake, in ms since 1970. */
  readonly since: number;
  /** The hosts for which the server accepts mentions. */
  readonly hosts: readonly string[];
  /** The number of items that were refused since the server was last awake. */
  readonly refused: number;
  /** The highest item number ever used, recorded when items are deleted. */
  readonly lastItem: number;
  readonly copies: number;
  readonly copyBytes: number;
}

const initial: Status = {
  ...{ server: null, last: 0, mode: 'awake', since: 0, hosts: [] },
  ...{ refused: 0, lastItem: 0, copies: 0, copyBytes: 0 },
};

export function loadStatus(sql: SqlStorage): Status {
  const row = sql.exec<{ json: string }>('SELECT json FROM status').toArray()[0];
  return row === undefined ? initial : { ...initial, ...(JSON.parse(row.json) as Partial<Status>) };
}

/** Saves changes to the status, and returns the new status. */
export function changeStatus(sql: SqlStorage, change: Partial<Status>): Status {
  const status = { ...loadStatus(sql), ...change };
  sql.exec('INSERT OR REPLACE INTO status VALUES (1, ?)', JSON.stringify(status));
  return status;
}
