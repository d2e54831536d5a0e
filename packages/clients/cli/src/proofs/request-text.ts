import type { DescribedRequest } from "@sealway/proofs"

/** Formats a request in the options of `policies explain`, so that it can be tried: `--source api --ip 10.0.0.1`. */
export function requestText({ context, app }: DescribedRequest): string {
  const { source, ip, time, apiKey, relayDestination, enclavePcrs = {} } = context
  const options: readonly (readonly [string, string | undefined])[] = [
    ["source", source],
    ["ip", ip],
    ["time", time],
    ["api-key", apiKey],
    ["function", context.function],
    ["relay-destination", relayDestination],
    ...Object.entries(enclavePcrs),
  ]
  const text = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${quoted(value)}`]))
  const reason = context.hasReason === true ? ["--has-reason"] : []
  return [...text, ...reason, ...(app === undefined ? [] : [`(app ${app})`])].join(" ")
}

/** Quoted for a shell where that is needed. */
function quoted(value: string): string {
  return /^[\w.:+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
