import type { Call, ServiceClient } from "../service/service-client.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { printValue, refuseBytesOnTerminal } from "./print-value.ts"
import { readValue, type ValueFormat, type ValueOptions } from "./value-format.ts"

export interface ValueCommand {
  readonly service: ServiceClient
  readonly host: CliHost
  readonly output: Output
}

/**
 * Reads a value, sends it to an endpoint that answers with its replacement, and writes that.
 *
 * @param path the path of the endpoint
 * @param file what to read; undefined for standard input
 * @param headersOf returns headers for the format of the value. Default: none
 */
export async function changeValue(
  { service, host, output }: ValueCommand,
  path: Call["path"],
  options: ValueOptions,
  file: string | undefined,
  headersOf: (format: ValueFormat) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  const { format, body } = await readValue(host, options, file)
  refuseBytesOnTerminal(host, format, options.output)
  const response = await service.send({
    ...{ method: "POST", path, body, headers: headersOf(format), writes: false },
  })
  await printValue(host, output, format, response, options.output)
}
