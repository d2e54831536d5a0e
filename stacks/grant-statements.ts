import { withoutSmallerParts } from "@sealway/http"
import { type Grant, KEY_PARTS, type KeyPart, teamPartition } from "@sealway/ports"
import { Stack } from "aws-cdk-lib"
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam"
import { functionLogArns, hostedFunctionArns } from "./hosted-functions.ts"
import { hsmKeyStatements } from "./hsm-key-statements.ts"
import { KEY_VERSION_CONTEXT, keyPartContext } from "./keys.ts"
import { AUDIT_WRITER } from "./names.ts"
import { tenantStatements } from "./relay-tenants.ts"
import { type FunctionResources, find } from "./stage-resources.ts"

const SERVICES = ["dynamodb", "sqs", "kms", "lambda", "logs", "s3", "cloudfront"] as const
type Service = (typeof SERVICES)[number]

/** The parts of a grant: `dynamodb:GetItem/config`. */
interface ParsedGrant {
  readonly service: Service
  /** As in IAM: `dynamodb:GetItem`. */
  readonly action: string
  /** The table or queue, `files` for their bucket, `audit-writer` for the function; null for the stage's key, customers' functions, their logs and code, and tenants of CloudFront. */
  readonly resource: string | null
}

/** Actions that may change or delete an existing item. PutItem is not one, since the code never overwrites a record. */
const CHANGES_AN_ITEM = new Set(["dynamodb:UpdateItem", "dynamodb:DeleteItem"])

/** The only action on a bucket itself. */
const LISTS_A_BUCKET = "s3:ListBucket"

/** Services of which grants may name a resource of the stage, besides what the service makes while it runs. */
const OWN_RESOURCES: ReadonlySet<Service> = new Set<Service>(["lambda", "s3"])

/** The KMS permissions for the encryption at rest of a table or queue, to read and to write it. */
const STORAGE_READ = ["kms:Decrypt", "kms:DescribeKey"]
const STORAGE_WRITE = ["kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"]
const WRITES = new Set([...CHANGES_AN_ITEM, "dynamodb:PutItem", "sqs:SendMessage", "s3:PutObject"])
/** What the storage key encrypts, so that it cannot be used without the key. */
const STORES: ReadonlySet<Service> = new Set<Service>(["dynamodb", "sqs", "s3"])

/**
 * Returns the statements of a policy that allows exactly what grants name, on exactly the tables, queues, files and key that
 * they name, and on customers' functions, their logs and their code, of this stage only. Besides these: the use of the
 * storage key through those tables, queues and code, without which they could not be read.
 */
export function grantStatements(
  grants: readonly Grant[],
  {
    stage,
    stageKey,
    storageKey,
    tables,
    queues,
    fileBucket,
    auditWriter,
    functionHosting,
    relayEdge,
  }: Pick<
    FunctionResources,
    | "stage"
    | "stageKey"
    | "storageKey"
    | "tables"
    | "queues"
    | "fileBucket"
    | "auditWriter"
    | "functionHosting"
    | "relayEdge"
  >,
): PolicyStatement[] {
  const parsed = grants.map(parseGrant)
  const statements: PolicyStatement[] = []
  const allow = (actions: readonly string[], resource: string, conditions?: Record<string, object>) =>
    statements.push(
      new PolicyStatement({
        actions: [...actions],
        resources: [resource],
        ...(conditions && { conditions }),
      }),
    )

  for (const [name, actions] of byResource(parsed, "dynamodb")) {
    const { tableArn } = find(tables, "table", name)
    allow(actions, tableArn)
    if (name === "events" && actions.some((action) => CHANGES_AN_ITEM.has(action))) {
      statements.push(keepAccessLog(tableArn))
    }
  }
  for (const [name, actions] of byResource(parsed, "lambda")) {
    if (name !== AUDIT_WRITER || auditWriter === null)
      throw new Error(`The stage has no function ${name} to call.`)
    allow(actions, auditWriter.functionArn)
  }
  for (const [name, actions] of byResource(parsed, "sqs"))
    allow(actions, find(queues, "queue", name).queueArn)
  const fileActions = byResource(parsed, "s3").get("files") ?? []
  const ofObjects = fileActions.filter((action) => action !== LISTS_A_BUCKET)
  if (ofObjects.length > 0) allow(ofObjects, fileBucket.arnForObjects("*"))
  if (fileActions.includes(LISTS_A_BUCKET)) allow([LISTS_A_BUCKET], fileBucket.bucketArn)
  const actionsOf = (wanted: Service) =>
    parsed.flatMap(({ service, action, resource }) =>
      service === wanted && (!OWN_RESOURCES.has(service) || resource === null) ? [action] : [],
    )
  for (const part of KEY_PARTS) {
    if (openedParts(grants).includes(part)) {
      allow(["kms:Decrypt"], stageKey.keyArn, keyPartContext(part))
    }
  }
  if (grants.includes("kms:Encrypt")) allow(["kms:Encrypt"], stageKey.keyArn, KEY_VERSION_CONTEXT)
  const stack = Stack.of(storageKey)
  const allowHosted = (service: Service, resource: string) => {
    const actions = actionsOf(service)
    if (actions.length > 0) allow(actions, resource)
  }
  if (functionHosting !== null) {
    const { prefix, codeBucket } = functionHosting
    allowHosted("lambda", hostedFunctionArns(stack, prefix))
    allowHosted("logs", functionLogArns(stack, prefix))
    allowHosted("s3", codeBucket.arnForObjects("*"))
  }
  statements.push(...tenantStatements(actionsOf("cloudfront"), stack, stage, relayEdge))
  statements.push(...hsmKeyStatements(actionsOf("kms"), stack, stage))

  const stores = new Set(parsed.flatMap(({ service }) => (STORES.has(service) ? [service] : [])))
  if (stores.size > 0) {
    const isWriting = parsed.some(({ action }) => WRITES.has(action))
    const { region } = Stack.of(storageKey)
    allow(isWriting ? [...STORAGE_READ, ...STORAGE_WRITE] : STORAGE_READ, storageKey.keyArn, {
      StringEquals: { "kms:ViaService": [...stores].sort().map((each) => `${each}.${region}.amazonaws.com`) },
    })
  }
  return statements
}

/** Returns the largest parts of key versions that grants permit to open. */
export function openedParts(grants: readonly Grant[]): readonly KeyPart[] {
  return KEY_PARTS.filter((part) => withoutSmallerParts(grants).includes(`kms:Decrypt/${part}`))
}

/** Denies changes and deletions of access records, whatever else of the table is allowed. */
function keepAccessLog(eventsTableArn: string): PolicyStatement {
  return new PolicyStatement({
    sid: "KeepAccessLog",
    effect: Effect.DENY,
    actions: [...CHANGES_AN_ITEM],
    resources: [eventsTableArn],
    conditions: { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": [teamPartition("*")] } },
  })
}

function byResource(
  grants: readonly ParsedGrant[],
  service: Service,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const grant of grants) {
    if (grant.service !== service || grant.resource === null) continue
    found.set(grant.resource, [...(found.get(grant.resource) ?? []), grant.action])
  }
  return found
}

function parseGrant(grant: Grant): ParsedGrant {
  const { service, action, resource } =
    /^(?<action>(?<service>[a-z0-9]+):\w+)(?:\/(?<resource>[a-z-]+))?$/.exec(grant)?.groups ?? {}
  if (action === undefined || !isService(service))
    throw new Error(`No statement is known for the grant ${grant}.`)
  return { service, action, resource: resource ?? null }
}

function isService(text: string | undefined): text is Service {
  return SERVICES.some((service) => service === text)
}
