/**
 * Writes a whole number from 0 on with commas between thousands: `1,000,000`. As `toLocaleString("en")` does, which loads
 * the data of all languages when a process calls it first: 10 ms, a third of a cold start.
 */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")
}
