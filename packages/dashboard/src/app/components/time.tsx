import { Tooltip } from "@mantine/core"

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** A point in time in the reader's zone; UTC when it is hovered or focused. @param at epoch milliseconds */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at)
  return (
    <Tooltip label={utcOf(at)} withinPortal={false} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards reach the tooltip too */}
      <time dateTime={date.toISOString()} tabIndex={0}>
        {LOCAL.format(date)}
      </time>
    </Tooltip>
  )
}

function utcOf(at: number): string {
  return `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} UTC`
}
