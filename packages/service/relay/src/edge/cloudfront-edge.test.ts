import type { CloudFrontClient } from "@aws-sdk/client-cloudfront"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createCloudFrontClient, createCloudFrontEdge } from "./cloudfront-edge.ts"
import type { RelayEdge } from "./relay-edge.ts"
import {
  type CloudFrontServer,
  type StoredTenant,
  startCloudFrontServer,
} from "./testing/cloudfront-server.ts"

const RELAY = "api-example-com.app-1.relay.example.com"
const CUSTOM = "pay.customer.com"
const OURS = {
  distributionId: "DOURS",
  connectionGroupId: "cg_1",
  relayDomain: "relay.example.com",
  tags: { "sealway:stage": "ada" },
}

let cloudFront: CloudFrontServer
let client: CloudFrontClient
let edge: RelayEdge

beforeEach(async () => {
  cloudFront = await startCloudFrontServer()
  client = clientOf(cloudFront)
  edge = createCloudFrontEdge({ ...OURS, client, regionLabel: null })
})
afterEach(async () => {
  client.destroy()
  await cloudFront[Symbol.asyncDispose]()
})

const clientOf = ({ url }: CloudFrontServer) =>
  createCloudFrontClient((service, create) => {
    expect(service).toBe("cloudfront")
    const requestHandler = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true }
    const credentials = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" }
    // A stage in another region: CloudFront requests are always signed for us-east-1.
    return create({
      region: "eu-central-1",
      endpoint: url,
      maxAttempts: 1,
      retryMode: "standard",
      requestHandler,
      credentials,
    })
  })

function onlyTenant(): StoredTenant {
  const [tenant, ...others] = cloudFront.tenants.values()
  if (tenant === undefined || others.length > 0)
    throw new Error(`There are ${cloudFront.tenants.size} tenants`)
  return tenant
}

/** Attaches a domain and advances it until it is served. */
async function activate(domain: string): Promise<StoredTenant> {
  await edge.attach(domain)
  onlyTenant().certificateStatus = "issued"
  await edge.status(domain)
  expect(await edge.status(domain)).toBe("active")
  cloudFront.calls.splice(0)
  return onlyTenant()
}

describe("attaching a domain", () => {
  test("creates a tenant of the distribution, tagged with its owner, and requests a certificate", async () => {
    await edge.attach(CUSTOM)
    expect(onlyTenant()).toMatchObject({
      distributionId: "DOURS",
      connectionGroupId: "cg_1",
      domains: [CUSTOM],
      isEnabled: true,
      certificateArn: null,
      certificateRequests: 1,
      tags: { "sealway:stage": "ada", "sealway:distribution": "DOURS" },
    })
    expect(onlyTenant().name).toMatch(/^relay-[0-9a-f]{40}$/)
  })

  test("also gives relays' own domains the name with the region's label, but not customers' domains", async () => {
    const labelled = createCloudFrontEdge({ ...OURS, client, regionLabel: "eu" })
    await labelled.attach(RELAY)
    expect(onlyTenant().domains).toEqual([RELAY, "api-example-com.app-1.eu.relay.example.com"])
    await labelled.attach(CUSTOM)
    expect([...cloudFront.tenants.values()].map(({ domains }) => domains.length)).toEqual([2, 1])
  })

  test("twice, even concurrently, creates one tenant and requests one certificate", async () => {
    await Promise.all([edge.attach(CUSTOM), edge.attach(CUSTOM)])
    await edge.attach(CUSTOM)
    expect(onlyTenant().certificateRequests).toBe(1)
  })

  test.each(["failed", "validation-timed-out"])(
    "requests another certificate when the first ended as %s",
    async (status) => {
      await edge.attach(CUSTOM)
      onlyTenant().certificateStatus = status
      await edge.attach(CUSTOM)
      expect(onlyTenant()).toMatchObject({
        certificateRequests: 2,
        certificateStatus: "pending-validation",
        domains: [CUSTOM],
      })
    },
  )

  test("re-enables a disabled tenant with its existing certificate", async () => {
    const { certificateArn } = await activate(CUSTOM)
    cloudFront.failNext("DELETE /distribution-tenant", "ResourceNotDisabled", 409)
    await edge.detach(CUSTOM)
    expect(await edge.status(CUSTOM)).toBe("pending")
    await edge.attach(CUSTOM)
    expect(onlyTenant()).toMatchObject({ isEnabled: true, certificateArn, certificateRequests: 1 })
    expect(await edge.status(CUSTOM)).toBe("active")
  })

  test("refuses with conflict when the domain belongs to another distribution", async () => {
    await createCloudFrontEdge({ ...OURS, client, distributionId: "DOTHER", regionLabel: null }).attach(
      CUSTOM,
    )
    await expect(edge.attach(CUSTOM)).rejects.toMatchObject({ code: "conflict" })
    cloudFront.tenants.clear()
    cloudFront.failNext("POST /distribution-tenant", "CNAMEAlreadyExists", 409)
    await expect(edge.attach(CUSTOM)).rejects.toMatchObject({ code: "conflict" })
  })

  test("fails with CloudFront's error when it cannot be done", async () => {
    cloudFront.failNext("POST /distribution-tenant", "EntityLimitExceeded", 400)
    await expect(edge.attach(CUSTOM)).rejects.toMatchObject({ name: "EntityLimitExceeded" })
  })
})

