import * as z from "zod"
import type { FunctionHost } from "../ports/function-host.ts"
import type { EncryptionContext, Keys } from "../ports/keys.ts"
import type { OpenObjects } from "../ports/objects.ts"
import type { QueueSender } from "../ports/queues.ts"
import { reportingFunctionHost } from "../ports/reporting-function-host.ts"
import { reportingKeys } from "../ports/reporting-keys.ts"
import { reportingObjects } from "../ports/reporting-objects.ts"
import type { Configuration, LambdaHostConfiguration } from "../stage/configuration.ts"
import { KEY_PARTS, type KeyPart } from "../stage/key-parts.ts"
import { reportingTable } from "../tables/reporting-table.ts"
import type { OpenTable } from "../tables/table.ts"
import type { Connect, OnCall } from "./connections.ts"

/** What a process reaches outside itself. */
export interface AwsClients {
  readonly openTable: OpenTable
  readonly keys: Keys
  /** @param urls of the queues that this process may send to, where they are those of SQS */
  readonly openQueues: (urls: Configuration["queueUrls"]) => QueueSender
  readonly openObjects: OpenObjects
  /** @param lambda how programs become functions of Lambda, where they do; else null */
  readonly openFunctionHost: (lambda: LambdaHostConfiguration | null) => FunctionHost
  readonly connect: Connect
  /** Closes the connections. */
  destroy(): void
}

/** The ports that a process has itself. */
export interface OwnPorts
  extends Pick<AwsClients, "openTable" | "keys" | "openObjects" | "openFunctionHost"> {
  readonly queues: QueueSender
}

/**
 * Returns the clients of a process that has all ports itself, and calls nothing in AWS.
 *
 * @param onCall called before what would be a call in AWS. Default: nothing is reported
 */
export function createClientsOver(
  { openTable, keys, queues, openObjects, openFunctionHost }: OwnPorts,
  { files }: Pick<Configuration, "files">,
  onCall: OnCall | null = null,
): AwsClients {
  const nothing = {
    connect() {
      throw new TypeError("This process calls nothing in AWS")
    },
    destroy: () => undefined,
  }
  if (onCall === null)
    return { ...nothing, openTable, keys, openQueues: () => queues, openObjects, openFunctionHost }
  return {
    ...nothing,
    openTable: (name, wallClock) =>
      reportingTable(openTable(name, wallClock), (operation) =>
        onCall({ service: "dynamodb", operation, resource: name }),
      ),
    keys: reportingKeys(keys, (operation, context) =>
      onCall({ service: "kms", operation, resource: partOf(operation, context) }),
    ),
    openQueues: () => reportingQueues(queues, onCall),
    openObjects(bucket, wallClock) {
      const resource = bucket === files?.bucket ? "files" : null
      return reportingObjects(openObjects(bucket, wallClock), (operation) =>
        onCall({ service: "s3", operation, resource }),
      )
    },
    openFunctionHost: (lambda) =>
      reportingFunctionHost(openFunctionHost(lambda), (service, operation) =>
        onCall({ service, operation, resource: null }),
      ),
  }
}

function reportingQueues(queues: QueueSender, onCall: OnCall): QueueSender {
  return {
    async send(queue, ...message) {
      onCall({ service: "sqs", operation: "SendMessage", resource: queue })
      await queues.send(queue, ...message)
    },
  }
}

const contextSchema = z.object({ version: z.string().optional(), part: z.enum(KEY_PARTS).optional() })

/** Returns null for what is no key version. The context of a private part names no part. */
function partOf(operation: string, context: EncryptionContext): KeyPart | null {
  if (operation !== "Decrypt") return null
  const { version, part = "private" } = contextSchema.parse(context)
  return version === undefined ? null : part
}
