import * as cloudfront from "@aws-sdk/client-cloudfront"
import * as logs from "@aws-sdk/client-cloudwatch-logs"
import * as dynamodb from "@aws-sdk/client-dynamodb"
import * as kms from "@aws-sdk/client-kms"
import * as lambda from "@aws-sdk/client-lambda"
import * as s3 from "@aws-sdk/client-s3"
import * as sqs from "@aws-sdk/client-sqs"
import type { Grant } from "@sealway/ports"
import type { Plugin } from "esbuild"

/** The SDK's clients, by the IAM names of their services. */
const CLIENTS = {
  dynamodb: { name: "@aws-sdk/client-dynamodb", exports: dynamodb },
  kms: { name: "@aws-sdk/client-kms", exports: kms },
  sqs: { name: "@aws-sdk/client-sqs", exports: sqs },
  lambda: { name: "@aws-sdk/client-lambda", exports: lambda },
  logs: { name: "@aws-sdk/client-cloudwatch-logs", exports: logs },
  s3: { name: "@aws-sdk/client-s3", exports: s3 },
  cloudfront: { name: "@aws-sdk/client-cloudfront", exports: cloudfront },
} as const

export type ClientService = keyof typeof CLIENTS

/** Returns services that a role with these grants cannot call; none where its grants are not known. */
export function uncallableServices(grants: readonly Grant[] | null): readonly ClientService[] {
  const services = Object.keys(CLIENTS) as ClientService[]
  return services.filter((service) => grants?.every((grant) => !grant.startsWith(`${service}:`)))
}

/**
 * Leaves out the clients of services that a function has no permission to call. All functions of an area are wired in
 * the same way, with clients for the most capable of them. A call fails, as it would for lack of permission.
 */
export function uncalledClients(services: readonly ClientService[]): Plugin {
  const modules = new Map(services.map((service) => [CLIENTS[service].name as string, refusing(service)]))
  const namespace = "uncalled-clients"
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^@aws-sdk\/client-/ }, ({ path }) =>
        modules.has(path) ? { path, namespace, sideEffects: false } : null,
      )
      build.onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: modules.get(path) ?? "" }))
    },
  }
}

/** Leaves out `default` and what cannot be named in an import, which nobody imports. */
const IDENTIFIER = /^(?!default$)[A-Za-z]\w*$/

/** Returns a module with the client's exports, whose client refuses to send. */
function refusing(service: ClientService): string {
  const message = JSON.stringify(`This function may not call ${service}`)
  const names = Object.keys(CLIENTS[service].exports).filter((name) => IDENTIFIER.test(name))
  return [
    "class Uncalled {",
    "  middlewareStack = { add() {}, addRelativeTo() {} }",
    "  destroy() {}",
    `  async send() { throw new Error(${message}) }`,
    "}",
    `export { ${names.map((name) => `Uncalled as ${name}`).join(", ")} }`,
  ].join("\n")
}
