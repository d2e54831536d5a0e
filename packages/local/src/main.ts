import { readFile } from "node:fs/promises"
import { errorCodeOf } from "@sealway/kernel"
import { WorkerNotStartedError } from "@sealway/relay-proxy"
import { announce, encryptSample } from "./announcement.ts"
import { EmbeddedCloudError } from "./cloud/errors.ts"
import { removeEnvironmentFile, writeEnvironmentFile } from "./environment-file.ts"
import { type LocalService, startLocalService } from "./local-service.ts"
import { HELP, parseOptions, type StartOptions, UsageError } from "./options.ts"

const EXIT_FAILED = 1
const EXIT_USAGE = 2

// Node.js would open its inspector on this signal, to whoever may send it: other programs of the user.
process.on("SIGUSR1", () => undefined)
// Databases and libraries create files with the permissions that the umask leaves them.
process.umask(0o077)

try {
  const options = parseOptions(process.argv.slice(2), process.cwd())
  if (options === null) process.stdout.write(HELP)
  else await run(options)
} catch (error) {
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  process.stderr.write(`${explain(error)}\n`)
}

async function run(options: StartOptions): Promise<void> {
  const { dataFolder, json, trustFile } = options
  const trust = trustFile === null ? [] : [await readFile(trustFile, "utf8")]
  const service = await startLocalService({ ...options, trust })
  stopOnSignal(service, dataFolder)
  if (service.lostTo !== null) {
    process.stderr.write(`The data folder was begun again. What was left of it is in ${service.lostTo}.\n`)
  }
  const { url, relayUrl, proxyUrl, strictProxyUrl, caUrl, credentials } = service
  const addresses = { url, relayUrl, proxyUrl, strictProxyUrl, caUrl }
  await writeEnvironmentFile(dataFolder, addresses, credentials)
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...addresses, dataFolder, ...credentials })}\n`
      : announce(
          addresses,
          credentials,
          service.functions,
          dataFolder,
          await encryptSample(url, credentials),
        ),
  )
}

/** Stops once: what comes after, such as a second Ctrl-C of an impatient hand, changes nothing. */
function stopOnSignal(service: LocalService, dataFolder: string): void {
  let isStopping = false
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      stop(service, dataFolder).then(
        () => process.exit(0),
        (error) => {
          process.stderr.write(`${explain(error)}\n`)
          process.exit(EXIT_FAILED)
        },
      )
    })
  }
}

async function stop(service: LocalService, dataFolder: string): Promise<void> {
  await service.close()
  await removeEnvironmentFile(dataFolder)
}

/** Messages of our own are for people. Anything else is a defect of ours, so its place is told too. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} --help lists the options.`
  if (error instanceof EmbeddedCloudError) return error.message
  if (error instanceof WorkerNotStartedError) return `${error.message} --workers 1 does without.`
  const code = errorCodeOf(error)
  if (code === "EADDRINUSE")
    return "The port is in use. Choose another with --port, or --port 0 for a free one."
  if (code === "EACCES") return "This port needs privileges. Choose another with --port."
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
