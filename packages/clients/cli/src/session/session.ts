import type { Transport } from "@sealway/sdk/api"
import { connect } from "../service/connect.ts"
import type { CliHost } from "../terminal/host.ts"
import { createOutput, type Output } from "../terminal/output.ts"
import {
  findSettings,
  foreignFileText,
  type IgnoredKey,
  requireApp,
  requireKey,
  requireUrl,
  type Settings,
} from "./settings.ts"

/** Options of every command. */
export interface GlobalOptions {
  readonly url?: string | undefined
  readonly app?: string | undefined
  readonly profile?: string | undefined
  readonly json: boolean
  readonly quiet: boolean
  /** How long one call may take. */
  readonly timeoutMs: number
}

/** What a running command works with. Settings are looked up when they are first needed. */
export interface Session {
  readonly host: CliHost
  readonly output: Output
  readonly globals: GlobalOptions
  settings(): Promise<Settings>
  /** Returns what sends calls with the app's API key. */
  asApp(): Promise<Transport>
  /** Returns what sends calls with the team key. */
  asTeam(): Promise<Transport>
  /** Returns the id of the app that the command is about. */
  app(): Promise<string>
}

export function createSession(host: CliHost, globals: GlobalOptions): Session {
  let found: Promise<Settings> | undefined
  const settings = () => {
    found ??= findSettings(host, globals)
    return found
  }
  const output = createOutput(host, globals.json ? "json" : globals.quiet ? "quiet" : "text")
  /** Scripts do not need it, and most set their environment on purpose. */
  const tellIgnored = ({ ignoredKeys, foreignFile }: Settings, kind: IgnoredKey["kind"]) => {
    if (host.stderr.isTTY !== true) return
    for (const ignored of ignoredKeys) if (ignored.kind === kind) output.note(ignored.reason)
    if (foreignFile !== null) output.note(foreignFileText(foreignFile))
  }
  return {
    host,
    globals,
    output,
    settings,
    async asApp() {
      const known = await settings()
      tellIgnored(known, "api-key")
      const credentials = { app: known.app?.value ?? null, key: requireKey(known, "api-key") }
      return connect(host, requireUrl(known), credentials, globals.timeoutMs)
    },
    async asTeam() {
      const known = await settings()
      tellIgnored(known, "team-key")
      const credentials = { app: null, key: requireKey(known, "team-key") }
      return connect(host, requireUrl(known), credentials, globals.timeoutMs)
    },
    async app() {
      return requireApp(await settings())
    },
  }
}
