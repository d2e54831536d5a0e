import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { EmbeddedCloud } from "@sealway/local"
import * as z from "zod"
import type { DynaliteTables } from "../support/dynalite.ts"
import { answerKms } from "../support/kms-over-keys.ts"
import { allows, type Statement } from "./iam-policy.ts"
import { contextValues } from "./kms-access.ts"

/** The part of a call's body that policies look at. */
const callSchema = z.object({
  TableName: z.string().optional(),
  QueueUrl: z.string().optional(),
  MessageBody: z.string().optional(),
  KeyId: z.string().optional(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
  Key: z.object({ pk: z.object({ S: z.string() }) }).optional(),
})

export interface PermissionGate {
  /** The variables that lead a function's clients here. */
  environmentOf(functionName: string): Record<string, string>
  close(): void
}

export interface PermissionGateOptions {
  readonly cloud: Pick<EmbeddedCloud, "keys" | "queues">
  readonly dynamodb: Pick<DynaliteTables, "endpoint">
  /** Statements of the policy of a function's role, by the function's name. */
  readonly policies: ReadonlyMap<string, readonly Statement[]>
  /** Calls another function of the stage. */
  invoke(functionName: string, event: object): Promise<unknown>
  /** Returns what policies call a table, a queue, a key or a function, by the name that calls use. */
  resourceOf(name: string): string
}

const SERVICES = ["dynamodb", "kms", "sqs"] as const
/** Of the service's own functions; those of customers are called elsewhere. */
const INVOKED = /^\/lambda\/([a-z0-9-]+)\/2015-03-31\/functions\/([a-z-]+)\/invocations$/

/**
 * Stands before tables in DynamoDB and the embedded keys and queues, and refuses what a function's role may not do, as IAM does. Which
 * function calls is in the path; signatures are not checked.
 */
export async function openPermissionGate({
  cloud,
  dynamodb,
  policies,
  invoke,
  resourceOf,
}: PermissionGateOptions): Promise<PermissionGate> {
  const server = createServer(async (request, response) => {
    const [, caller = "", invoked = ""] = INVOKED.exec(request.url ?? "") ?? []
    if (invoked !== "") {
      const call = { action: "lambda:InvokeFunction", resource: resourceOf(invoked), valuesOf: () => [] }
      if (allows(policies.get(caller) ?? [], call)) {
        response.end(JSON.stringify(await invoke(invoked, JSON.parse(await text(request)))))
      } else response.writeHead(403, { "x-amzn-errortype": "AccessDeniedException" }).end("{}")
      return
    }
    const [, path, functionName = ""] = (request.url ?? "").split("/")
    const service = SERVICES.find((each) => each === path)
    if (service === undefined) throw new Error(`No gate is here: ${request.url}`)
    const target = String(request.headers["x-amz-target"])
    const action = `${service}:${target.split(".")[1]}`
    const body = await text(request)
    const { TableName, QueueUrl, MessageBody, KeyId, EncryptionContext, Key } = callSchema.parse(
      JSON.parse(body),
    )
    const isAllowed = allows(policies.get(functionName) ?? [], {
      action,
      resource: resourceOf(TableName ?? QueueUrl ?? KeyId ?? ""),
      valuesOf(key) {
        if (key === "dynamodb:LeadingKeys") return Key === undefined ? [] : [Key.pk.S]
        return contextValues(key, EncryptionContext)
      },
    })
    if (!isAllowed) {
      const message = `${functionName} may not call ${action}`
      response.writeHead(400).end(JSON.stringify({ __type: "AccessDeniedException", message }))
      return
    }
    if (service === "dynamodb") {
      const { authorization = "", "content-type": type = "" } = request.headers
      const date = String(request.headers["x-amz-date"])
      const headers = { authorization, "content-type": type, "x-amz-target": target, "x-amz-date": date }
      const answer = await fetch(dynamodb.endpoint, { method: "POST", headers, body })
      response.writeHead(answer.status, { "content-type": type }).end(await answer.text())
      return
    }
    if (service === "kms") {
      const answer = await answerKms(cloud.keys, target.replace("TrentService.", ""), body)
      response.writeHead(answer.status).end(answer.body)
      return
    }
    const name = QueueUrl?.split("/").at(-1) ?? ""
    cloud.queues.queue(name).send(MessageBody ?? "", 0)
    // By which the SDK knows that the whole message has arrived.
    const MD5OfMessageBody = createHash("md5")
      .update(MessageBody ?? "")
      .digest("hex")
    response.end(JSON.stringify({ MD5OfMessageBody }))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return {
    environmentOf: (functionName) =>
      Object.fromEntries(
        [...SERVICES, "lambda"].map((service) => [
          `AWS_ENDPOINT_URL_${service.toUpperCase()}`,
          `http://127.0.0.1:${port}/${service}/${functionName}`,
        ]),
      ),
    close: () => server.close(),
  }
}
