import {
  createFormat,
  type Format,
  getFormat,
  listFormats,
  rotateFormat,
  updateFormat,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { jsonOf } from "../service/json-of.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Format>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ role }) => role },
  { title: "kind", value: ({ kind }) => kind },
  { title: "version", value: ({ version }) => String(version) },
  { title: "state", value: ({ archived }) => (archived ? "archived" : "in use") },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "description", value: ({ description }) => description },
]

const count = (option: string) =>
  z
    .string()
    .regex(/^[0-9]{1,3}$/, `${option} must be a number of characters`)
    .transform(Number)
    .optional()

const createOptions = z.object({
  role: z.string(),
  description: z.string().optional(),
  preset: z.string().optional(),
  alphabet: z.string().optional(),
  length: z
    .string()
    .regex(/^[0-9]{1,3}(?:-[0-9]{1,3})?$/, "--length must be a number of characters, or two: 6-8")
    .transform((text) => text.split("-").map(Number))
    .optional(),
  keepFirst: count("--keep-first"),
  keepLast: count("--keep-last"),
  literals: z.string().optional(),
  luhn: z.string().optional(),
  versioned: z.boolean().optional(),
})

const updateOptions = z.object({
  description: z.string().optional(),
  archive: z.boolean().default(false),
  restore: z.boolean().default(false),
})

export function addFormatsCommands(program: Command, line: CommandLine): void {
  const formats = program
    .command("formats")
    .helpCommand(false)
    .description("formats: tokens that look like their values")

  addResource(formats, line, {
    columns: COLUMNS,
    id: ["format", "id or name of the format"],
    list: {
      about: "List the app's formats.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listFormats(service, page),
    },
    records: {
      get: {
        about: "Show a format.",
        call: ({ service, args: [formatId] }) => getFormat(service, { formatId }),
      },
      rotate: {
        about: "Add a version, whose key encrypts from now on. Earlier tokens need --token-version then.",
        asks: true,
        async call({ service, args: [formatId], ask }) {
          await ask(`Encrypt values of ${formatId} with a new key from now on?`)
          return rotateFormat(service, { formatId })
        },
      },
    },
  })

  addCreate(formats, line)
  addUpdate(formats, line)
}

function addCreate(formats: Command, line: CommandLine): void {
  const command = formats
    .command("create")
    .argument("<name>", "permanent name: lower-case letters, digits and dashes")
    .description(
      "Create a format: a preset, or an alphabet and lengths. Later, only its description changes.",
    )
    .requiredOption("-r, --role <slug>", "data role whose policies decide who may decrypt")
    .option("--description <text>", "what the format is for")
    .addOption(
      new Option(
        "--preset <name>",
        "card-number, card-number-first-six, us-ssn, phone, iban, email, date or uuid",
      ).conflicts(["alphabet", "length", "keepFirst", "keepLast", "literals", "luhn"]),
    )
    .option("--alphabet <characters>", "digits, letters, alphanumeric, hex, or 2 to 100 characters")
    .option("--length <range>", "how many characters of the alphabet a value has: 9, or 6-8")
    .option("--keep-first <n>", "how many of the first stay (default: 0)")
    .option("--keep-last <n>", "how many of the last stay (default: 0)")
    .option("--literals <characters>", "characters that stay where they are, such as spaces and dashes")
    .addOption(new Option("--luhn <rule>", "of digits").choices(["keep", "break", "any"]))
    .option("--versioned", "end each token with one character more, which names its version")
    .addHelpText(
      "after",
      `
Examples:
  sealway formats create cards --role pci --preset card-number
  sealway formats create staff --role hr --alphabet alphanumeric --length 6-8 --keep-first 1`,
    )
  defineAction(
    line,
    command,
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { length, keepFirst, keepLast, ...given }, [name]) => {
      const [min, max = min] = length ?? []
      const lengths = length && { min, max }
      const keep =
        keepFirst === undefined && keepLast === undefined ? undefined : { first: keepFirst, last: keepLast }
      const body = jsonOf({ name, ...given, lengths, keep })
      await showRecord(output, createFormat(await asApp(), { body }), COLUMNS)
    },
  )
}

function addUpdate(formats: Command, line: CommandLine): void {
  const command = formats
    .command("update")
    .argument("<format>", "id or name of the format")
    .description(
      "Change the description of a format, archive or restore it. Options left out change nothing.",
    )
    .option("--description <text>", "what the format is for")
    .addOption(new Option("--archive", "encrypt no more; its tokens still decrypt").conflicts(["restore"]))
    .option("--restore", "encrypt again")
  defineAction(
    line,
    command,
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { description, archive, restore }, [formatId]) => {
      const archived = archive || restore ? archive : undefined
      if (description === undefined && archived === undefined) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      const body = jsonOf({ description, archived })
      await showRecord(output, updateFormat(await asApp(), { formatId, body }), COLUMNS)
    },
  )
}
