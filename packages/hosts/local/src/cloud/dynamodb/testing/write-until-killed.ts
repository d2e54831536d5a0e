/**
 * Writes to a database with 32 writers, and prints the sort key of each answered write, one per line:
 *
 *     node write-until-killed.ts PATH
 */
import { openDatabase } from "../open-tables.ts"
import { createDatabaseTable } from "../table/database-table.ts"

const [path = ""] = process.argv.slice(2)
const definition = { name: "config", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null }
const database = await openDatabase(path, [definition], (message) => process.stderr.write(`${message}\n`))
const table = createDatabaseTable(database, definition.name, Date.now)
await Promise.all(
  Array.from({ length: 32 }, async (_, writer) => {
    for (let count = 0; ; count++) {
      const sk = `${writer}-${count}`
      await table.put({ pk: "a", sk }, { value: sk })
      process.stdout.write(`${sk}\n`)
    }
  }),
)
