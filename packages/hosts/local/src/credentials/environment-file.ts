import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Addresses } from "../addresses/addresses.ts"
import { writeFileDurably } from "../cloud/write-file-durably.ts"
import type { Credentials } from "./credentials-file.ts"

const pathIn = (dataFolder: string): string => join(dataFolder, "env")

/** Returns the variables with which commands and snippets reach the running service as the sandbox app and its team. */
export function environmentOf(
  { url, relayUrl, proxyUrl, strictProxyUrl, caUrl }: Addresses,
  { teamId, teamKey, apps }: Credentials,
) {
  const sandbox = apps.find(({ environment }) => environment === "sandbox")
  return {
    SEALWAY_URL: url,
    SEALWAY_RELAY_URL: relayUrl,
    SEALWAY_PROXY_URL: proxyUrl,
    SEALWAY_STRICT_PROXY_URL: strictProxyUrl,
    SEALWAY_CA_URL: caUrl,
    SEALWAY_TEAM: teamId,
    SEALWAY_APP: sandbox?.id,
    SEALWAY_API_KEY: sandbox?.apiKey,
    SEALWAY_TEAM_KEY: teamKey,
  }
}

/** Writes `<data folder>/env`, readable only by its owner, for `. .sealway/env`. */
export function writeEnvironmentFile(
  dataFolder: string,
  addresses: Addresses,
  credentials: Credentials,
): Promise<void> {
  const variables = Object.entries(environmentOf(addresses, credentials))
  const lines = variables.map(([name, value]) => `export ${name}=${value}\n`)
  return writeFileDurably(pathIn(dataFolder), Buffer.from(lines.join("")))
}

/** Removes the file when the service has stopped: nothing listens at the address any more. */
export function removeEnvironmentFile(dataFolder: string): Promise<void> {
  return rm(pathIn(dataFolder), { force: true })
}
