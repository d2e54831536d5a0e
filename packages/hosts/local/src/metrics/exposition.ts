/** A line of a metric: its labels, and its value. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** What follows the metric's name: `_bucket`, `_sum`, `_count`. Default: nothing. */
  readonly suffix?: string
}

/** A metric of Prometheus. The name of a counter ends with `_total`. */
export interface Metric {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The media type of the text format. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Writes metrics in Prometheus' text format, version 0.0.4. A metric without samples is left out. Names of metrics and
 * labels are the caller's constants.
 */
export function writeExposition(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ labels = {}, suffix = "", value }) =>
          `${name}${suffix}${writeLabels(labels)} ${writeValue(value)}`,
      ),
    ])
  return `${lines.join("\n")}\n`
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

function writeValue(value: number): string {
  if (Number.isNaN(value)) return "NaN"
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? "+Inf" : "-Inf"
}
