import { JsonText, type Pages, type Transport } from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import {
  addListOptions,
  addNumberedListOptions,
  listOptionsSchema,
  type PageRequest,
  pageRequestOf,
  printList,
} from "../service/print-list.ts"
import { readJsonObject } from "../service/read-json-object.ts"
import { showRecord } from "../service/show.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import type { Column } from "../terminal/output.ts"
import { type CommandLine, defineAction } from "./define-action.ts"
import type { Session } from "./session.ts"

interface Identified {
  readonly id: string
}

/** An argument: its name, and what it is. */
type Argument = readonly [name: string, about: string]

/** What the call of a verb is made of. */
export interface VerbCall {
  readonly service: Transport
  /** The arguments without the file: commander has checked how many there are. */
  readonly args: readonly [first: string, second: string]
  readonly session: Session
}

export interface ListVerb<Item extends Identified, Filters> {
  readonly about: string
  /** Default: those of one item. */
  readonly columns?: readonly Column<Item>[]
  /** The options besides those of every list, made by `filter` and `choice`. */
  readonly filters: z.ZodObject & z.ZodType<Filters>
  /** Whether its pages have numbers instead of cursors. Default: false. */
  readonly isNumbered?: boolean
  call(
    call: VerbCall & { readonly page: PageRequest; readonly filters: Filters },
  ): Pages<Item> | Promise<Pages<Item>>
}

export interface RecordVerb<Item extends Identified> {
  readonly about: string
  /** Whether it is about an item that exists. Default: true. */
  readonly takesId?: boolean
  /** The file with the body. Default: there is no body. */
  readonly file?: string
  /** Whether it calls `ask` first. Default: false. */
  readonly asks?: boolean
  call(call: RecordCall): PromiseLike<Item>
}

interface RecordCall extends VerbCall {
  readonly body: JsonText
  /** Asks for confirmation on a terminal. @throws CommandFailure when the answer is no */
  ask(question: string): Promise<void>
}

export interface DeleteVerb {
  readonly about: string
  /** Default: `delete`. */
  readonly name?: string
  question(...args: VerbCall["args"]): string
  /** May return the id of an item that has other names. Default: the last argument. */
  call(call: VerbCall): PromiseLike<string | undefined>
  /** What to say then, before the id. Default: `Deleted`. */
  readonly done?: string
}

/** The commands of a resource that need no more than a call each. */
export interface Resource<Item extends Identified, Filters> {
  /** Whose key they take. Default: the app's. */
  readonly as?: "app" | "team"
  readonly columns: readonly Column<Item>[]
  /** What all commands take first. Default: nothing. */
  readonly parent?: Argument
  /** What names an item. */
  readonly id: Argument
  readonly list?: ListVerb<Item, Filters>
  /** What shows an item, by the commands' names. */
  readonly records?: Readonly<Record<string, RecordVerb<Item>>>
  readonly delete?: DeleteVerb
}

const argumentsSchema = z
  .array(z.string())
  .transform(([first = "", second = ""]): VerbCall["args"] => [first, second])

/** An option of a list, whose name is that of its field. */
export const filter = (flags: string, description: string) =>
  z.string().optional().meta({ flags, description })

/** The same for an option with few values. */
export const choice = <const Values extends readonly string[]>(
  flags: string,
  description: string,
  values: Values,
) => z.enum(values).optional().meta({ flags, description, choices: values })

/** The same for an option without a value. */
export const flag = (flags: string, description: string) =>
  z.boolean().default(false).meta({ flags, description })

const optionSchema = z.object({
  flags: z.string(),
  description: z.string(),
  choices: z.array(z.string()).optional(),
})

/** Adds the commands of a resource to their group, in the order list, records, delete. */
export function addResource<Item extends Identified, Filters>(
  group: Command,
  line: CommandLine,
  resource: Resource<Item, Filters>,
): void {
  const { list, records = {}, delete: deletion } = resource
  if (list !== undefined) addList(group, line, resource, list)
  for (const [name, verb] of Object.entries(records)) addRecord(group, line, resource, name, verb)
  if (deletion !== undefined) addDelete(group, line, resource, deletion)
}

function addList<Item extends Identified, Filters>(
  group: Command,
  line: CommandLine,
  resource: Resource<Item, Filters>,
  { about, columns = resource.columns, filters, isNumbered = false, call }: ListVerb<Item, Filters>,
): void {
  const command = addArguments(group.command("list").description(about), [resource.parent])
  if (isNumbered) addNumberedListOptions(command)
  else addListOptions(command)
  for (const option of optionsOf(filters)) command.addOption(option)
  const options = z.intersection(
    listOptionsSchema,
    filters.transform((given) => ({ filters: given })),
  )
  defineAction(line, command, { options, arguments: argumentsSchema }, async (session, given, args) => {
    const service = await connectAs(session, resource.as)
    const page = pageRequestOf(given)
    const pages = await call({ service, args, session, page, filters: given.filters })
    await printList(session.output, given, columns, pages)
  })
}

function addRecord<Item extends Identified>(
  group: Command,
  line: CommandLine,
  { as, columns, parent, id }: Pick<Resource<Item, unknown>, "as" | "columns" | "parent" | "id">,
  name: string,
  { about, takesId = true, file, asks = false, call }: RecordVerb<Item>,
): void {
  const command = group.command(name).description(about)
  addArguments(command, [parent, ...(takesId ? [id] : [])])
  if (file !== undefined) command.argument("<file>", `${file}; - reads standard input`)
  if (asks) addYesOption(command)
  const schemas = { options: yesOptionSchema, arguments: z.array(z.string()) }
  defineAction(line, command, schemas, async (session, options, given) => {
    const body = file === undefined ? EMPTY : await readJsonObject(session.host, given.at(-1) ?? "-")
    const args = argumentsSchema.parse(file === undefined ? given : given.slice(0, -1))
    const service = await connectAs(session, as)
    const ask = (question: string) => askBefore(session.host, options, question)
    await showRecord(session.output, call({ service, args, session, body, ask }), columns)
  })
}

function addDelete(
  group: Command,
  line: CommandLine,
  { as, parent, id }: Pick<Resource<Identified, unknown>, "as" | "parent" | "id">,
  { name = "delete", about, question, call, done = "Deleted" }: DeleteVerb,
): void {
  const command = addArguments(group.command(name).description(about), [parent, id])
  const schemas = { options: yesOptionSchema, arguments: argumentsSchema }
  defineAction(line, addYesOption(command), schemas, async (session, options, args) => {
    await askBefore(session.host, options, question(...args))
    const deleted = await call({ service: await connectAs(session, as), args, session })
    session.output.note(`${done} ${deleted ?? (args[1] || args[0])}.`)
  })
}

function addArguments(command: Command, all: readonly (Argument | undefined)[]): Command {
  for (const argument of all) if (argument !== undefined) command.argument(`<${argument[0]}>`, argument[1])
  return command
}

function connectAs({ asApp, asTeam }: Session, as: "app" | "team" | undefined): Promise<Transport> {
  return as === "team" ? asTeam() : asApp()
}

const EMPTY = new JsonText("{}")

function optionsOf({ shape }: z.ZodObject): Option[] {
  return Object.values(shape).map((schema) => {
    const { flags, description, choices } = optionSchema.parse(z.globalRegistry.get(schema))
    const option = new Option(flags, description)
    return choices === undefined ? option : option.choices(choices)
  })
}
