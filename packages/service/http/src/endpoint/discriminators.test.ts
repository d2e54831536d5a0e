import { expect, test } from "vitest"
import { withDiscriminators } from "./discriminators.ts"

const objectOf = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
})
const literal = (value: string) => ({ type: "string", const: value })
const unionOf = (...names: string[]) => ({
  oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
})

test("names the field that tells the objects of a union apart, and the object of each value", () => {
  const schemas = {
    Run: unionOf("Success", "Failure"),
    Success: objectOf({ id: { type: "string" }, kind: literal("run"), status: literal("success") }),
    Failure: objectOf({ kind: literal("run"), status: literal("failure"), error: { type: "object" } }),
  }
  expect(withDiscriminators(schemas)).toEqual({
    ...schemas,
    Run: {
      ...schemas.Run,
      discriminator: {
        propertyName: "status",
        mapping: { success: "#/components/schemas/Success", failure: "#/components/schemas/Failure" },
      },
    },
  })
})

test.each([
  ["one object may lack the field", objectOf({ status: literal("b") }, [])],
  ["two objects have the same value", objectOf({ status: literal("a") })],
  ["a value is not fixed", objectOf({ status: { type: "string", enum: ["b", "c"] } })],
  ["a member is no object", { type: "string" }],
])("leaves a union as it is when %s", (_, second) => {
  const schemas = { Union: unionOf("A", "B"), A: objectOf({ status: literal("a") }), B: second }
  expect(withDiscriminators(schemas)).toEqual(schemas)
})
