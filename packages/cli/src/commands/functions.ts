import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { readAnswer, readAnswerText } from "../service/answers.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { payloadBody } from "../values/payload-body.ts"
import { addFunctionDeployCommand } from "./function-deploy.ts"
import { addFunctionInitCommand } from "./function-init.ts"
import { addFunctionLogsCommand } from "./function-logs.ts"

const PATH = ["functions"]

const functionSchema = z.object({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  activeDeployment: z.number().nullish(),
  updatedAt: z.number(),
})
const runSchema = z.object({ status: z.string() })

const COLUMNS: readonly Column<z.infer<typeof functionSchema>>[] = [
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

  defineAction(
    line,
    addListOptions(functions.command("list").description("List the app's functions.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: PATH }, options, functionSchema, COLUMNS)
    },
  )

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
      const response = await service.send({ method: "POST", path: [...PATH, name, "runs"], body })
      const location = response.headers.get("location")
      if (location !== null) {
        if (output.mode === "json") output.json(formatJson({ status: "scheduled", location }))
        else output.line(location)
        return undefined
      }
      const { text, value } = await readAnswer(response, runSchema)
      output.json(text)
      return value.status === "success" ? undefined : EXIT.failed
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
      if (run === "") throw new UsageFailure("Pass the run's id.")
      const path = [...PATH, name, "runs", run]
      await readAnswerText(await (await asApp()).send({ method: "DELETE", path }))
      output.note(`Deleted ${run}.`)
    },
  )

  addFunctionLogsCommand(functions, line)

  defineAction(
    line,
    addYesOption(
      functions
        .command("delete")
        .argument("<name>", "name of the function")
        .description("Delete a function. Its scheduled runs fail."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [name]) => {
      await askBefore(host, options, `Delete the function ${name}?`)
      if (name === "") throw new UsageFailure("Pass the function's name.")
      await readAnswerText(await (await asApp()).send({ method: "DELETE", path: [...PATH, name] }))
      output.note(`Deleted ${name}.`)
    },
  )
}
