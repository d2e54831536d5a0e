import type { Command } from "commander"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, NO_OPTIONS } from "../session/define-action.ts"

const secretSchema = z.object({ secret: z.string() })

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
      const response = await (await asApp()).send({ method: "GET", path: ["callback-secret"] })
      const { text, value } = await readAnswer(response, secretSchema)
      if (output.mode === "json") output.json(text)
      else output.line(value.secret)
    },
  )
}
