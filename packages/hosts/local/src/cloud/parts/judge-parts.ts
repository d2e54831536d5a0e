import type { Manifest } from "./manifest.ts"

/** A part of a data folder: null when it is missing. */
export type Part = { readonly folderId: string | null } | null

/** The parts found in a data folder. */
export interface FoundParts {
  readonly manifest: Pick<Manifest, "id" | "state"> | null
  /** `kms/keys.json`. */
  readonly keys: Part
  /** `kms/master-key`. */
  readonly hasMasterKey: boolean
  /** `dynamodb/tables.db`, or the tables of an earlier version. */
  readonly tables: Part
  /** `credentials.json`, which is written last. */
  readonly hasCredentials: boolean
}

/** Why a data folder is refused. */
export type Fault =
  | { readonly kind: "missing"; readonly path: string }
  /** The part carries no id, or that of another data folder. */
  | { readonly kind: "foreign"; readonly path: string }

/** What a start does with a data folder. */
export type Judgement =
  | { readonly kind: "create"; readonly id: string | null }
  /** All parts exist. Those without an id get this one, or a new one for null. */
  | { readonly kind: "adopt"; readonly id: string | null }
  | { readonly kind: "open" }
  | { readonly kind: "refuse"; readonly faults: readonly Fault[] }

export const PATHS = {
  keys: "kms/keys.json",
  masterKey: "kms/master-key",
  tables: "dynamodb/tables.db",
} as const

/**
 * Decides whether the parts of a data folder belong together. A part is only created if it never existed: a new key in
 * place of a lost one would look like a working service that can no longer decrypt anything.
 */
export function judgeParts(found: FoundParts): Judgement {
  const { manifest, keys, tables, hasCredentials } = found
  if (manifest === null) {
    if (keys === null && tables === null && !hasCredentials) return { kind: "create", id: null }
    return missingOr(found, () => {
      if (keys?.folderId !== tables?.folderId) return refuseForeign(["keys", "tables"])
      return { kind: "adopt", id: keys?.folderId ?? null }
    })
  }
  const { id, state } = manifest
  const isForeign = (part: Part) =>
    part !== null && part.folderId !== id && (state === "complete" || part.folderId !== null)
  const foreign = (["keys", "tables"] as const).filter((name) => isForeign(found[name]))
  if (state === "creating" && !hasCredentials) {
    return foreign.length > 0 ? refuseForeign(foreign) : { kind: "create", id }
  }
  return missingOr(found, () => {
    if (foreign.length > 0) return refuseForeign(foreign)
    return state === "complete" ? { kind: "open" } : { kind: "adopt", id }
  })
}

function missingOr({ keys, hasMasterKey, tables }: FoundParts, otherwise: () => Judgement): Judgement {
  const missing = [
    ...(keys === null ? [PATHS.keys] : []),
    ...(hasMasterKey ? [] : [PATHS.masterKey]),
    ...(tables === null ? [PATHS.tables] : []),
  ]
  if (missing.length === 0) return otherwise()
  return { kind: "refuse", faults: missing.map((path) => ({ kind: "missing", path })) }
}

function refuseForeign(parts: readonly ("keys" | "tables")[]): Judgement {
  return { kind: "refuse", faults: parts.map((part) => ({ kind: "foreign", path: PATHS[part] })) }
}
