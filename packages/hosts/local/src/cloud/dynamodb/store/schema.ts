import type { DatabaseSync } from "node:sqlite"
import { LaterLayoutError } from "./store-errors.ts"
import { inTransaction } from "./transaction.ts"

/** Incremented by each change that an older version could not read. The first release has 2. */
const SCHEMA_VERSION = 2

/**
 * Keys are UTF-8 bytes, so that they sort as in DynamoDB. `expires_at` is the value of the item's time-to-live
 * attribute, in epoch seconds, while the table has such an attribute. `commits` counts the transactions of writes.
 */
const SCHEMA = `
  CREATE TABLE tables (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    partition_key TEXT NOT NULL,
    sort_key TEXT NOT NULL,
    time_to_live TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE items (
    table_id INTEGER NOT NULL,
    partition BLOB NOT NULL,
    sort BLOB NOT NULL,
    size INTEGER NOT NULL,
    item BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (table_id, partition, sort)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX expiring ON items (table_id, expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE commits (number INTEGER NOT NULL) STRICT;
  INSERT INTO commits VALUES (0);
`

/**
 * Creates the tables of a new database: all of them, or none.
 *
 * @throws LaterLayoutError when a later version wrote it
 */
export function ensureSchema(database: DatabaseSync): void {
  const version = database.prepare("PRAGMA user_version").get()?.user_version
  if (version === SCHEMA_VERSION) return
  if (version !== 0) throw new LaterLayoutError()
  inTransaction(database, () => {
    database.exec(SCHEMA)
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  })
}

/** Returns how many commits a database counted: 0 when the process ended before it created the tables. */
export function readCommits(database: DatabaseSync): number {
  const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'commits'"
  if (database.prepare(sql).get() === undefined) return 0
  return Number(database.prepare("SELECT number FROM commits").get()?.number ?? 0)
}
