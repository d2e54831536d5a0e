import { Text } from "@mantine/core"
import type { RelayActivity } from "@sealway/sdk/api"
import classes from "./time-split.module.css"

/** Where the time of a request went: at the destination, in encrypting and decrypting, and elsewhere on the way. */
export function TimeSplit({ timing }: Pick<RelayActivity, "timing">) {
  const parts = partsOf(timing)
  return (
    <div className={classes.split}>
      <Text size="sm">{milliseconds(timing.totalMs)}</Text>
      <svg className={classes.bar} viewBox="0 0 100 6" preserveAspectRatio="none" role="img">
        <title>{parts.map(({ name, ms }) => `${name} ${milliseconds(ms)}`).join(", ")}</title>
        {parts.map(({ name, className, startShare, share }) => (
          <rect key={name} className={className} x={startShare * 100} y={0} width={share * 100} height={6} />
        ))}
      </svg>
    </div>
  )
}

/** The same, in words. */
export function TimeInWords({ timing }: Pick<RelayActivity, "timing">) {
  return (
    <Text size="sm">
      {milliseconds(timing.totalMs)} in total:{" "}
      {partsOf(timing)
        .map(({ name, ms }) => `${milliseconds(ms)} ${name}`)
        .join(", ")}
    </Text>
  )
}

function partsOf({ totalMs, destinationMs, engineMs }: RelayActivity["timing"]) {
  const elsewhereMs = Math.max(0, totalMs - destinationMs - engineMs)
  const parts = [
    { name: "at the destination", ms: destinationMs, className: classes.destination },
    { name: "reading, encrypting and decrypting", ms: engineMs, className: classes.engine },
    { name: "on the way", ms: elsewhereMs, className: classes.elsewhere },
  ]
  const sumMs = Math.max(1e-9, destinationMs + engineMs + elsewhereMs)
  let startMs = 0
  return parts.map((part) => {
    const startShare = startMs / sumMs
    startMs += part.ms
    return { ...part, startShare, share: part.ms / sumMs }
  })
}

function milliseconds(ms: number): string {
  return `${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms`
}
