import { RELAY_LIMITS } from "@sealway/relay-proxy/lambda"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { relayedStage } from "../synthesize-stage.ts"

const metricsSchema = z.object({ Metrics: z.array(z.record(z.string(), z.unknown())) })

function alarm(id: string) {
  const found = relayedStage().resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found.properties
}

describe("an alarm of requests through CloudFront", () => {
  test("goes off when a quarter is answered with a 5xx, where CloudFront's metrics are", () => {
    expect(alarm("relay/ServerErrors")).toMatchObject({
      Namespace: "AWS/CloudFront",
      MetricName: "5xxErrorRate",
      Dimensions: [
        { Name: "DistributionId", Value: "relay/Distribution" },
        { Name: "Region", Value: "Global" },
      ],
      Threshold: 25,
    })
  })

  test("goes off when the function takes longer than an exchange may, and before Lambda ends it", () => {
    const { Threshold, MetricName } = alarm("relay/Hanging")
    expect(MetricName).toBe("Duration")
    expect(Threshold).toBeGreaterThan(RELAY_LIMITS.exchangeTimeoutMs)
    expect(Threshold).toBeLessThan(130_000)
  })
})

describe("an alarm of the containers", () => {
  test("goes off while fewer run than the stage's minimum, also when none does", () => {
    expect(alarm("egress/Missing")).toMatchObject({
      Threshold: 1,
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
    })
    const { Metrics } = metricsSchema.parse(alarm("egress/Missing"))
    expect(Metrics.map(({ Expression }) => Expression)).toContain("2 - FILL(running, 0)")
    expect(JSON.stringify(Metrics)).toContain('"RunningTaskCount"')
  })

  test("goes off when one does not answer the load balancer", () => {
    expect(alarm("egress/Unhealthy")).toMatchObject({ MetricName: "UnHealthyHostCount", Threshold: 1 })
  })
})
