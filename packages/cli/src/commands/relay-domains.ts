import type { Command } from "commander"
import * as z from "zod"
import { findCustomDomainId, findRelayId } from "../plan/find-relay-id.ts"
import { RELAYS_PATH } from "../plan/stored-relays.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { showAnswer } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const domainSchema = z.object({
  id: z.string(),
  domain: z.string(),
  status: z.string(),
  problem: z.string().nullish(),
  records: z.array(z.object({ type: z.string(), name: z.string(), value: z.string() })),
  checkedAt: z.number().nullish(),
})
type Domain = z.infer<typeof domainSchema>

const LIST_COLUMNS: readonly Column<Domain>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "domain", value: ({ domain }) => domain },
  { title: "status", value: ({ status }) => status },
  { title: "problem", value: ({ problem }) => problem ?? NOTHING },
  { title: "checked", value: ({ checkedAt }) => formatTime(checkedAt) },
]
const COLUMNS: readonly Column<Domain>[] = [
  ...LIST_COLUMNS,
  ...["CNAME", "TXT"].map((type) => ({
    title: type,
    value: ({ records }: Domain) => {
      const record = records.find((each) => each.type === type)
      return record === undefined ? NOTHING : `${record.name} → ${record.value}`
    },
  })),
]

const TWO_ARGUMENTS = z.tuple([z.string(), z.string()])

export function addRelayDomainCommands(relays: Command, line: CommandLine): void {
  const domains = relays.command("domains").helpCommand(false).description("your own domains for a relay")
  const ofRelay = (name: string) => domains.command(name).argument("<relay>", "id or destination")
  const oneOfRelay = (name: string) => ofRelay(name).argument("<domain>", "the domain, or its id")

  defineAction(
    line,
    addListOptions(ofRelay("list").description("List a relay's custom domains.")),
    { options: listOptionsSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, options, [relay]) => {
      const service = await asApp()
      const path = await pathOf(service, relay)
      await printList(service, output, { path }, options, domainSchema, LIST_COLUMNS)
    },
  )

  defineAction(
    line,
    ofRelay("add")
      .argument("<domain>", "your domain")
      .description("Add a custom domain, and show the DNS records that it needs."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, domain]) => {
      const service = await asApp()
      const call = { method: "POST", path: await pathOf(service, relay), body: jsonBody({ domain }) } as const
      await showAnswer(service, output, call, domainSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("get").description("Show a custom domain."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, domain]) => {
      const service = await asApp()
      const path = await pathOfOne(service, relay, domain)
      await showAnswer(service, output, { method: "GET", path }, domainSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("verify").description("Check the domain's DNS records. Exit status 1 when they are wrong."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, domain]) => {
      const service = await asApp()
      const path = [...(await pathOfOne(service, relay, domain)), "verify"]
      const { text, value } = await readAnswer(await service.send({ method: "POST", path }), domainSchema)
      if (output.mode === "json") output.json(text)
      else if (output.mode === "quiet") output.line(value.id)
      else output.record(COLUMNS, value)
      return value.problem ? EXIT.failed : undefined
    },
  )

  defineAction(
    line,
    addYesOption(
      oneOfRelay("delete").description("Delete a custom domain. It no longer leads to the relay."),
    ),
    { options: yesOptionSchema, arguments: TWO_ARGUMENTS },
    async ({ asApp, output, host }, options, [relay, domain]) => {
      await askBefore(host, options, `Delete the domain ${domain}?`)
      const service = await asApp()
      const path = await pathOfOne(service, relay, domain)
      await service.send({ method: "DELETE", path })
      output.note(`Deleted ${path.at(-1)}.`)
    },
  )
}

async function pathOf(service: ServiceClient, relay: string): Promise<string[]> {
  return [...RELAYS_PATH, await findRelayId(service, relay), "custom-domains"]
}

async function pathOfOne(service: ServiceClient, relay: string, domain: string): Promise<string[]> {
  const path = await pathOf(service, relay)
  return [...path, await findCustomDomainId(service, path, domain)]
}
