import { COUNTRIES, CURRENCIES } from "@sealway/bins"
import * as z from "zod"
import type { MessageVersion } from "./versions.ts"

/** A value that violates a rule with a specific error code carries that code in its issue. */
export const ISO_CODE_IS_UNKNOWN = "304"

// All of these are lazy: there are hundreds, and most requests read no message.

const matching = (pattern: RegExp, description: string) =>
  z.lazy(() => z.string().regex(pattern, description))

/** One to this many characters. */
export const text = (maxCharacters: number) => z.lazy(() => z.string().min(1).max(maxCharacters))

/** Printable ASCII only. */
export const asciiText = (minCharacters: number, maxCharacters: number) =>
  z.lazy(() =>
    z
      .string()
      .regex(/^[\x20-\x7e]*$/, "Printable ASCII")
      .min(minCharacters)
      .max(maxCharacters),
  )

export const digits = (min: number, max: number = min) =>
  matching(new RegExp(`^[0-9]{${min},${max}}$`), min === max ? `${min} digits` : `${min} to ${max} digits`)

/** RFC 4122, 36 characters. */
export const uuid = matching(
  /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  "A UUID of 36 characters",
)

/** An absolute URL. http only when a service runs on one machine. */
export const url = (maxCharacters: number) =>
  z.lazy(() =>
    z
      .string()
      .min(1)
      .max(maxCharacters)
      .refine((value) => {
        if (value.length > maxCharacters || !/^https?:\/\/[^\s/?#]/i.test(value)) return false
        return URL.canParse(value)
      }, "An absolute URL"),
  )

/** A two-digit code. Each directory server defines those from 80 on. */
export const code = (...known: readonly string[]) =>
  z.lazy(() =>
    z
      .string()
      .refine((value) => known.includes(value) || /^[89][0-9]$/.test(value), "A code that is defined")
      .meta({ description: `${known.join(", ")}; 80 to 99 by the directory server`, pattern: "^[0-9]{2}$" }),
  )

/** Two-digit codes from 01 to a last one. */
export const codesTo = (last: number) =>
  code(...Array.from({ length: last }, (_, index) => String(index + 1).padStart(2, "0")))

export const yesNo = z.enum(["Y", "N"])

const isoCode = (codes: ReadonlyMap<string, string>, name: string) => {
  const numbers = new Set(codes.values())
  return z.lazy(() =>
    z
      .string()
      .regex(/^[0-9]{3}$/, "Three digits")
      .refine((value) => !/^[0-9]{3}$/.test(value) || numbers.has(value), ISO_CODE_IS_UNKNOWN)
      .meta({ description: `The numeric code of ${name}`, pattern: "^[0-9]{3}$" }),
  )
}

/** ISO 3166-1 numeric. */
export const country = isoCode(COUNTRIES, "ISO 3166-1")
/** ISO 4217 numeric. */
export const currency = isoCode(CURRENCIES, "ISO 4217")

/** Digits that must be a valid date or time. */
const time = (shape: "YYMM" | "YYYYMMDD" | "YYYYMMDDHHMM" | "YYYYMMDDHHMMSS") =>
  z.lazy(() =>
    z
      .string()
      .refine((value) => value.length === shape.length && isTime(value), shape)
      .meta({ description: shape, pattern: `^[0-9]{${shape.length}}$` }),
  )

/** YYMM */
export const month = time("YYMM")
/** YYYYMMDD */
export const date = time("YYYYMMDD")
/** YYYYMMDDHHMM, UTC */
export const minute = time("YYYYMMDDHHMM")
/** YYYYMMDDHHMMSS, UTC */
export const second = time("YYYYMMDDHHMMSS")

function isTime(value: string): boolean {
  if (!/^[0-9]+$/.test(value)) return false
  const full = value.length === 4 ? `20${value}01` : value
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})?(\d{2})?(\d{2})?$/.exec(full)
  if (parts === null) return false
  const [year, monthOfYear, day, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? "0"))
  const at = new Date(Date.UTC(year ?? 0, (monthOfYear ?? 0) - 1, day, hours, minutes, seconds))
  // A month, a day or an hour that does not exist would be carried over.
  const shown = at.toISOString().replace(/\D/g, "").slice(0, full.length)
  return shown === full
}

/** Base64 with its padding. */
export const base64 = (minCharacters: number, maxCharacters: number) =>
  z.lazy(() =>
    z
      .string()
      .min(minCharacters)
      .max(maxCharacters)
      .refine(
        (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value.slice(0, maxCharacters + 1)),
        "Base64",
      ),
  )

export const phone = z.object({ cc: digits(1, 3), subscriber: digits(1, 15) })

/** Elements that Sealway passes on without inspecting them. */
export const bag = (maxCharacters: number) =>
  z.lazy(() =>
    z
      .record(z.string().max(64), z.json())
      .refine(
        (value) => JSON.stringify(value).length <= maxCharacters,
        `${maxCharacters} characters at most`,
      ),
  )

const MAX_EXTENSION_CHARACTERS = 8_059
const MAX_EXTENSIONS_CHARACTERS = 81_920

/** At most ten extensions, and fifteen in 2.3.1. */
export const messageExtension = (version: MessageVersion) =>
  z.lazy(() =>
    z
      .array(
        z.object({
          id: text(64),
          name: text(64),
          criticalityIndicator: z.boolean(),
          data: bag(MAX_EXTENSION_CHARACTERS),
        }),
      )
      .min(1)
      .max(version === "2.2.0" ? 10 : 15)
      .refine(
        (value) => JSON.stringify(value).length <= MAX_EXTENSIONS_CHARACTERS,
        `${MAX_EXTENSIONS_CHARACTERS} characters at most`,
      ),
  )
