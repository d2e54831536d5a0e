import { LambdaClient } from "@aws-sdk/client-lambda"
import { afterEach, describe, expect, test } from "vitest"
import { createQuotaClient, requireReservable } from "../../infra/lambda-quota.ts"
import { resolveStage } from "../../stacks/config.ts"
import { type LambdaAccount, startLambdaAccount } from "./lambda-account.ts"

const STAGE = {
  stage: "production",
  region: "eu-west-1",
  reservedConcurrencyOf: { encrypt: 250, decrypt: 250 },
}

const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

/** Creates a client of an account's Lambda. */
async function lambdaOf(account: LambdaAccount) {
  const { endpoint, asked, close } = await startLambdaAccount(account)
  closes.push(close)
  const credentials = { accessKeyId: "a", secretAccessKey: "b" }
  const lambda = new LambdaClient({ region: "eu-west-1", endpoint, credentials, maxAttempts: 1 })
  return { lambda, asked }
}

describe("a stage that reserves concurrent executions", () => {
  test("is deployed when 100 remain for all other functions", async () => {
    const { lambda, asked } = await lambdaOf({ quota: 1_000, unreserved: 600 })
    await requireReservable(STAGE, lambda)
    expect(asked).toHaveLength(1)
  })

  test("is refused when one less than 100 would remain, with what is missing and what to do", async () => {
    const { lambda } = await lambdaOf({ quota: 1_000, unreserved: 599 })
    await expect(requireReservable(STAGE, lambda)).rejects.toThrow(
      'The stage production reserves 500 concurrent executions of Lambda in eu-west-1 (encrypt 250, decrypt 250), and AWS requires 100 unreserved for all other functions. The account\'s quota is 1000, of which 599 are available: 1 are missing. Ask AWS for 1001 or more in Service Quotas (AWS Lambda, "Concurrent executions"), or lower reservedConcurrencyOf of the stage in stacks/config.ts.',
    )
  })

  test("is deployed again, though what it reserved before is not free", async () => {
    const functions = {
      "sealway-production-encrypt": 250,
      "sealway-production-decrypt": 200,
      "sealway-other-encrypt": 50,
      another: 100,
    }
    await requireReservable(STAGE, (await lambdaOf({ quota: 1_000, unreserved: 150, functions })).lambda)
    const { lambda } = await lambdaOf({ quota: 1_000, unreserved: 149, functions })
    await expect(requireReservable(STAGE, lambda)).rejects.toThrow("1 are missing")
  })

  test("is refused in a new account, whose quota is small", async () => {
    const { lambda } = await lambdaOf({ quota: 10, unreserved: 10 })
    await expect(requireReservable(STAGE, lambda)).rejects.toThrow("Ask AWS for 600 or more")
  })
})

test("calls no AWS for a stage that reserves nothing", async () => {
  const { lambda, asked } = await lambdaOf({ quota: 10, unreserved: 10 })
  await requireReservable({ ...STAGE, reservedConcurrencyOf: {} }, lambda)
  expect(asked).toEqual([])
})

test("reserves executions of production for encrypt and decrypt, and leaves enough of a usual account's for everything else", async () => {
  const { reservedConcurrencyOf, functionRunsPerStage, throttling } = resolveStage("production")
  const { encrypt = 0, decrypt = 0 } = reservedConcurrencyOf
  // Lambda serves ten requests a second for each execution.
  expect(10 * (encrypt + decrypt)).toBeGreaterThanOrEqual(throttling.requestsPerSecond)
  expect(1_000 - encrypt - decrypt - 2 * functionRunsPerStage).toBeGreaterThanOrEqual(100)
})

test("checks the account with the credentials that SST deploys with", async () => {
  const variables = {
    SST_AWS_ACCESS_KEY_ID: "id",
    SST_AWS_SECRET_ACCESS_KEY: "secret",
    SST_AWS_SESSION_TOKEN: "token",
  }
  const client = createQuotaClient("eu-west-1", variables)
  expect(await client.config.region()).toBe("eu-west-1")
  expect(await client.config.credentials()).toMatchObject({
    accessKeyId: "id",
    secretAccessKey: "secret",
    sessionToken: "token",
  })
})