describe("the status of a domain", () => {
  test("is pending until its certificate is issued and in use, which asking advances", async () => {
    expect(await edge.status(CUSTOM)).toBe("pending")
    await edge.attach(CUSTOM)
    expect(await edge.status(CUSTOM)).toBe("pending")
    onlyTenant().certificateStatus = "issued"
    expect(await edge.status(CUSTOM)).toBe("pending")
    expect(onlyTenant().certificateArn).toBe(
      `arn:aws:acm:us-east-1:111122223333:certificate/${onlyTenant().id}`,
    )
    expect(await edge.status(CUSTOM)).toBe("active")
  })

  test.each(["failed", "validation-timed-out", "revoked", "expired", "inactive"])(
    "is failed when its certificate is %s",
    async (status) => {
      await edge.attach(CUSTOM)
      onlyTenant().certificateStatus = status
      expect(await edge.status(CUSTOM)).toBe("failed")
    },
  )

  test("is failed when the domain belongs to another distribution, which is not touched", async () => {
    await createCloudFrontEdge({ ...OURS, client, distributionId: "DOTHER", regionLabel: null }).attach(
      CUSTOM,
    )
    onlyTenant().certificateStatus = "issued"
    expect(await edge.status(CUSTOM)).toBe("failed")
    expect(onlyTenant().certificateArn).toBeNull()
  })

  test("stays pending when somebody else changes the tenant at that moment", async () => {
    await edge.attach(CUSTOM)
    onlyTenant().certificateStatus = "issued"
    cloudFront.failNext("PUT /distribution-tenant", "PreconditionFailed", 412)
    expect(await edge.status(CUSTOM)).toBe("pending")
    expect(await edge.status(CUSTOM)).toBe("pending")
    expect(await edge.status(CUSTOM)).toBe("active")
  })

  test("takes one call for an active domain", async () => {
    await activate(CUSTOM)
    await edge.status(CUSTOM)
    expect(cloudFront.calls).toEqual(["GET /distribution-tenant"])
  })
})

describe("detaching a domain", () => {
  test("disables its tenant, then deletes it", async () => {
    await activate(CUSTOM)
    await edge.detach(CUSTOM)
    expect(cloudFront.calls).toEqual([
      "GET /distribution-tenant",
      "PUT /distribution-tenant",
      "DELETE /distribution-tenant",
    ])
    expect(cloudFront.tenants.size).toBe(0)
  })

  test("does nothing for a domain that was never attached, or is already detached", async () => {
    await edge.detach(CUSTOM)
    await activate(CUSTOM)
    await edge.detach(CUSTOM)
    await edge.detach(CUSTOM)
    expect(cloudFront.tenants.size).toBe(0)
  })

  test("leaves the tenant disabled while CloudFront refuses its deletion, and deletes it when called again", async () => {
    await activate(CUSTOM)
    cloudFront.failNext("DELETE /distribution-tenant", "ResourceNotDisabled", 409)
    await edge.detach(CUSTOM)
    expect(onlyTenant().isEnabled).toBe(false)
    await edge.detach(CUSTOM)
    expect(cloudFront.tenants.size).toBe(0)
  })

  test("does not touch another distribution's tenant", async () => {
    await createCloudFrontEdge({ ...OURS, client, distributionId: "DOTHER", regionLabel: null }).attach(
      CUSTOM,
    )
    await edge.detach(CUSTOM)
    expect(onlyTenant().isEnabled).toBe(true)
  })
})
