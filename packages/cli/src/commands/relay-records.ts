import { type Command, Option } from "commander"
import * as z from "zod"
import { readRoutes } from "../files/read-routes.ts"
import { findRelayId } from "../plan/find-relay-id.ts"
import { RELAYS_PATH } from "../plan/stored-relays.ts"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const relaySchema = z.object({
  id: z.string(),
  destinationDomain: z.string(),
  relayDomain: z.string(),
  domainStatus: z.string(),
  routes: z.array(z.object({ method: z.string().nullish(), path: z.string() })),
  authentication: z.string().nullish(),
  leakWatch: z.string(),
  caseSensitiveNames: z.boolean().default(false),
  unknownContentTypes: z.string().default("pass"),
  unencryptableErrors: z.string().default("refuse"),
  unmatched: z.string().default("pass"),
  passContentTypes: z.array(z.string()).default(["*"]),
  rewriteLocations: z.boolean().default(false),
  forwardedHeaders: z.string().default("off"),
  serverTiming: z.boolean().default(false),
  clientCertificate: z.object({ subject: z.string(), expiresAt: z.number() }).nullish(),
  warnings: z.array(z.object({ detail: z.string() })).default([]),
  updatedAt: z.number(),
})
type Relay = z.infer<typeof relaySchema>

const LIST_COLUMNS: readonly Column<Relay>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "destination", value: ({ destinationDomain }) => destinationDomain },
  { title: "domain", value: ({ relayDomain }) => relayDomain },
  { title: "status", value: ({ domainStatus }) => domainStatus },
  { title: "routes", value: ({ routes }) => String(routes.length) },
  { title: "updated", value: ({ updatedAt }) => formatTime(updatedAt) },
]
const COLUMNS: readonly Column<Relay>[] = [
  ...LIST_COLUMNS.filter(({ title }) => title !== "routes"),
  { title: "routes", value: ({ routes }) => routes.map(nameOfRoute).join(", ") || NOTHING },
  { title: "authentication", value: ({ authentication }) => authentication ?? NOTHING },
  { title: "leak watch", value: ({ leakWatch }) => leakWatch },
  { title: "names", value: ({ caseSensitiveNames }) => (caseSensitiveNames ? "case-sensitive" : "any case") },
  { title: "unknown types", value: ({ unknownContentTypes }) => unknownContentTypes },
  { title: "unencryptable errors", value: ({ unencryptableErrors }) => unencryptableErrors },
  { title: "unmatched requests", value: ({ unmatched }) => unmatched },
  { title: "types that pass", value: ({ passContentTypes }) => passContentTypes.join(", ") || NOTHING },
  {
    title: "redirects to the destination",
    value: ({ rewriteLocations }) => (rewriteLocations ? "lead to the relay" : "pass"),
  },
  { title: "forwarded headers", value: ({ forwardedHeaders }) => forwardedHeaders },
  { title: "server timing", value: ({ serverTiming }) => (serverTiming ? "on" : "off") },
  {
    title: "client certificate",
    value: ({ clientCertificate }) =>
      clientCertificate
        ? `${clientCertificate.subject}, until ${formatTime(clientCertificate.expiresAt)}`
        : NOTHING,
  },
  { title: "warnings", value: ({ warnings }) => warnings.map(({ detail }) => detail).join(" ") || NOTHING },
]

const createOptions = z.object({
  routes: z.string().optional(),
  requireKey: z.boolean().default(false),
  leakWatch: z.string().optional(),
  unmatched: z.string(),
})

export function addRelayRecordCommands(relays: Command, line: CommandLine): void {
  defineAction(
    line,
    addListOptions(relays.command("list").description("List the app's relays.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: RELAYS_PATH }, options, relaySchema, LIST_COLUMNS)
    },
  )

  defineAction(
    line,
    relays.command("get").argument("<relay>", "id or destination").description("Show a relay."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [relay]) => {
      const service = await asApp()
      const path = [...RELAYS_PATH, await findRelayId(service, relay)]
      await showAnswer(service, output, { method: "GET", path }, relaySchema, COLUMNS)
    },
  )

  defineAction(
    line,
    relays
      .command("create")
      .argument("<destination>", "host of the destination, with its port unless it is 443")
      .description("Create a relay. To keep its configuration in files, use `relays apply` instead.")
      .option("--routes <file>", "YAML or JSON file with a list of routes; - for standard input")
      .option("--require-key", "require an API key")
      .addOption(
        new Option(
          "--leak-watch <what>",
          "what to do when a card number is in a field that no selection covers",
        ).choices(["off", "alert", "block"]),
      )
      .addOption(
        new Option(
          "--unmatched <what>",
          "what to do with requests that match no route, if the relay encrypts",
        )
          .choices(["refuse", "pass"])
          .default("refuse"),
      ),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async (
      { asApp, host, output },
      { routes: file, requireKey, leakWatch, unmatched },
      [destinationDomain],
    ) => {
      const routes = file === undefined ? undefined : await readRoutes(host, file)
      const authentication = requireKey ? "api-key" : null
      const body = jsonBody({ destinationDomain, routes, authentication, leakWatch, unmatched })
      await showAnswer(
        await asApp(),
        output,
        { method: "POST", path: RELAYS_PATH, body },
        relaySchema,
        COLUMNS,
      )
    },
  )

  defineAction(
    line,
    addYesOption(
      relays
        .command("delete")
        .argument("<relay>", "id or destination")
        .description("Delete a relay with its custom domains and alerts. Requests to it are then refused."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [relay]) => {
      await askBefore(host, options, `Delete the relay ${relay}?`)
      const service = await asApp()
      const id = await findRelayId(service, relay)
      await service.send({ method: "DELETE", path: [...RELAYS_PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

function nameOfRoute({ method, path }: Relay["routes"][number]): string {
  return method ? `${method} ${path}` : path
}
