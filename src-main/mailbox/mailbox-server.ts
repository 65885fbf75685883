import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { closed, orNull } from '../contract/shapes.ts';
import { dayOf } from './mailbox-client.ts';
import { readRow, recordTable, type Cell } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';

/**
 * What this computer knows of the mailbox at Cloudflare, in one row. Backups don't contain it, so the mailbox treats a
 * copy restored on another computer as a different server.
 */
export const mailboxServerTable = recordTable({
  name: 'mailbox_server',
  /**
   * `server`: an id that identifies this computer to the mailbox, which serves only one computer. `answered_at`: a time
   * at which the mailbox responded, in ms.
   */
  row: closed({
    one: Type.Literal(1),
    server: orNull(Type.String({ pattern: '^[0-9a-f]{32}$' })),
    answered_at: orNull(Type.Integer()),
  }),
  create: `CREATE TABLE IF NOT EXISTS mailbox_server (
      one INTEGER PRIMARY KEY CHECK (one = 1), server TEXT, answered_at INTEGER
    ) STRICT`,
  format: 1,
  belongsHere: true,
});

/** The row, as the code uses it. */
interface Known {
  readonly server: string | null;
  readonly answeredAt: number | null;
}

/**
 * Creates the functions that read and write what this computer knows of the mailbox at Cloudflare. Reads once, because
 * calls to the mailbox go on while the disk can't be read.
 */
export function mailboxServer(records: Pick<Records, 'rows' | 'write'>) {
  let current: Known | undefined;
  let making: Promise<string> | undefined;

  const known = (): Known =>
    (current ??= records.rows((row) => {
      const { server, answered_at: answeredAt } = readRow(mailboxServerTable, row);
      return { server, answeredAt };
    }, 'SELECT * FROM mailbox_server')[0] ?? { server: null, answeredAt: null });

  const write = (column: 'server' | 'answered_at', value: Cell) =>
    records.write(({ run }) =>
      run(
        `INSERT INTO mailbox_server (one, ${column}) VALUES (1, ?) ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
        value,
      ),
    );

  async function make(): Promise<string> {
    const server = randomBytes(16).toString('hex');
    await write('server', server);
    current = { ...known(), server };
    return server;
  }

  return {
    /**
     * Returns the id that identifies this computer to the mailbox. Creates the id if there is none.
     * @throws PorchlightError `storage_…`
     */
    id: async (): Promise<string> =>
      known().server ?? (making ??= make().finally(() => (making = undefined))),

    /** Returns a time at which the mailbox responded, in ms; null if it never did. */
    answeredAt: (): number | null => known().answeredAt,

    /**
     * Records a time at which the mailbox responded, in ms. Writes only the mailbox's first response of each day (UTC).
     * @throws PorchlightError `storage_…`
     */
    async answered(at: number): Promise<void> {
      const before = known().answeredAt;
      if (before !== null && dayOf(before) === dayOf(at)) return;
      await write('answered_at', at);
      current = { ...known(), answeredAt: at };
    },
  };
}
