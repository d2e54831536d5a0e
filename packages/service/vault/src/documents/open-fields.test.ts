import type { Decision } from "@sealway/policies"
import { InvalidTokenError, type OpenedValue } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { openFields } from "./open-fields.ts"

const TOKEN =
  "ev:Tk9D:1sfU+3Xel3OLnQXM:A2JJim2nKSbHK+7gL5Ydow6UPGprFBT8XrVNkSL7+YKF:U9juPHngC2oIBmKvBfqRf8K2KZiovtcwde7a1B+RPfE:$"
const FIELDS = new Map([
  ["/number", TOKEN],
  ["/cvv", "123"],
])

const opened = (role: string | null): OpenedValue => ({
  type: "number",
  value: Buffer.from("42"),
  role,
  encryptedAt: null,
})

async function open(
  value: OpenedValue | Error,
  decision: Partial<Decision> | null = { decision: "permit" },
  given: ReadonlyMap<string, string> = FIELDS,
) {
  const asked: unknown[] = []
  const opener = {
    openToken: async () => {
      if (value instanceof Error) throw value
      return value
    },
    asksAws: () => false,
    openFile: () => Promise.reject(new Error("There are no files")),
  }
  const result = await openFields(given, opener, async (roles) => {
    asked.push(...roles)
    if (decision === null) return new Map()
    const full: Decision = {
      decision: "permit",
      reason: "permitted",
      policyIds: [],
      accessLog: "standard",
      ...decision,
    } as Decision
    return new Map(roles.map(({ role }) => [role, full]))
  })
  return { ...result, asked }
}

describe("the fields of a request", () => {
  test("are opened, with their token and original type", async () => {
    const { fields, values, asked } = await open(opened(null))
    expect([...fields]).toEqual([
      ["/number", { text: "42", type: "number", token: TOKEN }],
      ["/cvv", { text: "123", type: "string", token: null }],
    ])
    expect(values).toEqual({ roles: new Map(), withoutRole: 1, isStrict: false, masked: new Map() })
    expect(asked).toEqual([])
  })

  test("are opened when the policies of their role permit it, with one decision", async () => {
    const given = new Map([...FIELDS, ["/cryptogram", TOKEN]])
    const { values, asked } = await open(opened("pci"), { accessLog: "strict" }, given)
    expect(values).toEqual({
      roles: new Map([["pci", 2]]),
      withoutRole: 0,
      isStrict: true,
      masked: new Map(),
    })
    expect(asked).toEqual([{ role: "pci", values: 2 }])
  })

  test.each([[{ decision: "deny" as const }], [null]])(
    "are refused with decrypt/forbidden, at the first field of the role, when the decision is %j",
    async (decision) => {
      await expect(open(opened("pci"), decision)).rejects.toMatchObject({
        code: "decrypt/forbidden",
        fields: [{ pointer: "/number" }],
      })
    },
  )

  test("are refused with invalid-request when they do not open", async () => {
    const refusal = { code: "invalid-request", fields: [{ pointer: "/number" }] }
    await expect(open(new InvalidTokenError())).rejects.toMatchObject(refusal)
  })

  test.each(["ev:", "ev:x", `${TOKEN}x`, TOKEN.slice(0, -1)])(
    "are refused with invalid-request when they start with ev: and are not tokens: %s",
    async (text) => {
      await expect(open(opened(null), null, new Map([["/cvv", text]]))).rejects.toMatchObject({
        code: "invalid-request",
        fields: [{ pointer: "/cvv", reason: "The value cannot be decrypted." }],
      })
    },
  )

  test("cause a server error, not invalid-request, when the service has a fault", async () => {
    const fault = new Error("KMS cannot be reached")
    await expect(open(fault)).rejects.toBe(fault)
  })
})
