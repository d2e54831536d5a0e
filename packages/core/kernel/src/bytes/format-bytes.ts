const UNITS = ["bytes", "KiB", "MiB", "GiB"]

/** Writes a number of bytes for people: `10 bytes`, `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`
}
