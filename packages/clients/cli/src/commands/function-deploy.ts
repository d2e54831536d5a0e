import { resolve } from "node:path"
import {
  type Function as DeployedFunction,
  deployFunction,
  getFunction,
  type Transport,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readWithDependencies } from "../functions/function-dependencies.ts"
import { zipFunctionFiles } from "../functions/function-files.ts"
import { FUNCTION_TOML, readFunctionToml } from "../functions/function-toml.ts"
import { showRecord } from "../service/show.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { CommandFailure, UnavailableFailure, UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const LOOK_INTERVAL_MS = 500
/** The service allows 10 minutes for a deployment. */
const MAX_LOOKS = 1_400

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
      const body = { name, language, handler, timeoutSeconds, memoryMb, callbackUrl, code }
      const service = await session.asApp()
      const deployed = await waitUntilSettled(session, service, await deployFunction(service, { body }))
      if (deployed.status !== "ready") throw failureOf(deployed)
      await showRecord(output, Promise.resolve(deployed), COLUMNS)
    },
  )
}

async function waitUntilSettled(
  { host, output }: Session,
  service: Transport,
  { name, deployment }: DeployedFunction,
): Promise<DeployedFunction> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    output.progress(`Deploying ${name} …`)
    const found = await getFunction(service, { functionName: name })
    if (found.deployment !== deployment) {
      throw new CommandFailure("deployment-overtaken", "Somebody else deployed the function in the meantime.")
    }
    if (found.status !== "deploying") return found
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
