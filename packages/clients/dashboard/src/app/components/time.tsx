import classes from "./time.module.css"

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/**
 * A point in time in the reader's zone; UTC when it is hovered or focused. Lists have one in each row, so it is shown by
 * style alone.
 *
 * @param at epoch milliseconds
 */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards reach the tooltip too
    <time dateTime={date.toISOString()} tabIndex={0} className={classes.time}>
      {LOCAL.format(date)}
      <span role="tooltip" className={classes.utc}>
        {utcOf(at)}
      </span>
    </time>
  )
}

function utcOf(at: number): string {
  return `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} UTC`
}
