import type { Command } from "commander"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import {
  listProfiles,
  parseProfileName,
  profilePath,
  readProfile,
  removeProfile,
} from "../session/profile.ts"
import { logInto } from "../session/profile-login.ts"
import { profileNameOf } from "../session/settings.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatJson, formatList, NOTHING } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column } from "../terminal/output.ts"

interface Row {
  readonly name: string
  readonly isUsed: boolean
  /** Null when the profile cannot be read. */
  readonly url: string | null
  readonly app: string | null
  readonly keys: readonly string[]
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "name", value: ({ name }) => name },
  { title: "used here", value: ({ isUsed }) => (isUsed ? "yes" : NOTHING) },
  { title: "service", value: ({ url }) => url ?? "cannot be read" },
  { title: "app", value: ({ app }) => app ?? NOTHING },
  { title: "keys", value: ({ keys }) => formatList(keys) },
]

export function addProfilesCommands(program: Command, line: CommandLine): void {
  const profiles = program
    .command("profiles")
    .helpCommand(false)
    .description("stored services and keys, selected with --profile or SEALWAY_PROFILE")

  defineAction(
    line,
    profiles.command("list").description("List the profiles, without their keys."),
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ host, output, globals }) => {
      const used = profileNameOf(host, globals)
      const names = await listProfiles(host)
      const rows = await Promise.all(names.map((name) => rowOf(host, name, name === used)))
      if (output.mode === "json") output.json(formatJson(rows))
      else if (output.mode === "quiet") for (const { name } of rows) output.line(name)
      else {
        output.rows(COLUMNS, rows)
        if (rows.length === 0) output.hint("Nothing to list.")
      }
    },
  )

  defineAction(
    line,
    profiles
      .command("add")
      .argument("<name>", "name of the profile")
      .description(
        "Asks for an API key or a team key (or reads the first line of standard input), tests it, and stores it under the " +
          "name. You can add a second key of the other kind to the same profile.",
      )
      .addHelpText("after", "\nExample: sealway profiles add staging --url https://api.staging.example.com"),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async (session, _options, [name]) => {
      await logInto(session, parseProfileName(name, "The name"))
    },
  )

  defineAction(
    line,
    addYesOption(
      profiles
        .command("remove")
        .argument("<name>", "name of the profile")
        .description(
          "Remove a profile and its stored keys. The keys stay valid: use `keys revoke` to revoke one.",
        ),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ host, output }, options, [text]) => {
      const name = parseProfileName(text, "The name")
      await askBefore(host, options, `Remove the profile ${name}?`)
      if (!(await removeProfile(host, name))) {
        throw new CommandFailure("not-found", `There is no profile ${name}.`, EXIT.notFound)
      }
      output.note(`Removed ${profilePath(host, name)}.`)
    },
  )
}

/** Lists a profile even if others may read it, so that it can be removed. */
async function rowOf(host: CliHost, name: string, isUsed: boolean): Promise<Row> {
  const profile = await readProfile(host, name).catch(() => null)
  const { url = null, app = null, apiKey, teamKey } = profile ?? {}
  const keys = [...(apiKey === undefined ? [] : ["API key"]), ...(teamKey === undefined ? [] : ["team key"])]
  return { name, isUsed, url, app, keys }
}
