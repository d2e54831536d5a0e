const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/**
 * Creates a formatter for `requestContext.time`: `12/Mar/2020:19:03:58 +0000`. It caches the text of one second, which
 * saves nearly all of the formatting under load.
 */
export function createRequestTimeFormat(): (epochMs: number) => string {
  let second = Number.NaN
  let text = ""
  return (epochMs) => {
    const asked = Math.floor(epochMs / 1000)
    if (asked !== second) {
      second = asked
      text = formatRequestTime(new Date(asked * 1000))
    }
    return text
  }
}

function formatRequestTime(time: Date): string {
  const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(
    twoDigits,
  )
  const day = `${twoDigits(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`
  return `${day}:${hours}:${minutes}:${seconds} +0000`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0")
}
