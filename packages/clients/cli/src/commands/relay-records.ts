import { createRelay, deleteRelay, getRelay, listRelays, type Relay } from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { readRoutes } from "../files/read-routes.ts"
import { findRelayId } from "../plan/find-relay-id.ts"
import { jsonOf } from "../service/json-of.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

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
  addResource(relays, line, {
    columns: COLUMNS,
    id: ["relay", "id or destination"],
    list: {
      about: "List the app's relays.",
      columns: LIST_COLUMNS,
      filters: NO_OPTIONS,
      call: ({ service, page }) => listRelays(service, page),
    },
    records: {
      get: {
        about: "Show a relay.",
        call: async ({ service, args: [relay] }) =>
          getRelay(service, { relayId: await findRelayId(service, relay) }),
      },
    },
    delete: {
      about: "Delete a relay with its custom domains and alerts. Requests to it are then refused.",
      question: (relay) => `Delete the relay ${relay}?`,
      call: async ({ service, args: [relay] }) => {
        const relayId = await findRelayId(service, relay)
        await deleteRelay(service, { relayId })
        return relayId
      },
    },
  })

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
      const body = jsonOf({ destinationDomain, routes, authentication, leakWatch, unmatched })
      await showRecord(output, createRelay(await asApp(), { body }), COLUMNS)
    },
  )
}

function nameOfRoute({ method, path }: Relay["routes"][number]): string {
  return method ? `${method} ${path}` : path
}
