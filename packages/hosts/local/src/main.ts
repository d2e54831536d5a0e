import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isLoopback } from "./addresses/host-address.ts"
import { explainListenError, type ListenAddresses } from "./addresses/listen-problem.ts"
import { EmbeddedCloudError } from "./cloud/errors.ts"
import { removeEnvironmentFile, writeEnvironmentFile } from "./credentials/environment-file.ts"
import type { LocalService } from "./local-service.ts"
import { announce, announceWithoutKeys, encryptSample } from "./start/announcement.ts"
import { commandMeant } from "./start/kept-by-npm.ts"
import { HELP, OPTIONS, parseOptions, type StartOptions, UsageError } from "./start/options.ts"

const EXIT_FAILED = 1
const EXIT_USAGE = 2

// Node.js would open its inspector on this signal, to any program of the same user that sends it.
process.on("SIGUSR1", () => undefined)
// Databases and libraries create files with the permissions that the umask allows.
process.umask(0o077)

/** Known once the command line is parsed. */
let listenAddresses: ListenAddresses | null = null

try {
  const args = process.argv.slice(2)
  const meant = commandMeant(args, process.env, OPTIONS)
  if (meant !== null) throw new UsageError(`npm consumes options before --. Run "${meant}" instead.`)
  const options = parseOptions(args, process.cwd())
  listenAddresses = options
  if (options === null) process.stdout.write(HELP)
  else await run(options)
} catch (error) {
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  process.stderr.write(`${explain(error)}\n`)
}

async function run(options: StartOptions): Promise<void> {
  const { dataFolder, hideKeys, host, json, trustFile } = options
  const trust = trustFile === null ? [] : [await readFile(trustFile, "utf8")]
  const identityProvider = identityProviderOf(process.env)
  const metricsToken = metricsTokenOf(process.env)
  // Not before the options are known to be right: it loads everything.
  const { startLocalService } = await import("./local-service.ts")
  const dashboard = {
    builtFolder: process.env.SEALWAY_DASHBOARD ?? null,
    buildFolder: join(dataFolder, "dashboard"),
  }
  const service = await startLocalService({ ...options, trust, identityProvider, dashboard, metricsToken })
  stopOnSignal(service, dataFolder)
  if (service.lostTo !== null) {
    process.stderr.write(`The data folder was started over. Its remaining files are in ${service.lostTo}.\n`)
  }
  if (!isLoopback(host)) process.stderr.write(beyondLoopback(host))
  const { url, relayUrl, proxyUrl, strictProxyUrl, caUrl, credentials, functions } = service
  const addresses = { url, relayUrl, proxyUrl, strictProxyUrl, caUrl }
  await writeEnvironmentFile(dataFolder, addresses, credentials)
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...addresses, dataFolder, ...(!hideKeys && credentials) })}\n`
      : hideKeys
        ? announceWithoutKeys(addresses, functions, dataFolder)
        : announce(addresses, credentials, functions, dataFolder, {
            token: await encryptSample(url, credentials),
            signInUrl: await service.createSignInLink(),
          }),
  )
}

function identityProviderOf({
  SEALWAY_OIDC_ISSUER: issuer,
  SEALWAY_OIDC_CLIENT_ID: clientId,
  SEALWAY_OIDC_CLIENT_SECRET: clientSecret,
}: NodeJS.ProcessEnv) {
  if (issuer === undefined || clientId === undefined) return null
  return { issuer, clientId, clientSecret: clientSecret ?? null }
}

/** As long as a hexadecimal number of 128 bits. */
const METRICS_TOKEN = /^[\x21-\x7e]{32,512}$/

function metricsTokenOf({ SEALWAY_METRICS_TOKEN: token = "" }: NodeJS.ProcessEnv): string | null {
  if (token === "") return null
  if (!METRICS_TOKEN.test(token)) {
    throw new UsageError("SEALWAY_METRICS_TOKEN must have 32 to 512 characters without spaces.")
  }
  return token
}

function beyondLoopback(host: string): string {
  return (
    `Warning: other machines can reach the service, because it listens on ${host}. Keys and values cross the network unencrypted: ` +
    "put a TLS proxy or a firewall in front of it. The API accepts only its own host name unless you add others with --allow-host.\n"
  )
}

/** Stops once: a second signal, such as another Ctrl-C, changes nothing. */
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

/** Our own messages are for people. Anything else is a defect, so its place is shown too. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} --help lists the options.`
  if (error instanceof EmbeddedCloudError) return error.message
  const unheard = listenAddresses && explainListenError(error, listenAddresses)
  if (unheard !== null) return unheard
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
