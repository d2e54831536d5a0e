import { resolve } from "node:path"
import type { Command } from "commander"
import * as z from "zod"
import { readWithDependencies } from "../functions/function-dependencies.ts"
import { zipFunctionFiles } from "../functions/function-files.ts"
import { FUNCTION_TOML, readFunctionToml } from "../functions/function-toml.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { CommandFailure, UnavailableFailure, UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"

const PATH = ["functions"]
const LOOK_INTERVAL_MS = 500
/** The service allows 10 minutes for a deployment. */
const MAX_LOOKS = 1_400

const deployedSchema = z.object({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  handler: z.string(),
  status: z.string(),
  deployment: z.number(),
  activeDeployment: z.number().nullable(),
  lastError: z.string().nullable(),
  updatedAt: z.number(),
})

type DeployedFunction = z.infer<typeof deployedSchema>

const COLUMNS: readonly Column<DeployedFunction>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "language", value: ({ language }) => language },
  { title: "handler", value: ({ handler }) => handler },
  { title: "status", value: ({ status }) => status },
  { title: "deployment", value: ({ activeDeployment }) => String(activeDeployment ?? NOTHING) },
  { title: "updated", value: ({ updatedAt }) => formatTime(updatedAt) },
]

const folderArguments = z.union([z.tuple([]), z.tuple([z.string()])])

export function addFunctionDeployCommand(functions: Command, line: CommandLine): void {
  defineAction(
    line,
    functions
      .command("deploy")
      .argument("[folder]", `folder with ${FUNCTION_TOML} (default: the current folder)`)
      .summary("deploy a function")
      .description(
        "Deploys the function in a folder and waits until it is ready. The dependencies in package-lock.json or requirements.txt " +
          "are installed into a copy of the folder and included. Files of development tools and .env files are left out.",
      ),
    { options: NO_OPTIONS, arguments: folderArguments },
    async (session, _options, [folder = "."]) => {
      const { host, output } = session
      const place = resolve(host.folder, folder)
      const toml = await readFunctionToml(host, place)
      const files = await readWithDependencies(host, output, place, toml.language)
      if (!files.has(toml.handler)) {
        throw new UsageFailure(
          `${FUNCTION_TOML} names the handler ${toml.handler}, but the folder has no such file.`,
        )
      }
      const zip = zipFunctionFiles(files)
      output.note(`Sending ${files.size} files, ${(zip.length / 1000).toFixed(0)} KB zipped`)
      const { name, language, handler, timeout: timeoutSeconds, memory: memoryMb, callbackUrl } = toml
      const code = Buffer.from(zip).toString("base64")
      const body = jsonBody({ name, language, handler, timeoutSeconds, memoryMb, callbackUrl, code })
      const service = await session.asApp()
      const sent = await readAnswer(await service.send({ method: "POST", path: PATH, body }), deployedSchema)
      const { text, value } = await waitUntilSettled(session, service, sent.value)
      if (value.status !== "ready") throw failureOf(value)
      show(output, text, value)
    },
  )
}

async function waitUntilSettled(
  { host, output }: Session,
  service: ServiceClient,
  { name, deployment }: DeployedFunction,
): Promise<{ readonly text: string; readonly value: DeployedFunction }> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    output.progress(`Deploying ${name} …`)
    const response = await service.send({ method: "GET", path: [...PATH, name] })
    const answer = await readAnswer(response, deployedSchema)
    if (answer.value.deployment !== deployment) {
      throw new CommandFailure("deployment-overtaken", "Somebody else deployed the function in the meantime.")
    }
    if (answer.value.status !== "deploying") return answer
    await host.sleep(LOOK_INTERVAL_MS, host.signal)
  }
  throw new UnavailableFailure("The deployment is taking too long. It may still become ready.")
}

function failureOf({ lastError, activeDeployment }: DeployedFunction): CommandFailure {
  const serving =
    activeDeployment === null ? "Nothing serves." : `Deployment ${activeDeployment} is still active.`
  return new CommandFailure("deployment-failed", `The deployment failed. ${serving}`, undefined, {
    details: lastError === null ? [] : [lastError],
  })
}

function show(output: Output, text: string, deployed: DeployedFunction): void {
  if (output.mode === "json") output.json(text)
  else if (output.mode === "quiet") output.line(deployed.id)
  else output.record(COLUMNS, deployed)
}
