import type { Command } from "commander"
import { identifyKey } from "../service/identify-key.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, NO_OPTIONS } from "../session/define-action.ts"
import { profilePath, removeProfile } from "../session/profile.ts"
import { logInto } from "../session/profile-login.ts"
import { profileNameOf, requireUrl } from "../session/settings.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { failureOf } from "../terminal/failure-of.ts"
import { formatJson, NOTHING } from "../terminal/format.ts"

export function addLoginCommands(program: Command, line: CommandLine): void {
  const login = program
    .command("login")
    .summary("log in with a key and store it for later commands")
    .description(
      "Asks for an API key or a team key (or reads the first line of standard input), tests it, and stores it for later " +
        "commands in a file that only you can read. It stores one key of each kind, for one service; --profile stores more.",
    )
    .addHelpText("after", '\nExample: printf %s "$KEY" | sealway login --url https://api.example.com')
  defineAction(line, login, { options: NO_OPTIONS, arguments: NO_ARGUMENTS }, async (session) => {
    await logInto(session, profileNameOf(session.host, session.globals))
  })

  const logout = program
    .command("logout")
    .summary("remove the stored keys")
    .description(
      "Removes the keys that `login` stored. The keys stay valid: use `keys revoke` to revoke one.",
    )
  defineAction(
    line,
    logout,
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ host, output, globals }) => {
      const name = profileNameOf(host, globals)
      await removeProfile(host, name)
      output.note(`Removed ${profilePath(host, name)}.`)
    },
  )

  const whoami = program
    .command("whoami")
    .summary("show the service, the app and whether the keys work")
    .description(
      "Shows which service, app and keys commands use here and where each comes from, and tests the keys.",
    )
  defineAction(line, whoami, { options: NO_OPTIONS, arguments: NO_ARGUMENTS }, async (session) => {
    const { host, output, globals } = session
    const settings = await session.settings()
    const url = requireUrl(settings)
    const rows: Row[] = [{ what: "service", value: url, origin: settings.url?.origin ?? NOTHING }]
    let areGood = true
    if (settings.app !== null) rows.push({ what: "app", ...settings.app })
    for (const kind of ["apiKey", "teamKey"] as const) {
      const found = settings[kind]
      const what = kind === "apiKey" ? "API key" : "team key"
      if (found === null) continue
      const app = kind === "apiKey" ? (settings.app?.value ?? null) : null
      try {
        const owner = await identifyKey(host, url, { app, key: found.value }, globals.timeoutMs)
        rows.push({ what, value: `valid, of ${owner.id}`, origin: found.origin })
      } catch (error) {
        if (failureOf(error)?.exitCode !== EXIT.credentials) throw error
        areGood = false
        rows.push({ what, value: "not valid", origin: found.origin })
      }
    }
    if (output.mode === "json") output.json(formatJson(rows))
    else output.rows(COLUMNS, rows)
    return areGood && (settings.apiKey !== null || settings.teamKey !== null) ? EXIT.ok : EXIT.credentials
  })
}

interface Row {
  readonly what: string
  readonly value: string
  readonly origin: string
}

const COLUMNS = [
  { title: "what", value: ({ what }: Row) => what },
  { title: "value", value: ({ value }: Row) => value },
  { title: "found in", value: ({ origin }: Row) => origin },
]
