import { ForbiddenError } from "@sealway/kernel"
import type { App, Draws } from "@sealway/platform"
import { luhnDigit } from "./networks/sandbox/outcome-of.ts"

/** @throws ForbiddenError for a production app, whose networks are never simulated */
export function requireSandbox({ environment }: Pick<App, "environment">): void {
  if (environment === "sandbox") return
  throw new ForbiddenError("Updates are simulated for sandbox apps only.")
}

const LENGTH = 16

/** A made-up number that begins like another one. No two are alike, but by a rare chance. */
export function newNumberLike({ bin }: { readonly bin: string }, draws: Pick<Draws, "randomBytes">): string {
  const length = bin.startsWith("3") && !bin.startsWith("35") ? LENGTH - 1 : LENGTH
  const beginning = bin.slice(0, 6)
  const drawn = [...draws.randomBytes(LENGTH)].map((byte) => String(byte % 10)).join("")
  const body = (beginning + drawn).slice(0, length - 1)
  return body + luhnDigit(body)
}

const YEARS = 3

/** The same month, three years later than an expiry, or than now where that has passed. */
export function laterExpiry(
  { month, year }: { readonly month: string; readonly year: string },
  nowMs: number,
): { readonly month: string; readonly year: string } {
  const now = new Date(nowMs).getUTCFullYear() % 100
  return { month, year: String((Math.max(Number(year), now) + YEARS) % 100).padStart(2, "0") }
}
