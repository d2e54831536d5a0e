import { expect, test } from "vitest"
import { createAwsClients } from "./aws-clients.ts"
import { parseConfiguration } from "./configuration.ts"

test("signs nothing that is handled in this process", async () => {
  const configuration = parseConfiguration({
    AWS_REGION: "eu-west-1",
    SEALWAY_CONFIG_TABLE: "config",
    SEALWAY_KEYS_TABLE: "keys",
    SEALWAY_AUDIT_TABLE: "audit",
    SEALWAY_EVENTS_TABLE: "events",
    SEALWAY_KMS_KEY_ID: "alias/sealway",
  })
  const handled: string[][] = []
  const { keys } = createAwsClients(configuration, {
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestHandlers: {
      kms: {
        async handle({ headers }: { headers: object }) {
          handled.push(Object.keys(headers))
          throw new Error("It has seen enough.")
        },
      },
    },
  })
  const sent = keys.open("alias/sealway", Uint8Array.of(1), {})
  await expect(sent).rejects.toThrow("It has seen enough.")
  expect(handled).toEqual([expect.arrayContaining(["x-amz-target"])])
  expect(handled.flat()).not.toContain("authorization")
})
