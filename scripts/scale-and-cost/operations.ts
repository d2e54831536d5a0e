import type { CountedCloud, CountedEnvironment, CountedRequest } from "./counted-service.ts"

/** An operation of a caller, and how often the model has it. */
export interface Operation {
  readonly name: string
  /** The function that answers. */
  readonly endpointId: string
  /** Makes sure, from another environment, that the request can succeed. */
  prepare(environment: CountedEnvironment, cloud: CountedCloud): Promise<CountedRequest>
}

/** A document of ten values, as in a form or a customer record. */
const DOCUMENT = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`field${index}`, `value ${index}`]),
)
const LARGE_BUDGET = { values: 100_000_000, per: "hour" }

export const OPERATIONS: readonly Operation[] = [
  {
    name: "encrypt",
    endpointId: "encrypt",
    prepare: async () => ({ endpointId: "encrypt", body: DOCUMENT, status: 200 }),
  },
  {
    name: "encrypt, with a role",
    endpointId: "encrypt",
    async prepare(environment) {
      const role = await createRole(environment, "encrypted")
      return { endpointId: "encrypt", headers: roleHeader(role), body: DOCUMENT, status: 200 }
    },
  },
  {
    name: "decrypt",
    endpointId: "decrypt",
    async prepare(environment) {
      return { endpointId: "decrypt", body: await sealed(environment), status: 200 }
    },
  },
  {
    name: "decrypt, a role with a policy",
    endpointId: "decrypt",
    async prepare(environment) {
      const body = await sealedWithPolicy(environment, "decided", { conditions: { sources: ["api"] } })
      return { endpointId: "decrypt", body, status: 200 }
    },
  },
  {
    name: "decrypt, a policy with a budget",
    endpointId: "decrypt",
    async prepare(environment) {
      const body = await sealedWithPolicy(environment, "counted", { conditions: { budget: LARGE_BUDGET } })
      return { endpointId: "decrypt", body, status: 200 }
    },
  },
  {
    name: "decrypt, refused by a policy",
    endpointId: "decrypt",
    async prepare(environment) {
      const body = await sealedWithPolicy(environment, "refused", { conditions: { sources: ["relay"] } })
      return { endpointId: "decrypt", body, status: 403 }
    },
  },
  {
    name: "fingerprint",
    endpointId: "fingerprint",
    async prepare(environment) {
      const token = await environment.send({ endpointId: "encrypt", body: "x", status: 200 })
      return { endpointId: "fingerprint", body: { token }, status: 200 }
    },
  },
  {
    name: "get-keys",
    endpointId: "get-keys",
    prepare: async () => ({ endpointId: "get-keys", status: 200 }),
  },
  {
    name: "create-client-side-token",
    endpointId: "create-client-side-token",
    prepare: async () => ({
      endpointId: "create-client-side-token",
      body: { action: "api:decrypt", payload: DOCUMENT },
      status: 201,
    }),
  },
  {
    name: "create-api-key",
    endpointId: "create-api-key",
    prepare: async (_environment, { appId }) => ({
      endpointId: "create-api-key",
      auth: "team",
      path: { app_id: appId },
      body: { name: "Another", scopes: ["api:decrypt"] },
      status: 201,
    }),
  },
]

const roleHeader = (slug: string) => ({ "x-service-data-role": slug })

async function createRole(environment: CountedEnvironment, slug: string): Promise<string> {
  await environment.send({ endpointId: "create-data-role", body: { slug, name: slug }, status: 201 })
  return slug
}

function sealed(environment: CountedEnvironment, headers = {}): Promise<unknown> {
  return environment.send({ endpointId: "encrypt", headers, body: DOCUMENT, status: 200 })
}

async function sealedWithPolicy(
  environment: CountedEnvironment,
  slug: string,
  policy: object,
): Promise<unknown> {
  await createRole(environment, slug)
  const body = { name: slug, effect: "permit", roles: [slug], ...policy }
  await environment.send({ endpointId: "create-data-policy", body, status: 201 })
  return sealed(environment, roleHeader(slug))
}
