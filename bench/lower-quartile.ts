/**
 * Returns what a quarter of some measurements are below; NaN for none. For CPU time: other programs share the caches of the
 * processor, which makes some turns slower and none faster.
 */
export function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN
}
