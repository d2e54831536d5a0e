import { describe, expect, test } from "vitest"
import { parseConfiguration } from "./configuration.ts"

const REQUIRED = {
  AWS_REGION: "eu-west-1",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_KEYS_TABLE: "keys",
  SEALWAY_AUDIT_TABLE: "audit",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_KMS_KEY_ID: "alias/sealway",
}

describe("the configuration", () => {
  test("fills in defaults", () => {
    expect(parseConfiguration({ ...REQUIRED, UNRELATED: "x" })).toEqual({
      region: "eu-west-1",
      hosting: "api-gateway",
      apiOrigin: null,
      dashboardApiUrl: null,
      dashboardOriginHash: null,
      signIn: { links: false, provider: null, hasDashboard: false },
      configTable: "config",
      kmsKeyId: "alias/sealway",
      keyTags: {},
      accessLog: "log",
      accessLogDays: null,
      isFrozenBetweenRequests: false,
      lockHolder: null,
      logLevel: "INFO",
      metricsStage: null,
      endpoints: {
        dynamodb: undefined,
        kms: undefined,
        sqs: undefined,
        lambda: undefined,
        s3: undefined,
        logs: undefined,
        cloudfront: undefined,
      },
      functions: null,
      keysTable: "keys",
      auditTable: "audit",
      auditWriter: null,
      eventsTable: "events",
      runsTable: null,
      paymentsTable: null,
      queueUrls: new Map(),
      relay: null,
      files: null,
      enclaveRoot: null,
      allowPrivateDestinations: false,
    })
  })

  test("finds services at the endpoint for all, except those that have their own", () => {
    const [all, own] = ["http://127.0.0.1:4566", "http://127.0.0.1:8000"]
    const { endpoints } = parseConfiguration({
      ...REQUIRED,
      AWS_ENDPOINT_URL: all,
      AWS_ENDPOINT_URL_DYNAMODB: own,
    })
    const others = { kms: all, sqs: all, lambda: all, s3: all, logs: all, cloudfront: all }
    expect(endpoints).toEqual({ dynamodb: own, ...others })
  })

  test("tags resources made at run time only in a stage", () => {
    const hosting = {
      SEALWAY_FUNCTION_PREFIX: "sealway-ada-fn-",
      SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::1:role/r",
      SEALWAY_FUNCTION_CODE_BUCKET: "code",
      SEALWAY_RELAY_DOMAIN: "relay.example.com",
      SEALWAY_RELAY_DISTRIBUTION_ID: "D1",
      SEALWAY_RELAY_CONNECTION_GROUP_ID: "cg_1",
    }
    const tags = { "sealway:stage": "ada", "sealway:made-by": "service" }
    const ofStage = parseConfiguration({ ...REQUIRED, ...hosting, SEALWAY_STAGE: "ada" })
    expect([ofStage.functions?.lambda?.tags, ofStage.relay?.edge?.tags]).toEqual([tags, tags])
    const ofNone = parseConfiguration({ ...REQUIRED, ...hosting })
    expect([ofNone.functions?.lambda?.tags, ofNone.relay?.edge?.tags]).toEqual([{}, {}])
  })

  test("reads where the API is reached, which must be an origin", () => {
    const originOf = (text: string) => parseConfiguration({ ...REQUIRED, SEALWAY_API_ORIGIN: text }).apiOrigin
    expect(originOf("https://api.example.com")).toBe("https://api.example.com")
    expect(originOf("http://127.0.0.1:7400")).toBe("http://127.0.0.1:7400")
    for (const text of [
      "",
      "api.example.com",
      "https://api.example.com/",
      "https://a@b.test",
      "javascript:x",
    ]) {
      expect(() => originOf(text), text).toThrow("SEALWAY_API_ORIGIN")
    }
  })

  test("names every variable that is missing or malformed", () => {
    expect(() => parseConfiguration({ AWS_REGION: "eu-west-1", SEALWAY_HOSTING: "moon" })).toThrow(
      /SEALWAY_HOSTING.*SEALWAY_CONFIG_TABLE.*SEALWAY_KEYS_TABLE.*SEALWAY_AUDIT_TABLE.*SEALWAY_EVENTS_TABLE.*SEALWAY_KMS_KEY_ID/,
    )
  })
})
