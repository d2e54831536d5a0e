import { resolve } from "node:path"
import type { Command } from "commander"
import * as z from "zod"
import { type ImagePcrs, measureImage } from "../enclaves/measure-image.ts"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["enclaves"]

const enclaveSchema = z.object({
  id: z.string(),
  name: z.string(),
  pcrs: z.record(z.string(), z.string()),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof enclaveSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  {
    title: "pcrs",
    value: ({ pcrs }) =>
      Object.entries(pcrs)
        .map(([name, pcr]) => `${name}=${pcr}`)
        .join(" "),
  },
]

const PCR_COLUMNS: readonly Column<ImagePcrs>[] = (["pcr0", "pcr1", "pcr2", "pcr8"] as const).map((name) => ({
  title: name,
  value: (pcrs) => pcrs[name] ?? "",
}))

const registerOptions = z.object({
  image: z.string().optional(),
  pcr0: z.string().optional(),
  pcr8: z.string().optional(),
})

export function addEnclavesCommands(program: Command, line: CommandLine): void {
  const enclaves = program
    .command("enclaves")
    .helpCommand(false)
    .description("images of AWS Nitro Enclaves: measure and register them")

  defineAction(
    line,
    enclaves
      .command("measure")
      .argument("<file>", "enclave image file (EIF)")
      .description(
        "Print the PCRs of an image, for policies: those that nitro-cli prints. Calls no service.",
      ),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ output, host }, _options, [file]) => {
      const pcrs = await measureImage(resolve(host.folder, file), file)
      if (output.mode === "json") output.json(formatJson(pcrs))
      else if (output.mode === "quiet") output.line(pcrs.pcr0)
      else output.record(PCR_COLUMNS, pcrs)
    },
  )

  defineAction(
    line,
    enclaves
      .command("register")
      .argument("<name>", "display name")
      .description("Let enclaves that run an image in without an API key.")
      .option("--image <file>", "enclave image file (EIF) whose PCR0 is registered")
      .option("--pcr0 <hex>", "PCR0 of the image")
      .option("--pcr8 <hex>", "PCR8: all images that the owner of a certificate signs"),
    { options: registerOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, { image, pcr0, pcr8 }, [name]) => {
      if ([image, pcr0, pcr8].filter((each) => each !== undefined).length !== 1) {
        throw new UsageFailure("Pass one of --image, --pcr0 and --pcr8.")
      }
      const measured =
        image === undefined ? pcr0 : (await measureImage(resolve(host.folder, image), image)).pcr0
      const pcrs = { ...(measured !== undefined && { pcr0: measured }), ...(pcr8 !== undefined && { pcr8 }) }
      const call = { method: "POST", path: PATH, body: jsonBody({ name, pcrs }) } as const
      await showAnswer(await asApp(), output, call, enclaveSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(enclaves.command("list").description("List the app's registered images.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: PATH }, options, enclaveSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    enclaves.command("get").argument("<id>", "registration").description("Show a registered image."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      await showAnswer(await asApp(), output, { method: "GET", path: [...PATH, id] }, enclaveSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      enclaves
        .command("delete")
        .argument("<id>", "registration")
        .description("Delete a registration. Its enclaves need an API key again within 10 seconds."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the registration ${id}?`)
      await (await asApp()).send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}
