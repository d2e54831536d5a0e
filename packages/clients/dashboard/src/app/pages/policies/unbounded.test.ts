import { expect, test } from "vitest"
import { isUnbounded } from "./unbounded.ts"

test.each([
  { effect: "permit", conditions: {} },
  { effect: "permit", conditions: { sources: [], enclavePcrs: {} } },
  { effect: "permit", conditions: { budget: { values: 1, per: "day" } } },
  { effect: "permit", conditions: { time: { notAfter: "2030-01-01T00:00:00Z" } } },
  { effect: "permit", cedar: "permit(principal, action, resource)\nwhen { true };" },
  { effect: "permit", cedar: "permit (principal, action, resource);\n" },
] as const)("anyone with a key may decrypt from anywhere: %j", (rule) => {
  expect(isUnbounded(rule)).toBe(true)
})

test.each([
  { effect: "forbid", conditions: {} },
  { effect: "permit", conditions: { sources: ["relay"] } },
  { effect: "permit", conditions: { ipRanges: ["10.0.0.0/8"] } },
  { effect: "permit", conditions: { apiKeys: ["key_1"] } },
  { effect: "permit", conditions: { functions: ["charge"] } },
  { effect: "permit", conditions: { relayDestinations: ["api.example.com"] } },
  { effect: "permit", conditions: { enclavePcrs: { pcr0: "00" } } },
  { effect: "permit", cedar: "permit(principal, action, resource) when { context.ip.isLoopback() };" },
] as const)("not everybody may decrypt: %j", (rule) => {
  expect(isUnbounded(rule)).toBe(false)
})
