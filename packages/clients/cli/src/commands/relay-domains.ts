import {
  createRelayCustomDomain,
  deleteRelayCustomDomain,
  getRelayCustomDomain,
  listRelayCustomDomains,
  type RelayCustomDomain,
  verifyRelayCustomDomain,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { findCustomDomain, findRelayId } from "../plan/find-relay-id.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const LIST_COLUMNS: readonly Column<RelayCustomDomain>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "domain", value: ({ domain }) => domain },
  { title: "status", value: ({ status }) => status },
  { title: "problem", value: ({ problem }) => problem ?? NOTHING },
  { title: "checked", value: ({ checkedAt }) => formatTime(checkedAt) },
]
const COLUMNS: readonly Column<RelayCustomDomain>[] = [
  ...LIST_COLUMNS,
  ...["CNAME", "TXT"].map((type) => ({
    title: type,
    value: ({ records }: RelayCustomDomain) => {
      const record = records.find((each) => each.type === type)
      return record === undefined ? NOTHING : `${record.name} → ${record.value}`
    },
  })),
]

const TWO_ARGUMENTS = z.tuple([z.string(), z.string()])

export function addRelayDomainCommands(relays: Command, line: CommandLine): void {
  const domains = relays.command("domains").helpCommand(false).description("your own domains for a relay")

  addResource(domains, line, {
    columns: COLUMNS,
    parent: ["relay", "id or destination"],
    id: ["domain", "the domain, or its id"],
    list: {
      about: "List a relay's custom domains.",
      columns: LIST_COLUMNS,
      filters: NO_OPTIONS,
      call: async ({ service, page, args: [relay] }) =>
        listRelayCustomDomains(service, { relayId: await findRelayId(service, relay), ...page }),
    },
    records: {
      get: {
        about: "Show a custom domain.",
        call: async ({ service, args }) =>
          getRelayCustomDomain(service, await findCustomDomain(service, ...args)),
      },
    },
    delete: {
      about: "Delete a custom domain. It no longer leads to the relay.",
      question: (_relay, domain) => `Delete the domain ${domain}?`,
      call: async ({ service, args }) => {
        const found = await findCustomDomain(service, ...args)
        await deleteRelayCustomDomain(service, found)
        return found.customDomainId
      },
    },
  })

  defineAction(
    line,
    domains
      .command("add")
      .argument("<relay>", "id or destination")
      .argument("<domain>", "your domain")
      .description("Add a custom domain, and show the DNS records that it needs."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, domain]) => {
      const service = await asApp()
      const relayId = await findRelayId(service, relay)
      await showRecord(output, createRelayCustomDomain(service, { relayId, body: { domain } }), COLUMNS)
    },
  )

  defineAction(
    line,
    domains
      .command("verify")
      .argument("<relay>", "id or destination")
      .argument("<domain>", "the domain, or its id")
      .description("Check the domain's DNS records. Exit status 1 when they are wrong."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, domain]) => {
      const service = await asApp()
      const verified = verifyRelayCustomDomain(service, await findCustomDomain(service, relay, domain))
      await showRecord(output, verified, COLUMNS)
      return (await verified).problem === null ? undefined : EXIT.failed
    },
  )
}
