import {
  createMerchant,
  deleteMerchant,
  getMerchant,
  listMerchants,
  type Merchant,
  updateMerchant,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, filter } from "../session/add-resource.ts"
import type { CommandLine } from "../session/define-action.ts"
import { formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Merchant>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "website", value: ({ website }) => website },
  {
    title: "network tokens",
    value: ({ networkTokens: { enrolment } }) =>
      formatList(enrolment.map(({ cardBrand, status }) => `${cardBrand} ${status}`)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addMerchantsCommands(program: Command, line: CommandLine): void {
  const merchants = program
    .command("merchants")
    .helpCommand(false)
    .description("businesses that take payments, and their enrolment with the card networks")

  addResource(merchants, line, {
    columns: COLUMNS,
    id: ["id", "merchant"],
    list: {
      about: "List the app's merchants.",
      filters: z.object({
        name: filter("--name <text>", "only merchants with this text in their name, in any letter case"),
      }),
      isNumbered: true,
      call: ({ service, filters: { name } }) => listMerchants(service, { q: name }),
    },
    records: {
      create: {
        about: "Create a merchant, and enrol it with the card networks.",
        takesId: false,
        file: "the merchant as JSON",
        call: ({ service, body }) => createMerchant(service, { body }),
      },
      get: {
        about: "Show a merchant and the state of its enrolments.",
        call: ({ service, args: [merchantId] }) => getMerchant(service, { merchantId }),
      },
      update: {
        about: "Change a merchant. Fields that you leave out stay unchanged.",
        file: "what to change, as JSON",
        call: ({ service, args: [merchantId], body }) => updateMerchant(service, { merchantId, body }),
      },
    },
    delete: {
      about: "Delete a merchant, and withdraw its enrolments.",
      question: (id) => `Delete the merchant ${id}?`,
      call: ({ service, args: [merchantId] }) => deleteMerchant(service, { merchantId }),
    },
  })
}
