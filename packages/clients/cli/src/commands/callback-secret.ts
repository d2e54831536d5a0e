import { getCallbackSecret } from "@sealway/sdk/api"
import type { Command } from "commander"
import { type CommandLine, defineAction, NO_ARGUMENTS, NO_OPTIONS } from "../session/define-action.ts"
import { formatJson } from "../terminal/format.ts"

export function addCallbackSecretCommand(program: Command, line: CommandLine): void {
  defineAction(
    line,
    program
      .command("callback-secret")
      .summary("show the secret that signs callbacks and alerts")
      .description(
        "Prints the secret that signs the app's function callbacks and relay alerts (Standard Webhooks). It " +
          "changes when the app's keys are rotated; messages carry signatures by the five newest key versions.",
      ),
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ asApp, output }) => {
      const answer = await getCallbackSecret(await asApp())
      if (output.mode === "json") output.json(formatJson(answer))
      else output.line(answer.secret)
    },
  )
}
