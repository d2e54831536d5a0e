import { type Fingerprint, fingerprint, inspect } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { changeGivenTable } from "../bulk/change-given-table.ts"
import { addTableOptions, tableOptionsSchema } from "../bulk/table-options.ts"
import { readInput } from "../files/read-input.ts"
import { show } from "../service/show.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Fingerprint>[] = [
  { title: "fingerprint", value: (found) => found.fingerprint },
  { title: "type", value: ({ type }) => type },
  { title: "category", value: ({ category }) => category ?? NOTHING },
  { title: "brand", value: ({ metadata }) => metadata?.brand ?? NOTHING },
  { title: "bin", value: ({ metadata }) => metadata?.bin ?? NOTHING },
  { title: "last four", value: ({ metadata }) => metadata?.lastFour ?? NOTHING },
  { title: "role", value: ({ role }) => role ?? NOTHING },
  { title: "encrypted", value: ({ encryptedAt }) => formatTime(encryptedAt) },
]

const optionsSchema = z.object({ value: z.string().optional(), output: z.string().optional() })
const argumentsSchema = z.union([z.tuple([]), z.tuple([z.string()])])

/** Two names for the same request, with different scopes. */
const NAMES = [
  { name: "fingerprint", scope: "api:fingerprint", ask: fingerprint },
  { name: "inspect", scope: "api:inspect", ask: inspect },
] as const

export function addFingerprintCommands(program: Command, line: CommandLine): void {
  for (const { name, scope, ask } of NAMES) {
    const command = addTableOptions(
      program
        .command(name)
        .argument("[file]", "file with the token; - for standard input (the default)")
        .summary(
          name === "inspect"
            ? "alias of fingerprint, with another scope"
            : "show a value's fingerprint and type without decrypting it",
        )
        .description(
          "Shows the type and role of an encrypted value, a fingerprint that is the same for equal values and, for a " +
            `card number, its brand and last digits, without decrypting it. Needs the scope ${scope}.`,
        )
        .option("--value <token>", "the token itself")
        .option("-o, --output <file>", "file to write a table to; - for standard output (the default)"),
      ["value"],
    )
    defineAction(
      line,
      command,
      { options: optionsSchema.extend(tableOptionsSchema.shape), arguments: argumentsSchema },
      async (session, options, [file]) => {
        const { asApp, output, host } = session
        const { value } = options
        const status = await changeGivenTable(
          session,
          { path: `/${name}`, kind: "fingerprint" },
          options,
          file,
        )
        if (status !== null) return status
        if (options.output !== undefined)
          throw new UsageFailure("--output is only for a table: pass --columns or --fields too.")
        if (value !== undefined && file !== undefined)
          throw new UsageFailure("Pass a file or --value, not both.")
        const service = await asApp()
        const token = value ?? (await readInput(host, file ?? "-")).toString().trim()
        await show(output, ask(service, { body: { token } }), COLUMNS, (found) => found.fingerprint)
        return undefined
      },
    )
  }
}
