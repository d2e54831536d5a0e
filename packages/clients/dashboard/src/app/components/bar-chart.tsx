import { Text } from "@mantine/core"
import { Fragment } from "react"
import classes from "./bar-chart.module.css"

/** What is counted, in each interval of a chart. */
export interface Series {
  readonly label: string
  readonly values: readonly number[]
}

interface BarChartProps {
  readonly title: string
  /** The begin of each interval, for people. */
  readonly intervals: readonly string[]
  /** At most two, which stand on each other. */
  readonly series: readonly Series[]
}

const WIDTH = 480
const HEIGHT = 120
const GAP = 2

/**
 * Counts by interval, as bars, and as a table for those who do not see them. It is drawn here, because a library of charts
 * would double the script of the first page.
 */
export function BarChart({ title, intervals, series }: BarChartProps) {
  const sums = intervals.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const highest = Math.max(1, ...sums)
  const total = sums.reduce((sum, value) => sum + value, 0)
  const step = WIDTH / Math.max(1, intervals.length)
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {series.map(({ label, values }, place) => (
            <Fragment key={label}>
              {place > 0 && ", "}
              <span className={place === 0 ? classes.firstKey : classes.secondKey} aria-hidden="true" />
              {`${label} ${countOf(values)}`}
            </Fragment>
          ))}
        </Text>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className={classes.bars}
        role="img"
        aria-label={`${title}: ${total} in all`}
      >
        <line x1="0" y1={HEIGHT - 0.5} x2={WIDTH} y2={HEIGHT - 0.5} className={classes.axis} />
        {intervals.map((interval, index) => {
          let base = HEIGHT
          return (
            <g key={interval}>
              <title>{`${interval}: ${series.map(({ label, values }) => `${label} ${values[index] ?? 0}`).join(", ")}`}</title>
              <rect x={index * step} y="0" width={step} height={HEIGHT} className={classes.hit} />
              {series.map(({ label, values }, place) => {
                const height = ((values[index] ?? 0) / highest) * (HEIGHT - 4)
                base -= height
                return (
                  <rect
                    key={label}
                    x={index * step + GAP / 2}
                    y={base}
                    width={step - GAP}
                    height={height}
                    className={place === 0 ? classes.first : classes.second}
                  />
                )
              })}
            </g>
          )
        })}
      </svg>
      <details>
        <summary>As a table</summary>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">From</th>
              {series.map(({ label }) => (
                <th scope="col" key={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {intervals.map((interval, index) => (
              <tr key={interval}>
                <th scope="row">{interval}</th>
                {series.map(({ label, values }) => (
                  <td key={label}>{values[index] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

const countOf = (values: readonly number[]): string =>
  values.reduce((sum, value) => sum + value, 0).toLocaleString()
