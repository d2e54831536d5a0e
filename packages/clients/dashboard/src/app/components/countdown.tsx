import { useInterval } from "@mantine/hooks"
import { useState } from "react"
import { now } from "../clock.ts"
import { durationInWords } from "./duration-in-words.ts"

/** How long it is until a point in time, counting down. @param until epoch milliseconds */
export function Countdown({ until }: { readonly until: number }) {
  const [nowMs, setNow] = useState(now)
  useInterval(() => setNow(now()), 1_000, { autoInvoke: true })
  // Read by the second, it would interrupt a screen reader without end.
  return <span aria-live="off">{durationInWords(Math.max(0, until - nowMs))}</span>
}
