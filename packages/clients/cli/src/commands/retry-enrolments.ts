import {
  createRetryEnrolment,
  deleteRetryEnrolment,
  getRetryEnrolment,
  listRetryEnrolments,
  type RetryEnrolment,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<RetryEnrolment>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "network", value: ({ network }) => network },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const createOptions = z.object({ network: z.enum(["mastercard"]).default("mastercard") })

export function addRetryEnrolmentsCommands(program: Command, line: CommandLine): void {
  const enrolments = program
    .command("retry-enrolments")
    .helpCommand(false)
    .description("enrolments that tell merchants when to retry declined payments")

  addResource(enrolments, line, {
    columns: COLUMNS,
    parent: ["merchant", "merchant"],
    id: ["id", "enrolment"],
    list: {
      about: "List a merchant's enrolments for intelligent retries.",
      filters: NO_OPTIONS,
      call: ({ service, page, args: [merchantId] }) => listRetryEnrolments(service, { merchantId, ...page }),
    },
    records: {
      get: {
        about: "Show an enrolment.",
        call: ({ service, args: [merchantId, retryEnrolmentId] }) =>
          getRetryEnrolment(service, { merchantId, retryEnrolmentId }),
      },
    },
    delete: {
      about: "End an enrolment.",
      question: (merchant, id) => `End the enrolment ${id} of ${merchant}?`,
      call: ({ service, args: [merchantId, retryEnrolmentId] }) =>
        deleteRetryEnrolment(service, { merchantId, retryEnrolmentId }),
    },
  })

  defineAction(
    line,
    enrolments
      .command("create")
      .argument("<merchant>", "merchant")
      .option("--network <name>", "the card network: mastercard, which is the only one so far")
      .description("Enrol a merchant for intelligent retries."),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, body, [merchantId]) => {
      await showRecord(output, createRetryEnrolment(await asApp(), { merchantId, body }), COLUMNS)
    },
  )
}
