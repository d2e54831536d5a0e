import { useDebouncedValue } from "@mantine/hooks"
import { type RelayTrial, testRelay } from "@sealway/sdk/api"
import { useEffect, useState } from "react"
import { useApp } from "../../../api/app.ts"
import { type Draft, routesOf } from "./draft.ts"
import { type Sample, trialOf } from "./sample.ts"

/** How long typing must pause before the sample is tried. */
const PAUSE_MS = 300

export interface CurrentTrial {
  /** The latest result, which stays while the next one is under way. */
  readonly trial: RelayTrial | null
  /** The draft that it is the result of. */
  readonly draft: Draft
  readonly error: Error | null
}

/**
 * Tries a sample with a draft of routes whenever either has changed. Neither gets into the cache of queries: samples may
 * have real values.
 */
export function useTrial(relayId: string, draft: Draft, sample: Sample): CurrentTrial {
  const { transport } = useApp()
  const [settled] = useDebouncedValue({ draft, sample }, PAUSE_MS)
  const [current, setCurrent] = useState<CurrentTrial>({ trial: null, draft, error: null })
  useEffect(() => {
    const abort = new AbortController()
    const { routes } = routesOf(settled.draft)
    testRelay(
      transport,
      { relayId, body: { routes, ...trialOf(settled.sample) } },
      { signal: abort.signal },
    ).then(
      (trial) => setCurrent({ trial, draft: settled.draft, error: null }),
      (error: unknown) => {
        if (abort.signal.aborted || !(error instanceof Error)) return
        setCurrent((last) => ({ ...last, error }))
      },
    )
    return () => abort.abort()
  }, [transport, relayId, settled])
  return current
}
