import { resolve } from "node:path"
import { createEnclave, deleteEnclave, type Enclave, getEnclave, listEnclaves } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { type ImagePcrs, measureImage } from "../enclaves/measure-image.ts"
import { show, showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Enclave>[] = [
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
      await show(output, measureImage(resolve(host.folder, file), file), PCR_COLUMNS, ({ pcr0 }) => pcr0)
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
      const body = { name, pcrs: { pcr0: measured, pcr8 } }
      await showRecord(output, createEnclave(await asApp(), { body }), COLUMNS)
    },
  )

  addResource(enclaves, line, {
    columns: COLUMNS,
    id: ["id", "registration"],
    list: {
      about: "List the app's registered images.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listEnclaves(service, page),
    },
    records: {
      get: {
        about: "Show a registered image.",
        call: ({ service, args: [enclaveId] }) => getEnclave(service, { enclaveId }),
      },
    },
    delete: {
      about: "Delete a registration. Its enclaves need an API key again within 10 seconds.",
      question: (id) => `Delete the registration ${id}?`,
      call: ({ service, args: [enclaveId] }) => deleteEnclave(service, { enclaveId }),
    },
  })
}
