import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { refusal } from "../testing/refused.ts"
import { encodeMetadata, SEALWAY_ORIGIN } from "./encode-metadata.ts"
import { splitMetadata } from "./metadata.ts"
import { isRoleSlug } from "./role-slug.ts"

/** Builds a plaintext of metadata, given as MessagePack in hexadecimal, and a value. */
function plaintextOf(messagePack: string, value = ""): Buffer {
  const map = Buffer.from(messagePack.replaceAll(" ", ""), "hex")
  return Buffer.concat([Buffer.of(map.length & 0xff, map.length >> 8), map, Buffer.from(value)])
}

const DR = "a26472"
const EO = "a2656f"
const ET = "a26574"
const PCI = "a3706369"
const KNOWN = `${DR} ${PCI} ${EO} 05 ${ET} ce6b00c986`

const roles = fc.stringMatching(/^[a-z0-9-]{1,20}$/)
const times = fc.integer({ min: 0, max: 0xffff_ffff })

describe("metadata", () => {
  test("is encoded as length, map and value", () => {
    const bytes = Buffer.from(encodeMetadata("pci", SEALWAY_ORIGIN, 0x6b00c986))
    expect(bytes.toString("hex")).toBe("140083a26472a3706369a2656f53a26574ce6b00c986")
  })

  test("decodes to what was encoded, followed by the value", () => {
    fc.assert(
      fc.property(roles, times, fc.uint8Array(), (role, encryptedAt, value) => {
        const plaintext = Buffer.concat([encodeMetadata(role, SEALWAY_ORIGIN, encryptedAt), value])
        expect(splitMetadata(plaintext)).toEqual({ role, encryptedAt, value: Buffer.from(value) })
      }),
    )
  })

  test.each([
    ["all keys", `83 ${KNOWN}`, "pci", 0x6b00c986],
    ["the keys in another order", `83 ${ET} ce6b00c986 ${EO} 05 ${DR} ${PCI}`, "pci", 0x6b00c986],
    ["no role", `82 ${EO} 05 ${ET} ce6b00c986`, null, 0x6b00c986],
    ["no time", `81 ${DR} ${PCI}`, "pci", null],
    ["no keys", "80", null, null],
    ["15 keys", `8f ${KNOWN} ${"00c0".repeat(12)}`, "pci", 0x6b00c986],
    ["a map of 16-bit size", `de0003 ${KNOWN}`, "pci", 0x6b00c986],
    ["a map of 32-bit size", `df00000003 ${KNOWN}`, "pci", 0x6b00c986],
    ["strings of 8-bit length", `82 d9026472 d903706369 ${ET} ce6b00c986`, "pci", 0x6b00c986],
    ["strings of 16-bit length", `81 da00026472 da0003706369`, "pci", null],
    ["strings of 32-bit length", `81 db000000026472 db00000003706369`, "pci", null],
    ["a time of 7 bits", `81 ${ET} 07`, null, 7],
    ["a time of 8 bits", `81 ${ET} ccff`, null, 255],
    ["a time of 16 bits", `81 ${ET} cdffff`, null, 65_535],
    ["the latest time", `81 ${ET} ceffffffff`, null, 0xffff_ffff],
  ])("is read with %s", (_, messagePack, role, encryptedAt) => {
    expect(splitMetadata(plaintextOf(messagePack, "v"))).toEqual({
      role,
      encryptedAt,
      value: Buffer.from("v"),
    })
  })

  test.each([
    ["nil", "c0"],
    ["false", "c2"],
    ["true", "c3"],
    ["a positive fixint", "7f"],
    ["a negative fixint", "e0"],
    ["a uint8", "cc01"],
    ["a uint16", "cd0001"],
    ["a uint32", "ce00000001"],
    ["a uint64", "cf0000000000000001"],
    ["an int8", "d0ff"],
    ["an int16", "d1ffff"],
    ["an int32", "d2ffffffff"],
    ["an int64", "d3ffffffffffffffff"],
    ["a float32", "ca3f800000"],
    ["a float64", "cb3ff0000000000000"],
    ["a fixstr", "a161"],
    ["a str8", "d90161"],
    ["a str16", "da000161"],
    ["a str32", "db0000000161"],
    ["a bin8", "c401ff"],
    ["a bin16", "c50001ff"],
    ["a bin32", "c600000001ff"],
    ["a fixext1", "d401ff"],
    ["a fixext2", "d501ffff"],
    ["a fixext4", "d601ffffffff"],
    ["a fixext8", "d701ffffffffffffffff"],
    ["a fixext16", `d801${"ff".repeat(16)}`],
    ["an ext8", "c70101ff"],
    ["an ext16", "c8000101ff"],
    ["an ext32", "c90000000101ff"],
    ["a fixarray", "9201a161"],
    ["an array16", "dc000201c0"],
    ["an array32", "dd0000000201c0"],
    ["a fixmap", "8101c0"],
    ["a map16", "de000101c0"],
    ["a map32", "df0000000101c0"],
    ["an empty fixmap", "80"],
    ["a fixmap of two", "8201c002c0"],
    ["a fixmap of 15", `8f${"c0c0".repeat(15)}`],
    ["a fixarray of 15", `9f${"c0".repeat(15)}`],
    ["a fixstr of 31 bytes", `bf${"61".repeat(31)}`],
    ["a map16 of two", "de000201c002c0"],
    ["a map32 of two", "df0000000201c002c0"],
    ["a nest of all kinds", "93819201c0dc0001de0001a16190a0c3"],
  ])("skips %s, both as the value of an unknown key and as a key", (_, hex) => {
    const { role, encryptedAt } = splitMetadata(plaintextOf(`85 a178 ${hex} ${KNOWN} ${hex} ${hex}`))
    expect({ role, encryptedAt }).toEqual({ role: "pci", encryptedAt: 0x6b00c986 })
  })

  test("skips values nested as deep as possible", () => {
    const depth = 60_000
    const { role } = splitMetadata(plaintextOf(`82 a178 ${"91".repeat(depth)} c0 ${DR} ${PCI}`))
    expect(role).toBe("pci")
  })

  test.each([
    ["nothing", ""],
    ["no map", "c0"],
    ["an array", "9105"],
    ["a zero in the place of the map", "00"],
    ["a number of four zero bytes in the place of the map", "ce00000000"],
    ["fewer entries than it says", `84 ${KNOWN}`],
    ["four thousand million entries", `dfffffffff ${KNOWN}`],
    ["more than one map", `83 ${KNOWN} 80`],
    ["bytes behind the map", "80 00"],
    ["a key without a value", `81 ${DR}`],
    ["a role that is no string", `81 ${DR} 05`],
    ["a role that is no string, and a value behind it", `82 ${DR} 05 c0`],
    ["a role that is nil", `81 ${DR} c0`],
    ["a role that is bytes", `81 ${DR} c403706369`],
    ["an empty role", `81 ${DR} a0`],
    ["a role that is no slug", `81 ${DR} a3504349`],
    ["a role with a line break", `81 ${DR} a47063690a`],
    ["a role of 21 characters", `81 ${DR} b5${"61".repeat(21)}`],
    ["two roles", `82 ${DR} ${PCI} ${DR} ${PCI}`],
    ["two origins", `82 ${EO} 05 ${EO} 05`],
    ["two times", `82 ${ET} 05 ${ET} 05`],
    ["a time that is a string", `81 ${ET} a131`],
    ["a time before the epoch", `81 ${ET} ff`],
    ["a time of 64 bits", `81 ${ET} cf0000000000000001`],
    ["a time with a fraction", `81 ${ET} cb3ff0000000000000`],
    ["an origin that is no number", `81 ${EO} a161`],
    ["a type that is never used", "81 a178 c1"],
    ["a string longer than the rest", "81 dbffffffff"],
    ["bytes longer than the rest", "81 a178 c6ffffffff00"],
    ["an extension longer than the rest", "81 a178 c9ffffffff00"],
    ["an array longer than the rest", "81 a178 ddffffffff00"],
    ["a map longer than the rest", "81 a178 dfffffffff00"],
  ])("is refused with %s", (_, messagePack) => {
    expect(() => splitMetadata(plaintextOf(messagePack))).toThrow(refusal)
  })

  test("is refused when truncated anywhere", () => {
    const bytes = Buffer.from(encodeMetadata("pci", SEALWAY_ORIGIN, 1_700_000_000))
    for (let length = 0; length < bytes.length; length++) {
      expect(() => splitMetadata(bytes.subarray(0, length))).toThrow(refusal)
    }
  })

  test("is refused when its length exceeds the plaintext", () => {
    const bytes = Buffer.from(encodeMetadata("pci", SEALWAY_ORIGIN, 1_700_000_000))
    bytes.writeUInt16LE(bytes.length - 1, 0)
    expect(() => splitMetadata(bytes)).toThrow(refusal)
  })

  test("is either read or refused for any bytes", () => {
    const anything = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    const framed = anything.map((bytes) => plaintextOf(bytes.toString("hex"), "value"))
    const almost = fc.tuple(fc.nat(), fc.nat(0xff)).map(([at, byte]) => {
      const bytes = plaintextOf(`85 a178 93819201c0dc0001de0001a16190a0c3 ${KNOWN} c7010000 c0`)
      bytes[at % bytes.length] = byte
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(anything, framed, almost), (plaintext) => {
        try {
          const { role, encryptedAt, value } = splitMetadata(plaintext)
          expect(role === null || isRoleSlug(role)).toBe(true)
          expect(encryptedAt === null || (encryptedAt >= 0 && encryptedAt <= 0xffff_ffff)).toBe(true)
          expect(plaintext.subarray(plaintext.length - value.length)).toEqual(value)
        } catch (error) {
          expect(error).toEqual(refusal)
        }
      }),
      { numRuns: 5000 },
    )
  })
})
