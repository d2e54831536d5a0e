import type { Transport } from "@sealway/sdk/api"
import { sendBytes, type ValueEndpoint } from "../service/send-bytes.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { printValue, refuseBytesOnTerminal } from "./print-value.ts"
import { readValue, type ValueFormat, type ValueOptions } from "./value-format.ts"

export interface ValueCommand {
  readonly service: Transport
  readonly host: CliHost
  readonly output: Output
}

/**
 * Reads a value, sends it to an endpoint that answers with its replacement, and writes that.
 *
 * @param file what to read; undefined for standard input
 * @param headersOf returns further headers for the format of the value. Default: none
 */
export async function changeValue(
  { service, host, output }: ValueCommand,
  endpoint: ValueEndpoint,
  options: ValueOptions,
  file: string | undefined,
  headersOf: (format: ValueFormat) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  const { format, body } = await readValue(host, options, file)
  refuseBytesOnTerminal(host, format, options.output)
  const bytes = await sendBytes(
    service,
    { ...endpoint, headers: { ...endpoint.headers, ...headersOf(format) } },
    body,
  )
  await printValue(host, output, format, bytes, options.output)
}
