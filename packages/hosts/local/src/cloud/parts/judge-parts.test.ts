import { describe, expect, test } from "vitest"
import { type FoundParts, judgeParts } from "./judge-parts.ts"

const [OWN, OTHER] = ["own", "other"]
const WHOLE: FoundParts = {
  manifest: { id: OWN, state: "complete" },
  keys: { folderId: OWN },
  hasMasterKey: true,
  tables: { folderId: OWN },
  hasCredentials: true,
}
const EMPTY: FoundParts = {
  manifest: null,
  keys: null,
  hasMasterKey: false,
  tables: null,
  hasCredentials: false,
}
const UNMARKED: FoundParts = {
  ...WHOLE,
  manifest: null,
  keys: { folderId: null },
  tables: { folderId: null },
}

const MANIFESTS: readonly FoundParts["manifest"][] = [
  null,
  ...(["creating", "adopting", "complete"] as const).map((state) => ({ id: OWN, state })),
]
const PARTS = [null, { folderId: null }, { folderId: OWN }, { folderId: OTHER }]
const EVERY: readonly FoundParts[] = MANIFESTS.flatMap((manifest) =>
  PARTS.flatMap((keys) =>
    PARTS.flatMap((tables) =>
      [true, false].flatMap((hasMasterKey) =>
        [true, false].map((hasCredentials) => ({ manifest, keys, tables, hasMasterKey, hasCredentials })),
      ),
    ),
  ),
)

test("opens a folder whose parts are all its own", () => {
  expect(judgeParts(WHOLE)).toEqual({ kind: "open" })
})

test("creates the parts of an empty folder, or of one with only the first step of a start", () => {
  expect(judgeParts(EMPTY)).toEqual({ kind: "create", id: null })
  expect(judgeParts({ ...EMPTY, hasMasterKey: true })).toEqual({ kind: "create", id: null })
  expect(judgeParts({ ...EMPTY, manifest: { id: OWN, state: "creating" } })).toEqual({
    kind: "create",
    id: OWN,
  })
})

test("adopts the parts of an earlier version, and those that agree when only the manifest is missing", () => {
  expect(judgeParts(UNMARKED)).toEqual({ kind: "adopt", id: null })
  expect(judgeParts({ ...WHOLE, manifest: null })).toEqual({ kind: "adopt", id: OWN })
  expect(judgeParts({ ...UNMARKED, manifest: { id: OWN, state: "adopting" } })).toEqual({
    kind: "adopt",
    id: OWN,
  })
})

describe("refuses", () => {
  test.each([
    ["kms/keys.json", { keys: null }],
    ["kms/master-key", { hasMasterKey: false }],
    ["dynamodb/tables.db", { tables: null }],
  ])("a folder without %s, with or without a manifest, and names the file", (path, lost) => {
    const refusal = { kind: "refuse", faults: [{ kind: "missing", path }] }
    expect(judgeParts({ ...WHOLE, ...lost })).toEqual(refusal)
    expect(judgeParts({ ...UNMARKED, ...lost })).toEqual(refusal)
  })

  test("a folder with nothing but credentials, and names everything that is missing", () => {
    expect(judgeParts({ ...EMPTY, hasCredentials: true })).toMatchObject({
      kind: "refuse",
      faults: [{ path: "kms/keys.json" }, { path: "kms/master-key" }, { path: "dynamodb/tables.db" }],
    })
  })

  test.each([
    ["kms/keys.json", { keys: { folderId: OTHER } }],
    ["kms/keys.json", { keys: { folderId: null } }],
    ["dynamodb/tables.db", { tables: { folderId: OTHER } }],
    ["dynamodb/tables.db", { tables: { folderId: null } }],
  ])("%s that does not carry the folder's id", (path, change) => {
    expect(judgeParts({ ...WHOLE, ...change })).toEqual({
      kind: "refuse",
      faults: [{ kind: "foreign", path }],
    })
  })

  test("keys and tables that disagree when there is no manifest", () => {
    expect(judgeParts({ ...WHOLE, manifest: null, keys: { folderId: OTHER } }).kind).toBe("refuse")
    expect(judgeParts({ ...WHOLE, manifest: null, keys: { folderId: null } }).kind).toBe("refuse")
  })
})

test("only creates parts when a first start was interrupted, and only opens or adopts complete parts that agree", () => {
  expect(EVERY).toHaveLength(256)
  for (const found of EVERY) {
    const { kind } = judgeParts(found)
    const { manifest, keys, tables, hasMasterKey, hasCredentials } = found
    const ids = new Set([keys, tables].map((part) => part?.folderId ?? null))
    if (kind === "create") {
      expect(hasCredentials).toBe(false)
      expect([undefined, "creating"]).toContain(manifest?.state)
      expect(ids).not.toContain(OTHER)
    }
    if (kind === "open" || kind === "adopt") {
      expect({ keys, tables, hasMasterKey }).toEqual({
        keys: expect.anything(),
        tables: expect.anything(),
        hasMasterKey: true,
      })
      if (manifest !== null) expect(ids).not.toContain(OTHER)
      if (manifest === null || manifest.state === "complete") expect(ids.size).toBe(1)
    }
  }
})
