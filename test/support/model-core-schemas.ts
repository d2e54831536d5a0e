import * as z from "zod"

/**
 * The answers outside of payments that existing clients were written against: the fields that they read, with their
 * types and values. Other fields may be added. Differences are in docs/clients.md.
 */

const text = z.string().min(1)
const time = z.int().positive()
const tokenSchema = z.string().regex(/^ev:[^$]+:\$$/)

const selectionSchema = z.looseObject({
  type: z.enum(["header", "json", "form"]).optional(),
  selector: text,
  role: text.optional(),
})
const actionSchema = z.looseObject({
  action: z.enum(["encrypt", "decrypt"]),
  selections: z.array(selectionSchema),
})
const relaySchema = z.looseObject({
  id: text,
  destinationDomain: text,
  evervaultDomain: text,
  routes: z.array(
    z.looseObject({
      method: z.enum(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]).optional(),
      path: text,
      request: z.array(actionSchema).max(1),
      response: z.array(actionSchema).max(1),
    }),
  ),
  authentication: z.literal("api-key").nullable(),
  encryptEmptyStrings: z.boolean(),
  app: text,
  createdAt: time,
  updatedAt: time.optional(),
})

const customDomainSchema = z.looseObject({
  id: text,
  customDomain: text,
  relay: text,
  status: z.enum(["active", "inactive"]),
  validationRecord: z.uuid(),
  createdAt: time,
  updatedAt: time,
})

const webhookEndpointSchema = z.looseObject({
  id: text,
  url: z.url(),
  events: z.array(
    z.enum([
      ...(["*", "function.run.completed", "audit-log.event"] as const),
      ...(["function.deployment.started", "function.deployment.updated"] as const),
      ...(["function.deployment.finished", "enclave.deployment.started"] as const),
      ...(["enclave.deployment.updated", "enclave.deployment.finished"] as const),
      ...(["payments.network-token.updated", "payments.merchant.updated", "payments.card.updated"] as const),
      ...(["payments.3ds-session.success", "payments.3ds-session.failure"] as const),
    ]),
  ),
  createdAt: time,
  updatedAt: time.nullable(),
})

const functionRunSchema = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("scheduled") }),
  z.looseObject({
    id: text,
    status: z.literal("success"),
    createdAt: time,
    result: z.looseObject({}),
    error: z.null().optional(),
  }),
  z.looseObject({
    id: text,
    status: z.literal("failure"),
    createdAt: time,
    error: z.looseObject({ message: text, stack: text }),
  }),
])

const roleFields = { encryptedAt: time.optional(), role: text.optional() }

/** By what an operation answers. */
export const CORE_MODEL = {
  token: tokenSchema,
  inspection: z.discriminatedUnion("type", [
    z.looseObject({
      type: z.literal("string"),
      fingerprint: text,
      ...roleFields,
      category: z.literal("card-number").optional(),
      metadata: z
        .looseObject({
          bin: z.string().regex(/^(?:[0-9]{6}|[0-9]{8})$/),
          lastFour: z.string().regex(/^[0-9]{4}$/),
          brand: text.optional(),
          funding: text.optional(),
          segment: text.optional(),
          country: text.optional(),
          currency: text.optional(),
          issuer: text.optional(),
        })
        .optional(),
    }),
    z.looseObject({ type: z.enum(["integer", "float", "boolean"]), fingerprint: text, ...roleFields }),
  ]),
  functionRun: functionRunSchema,
  clientSideToken: z.looseObject({ id: text, token: z.jwt(), expiry: time, createdAt: time }),
  relay: relaySchema,
  relays: z.looseObject({ data: z.array(relaySchema) }),
  customDomain: customDomainSchema,
  customDomains: z.looseObject({ data: z.array(customDomainSchema) }),
  webhookEndpoint: webhookEndpointSchema,
  webhookEndpoints: z.looseObject({ data: z.array(webhookEndpointSchema), hasMore: z.boolean() }),
} as const
