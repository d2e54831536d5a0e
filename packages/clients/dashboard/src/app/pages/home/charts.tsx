import { Text } from "@mantine/core"
import type { Latency, Stats } from "@sealway/sdk/api"
import { BarChart } from "../../components/bar-chart.tsx"
import classes from "./charts.module.css"

const FORMATS = {
  minute: new Intl.DateTimeFormat(undefined, { timeStyle: "short" }),
  hour: new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }),
} as const

/** The figures of an app, by interval. */
export function Charts({ stats }: { readonly stats: Stats }) {
  const { interval, data, total } = stats
  const intervals = data.map(({ at }) => FORMATS[interval].format(at))
  const series = (label: string, of: (each: Stats["data"][number]) => number) => ({
    label,
    values: data.map(of),
  })
  return (
    <>
      <div className={classes.grid}>
        <BarChart
          title="Values"
          intervals={intervals}
          series={[
            series("encrypted", (each) => each.encrypted),
            series("decrypted", (each) => each.decrypted),
          ]}
        />
        <BarChart
          title="Refused requests and errors"
          intervals={intervals}
          series={[series("refused", (each) => each.refusals), series("errors", (each) => each.errors)]}
        />
        <BarChart
          title="Requests"
          intervals={intervals}
          series={[
            series("to the API", (each) => each.requests),
            series("through relays", (each) => each.relayRequests),
          ]}
        />
        <BarChart
          title="Function runs"
          intervals={intervals}
          series={[
            series("succeeded", (each) => each.functionRuns - each.failedRuns),
            series("failed", (each) => each.failedRuns),
          ]}
        />
      </div>
      <Text size="sm" c="dimmed">
        {latencyInWords("API", total.latency.api)} {latencyInWords("Relays", total.latency.relay)}{" "}
        {latencyInWords("Functions", total.latency.function)} Figures appear within 10 seconds.
      </Text>
    </>
  )
}

function latencyInWords(name: string, latency: Latency | null): string {
  if (latency === null) return ""
  return `${name}: half of the answers within ${latency.p50Ms} ms, 99 of 100 within ${latency.p99Ms} ms.`
}
