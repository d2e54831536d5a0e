import { type Command, Option } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import { showReply } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { parseDurationMs } from "../terminal/duration.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column } from "../terminal/output.ts"

const certificateSchema = z.object({ subject: z.string(), expiresAt: z.number() })
const connectorSchema = z.object({
  url: z.string(),
  clientCertificate: certificateSchema,
  caCertificate: certificateSchema.nullable(),
  createdAt: z.number(),
  /** Shown when a connector is first set, and when its secret is rotated. */
  signingSecret: z.string().optional(),
})
const testSchema = z.object({
  status: z.string(),
  reason: z.string().optional(),
  statusCode: z.number().optional(),
})

const showCertificate = ({ subject, expiresAt }: z.infer<typeof certificateSchema>) =>
  `${subject}, until ${formatTime(expiresAt)}`

const COLUMNS: readonly Column<z.infer<typeof connectorSchema>>[] = [
  { title: "url", value: ({ url }) => url },
  { title: "client certificate", value: ({ clientCertificate }) => showCertificate(clientCertificate) },
  {
    title: "authority",
    value: ({ caCertificate }) => (caCertificate === null ? NOTHING : showCertificate(caCertificate)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]
const SECRET_COLUMNS: typeof COLUMNS = [
  ...COLUMNS,
  { title: "secret", value: ({ signingSecret }) => signingSecret ?? NOTHING },
]

const setOptions = z.object({
  cert: z.string().optional(),
  key: z.string().optional(),
  pkcs12: z.string().optional(),
  passwordVariable: z.string().optional(),
  ca: z.string().optional(),
})
const rotateOptions = z.object({ overlap: z.string().optional() })

const MAX_CERTIFICATE_BYTES = 48 * 1024

export function addConnectorsCommands(program: Command, line: CommandLine): void {
  const connectors = program
    .command("connectors")
    .helpCommand(false)
    .description("connection of the app in --app to the card networks (team key)")

  defineAction(
    line,
    connectors
      .command("set")
      .argument("<address>", "https URL of the connector")
      .description("Set the connector of a production app. The signing secret is shown only the first time.")
      .option("--cert <file>", "client certificate in PEM, with its chain")
      .option("--key <file>", "its private key in PEM")
      .addOption(
        new Option("--pkcs12 <file>", "client certificate and private key in one file").conflicts([
          "cert",
          "key",
        ]),
      )
      .option("--password-variable <name>", "environment variable with the password of the key or the file")
      .option(
        "--ca <file>",
        "PEM certificate of the authority of the connector's certificate (default: public authorities)",
      ),
    { options: setOptions, arguments: ONE_ARGUMENT },
    async ({ app, asTeam, output, host }, options, [url]) => {
      const body = jsonBody({
        url,
        clientCertificate: await readClientCertificate(host, options),
        caCertificate: options.ca && (await readInput(host, options.ca, MAX_CERTIFICATE_BYTES)).toString(),
      })
      const call = { method: "PUT", path: ["apps", await app(), "connector"], body } as const
      const { text, value } = await readAnswer(await (await asTeam()).send(call), connectorSchema)
      const { signingSecret } = value
      if (output.mode === "json") output.json(text)
      else if (output.mode === "quiet") output.line(signingSecret ?? value.url)
      else output.record(signingSecret === undefined ? COLUMNS : SECRET_COLUMNS, value)
      output.note(
        signingSecret === undefined
          ? "Its signing secret did not change."
          : "The secret cannot be shown again: store it now.",
      )
    },
  )

  defineAction(
    line,
    connectors.command("show").description("Show the connector."),
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output }) => {
      const call = { method: "GET", path: ["apps", await app(), "connector"] } as const
      await showReply(await asTeam(), output, call, connectorSchema, COLUMNS, ({ url }) => url)
    },
  )

  defineAction(
    line,
    connectors
      .command("rotate-secret")
      .description(
        "Create a new signing secret. It is shown only once; the old one keeps working for a while.",
      )
      .option("--overlap <time>", "how long the old secret keeps working, such as 1h (default: one day)"),
    { options: rotateOptions, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output }, { overlap }) => {
      const overlapSeconds = overlap === undefined ? undefined : parseDurationMs(overlap, "--overlap") / 1000
      const path = ["apps", await app(), "connector", "rotate-secret"]
      const call = { method: "POST", path, body: jsonBody({ overlapSeconds }) } as const
      const secretOf = ({ signingSecret = "" }: z.infer<typeof connectorSchema>) => signingSecret
      await showReply(await asTeam(), output, call, connectorSchema, SECRET_COLUMNS, secretOf)
      output.note("The secret cannot be shown again: store it now.")
    },
  )

  defineAction(
    line,
    connectors
      .command("test")
      .description("Test whether the connector responds. Exit status 1 when it does not."),
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output }) => {
      const call = { method: "POST", path: ["apps", await app(), "connector", "test"] } as const
      const { text, value } = await readAnswer(await (await asTeam()).send(call), testSchema)
      if (output.mode === "json") output.json(text)
      else if (value.status === "ok") output.line(value.status)
      if (value.status === "ok") return
      const status = value.statusCode === undefined ? "" : ` ${value.statusCode}`
      throw new CommandFailure(
        "connector/failed",
        `The connector's response was invalid: ${value.reason ?? value.status}${status}.`,
        EXIT.failed,
      )
    },
  )

  defineAction(
    line,
    addYesOption(
      connectors
        .command("delete")
        .description("Delete the connector. The app can then no longer reach the card networks."),
    ),
    { options: yesOptionSchema, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output, host }, options) => {
      const id = await app()
      await askBefore(host, options, `Delete the connector of the app ${id}?`)
      await (await asTeam()).send({ method: "DELETE", path: ["apps", id, "connector"] })
      output.note(`Deleted the connector of ${id}.`)
    },
  )
}

async function readClientCertificate(
  host: CliHost,
  { cert, key, pkcs12, passwordVariable }: z.infer<typeof setOptions>,
): Promise<object> {
  const read = (file: string) => readInput(host, file, MAX_CERTIFICATE_BYTES)
  const password = passwordVariable === undefined ? null : (host.env[passwordVariable] ?? null)
  if (passwordVariable !== undefined && password === null) {
    throw new UsageFailure(`The environment variable ${passwordVariable} is not set.`)
  }
  if (pkcs12 !== undefined) {
    return { format: "pkcs12", content: (await read(pkcs12)).toString("base64"), password }
  }
  if (cert === undefined || key === undefined) {
    throw new UsageFailure("Pass the client certificate: --cert and --key, or --pkcs12.")
  }
  const certificate = (await read(cert)).toString()
  return { format: "pem", certificate, privateKey: (await read(key)).toString(), password }
}
