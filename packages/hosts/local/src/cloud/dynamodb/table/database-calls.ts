import { TableUnavailableError } from "@sealway/ports"
import * as z from "zod"
import type { Call } from "../../calls/create-caller.ts"
import type { Methods } from "../../calls/serve-calls.ts"
import type { TableDatabase, TableWrite } from "./table-database.ts"

/** What another process may write, by the names of the tables that it may read. */
export type TableAccess = ReadonlyMap<string, ReadonlySet<TableWrite["kind"]>>

const attributesSchema = z.record(z.string(), z.unknown())
const numbersSchema = z.record(z.string(), z.number())

function schemasOf(tables: readonly string[]) {
  const table = z.enum(tables)
  const change = { table, key: attributesSchema }
  return {
    get: z.object({ table, pk: z.string(), sk: z.string() }),
    query: z.object({
      table,
      pk: z.string(),
      prefix: z.string(),
      before: z.string().nullable(),
      limit: z.int().positive().nullable(),
    }),
    write: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("put"), table, item: attributesSchema }),
      z.object({ kind: z.literal("create"), table, item: attributesSchema, now: z.int() }),
      z.object({ kind: z.literal("replace"), table, item: attributesSchema, revision: z.number() }),
      z.object({ kind: z.literal("remove"), ...change, revision: z.number() }),
      z.object({
        kind: z.literal("add"),
        ...change,
        change: z.object({
          attribute: z.string(),
          amount: z.number(),
          limit: z.number(),
          expiresAt: z.number(),
        }),
      }),
      z.object({
        kind: z.literal("tally"),
        ...change,
        change: z.object({
          add: numbersSchema,
          remove: z.array(z.string()).exactOptional(),
          when: z.record(
            z.string(),
            z.object({ min: z.number().exactOptional(), max: z.number().exactOptional() }),
          ),
          expiresAt: z.number().exactOptional(),
        }),
      }),
    ]),
  }
}

/** Returns the methods by which another process reads and writes tables of this one. */
export function databaseMethods(database: TableDatabase, access: TableAccess): Methods {
  const { get, query, write } = schemasOf([...access.keys()])
  const permitted = (input: unknown): TableWrite => {
    const wanted = write.parse(input)
    if (access.get(wanted.table)?.has(wanted.kind) === true) return wanted
    throw new Error("This process may not make such a write.")
  }
  return new Map<string, (input: unknown) => Promise<unknown>>([
    ["tables.get", async (input: unknown) => database.get(get.parse(input))],
    ["tables.query", async (input: unknown) => database.query(query.parse(input))],
    ["tables.write", async (input: unknown) => database.write(permitted(input))],
  ])
}

const textSchema = z.string().nullable()
const foundSchema = z.object({ items: z.array(z.string()), next: z.string().nullable() })
const writtenSchema = z.object({ isMade: z.boolean(), item: attributesSchema.nullable() })

/** The tables of the process that serves `databaseMethods`. A call that gets no answer may have taken effect. */
export function databaseOver(call: Call): TableDatabase {
  const answerTo = async <Answer>(method: string, input: unknown, schema: z.ZodType<Answer>) => {
    try {
      return schema.parse(await call(method, input))
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error("The tables cannot be reached.")
      // The database takes no such record, and never will.
      if (name === "TypeError") throw new TypeError(message)
      throw new TableUnavailableError(message, { cause: error })
    }
  }
  return {
    get: (key) => answerTo("tables.get", key, textSchema),
    query: (query) => answerTo("tables.query", query, foundSchema),
    write: (write) => answerTo("tables.write", write, writtenSchema),
  }
}
