import { describe, expect, test } from "vitest"
import { parseConfiguration } from "./configuration.ts"

const REQUIRED = {
  AWS_REGION: "eu-west-1",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_KMS_KEY_ID: "alias/sealway",
}

describe("parseConfiguration", () => {
  test("fills in what has a default", () => {
    expect(parseConfiguration({ ...REQUIRED, UNRELATED: "x" })).toEqual({
      region: "eu-west-1",
      hosting: "api-gateway",
      configTable: "config",
      kmsKeyId: "alias/sealway",
      accessLog: "log",
      logLevel: "INFO",
      endpoints: {
        dynamodb: undefined,
        kms: undefined,
        sqs: undefined,
        lambda: undefined,
        s3: undefined,
        logs: undefined,
      },
      functions: null,
      eventsTable: "events",
      runsTable: null,
      queueUrls: new Map(),
      relay: null,
      allowPrivateDestinations: false,
    })
  })

  test("names every variable that is missing or malformed", () => {
    expect(() => parseConfiguration({ AWS_REGION: "eu-west-1", SEALWAY_HOSTING: "moon" })).toThrow(
      /SEALWAY_HOSTING.*SEALWAY_CONFIG_TABLE.*SEALWAY_EVENTS_TABLE.*SEALWAY_KMS_KEY_ID/,
    )
  })
})
