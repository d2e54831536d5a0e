import { MB } from "@sealway/kernel"
import { type RelayTrial, testRelay } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { readRoutes } from "../files/read-routes.ts"
import { findRelayId } from "../plan/find-relay-id.ts"
import { jsonOf } from "../service/json-of.ts"
import { type CommandLine, defineAction, ONE_ARGUMENT } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatList } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column, Output } from "../terminal/output.ts"

const MAX_SAMPLE_BYTES = 4 * MB
/** The media type of a file by its name, when no header states it. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["txt", "text/plain"],
])

/** Warnings that the routes do not do what they are for. */
const FAILING: ReadonlySet<string> = new Set(["no-route-matches", "matched-nothing"])

type Row = NonNullable<RelayTrial["request"]>["selections"][number] & { readonly message: string }
const COLUMNS: readonly Column<Row>[] = [
  { title: "message", value: ({ message }) => message },
  { title: "action", value: ({ action }) => action },
  { title: "type", value: ({ type }) => type },
  { title: "selector", value: ({ selector }) => selector },
  { title: "matched", value: ({ matched }) => String(matched) },
  { title: "changed", value: ({ changed }) => String(changed) },
  { title: "places", value: ({ paths }) => formatList(paths) },
]

const optionsSchema = z.object({
  method: z.string().default("POST"),
  path: z.string().default("/"),
  header: z.array(z.string()).default([]),
  request: z.string().optional(),
  response: z.string().optional(),
  responseHeader: z.array(z.string()).default([]),
  responseStatus: z.coerce.number().int().min(200).max(599).optional(),
  routes: z.string().optional(),
})

export function addRelayTestCommand(relays: Command, line: CommandLine): void {
  defineAction(
    line,
    relays
      .command("test")
      .argument("<relay>", "id or destination")
      .summary("show what a relay would do with sample messages")
      .description(
        "Shows which values the relay's routes select in a sample request and response. Nothing is sent to the " +
          "destination, and nothing is decrypted. Exit status 1 when the relay would refuse a message, or a selection " +
          "matched nothing.",
      )
      .option("--method <method>", "method of the request (default: POST)")
      .option("--path <path>", "path and query of the request (default: /)")
      .option("--header <header...>", 'header of the request, such as "X-Card: 4242"')
      .option("--request <file>", "file with the request body; - for standard input")
      .option("--response <file>", "file with the response body")
      .option("--response-header <header...>", "header of the response")
      .option("--response-status <status>", "status of the response (default: 200)")
      .option("--routes <file>", "try these routes instead of the relay's"),
    { options: optionsSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, host, output }, options, [relay]) => {
      const { method, path: target, routes: routesFile } = options
      const request = await readSample(host, options.header, options.request)
      const { responseStatus: status } = options
      const isAnswered =
        options.response !== undefined || options.responseHeader.length > 0 || status !== undefined
      const response = isAnswered
        ? { status, ...(await readSample(host, options.responseHeader, options.response)) }
        : undefined
      const routes = routesFile === undefined ? undefined : await readRoutes(host, routesFile)
      const service = await asApp()
      const relayId = await findRelayId(service, relay)
      const body = jsonOf({ routes, request: { method, path: target, ...request }, response })
      const value = await testRelay(service, { relayId, body })
      if (output.mode === "json") output.json(formatJson(value))
      else printReport(output, value)
      const refusals = [value.error, value.request?.error, value.response?.error].filter(Boolean)
      const isGood = refusals.length === 0 && !value.warnings.some(({ code }) => FAILING.has(code))
      return isGood ? undefined : EXIT.failed
    },
  )
}

/** Builds a message in the format of the service's samples. */
async function readSample(host: CliHost, lines: readonly string[], file: string | undefined) {
  const headers = new Map<string, string>()
  for (const text of lines) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? []
    if (name === undefined || value === undefined) throw new UsageFailure('Write a header as "Name: value".')
    headers.set(name.toLowerCase(), value)
  }
  if (file === undefined) return { headers: Object.fromEntries(headers) }
  const bytes = await readInput(host, file, MAX_SAMPLE_BYTES)
  const mediaType = MEDIA_TYPES.get(file.split(".").at(-1) ?? "")
  if (mediaType !== undefined && !headers.has("content-type")) headers.set("content-type", mediaType)
  return { headers: Object.fromEntries(headers), body: bytes.toString("base64"), encoding: "base64" }
}

function printReport(output: Output, { error, request, response, warnings }: RelayTrial): void {
  const rowsOf = (message: string, report: RelayTrial["request"] | RelayTrial["response"]) =>
    (report?.selections ?? []).map((selection) => ({ message, ...selection }))
  output.rows(COLUMNS, [...rowsOf("request", request), ...rowsOf("response", response)])
  for (const refusal of [error, request?.error, response?.error]) {
    if (refusal) output.note(`Refused with ${refusal.code}: ${refusal.detail}`)
  }
  for (const { selector, detail } of warnings) output.note(selector ? `${selector}: ${detail}` : detail)
}
