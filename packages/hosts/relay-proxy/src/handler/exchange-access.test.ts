import { TEST_APP } from "@sealway/accounts/testing"
import type { AccessRecord, AuditEntry } from "@sealway/records"
import { describe, expect, test } from "vitest"
import { ExchangeAccess } from "./exchange-access.ts"

const valuesOf = (
  roles: Record<string, number>,
  withoutRole = 0,
  isStrict = false,
  masked: Record<string, number> = {},
) => ({
  roles: new Map(Object.entries(roles)),
  withoutRole,
  isStrict,
  masked: new Map(Object.entries(masked)),
})

function setUp({ fails = false } = {}) {
  const recorded: AccessRecord[] = []
  const audited: AuditEntry[] = []
  const access = new ExchangeAccess(
    {
      accessLog: { record: (record) => void recorded.push(record) },
      audit: {
        async record(entry) {
          if (fails) throw new Error("The table is down")
          audited.push(entry)
        },
      },
      wallClock: () => 1_700_000_000_000,
    },
    {
      app: TEST_APP,
      author: { actor: { type: "api-key", id: "key_1" }, ip: "192.0.2.1", requestId: "request_1" },
      source: "relay",
      apiKeyId: "key_1",
      relayId: "relay_1",
    },
  )
  return { recorded, audited, access }
}

describe("the decryptions of an exchange", () => {
  test("are recorded once at its end, for all its messages", async () => {
    const { access, recorded, audited } = setUp()
    await access.opened(valuesOf({ pci: 2 }, 1), "request")
    await access.opened(valuesOf({ pci: 1, pii: 1 }, 0, false, { pii: 1 }), "response")
    await access.opened(valuesOf({ pii: 1 }, 0, false, { pii: 1 }), "response")
    expect(recorded).toEqual([])
    access.end()
    expect(recorded).toMatchObject([
      { relayId: "relay_1", source: "relay", roles: { pci: 3, pii: 2 }, withoutRole: 1, total: 6 },
    ])
    expect(recorded[0]?.masked).toEqual({ roles: { pii: 2 }, withoutRole: 0, total: 2 })
    expect(audited).toEqual([])
  })

  test("are not recorded when there are none, and not again when the end comes twice", async () => {
    const { access, recorded } = setUp()
    access.end()
    expect(recorded).toEqual([])
    await access.opened(valuesOf({ pci: 1 }), "request")
    access.end()
    expect(recorded).toHaveLength(1)
  })

  test("are recorded too after its end, for example for the rest of a body that the destination did not wait for", async () => {
    const { access, recorded } = setUp()
    await access.opened(valuesOf({ pci: 1 }), "request")
    access.end()
    await access.opened(valuesOf({}, 1), "request")
    expect(recorded).toMatchObject([
      { total: 1, roles: { pci: 1 } },
      { total: 1, withoutRole: 1 },
    ])
    expect(new Set(recorded.map(({ id }) => id)).size).toBe(2)
  })

  test("are in the audit log immediately, per message, under the id of the record, when a role is strict", async () => {
    const { access, recorded, audited } = setUp()
    await access.opened(valuesOf({ pci: 2 }, 0, true), "request")
    await access.opened(valuesOf({ pci: 1 }, 0, true), "response")
    expect(audited.map(({ details }) => details?.total)).toEqual([2, 1])
    expect(audited.every(({ isQuiet }) => isQuiet)).toBe(true)
    access.end()
    expect(audited.map(({ details }) => details?.access)).toEqual([recorded[0]?.id, recorded[0]?.id])
    expect(recorded[0]?.total).toBe(3)
  })

  test("are refused with service-unavailable, and counted nowhere, when a strict record cannot be written", async () => {
    const { access, recorded } = setUp({ fails: true })
    await expect(access.opened(valuesOf({ pci: 1 }, 0, true), "response")).rejects.toMatchObject({
      code: "service-unavailable",
      stage: "response",
    })
    access.end()
    expect(recorded).toEqual([])
  })
})
