import { dirname, isAbsolute, join } from "node:path"
import type { ClientCertificateInput, DeclaredRelay, RelayFileProblem } from "@sealway/relay/files"
import { problemsFailure } from "../files/file-problems.ts"
import { readInput } from "../files/read-input.ts"
import { findYamlFiles, readYamlFiles } from "../files/yaml-folder.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { RelayState } from "./plan-relays.ts"

/** Relays as declared in files. */
export interface DeclaredRelays {
  readonly relays: readonly RelayState[]
  /** Client certificates with their keys, by relay key. They are not part of any plan. */
  readonly certificates: ReadonlyMap<string, ClientCertificateInput>
  /** Returns a key that identifies a destination. */
  readonly keyOf: (destinationDomain: string) => string
}

const MAX_CERTIFICATE_BYTES = 48 * 1024

/**
 * Reads the relays of a folder, and the client certificates that they name.
 *
 * @throws UsageFailure with every problem and its line; or when the folder declares nothing, which is more likely a
 * wrong folder than the intention to delete everything
 */
export async function readDeclaredRelays(host: CliHost, path: string): Promise<DeclaredRelays> {
  const documents = await readYamlFiles(host, await findYamlFiles(host, path))
  if (documents.length === 0) throw new UsageFailure(`${path} has no YAML files with relays.`)
  // Loaded where it is needed, so that no other command waits for it.
  const { destinationKey, examineCertificate, parseDestination, readRelayFiles } = await import(
    "@sealway/relay/files"
  )
  // A separate name for each document, to locate its problems.
  const byName = new Map(documents.map((document, index) => [String(index), document]))
  const result = readRelayFiles([...byName].map(([file, { content }]) => ({ file, content })))
  const documentOf = (file: string) => byName.get(file)
  if (!result.ok) throw problemsFailure(result.problems, documentOf)

  const certificates = new Map<string, ClientCertificateInput>()
  const problems: RelayFileProblem[] = []
  const relays: RelayState[] = []
  for (const { file, pointer, clientCertificate, ...relay } of result.relays) {
    const input =
      clientCertificate && (await readCertificate(host, documentOf(file)?.file ?? "", clientCertificate))
    const examined = input && examineCertificate(input)
    if (input !== null) certificates.set(relay.key, input)
    if (examined?.ok === false) {
      problems.push({ file, pointer: `${pointer}/clientCertificate`, reason: examined.reason })
    }
    const fingerprint = examined?.ok === true ? examined.particulars.fingerprint : null
    relays.push({ ...relay, clientCertificate: fingerprint })
  }
  if (problems.length > 0) throw problemsFailure(problems, documentOf)
  return {
    relays,
    certificates,
    keyOf(destinationDomain) {
      const parsed = parseDestination(destinationDomain, { allowPrivate: true })
      return parsed.ok ? destinationKey(parsed.destination) : destinationDomain
    },
  }
}

/** @param file the file that names the certificate's files; their paths are relative to it */
async function readCertificate(
  host: CliHost,
  file: string,
  named: NonNullable<DeclaredRelay["clientCertificate"]>,
): Promise<ClientCertificateInput> {
  const pathOf = (name: string) => (isAbsolute(name) ? name : join(dirname(file), name))
  const read = (name: string) => readInput(host, pathOf(name), MAX_CERTIFICATE_BYTES)
  const variable = named.passwordVariable
  const password = variable === null ? null : (host.env[variable] ?? null)
  if (variable !== null && password === null) {
    throw new UsageFailure(`${file}: The environment variable ${variable} is not set.`)
  }
  if (named.format === "pkcs12") {
    return { format: "pkcs12", content: (await read(named.file)).toString("base64"), password }
  }
  const certificate = (await read(named.certificate)).toString()
  return { format: "pem", certificate, privateKey: (await read(named.privateKey)).toString(), password }
}
