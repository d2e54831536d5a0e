import {
  type Connector,
  deleteConnector,
  getConnector,
  rotateConnectorSecret,
  type SetConnectorRequest,
  setConnector,
  testConnector,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { show, showSecret } from "../service/show.ts"
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
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column } from "../terminal/output.ts"

const showCertificate = ({ subject, expiresAt }: Connector["clientCertificate"]) =>
  `${subject}, until ${formatTime(expiresAt)}`

const COLUMNS: readonly Column<Connector>[] = [
  { title: "url", value: ({ url }) => url },
  { title: "client certificate", value: ({ clientCertificate }) => showCertificate(clientCertificate) },
  {
    title: "authority",
    value: ({ caCertificate }) => (caCertificate === null ? NOTHING : showCertificate(caCertificate)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]
const SECRET_COLUMNS: readonly Column<Connector & { readonly signingSecret?: string }>[] = [
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
      const body = {
        url,
        clientCertificate: await readClientCertificate(host, options),
        caCertificate: options.ca && (await readInput(host, options.ca, MAX_CERTIFICATE_BYTES)).toString(),
      }
      const value = await setConnector(await asTeam(), { appId: await app(), body })
      const { signingSecret } = value
      if (output.mode === "json") output.json(formatJson(value))
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
      const connector = getConnector(await asTeam(), { appId: await app() })
      await show(output, connector, COLUMNS, ({ url }) => url)
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
      const input = { appId: await app(), body: { overlapSeconds } }
      const rotated = rotateConnectorSecret(await asTeam(), input)
      await showSecret(output, rotated, SECRET_COLUMNS, (made) => made.signingSecret ?? "")
    },
  )

  defineAction(
    line,
    connectors
      .command("test")
      .description("Test whether the connector responds. Exit status 1 when it does not."),
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output }) => {
      const value = await testConnector(await asTeam(), { appId: await app() })
      if (output.mode === "json") output.json(formatJson(value))
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
      await deleteConnector(await asTeam(), { appId: id })
      output.note(`Deleted the connector of ${id}.`)
    },
  )
}

type ClientCertificate = Exclude<SetConnectorRequest["body"], undefined>["clientCertificate"]

async function readClientCertificate(
  host: CliHost,
  { cert, key, pkcs12, passwordVariable }: z.infer<typeof setOptions>,
): Promise<ClientCertificate> {
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
