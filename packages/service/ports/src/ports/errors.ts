/** A port cannot be used now: what is behind it is busy, full or unreachable. A retry may help. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError"
}
