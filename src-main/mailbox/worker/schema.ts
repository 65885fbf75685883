/**
 * The migrations. Each migration converts the tables to the next version. Add new migrations at the end, and never
 * change the others.
 */
const migrations: readonly string[] = [
  // Only `address` has an index, because Cloudflare also counts each index row that is written.
  `CREATE TABLE status (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), json TEXT NOT NULL);
   CREATE TABLE items (
     number INTEGER PRIMARY KEY,
     arrived INTEGER NOT NULL,
     host TEXT NOT NULL,
     network TEXT NOT NULL,
     pair TEXT,
     bytes INTEGER NOT NULL,
     sealed BLOB NOT NULL
   );
   CREATE TABLE copies (
     address TEXT NOT NULL,
     part INTEGER NOT NULL,
     hash TEXT NOT NULL,
     about TEXT NOT NULL,
     body BLOB NOT NULL,
     UNIQUE (address, part)
   );`,
];

/** Creates the tables, or migrates those of an older mailbox. */
export function migrate(storage: DurableObjectStorage): void {
  const { sql } = storage;
  sql.exec('CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL)');
  const version = sql.exec<{ version: number }>('SELECT version FROM format').toArray()[0]?.version ?? 0;
  if (version >= migrations.length) return;
  storage.transactionSync(() => {
    for (const migration of migrations.slice(version)) sql.exec(migration);
    sql.exec('DELETE FROM format');
    sql.exec('INSERT INTO format VALUES (?)', migrations.length);
  });
}
