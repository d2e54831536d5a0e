/** The reading of a wall clock. */
export interface LocalTime {
  /** 0 to 1439. */
  readonly minuteOfDay: number
  /** 1 (Monday) to 7 (Sunday), as ISO 8601 counts. */
  readonly weekday: number
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** Creating a formatter costs far more than using it. The time zone database has fewer names than this. */
const MAX_FORMATTERS = 1_000
const formatters = new Map<string, Intl.DateTimeFormat>()

/** True for a name in the IANA time zone database, such as `Europe/Dublin`. Plain offsets are refused. */
export function isTimeZone(name: string): boolean {
  return formatterOf(name) !== null
}

/** Returns the local time in a zone, daylight saving time included. Null when there is no such zone. */
export function localTime(timeMs: number, timeZone: string): LocalTime | null {
  const formatter = formatterOf(timeZone)
  if (formatter === null) return null
  const parts = new Map(formatter.formatToParts(timeMs).map(({ type, value }) => [type, value]))
  return {
    minuteOfDay: Number(parts.get("hour")) * 60 + Number(parts.get("minute")),
    weekday: WEEKDAYS.indexOf(parts.get("weekday") ?? "") + 1,
  }
}

function formatterOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  if (!ZONE_NAME.test(timeZone)) return null
  const formatter = createFormatter(timeZone)
  if (formatter === null) return null
  if (formatters.size >= MAX_FORMATTERS) formatters.clear()
  formatters.set(timeZone, formatter)
  return formatter
}

function createFormatter(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
