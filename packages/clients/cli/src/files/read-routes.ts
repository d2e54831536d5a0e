import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readInput } from "./read-input.ts"

const MAX_ROUTES_BYTES = 256 * 1024

/**
 * Reads a list of routes from YAML, or JSON, which is also YAML. The service validates the routes.
 *
 * @throws UsageFailure when the file cannot be read, or contains no list
 */
export async function readRoutes(host: CliHost, file: string): Promise<readonly unknown[]> {
  const { parseYamlFile } = await import("./yaml-file.ts")
  const [document] = parseYamlFile(file, await readInput(host, file, MAX_ROUTES_BYTES))
  if (!Array.isArray(document?.content)) throw new UsageFailure(`${file} must contain a list of routes.`)
  return document.content
}
