import {
  deleteFunction,
  deleteFunctionRun,
  type Function as FunctionRecord,
  listFunctions,
  type RunFunctionRequest,
} from "@sealway/sdk/api"
import { operation } from "@sealway/sdk/operation"
import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { payloadBody } from "../values/payload-body.ts"
import { addFunctionDeployCommand } from "./function-deploy.ts"
import { addFunctionInitCommand } from "./function-init.ts"
import { addFunctionLogsCommand } from "./function-logs.ts"

/** The run as the service spells it: JavaScript would change digits of numbers in the result. */
const runFunction = operation<RunFunctionRequest, Uint8Array>({
  method: "POST",
  path: "/functions/{function_name}/runs",
  body: ["application/json"],
  takesIdempotencyKey: true,
  isRepeatable: true,
  wantsBytes: true,
})
const runSchema = z.object({ status: z.string() })

const COLUMNS: readonly Column<FunctionRecord>[] = [
  { title: "name", value: ({ name }) => name },
  { title: "language", value: ({ language }) => language },
  { title: "status", value: ({ status }) => status },
  { title: "deployment", value: ({ activeDeployment }) => String(activeDeployment ?? NOTHING) },
  { title: "updated", value: ({ updatedAt }) => formatTime(updatedAt) },
  { title: "id", value: ({ id }) => id },
]

const runOptions = z.object({ async: z.boolean().default(false) })
const runArguments = z.union([z.tuple([z.string()]), z.tuple([z.string(), z.string()])])

export function addFunctionsCommands(program: Command, line: CommandLine): void {
  const functions = program
    .command("functions")
    .helpCommand(false)
    .description("your code, called with decrypted values")

  addFunctionInitCommand(functions, line)
  addFunctionDeployCommand(functions, line)

  addResource(functions, line, {
    columns: COLUMNS,
    id: ["name", "name of the function"],
    list: {
      about: "List the app's functions.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listFunctions(service, page),
    },
    delete: {
      about: "Delete a function. Its scheduled runs fail.",
      question: (name) => `Delete the function ${name}?`,
      call: ({ service, args: [functionName] }) => deleteFunction(service, { functionName }),
    },
  })

  defineAction(
    line,
    functions
      .command("run")
      .argument("<name>", "name of the function")
      .argument("[file]", "file with a JSON object as payload (default: standard input)")
      .description("Run a function and print the run. Exit status 1 when it fails.")
      .option("--async", "queue the run, and print where to read it"),
    { options: runOptions, arguments: runArguments },
    async ({ asApp, host, output }, options, [name, file = "-"]) => {
      const service = await asApp()
      const body = payloadBody(await readInput(host, file), { async: options.async })
      const { data, headers } = await runFunction(service, { functionName: name, body }).withResponse()
      const location = headers.get("location")
      if (location !== null) {
        if (output.mode === "json") output.json(formatJson({ status: "scheduled", location }))
        else output.line(location)
        return undefined
      }
      const text = Buffer.from(data).toString()
      output.json(text)
      return runSchema.parse(JSON.parse(text)).status === "success" ? undefined : EXIT.failed
    },
  )

  defineAction(
    line,
    addYesOption(
      functions
        .command("delete-run")
        .argument("<name>", "name of the function")
        .argument("<run>", "id of the run")
        .description("Delete an asynchronous run that has ended, with its result."),
    ),
    { options: yesOptionSchema, arguments: z.tuple([z.string(), z.string()]) },
    async ({ asApp, output, host }, options, [name, run]) => {
      await askBefore(host, options, `Delete the run ${run} and its result?`)
      await deleteFunctionRun(await asApp(), { functionName: name, runId: run })
      output.note(`Deleted ${run}.`)
    },
  )

  addFunctionLogsCommand(functions, line)
}
