import { expect, test } from "vitest"
import { PolicyTestFileError, readPolicyTestFile } from "./policy-test-file.ts"

const TEST = { name: "by day", context: { ip: "10.1.2.3" }, expect: "permit", decidedBy: ["Office"] }

test("a file of policy tests is read with its defaults", () => {
  const file = { role: "pci", policies: ["Office"], tests: [TEST, { name: "by night", expect: "deny" }] }
  expect(readPolicyTestFile(file)).toEqual({
    ...file,
    tests: [TEST, { name: "by night", context: {}, expect: "deny", decidedBy: undefined }],
  })
})

test.each([
  ["a text", "role: pci", /^The file/],
  ["no role", { tests: [TEST] }, /^role/],
  ["no tests", { role: "pci", tests: [] }, /^tests/],
  ["an unknown field", { role: "pci", tests: [TEST], only: 1 }, /unknown field: only/],
  ["a test without expectation", { role: "pci", tests: [TEST, { name: "x" }] }, /^Test 2: expect/],
  ["a context that is none", { role: "pci", tests: [{ ...TEST, context: [] }] }, /^Test 1: context/],
  ["names that are none", { role: "pci", policies: "Office", tests: [TEST] }, /^policies/],
])("a file of policy tests is refused with %s", (_, content, reason) => {
  expect(() => readPolicyTestFile(content)).toThrow(PolicyTestFileError)
  expect(() => readPolicyTestFile(content)).toThrow(reason)
})
